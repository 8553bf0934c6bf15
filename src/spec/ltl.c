/* Progression: what must hold from position i on is rewritten, by the letter at i, into
 * what must hold from i + 1 on. A past operator is worth what the recurrence says (p S q
 * = q or (p and what it was worth one position ago)). Both meet: "what it was worth one
 * position ago" is itself a function of questions about the present position, which is
 * the constant true or false unless a future operator stands below the past one. So past
 * over future needs no separate treatment.
 *
 * Functions are kept as BDDs over questions, so two formulas that are equal by
 * propositional reasoning are one state, and there are finitely many. */
#include "spec/ltl.h"

#include <string.h>

static uint32_t question(struct fore_ltl *l, enum fore_ltl_question_kind kind, uint32_t a,
                         uint32_t b)
{
    for (uint32_t i = 0; i < l->questions.n; i++) {
        const struct fore_ltl_question *q = &l->questions.at[i];
        if (q->kind == kind && q->a == a && q->b == b)
            return fore_bdd_var(&l->bdd, i);
    }
    struct fore_ltl_question q = {kind, a, b, 0};
    if (kind == FORE_LTL_PREVIOUS || kind == FORE_LTL_SINCE)
        q.memory = 1 + l->memories++;
    fore_vec_push(&l->questions, q);
    return fore_bdd_var(&l->bdd, (uint32_t)l->questions.n - 1);
}

static uint32_t until(struct fore_ltl *l, uint32_t a, uint32_t b)
{
    if (b == FORE_BDD_FALSE || b == FORE_BDD_TRUE || a == FORE_BDD_FALSE || a == b)
        return b;
    return question(l, FORE_LTL_UNTIL, a, b);
}

static uint32_t since(struct fore_ltl *l, uint32_t a, uint32_t b)
{
    if (b == FORE_BDD_FALSE || b == FORE_BDD_TRUE || a == FORE_BDD_FALSE || a == b)
        return b;
    return question(l, FORE_LTL_SINCE, a, b);
}

/* There is no position before the first: `Y false` is false, `Y true` is not true there.
 */
static uint32_t previous(struct fore_ltl *l, uint32_t a)
{
    return a == FORE_BDD_FALSE ? a : question(l, FORE_LTL_PREVIOUS, a, 0);
}

static uint32_t translate(struct fore_ltl *l, const struct fore_node *n,
                          const uint8_t *bit_of);

static uint32_t translate_future(struct fore_ltl *l, enum fore_node_op op, uint32_t a,
                                 uint32_t b)
{
    struct fore_bdd *d = &l->bdd;
    uint32_t not_a = fore_bdd_not(d, a), not_b = fore_bdd_not(d, b);
    switch (op) {
    case FORE_OP_NEXT:
        return a == FORE_BDD_TRUE || a == FORE_BDD_FALSE
                   ? a
                   : question(l, FORE_LTL_NEXT, a, 0);
    case FORE_OP_ALWAYS:
        return fore_bdd_not(d, until(l, FORE_BDD_TRUE, not_a));
    case FORE_OP_EVENTUALLY:
        return until(l, FORE_BDD_TRUE, a);
    case FORE_OP_UNTIL:
        return until(l, a, b);
    case FORE_OP_WEAK:
        return fore_bdd_not(d, until(l, not_b, fore_bdd_and(d, not_a, not_b)));
    default: /* RELEASE */
        return fore_bdd_not(d, until(l, not_a, not_b));
    }
}

static uint32_t translate_past(struct fore_ltl *l, enum fore_node_op op, uint32_t a,
                               uint32_t b)
{
    struct fore_bdd *d = &l->bdd;
    uint32_t not_a = fore_bdd_not(d, a), not_b = fore_bdd_not(d, b);
    switch (op) {
    case FORE_OP_PREVIOUS:
        return previous(l, a);
    case FORE_OP_ONCE:
        return since(l, FORE_BDD_TRUE, a);
    case FORE_OP_HISTORICALLY:
        return fore_bdd_not(d, since(l, FORE_BDD_TRUE, not_a));
    case FORE_OP_SINCE:
        return since(l, a, b);
    case FORE_OP_START:
        return fore_bdd_and(d, a, previous(l, not_a));
    case FORE_OP_END:
        return fore_bdd_and(d, not_a, previous(l, a));
    default: /* INTERVAL */
        return since(l, not_b, fore_bdd_and(d, a, not_b));
    }
}

static uint32_t translate_boolean(struct fore_ltl *l, const struct fore_node *n,
                                  const uint8_t *bit_of)
{
    struct fore_bdd *d = &l->bdd;
    if (n->op == FORE_OP_FALSE || n->op == FORE_OP_TRUE)
        return n->op == FORE_OP_TRUE;
    if (n->op == FORE_OP_ATOM)
        return question(l, FORE_LTL_BIT, bit_of[n->id], 0);
    uint32_t a = translate(l, n->a, bit_of);
    if (n->op == FORE_OP_NOT)
        return fore_bdd_not(d, a);
    uint32_t b = translate(l, n->b, bit_of);
    switch (n->op) {
    case FORE_OP_AND:
        return fore_bdd_and(d, a, b);
    case FORE_OP_OR:
        return fore_bdd_or(d, a, b);
    case FORE_OP_IMPLIES:
        return fore_bdd_ite(d, a, b, FORE_BDD_TRUE);
    default:
        return fore_bdd_iff(d, a, b);
    }
}

static uint32_t translate(struct fore_ltl *l, const struct fore_node *n,
                          const uint8_t *bit_of)
{
    enum fore_op_class class = fore_op_class(n->op);
    if (class == FORE_OPS_BOOLEAN)
        return translate_boolean(l, n, bit_of);
    uint32_t a = translate(l, n->a, bit_of);
    uint32_t b = n->b ? translate(l, n->b, bit_of) : FORE_BDD_FALSE;
    return class == FORE_OPS_FUTURE ? translate_future(l, n->op, a, b)
                                    : translate_past(l, n->op, a, b);
}

void fore_ltl_init(struct fore_ltl *l)
{
    *l = (struct fore_ltl){0};
    fore_bdd_init(&l->bdd);
}

uint32_t fore_ltl_function(struct fore_ltl *l, const struct fore_node *n,
                           const uint8_t *bit_of)
{
    return translate(l, n, bit_of);
}

uint32_t fore_ltl_start(struct fore_ltl *l, uint32_t function, bool every)
{
    if (every)
        function = translate_future(l, FORE_OP_ALWAYS, function, FORE_BDD_FALSE);
    uint32_t *words = fore_calloc(1 + l->memories, sizeof *words);
    words[0] = function;
    uint32_t start =
        fore_intern(&l->states, words, (1 + l->memories) * sizeof *words) - 1;
    fore_free(words);
    return start;
}

void fore_ltl_release(struct fore_ltl *l)
{
    fore_bdd_release(&l->bdd);
    fore_vec_release(&l->questions);
    fore_vec_release(&l->answers);
    fore_intern_release(&l->states);
    fore_map_release(&l->stepped);
}

static const uint32_t *state_words(const struct fore_ltl *l, uint32_t state)
{
    return (const uint32_t *)(const void *)fore_intern_bytes(&l->states, state + 1).at;
}

bool fore_ltl_false(const struct fore_ltl *l, uint32_t state)
{
    return state_words(l, state)[0] == FORE_BDD_FALSE;
}

static uint32_t step_function(struct fore_ltl *l, uint32_t f, const uint32_t *old,
                              uint32_t letter);

/* The question at this position, as a function of questions at the next. */
static uint32_t answer_question(struct fore_ltl *l, uint32_t index, const uint32_t *old,
                                uint32_t letter)
{
    if (l->answers.at[index] != UINT32_MAX)
        return l->answers.at[index];
    struct fore_ltl_question q = l->questions.at[index];
    uint32_t now, keep, result = 0;
    switch (q.kind) {
    case FORE_LTL_BIT:
        result = letter >> q.a & 1;
        break;
    case FORE_LTL_NEXT:
        result = q.a;
        break;
    case FORE_LTL_PREVIOUS:
        result = step_function(l, old[q.memory], old, letter);
        break;
    case FORE_LTL_UNTIL:
    case FORE_LTL_SINCE:
        now = step_function(l, q.b, old, letter);
        keep = q.kind == FORE_LTL_UNTIL ? fore_bdd_var(&l->bdd, index)
                                        : step_function(l, old[q.memory], old, letter);
        keep = fore_bdd_and(&l->bdd, step_function(l, q.a, old, letter), keep);
        result = fore_bdd_or(&l->bdd, now, keep);
        break;
    }
    l->answers.at[index] = result;
    return result;
}

static uint32_t step_function(struct fore_ltl *l, uint32_t f, const uint32_t *old,
                              uint32_t letter)
{
    if (f == FORE_BDD_FALSE || f == FORE_BDD_TRUE)
        return f;
    const uint64_t *known = fore_map_get(&l->stepped, f);
    if (known)
        return (uint32_t)*known;
    struct fore_bdd_node n = l->bdd.nodes.at[f];
    uint32_t high = step_function(l, n.high, old, letter);
    uint32_t low = step_function(l, n.low, old, letter);
    uint32_t result =
        fore_bdd_ite(&l->bdd, answer_question(l, n.var, old, letter), high, low);
    *fore_map_put(&l->stepped, f, NULL) = result;
    return result;
}

uint32_t fore_ltl_step(struct fore_ltl *l, uint32_t state, uint32_t letter)
{
    size_t size = (1 + l->memories) * sizeof(uint32_t);
    uint32_t *old = fore_alloc(2 * size), *next = old + 1 + l->memories;
    memcpy(old, state_words(l, state), size);
    fore_map_clear(&l->stepped);
    fore_vec_clear(&l->answers);
    for (size_t i = 0; i < l->questions.n; i++)
        fore_vec_push(&l->answers, UINT32_MAX);
    next[0] = step_function(l, old[0], old, letter);
    for (uint32_t i = 0; i < l->questions.n; i++) {
        struct fore_ltl_question q = l->questions.at[i];
        if (q.kind == FORE_LTL_PREVIOUS)
            next[q.memory] = step_function(l, q.a, old, letter);
        else if (q.kind == FORE_LTL_SINCE)
            next[q.memory] = answer_question(l, i, old, letter);
    }
    /* Nothing can repair a violation, so what the past was no longer matters. */
    if (next[0] == FORE_BDD_FALSE)
        memset(next, 0, size);
    uint32_t id = fore_intern(&l->states, next, size) - 1;
    fore_free(old);
    return id;
}
