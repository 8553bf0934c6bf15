/* Decides:  sequential consistency of a history.
 * Sound, complete: yes, within the budget.
 * Cost:     exponential in the number of processes in the worst case; the problem is
 *           NP-complete. Source: [lamport79]; [winggong93] without real-time edges.
 *
 * A configuration is how far each process has come and the state of each object. An
 * operation whose answer shows that it changed nothing is taken at once where it is legal,
 * as in the search for linearizations. An operation that never returned may take effect or
 * be passed over. */
#include "history/sequential.h"

#include <string.h>

struct choice {
    uint32_t process, op;
    fore_val before; /* state of the operation's object */
    uint32_t next;   /* 2 * process (+ 1: pass over) to try next; FORCED: nothing else */
    bool took;
};

#define FORCED UINT32_MAX

struct seq {
    struct fore_history *h;
    struct fore_limits limits;
    FORE_VEC(uint32_t) * of; /* by process: its operations */
    uint32_t *at;            /* by process: how many are done */
    fore_val *state;         /* by object */
    struct fore_intern seen;
    struct fore_strbuf key;
    FORE_VEC(struct choice) stack;
    uint64_t configs;
    const char *bound;
};

static const struct fore_op *next_op(const struct seq *s, size_t process, uint32_t *index)
{
    if (s->at[process] == s->of[process].n)
        return NULL;
    *index = s->of[process].at[s->at[process]];
    return &s->h->ops.at[*index];
}

static bool done(const struct seq *s)
{
    for (size_t p = 0; p < s->h->processes.n; p++)
        for (size_t i = s->at[p]; i < s->of[p].n; i++)
            if (!fore_op_pending(&s->h->ops.at[s->of[p].at[i]]))
                return false;
    return true;
}

static bool legal(struct seq *s, const struct fore_op *op, fore_val *next)
{
    return fore_model_step(s->h->model, &s->h->values, s->state[op->object], op, next);
}

static void take(struct seq *s, size_t process, uint32_t op, bool took, fore_val next,
                 uint32_t tried)
{
    uint32_t object = s->h->ops.at[op].object;
    fore_vec_push(&s->stack,
                  (struct choice){(uint32_t)process, op, s->state[object], tried, took});
    if (took)
        s->state[object] = next;
    s->at[process]++;
}

static void undo(struct seq *s, struct choice *c)
{
    *c = fore_vec_pop(&s->stack);
    s->state[s->h->ops.at[c->op].object] = c->before;
    s->at[c->process]--;
}

static void take_idle(struct seq *s)
{
    for (size_t p = 0; p < s->h->processes.n; p++) {
        uint32_t i;
        const struct fore_op *op;
        fore_val next;
        while ((op = next_op(s, p, &i)) && !fore_op_pending(op) &&
               fore_op_idle(s->h->model, op, true) && legal(s, op, &next))
            take(s, p, i, true, next, FORCED);
    }
}

static bool is_new(struct seq *s)
{
    size_t known = fore_intern_count(&s->seen);
    fore_strbuf_clear(&s->key);
    fore_strbuf_add(&s->key, (const char *)s->at, s->h->processes.n * sizeof *s->at);
    fore_strbuf_add(&s->key, (const char *)s->state, s->h->objects.n * sizeof *s->state);
    fore_intern(&s->seen, s->key.at, s->key.n);
    return fore_intern_count(&s->seen) > known;
}

/* Takes the first possible choice from `from` on; false if there is none. */
static bool choose(struct seq *s, uint32_t from)
{
    for (uint32_t c = from; c < 2 * s->h->processes.n; c++) {
        uint32_t i;
        const struct fore_op *op = next_op(s, c / 2, &i);
        fore_val next = FORE_NIL;
        if (!op || (c % 2 ? !fore_op_pending(op) : !legal(s, op, &next)))
            continue;
        take(s, c / 2, i, c % 2 == 0, next, c + 1);
        return true;
    }
    return false;
}

/* Undoes choices until one has an alternative; false if none has. */
static bool backtrack(struct seq *s)
{
    while (s->stack.n) {
        struct choice c;
        undo(s, &c);
        if (c.next != FORCED && choose(s, c.next))
            return true;
    }
    return false;
}

static enum fore_lin search(struct seq *s)
{
    for (bool going = true; going;) {
        take_idle(s);
        if (done(s))
            return FORE_LIN_YES;
        s->configs++;
        s->bound = fore_budget_spent(&s->limits.budget);
        if (!s->bound && s->limits.max_configs && s->configs > s->limits.max_configs)
            s->bound = "configurations";
        if (s->bound)
            return FORE_LIN_UNKNOWN;
        going = (is_new(s) && choose(s, 0)) || backtrack(s);
    }
    return FORE_LIN_NO;
}

static void keep_order(const struct seq *s, struct fore_lin_part *p)
{
    p->order = fore_calloc(s->stack.n + 1, sizeof *p->order);
    for (size_t i = 0; i < s->stack.n; i++)
        if (s->stack.at[i].took)
            p->order[p->n_order++] = s->stack.at[i].op;
}

static void set_up(struct seq *s, fore_val init)
{
    struct fore_history *h = s->h;
    s->of = fore_calloc(h->processes.n + 1, sizeof *s->of);
    s->at = fore_calloc(h->processes.n + 1, sizeof *s->at);
    s->state = fore_calloc(h->objects.n + 1, sizeof *s->state);
    for (size_t i = 0; i < h->objects.n; i++)
        s->state[i] = init;
    for (size_t i = 0; i < h->ops.n; i++)
        fore_vec_push(&s->of[h->ops.at[i].process], (uint32_t)i);
}

static void tear_down(struct seq *s)
{
    for (size_t p = 0; p < s->h->processes.n; p++)
        fore_vec_release(&s->of[p]);
    fore_free(s->of);
    fore_free(s->at);
    fore_free(s->state);
    fore_intern_release(&s->seen);
    fore_strbuf_release(&s->key);
    fore_vec_release(&s->stack);
}

void fore_lin_sequential(struct fore_history *h, const struct fore_lin_options *o,
                         fore_val init, struct fore_lin_result *r)
{
    struct seq s = {.h = h, .limits = o->limits, .key = FORE_STRBUF_INIT};
    set_up(&s, init);
    r->ops_by_part = fore_calloc(h->ops.n + 1, sizeof *r->ops_by_part);
    for (size_t i = 0; i < h->ops.n; i++)
        r->ops_by_part[i] = (uint32_t)i;
    struct fore_lin_part p = {.ops = r->ops_by_part, .n = h->ops.n, .init = init};
    r->verdict = p.verdict = search(&s);
    r->bound = p.bound = s.bound;
    r->configs = p.configs = s.configs;
    if (o->keep_orders && p.verdict == FORE_LIN_YES)
        keep_order(&s, &p);
    fore_vec_push(&r->parts, p);
    tear_down(&s);
}
