/* Predicts: data races that need two sections of one lock in the other order.
 * Sound:    yes; the path of the search is the witness.
 * Complete: of a small trace, for pairs that locks alone kept apart: every state of the machine is
 *           visited in which all threads are on the trace, until there are too many of them.
 * Cost:     states times threads; nothing if no such pair is left. */
#include "analysis/race/witness.h"

enum { SMALL = 2000, STATES = 20000, WORK = 400000 };

struct race_search {
    struct fore_race *r;
    struct fore_machine m;
    struct fore_map seen;   /* states */
    struct fore_map access; /* position in the trace -> 1 + number of the access */
    FORE_VEC(struct fore_move) path;
    size_t most;    /* states */
    uint32_t *user; /* object -> the only thread that uses it, or FORE_SHARED */
    bool *tried;    /* locks that a thread only tries to take: their state can be seen */
    enum fore_status status;
    struct fore_err *e;
};

static bool comes_first(const struct fore_race *r, const struct fore_race_access *a,
                        const struct fore_race_access *b)
{
    return a->time <= fore_clock_get(&r->clocks, b->past, a->thread);
}

/* Could they race, and is that not known yet? */
static bool may_race(struct fore_race *r, const struct fore_race_access *a,
                     const struct fore_race_access *b)
{
    return a->place == b->place && a->thread != b->thread &&
           !fore_race_enough(r, a->place) &&
           fore_race_conflict(a->writes, a->atomic, b->writes, b->atomic) &&
           !fore_lockset_excludes(&r->locksets, a->held, b->held) &&
           !comes_first(r, a, b) && !comes_first(r, b, a) && !fore_race_known(r, a, b);
}

static bool any_may_race(struct fore_race *r)
{
    for (size_t i = 0; i < r->accesses.n; i++)
        for (size_t k = i + 1; k < r->accesses.n; k++)
            if (may_race(r, &r->accesses.at[i], &r->accesses.at[k]))
                return true;
    return false;
}

static const struct fore_race_access *next_access(const struct race_search *s,
                                                  uint32_t thread)
{
    uint32_t op = fore_machine_next(&s->m, thread);
    if (op == FORE_NO_OP || !(fore_machine_flags(&s->m, thread) & FORE_T_STARTED))
        return NULL;
    const uint64_t *n = fore_map_get(&s->access, s->m.p->ops[op].done);
    return n ? &s->r->accesses.at[*n - 1] : NULL;
}

/* What is next in two threads, if one of them has just come there. */
static void meet_others(struct race_search *s, uint32_t came)
{
    const struct fore_race_access *a = next_access(s, came);
    for (uint32_t t = 1; a && t <= s->m.p->threads; t++) {
        const struct fore_race_access *b = t == came ? NULL : next_access(s, t);
        if (b && s->status == FORE_OK && may_race(s->r, a, b))
            s->status = fore_race_tell_run(s->r, s->path.at, s->path.n, a, b, s->e);
    }
}

/* Does the step disable nobody, and can nobody see that it has not happened yet but by waiting? */
static bool is_alone(const struct race_search *s, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(s->m.p, op);
    switch (e->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_WAIT:
    case FORE_EV_END:
    case FORE_EV_JOIN:
        return true;
    case FORE_EV_UNLOCK:
    case FORE_EV_RUNLOCK:
        return !s->tried[e->object];
    case FORE_EV_READ:
    case FORE_EV_WRITE:
    case FORE_EV_RMW:
        return s->user[e->object] != FORE_SHARED;
    default:
        return false;
    }
}

/* The steps that keep every thread on the trace; one that is alone is enough. */
static void steps_from(struct race_search *s, struct fore_moves *out)
{
    for (uint32_t t = 1; t <= s->m.p->threads; t++) {
        size_t from = out->list.n, kept = from;
        fore_machine_moves(&s->m, t, false, out);
        for (size_t i = from; i < out->list.n; i++)
            if (fore_machine_faithful(&s->m, out->list.at[i]))
                out->list.at[kept++] = out->list.at[i];
        out->list.n = kept;
        uint32_t op = fore_machine_next(&s->m, t);
        if (kept == from + 1 && op != FORE_NO_OP && is_alone(s, op)) {
            out->list.at[0] = out->list.at[from];
            out->list.n = 1;
            return;
        }
    }
}

static void explore_orders(struct race_search *s)
{
    struct fore_moves moves = {0};
    bool fresh;
    fore_map_put(&s->seen, fore_machine_fingerprint(&s->m), &fresh);
    if (!fresh || s->seen.n > s->most || s->status != FORE_OK ||
        fore_budget_spent(s->r->ctx->budget))
        return;
    steps_from(s, &moves);
    for (size_t i = 0; i < moves.list.n; i++) {
        struct fore_move v = moves.list.at[i];
        fore_vec_push(&s->path, v);
        fore_machine_step(&s->m, v);
        meet_others(s, v.thread);
        if (v.other)
            meet_others(s, v.other);
        explore_orders(s);
        fore_machine_undo(&s->m);
        s->path.n--;
    }
    fore_vec_release(&moves.list);
}

static void prepare_search(struct race_search *s)
{
    const struct fore_program *p = s->r->program;
    s->most = WORK / (p->threads + 1) < STATES ? WORK / (p->threads + 1) : STATES;
    s->tried = fore_calloc((size_t)p->objects + 2, sizeof *s->tried);
    s->user = fore_calloc((size_t)p->objects + 2, sizeof *s->user);
    for (uint32_t op = 0; op < p->op_count; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        uint32_t *user = &s->user[e->object];
        *user = *user && *user != e->thread ? FORE_SHARED : e->thread;
        if (e->kind == FORE_EV_TRYLOCK || e->kind == FORE_EV_TRYRLOCK)
            s->tried[e->object] = true;
    }
    for (size_t i = 0; i < s->r->accesses.n; i++)
        *fore_map_put(&s->access, s->r->accesses.at[i].at, NULL) = i + 1;
    fore_machine_init(&s->m, p);
}

enum fore_status fore_race_search(struct fore_race *r, struct fore_err *e)
{
    struct race_search s = {.r = r, .e = e};
    if (r->program->op_count > SMALL || !any_may_race(r))
        return FORE_OK;
    prepare_search(&s);
    for (uint32_t t = 1; t <= s.m.p->threads; t++)
        meet_others(&s, t);
    explore_orders(&s);
    if (s.seen.n > s.most)
        fore_findings_sampled(
            r->ctx->out, "%s",
            "races: critical sections can come in too many orders to try all");
    fore_machine_release(&s.m);
    fore_map_release(&s.seen);
    fore_map_release(&s.access);
    fore_vec_release(&s.path);
    fore_free(s.user);
    fore_free(s.tried);
    return s.status;
}
