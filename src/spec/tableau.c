/* The textbook tableau, by brute force: its states are all answers to all questions, as bits.
 * From one to the next the expansion laws must hold (p U q = q or (p and the same next), and
 * so on); a path is a model if it is fair: what it says will come does come, again and again.
 * The states with a fair path are a nested fixed point (Emerson and Lei). */
#include "spec/tableau.h"

#include "base/bitset.h"

#include <string.h>

struct tableau {
    uint32_t n, words;                       /* states; words of a set of them */
    uint32_t bits, next, until, prev, since; /* questions of each kind */
    uint32_t *a, *b; /* state -> bit q: the operand of question q holds */
    uint64_t *edges; /* n rows of `words` */
};

static bool state_holds(const struct fore_bdd *d, uint32_t f, uint32_t state)
{
    while (f > FORE_BDD_TRUE) {
        struct fore_bdd_node x = d->nodes.at[f];
        f = state >> x.var & 1 ? x.high : x.low;
    }
    return f == FORE_BDD_TRUE;
}

static bool state_follows(const struct tableau *t, uint32_t p, uint32_t v)
{
    uint32_t until = t->b[p] | (t->a[p] & v), since = t->b[v] | (t->a[v] & p);
    return !((until ^ p) & t->until) && !((since ^ v) & t->since) &&
           !((t->a[v] ^ p) & t->next) && !((t->a[p] ^ v) & t->prev);
}

/* Nothing was before the first position. */
static bool state_begins(const struct tableau *t, uint32_t v)
{
    return !(v & t->prev) && !((t->b[v] ^ v) & t->since);
}

static void build_tableau(struct tableau *t, const struct fore_ltl *l)
{
    uint32_t *kinds[] = {&t->bits, &t->next, &t->until, &t->prev, &t->since};
    t->n = 1u << l->questions.n;
    t->words = (uint32_t)FORE_BITSET_WORDS(t->n);
    t->a = fore_calloc(t->n, sizeof *t->a);
    t->b = fore_calloc(t->n, sizeof *t->b);
    t->edges = fore_calloc((size_t)t->n * t->words, sizeof *t->edges);
    for (uint32_t q = 0; q < l->questions.n; q++) {
        const struct fore_ltl_question *x = &l->questions.at[q];
        *kinds[x->kind] |= 1u << q;
        for (uint32_t v = 0; v < t->n && x->kind != FORE_LTL_BIT; v++) {
            t->a[v] |= (uint32_t)state_holds(&l->bdd, x->a, v) << q;
            t->b[v] |= (uint32_t)state_holds(&l->bdd, x->b, v) << q;
        }
    }
    for (uint32_t p = 0; p < t->n; p++)
        for (uint32_t v = 0; v < t->n; v++)
            if (state_follows(t, p, v))
                fore_bit_add(t->edges + (size_t)p * t->words, v);
}

static bool meets(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* Removes from `in` every state that has no path inside `in`, of one step or more, to a state
 * of `goal`; `work` is room for two sets. Was one removed? */
static bool keep_reaching(const struct tableau *t, uint64_t *in, const uint64_t *goal,
                          uint64_t *work)
{
    uint64_t *reach = work, *target = work + t->words;
    memset(reach, 0, t->words * sizeof *reach);
    memcpy(target, goal, t->words * sizeof *target);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t p = 0; p < t->n; p++) {
            if (!fore_bit_has(in, p) || fore_bit_has(reach, p) ||
                !meets(t->edges + (size_t)p * t->words, target, t->words))
                continue;
            fore_bit_add(reach, p);
            fore_bit_add(target, p);
            grew = true;
        }
    }
    bool removed = memcmp(in, reach, t->words * sizeof *in) != 0;
    memcpy(in, reach, t->words * sizeof *in);
    return removed;
}

/* The states in `in` at which the promise of question q is kept or not made. */
static void states_keeping(const struct tableau *t, uint32_t q, const uint64_t *in,
                           uint64_t *out)
{
    memset(out, 0, t->words * sizeof *out);
    for (uint32_t v = 0; v < t->n; v++)
        if (fore_bit_has(in, v) && (!(v >> q & 1) || t->b[v] >> q & 1))
            fore_bit_add(out, v);
}

static void fair_states(const struct tableau *t, uint64_t *in)
{
    uint64_t *goal = fore_calloc(3 * (size_t)t->words, sizeof *goal);
    memset(in, 0xff, t->words * sizeof *in);
    for (bool removed = true; removed;) {
        removed = keep_reaching(t, in, in, goal + t->words); /* goes on for ever */
        for (uint32_t q = 0; q < 32 && t->until >> q; q++) {
            if (!(t->until >> q & 1))
                continue;
            states_keeping(t, q, in, goal);
            removed = keep_reaching(t, in, goal, goal + t->words) || removed;
        }
    }
    fore_free(goal);
}

bool fore_ltl_satisfiable(const struct fore_ltl *l, uint32_t f, bool *decided)
{
    *decided = l->questions.n <= FORE_TABLEAU_BITS;
    if (!*decided)
        return true;
    struct tableau t = {0};
    build_tableau(&t, l);
    uint64_t *fair = fore_calloc(t.words, sizeof *fair);
    fair_states(&t, fair);
    bool found = false;
    for (uint32_t v = 0; v < t.n && !found; v++)
        found =
            fore_bit_has(fair, v) && state_begins(&t, v) && state_holds(&l->bdd, f, v);
    fore_free(fair);
    fore_free(t.a);
    fore_free(t.b);
    fore_free(t.edges);
    return found;
}
