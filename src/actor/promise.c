#include "actor/promise.h"

#include "actor/actors.h"
#include "base/arena.h"
#include "node/system.h"

#include <ctype.h>
#include <string.h>

static const char *const condition_names[FORE_CONDITIONS] = {
    "invoked", "answered", "waiting", "pending", "some", "every"};

struct promise_reader {
    struct fore_harness *h;
    struct fore_arena *a;
    const struct fore_system *s;
    const char *at, *end;
};

static void skip_blanks(struct promise_reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

/* The next word, or "" without moving. */
static const char *next_word(struct promise_reader *r)
{
    skip_blanks(r);
    const char *from = r->at;
    while (r->at < r->end &&
           (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '-'))
        r->at++;
    return fore_arena_strndup(r->a, from, (size_t)(r->at - from));
}

static bool take_char(struct promise_reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* Looks up the name in the parentheses. */
static const char *resolve_name(struct promise_reader *r, struct fore_condition *a,
                                const char *name)
{
    int i;
    switch (a->kind) {
    case FORE_CONDITION_INVOKED:
    case FORE_CONDITION_ANSWERED:
    case FORE_CONDITION_WAITING:
        for (size_t k = 0; k < r->h->ops.n; k++)
            if (!strcmp(r->h->ops.at[k].name, name))
                a->ops |= (uint64_t)1 << k;
        return a->ops ? NULL : "no invocation has this name";
    case FORE_CONDITION_PENDING:
        i = fore_system_kind(r->s, name);
        a->index = (uint32_t)i;
        return i < 0 ? "the system has no message of this name" : NULL;
    case FORE_CONDITION_SOME:
    case FORE_CONDITION_EVERY:
        i = fore_system_proposition(r->s, name);
        a->index = (uint32_t)i;
        return i < 0 ? "the system exports no proposition of this name "
                       "(foresee_propositions)"
                     : NULL;
    case FORE_CONDITIONS:
        break;
    }
    return "expected an atom";
}

static const char *read_condition(struct promise_reader *r, struct fore_condition *a)
{
    const char *from = (skip_blanks(r), r->at), *word = next_word(r);
    *a = (struct fore_condition){.kind = FORE_CONDITIONS};
    if (!strcmp(word, "not")) {
        const char *wrong = read_condition(r, a);
        a->negated = !a->negated;
        return wrong;
    }
    for (int k = 0; k < FORE_CONDITIONS; k++)
        if (!strcmp(word, condition_names[k]))
            a->kind = (enum fore_condition_kind)k;
    if (a->kind == FORE_CONDITIONS) {
        r->at = from;
        return "expected invoked(OP), answered(OP), waiting(OP), pending(MESSAGE), "
               "some(PROPOSITION), every(PROPOSITION), or one of them after `not`";
    }
    if (!take_char(r, '('))
        return "expected `(` after the atom's name";
    from = (skip_blanks(r), r->at);
    const char *wrong = resolve_name(r, a, next_word(r));
    if (wrong) {
        r->at = from;
        return wrong;
    }
    return take_char(r, ')') ? NULL : "expected `)`";
}

static const char *read_promise(struct promise_reader *r, struct fore_promise *p)
{
    p->name = next_word(r);
    if (!p->name[0])
        return "expected the property's name";
    if (!take_char(r, ':'))
        return "expected `:` after the property's name";
    const char *from = (skip_blanks(r), r->at);
    if (!strcmp(next_word(r), "eventually")) {
        const char *wrong = read_condition(r, &p->goal);
        p->text = fore_arena_strndup(r->a, from, (size_t)(r->at - from));
        return wrong;
    }
    r->at = from;
    p->leads_to = true;
    const char *wrong = read_condition(r, &p->when);
    if (wrong)
        return wrong;
    const char *here = (skip_blanks(r), r->at);
    if (strcmp(next_word(r), "leads-to") != 0) {
        r->at = here;
        return "expected `leads-to`, as in `waiting(read) leads-to answered(read)`";
    }
    wrong = read_condition(r, &p->goal);
    p->text = fore_arena_strndup(r->a, from, (size_t)(r->at - from));
    return wrong;
}

const char *fore_promise_read(struct fore_harness *h, struct fore_arena *a,
                              const struct fore_system *s, const char **at,
                              const char *end, uint64_t line)
{
    struct promise_reader r = {h, a, s, *at, end};
    struct fore_promise p = {.line = line, .text = ""};
    if (h->properties.n == FORE_PROMISES_MAX)
        return "too many properties: at most 16";
    const char *wrong = read_promise(&r, &p);
    *at = r.at;
    if (!wrong)
        fore_vec_push(&h->properties, p);
    return wrong;
}

static bool proposition_holds(const struct fore_actors *w, const struct fore_condition *a)
{
    const struct foresee_proposition *p = &w->sys->propositions->at[a->index];
    bool every = a->kind == FORE_CONDITION_EVERY;
    for (size_t i = 0; w->sys->def == &fore_node_system && i < w->actors.n; i++)
        if (w->actors.at[i].role)
            fore_nodes_see_service(w->actors.at[i].role, w->actors.at[i].state);
    for (size_t i = 0; i < w->actors.n; i++) {
        const struct fore_actor *x = &w->actors.at[i];
        if (x->role == p->role && !p->holds(x->state, x->id) == every)
            return !every;
    }
    return every;
}

static bool is_pending(const struct fore_actors *w, uint32_t kind)
{
    for (uint32_t m = w->msgs.at[0].next; m; m = w->msgs.at[m].next)
        if (w->msgs.at[m].r.kind == kind)
            return true;
    return false;
}

bool fore_condition_holds(const struct fore_actors *w, const struct fore_condition *a)
{
    bool holds = false;
    switch (a->kind) {
    case FORE_CONDITION_INVOKED:
        holds = w->invoked & a->ops;
        break;
    case FORE_CONDITION_ANSWERED:
        holds = (w->answered & a->ops) == a->ops;
        break;
    case FORE_CONDITION_WAITING:
        holds = w->invoked & ~w->answered & a->ops;
        break;
    case FORE_CONDITION_PENDING:
        holds = is_pending(w, a->index);
        break;
    case FORE_CONDITION_SOME:
    case FORE_CONDITION_EVERY:
        holds = proposition_holds(w, a);
        break;
    case FORE_CONDITIONS:
        break;
    }
    return holds != a->negated;
}
