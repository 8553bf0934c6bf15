/* Every order of a small trace: depth first over the states of the machine, each visited once,
 * taking only steps that keep all threads on the trace. A step that nothing else depends on is
 * taken alone. First by a strict machine, whose stuck states can be predicted; where it differs
 * from a lax one, by that too; with --possible threads may leave the trace, two at the most. */
#include "analysis/deadlock/deadlock_state.h"

enum { STATES = 20000, STRAYS = 2 };

struct stuck_search {
    struct fore_dl *d;
    struct fore_machine m;
    struct fore_map seen;
    struct fore_moves moves; /* of the states on the path, one behind the other */
    FORE_VEC(size_t) start;
    struct fore_steps path;
    bool stray;  /* threads may leave the trace */
    bool *tried; /* locks that a thread only tries to take: their state can be seen */
};

static bool may_stray(const struct stuck_search *s)
{
    unsigned off = 0;
    for (uint32_t t = 1; t <= s->d->p->threads && s->stray; t++)
        off += (fore_machine_flags(&s->m, t) & FORE_T_OFF) != 0;
    return s->stray && off < STRAYS;
}

/* A panic that was not recorded ends the program: nobody waits for ever then. */
static void keep_faithful(struct stuck_search *s, size_t from)
{
    size_t kept = from;
    bool stray = may_stray(s);
    for (size_t i = from; i < s->moves.list.n; i++)
        if ((stray && s->moves.list.at[i].act != FORE_ACT_PANIC) ||
            fore_machine_faithful(&s->m, s->moves.list.at[i]))
            s->moves.list.at[kept++] = s->moves.list.at[i];
    s->moves.list.n = kept;
}

/* False if the state was seen before, or the budget is spent. */
static bool enter_state(struct stuck_search *s)
{
    bool fresh;
    fore_map_put(&s->seen, fore_machine_fingerprint(&s->m), &fresh);
    if (!fresh || s->seen.n > STATES || fore_budget_spent(s->d->ctx->budget))
        return false;
    size_t from = s->moves.list.n;
    fore_vec_push(&s->start, from);
    for (uint32_t t = 1; t <= s->d->p->threads; t++) {
        size_t mine = s->moves.list.n;
        fore_machine_moves(&s->m, t, false, &s->moves);
        keep_faithful(s, mine);
        uint32_t op = fore_machine_next(&s->m, t);
        if (s->moves.list.n == mine + 1 && op != FORE_NO_OP &&
            fore_insn_is_alone(s->d->p, op, s->tried)) {
            s->moves.list.at[from] = s->moves.list.at[mine];
            s->moves.list.n = from + 1;
            return true;
        }
    }
    return true;
}

static enum fore_status tell_if_stuck(struct stuck_search *s, struct fore_err *e)
{
    bool leaf = s->moves.list.n == fore_vec_last(&s->start);
    return leaf && fore_machine_quiet(&s->m) ? fore_dl_tell(s->d, &s->m, &s->path, e)
                                             : FORE_OK;
}

static void undo_step(struct stuck_search *s)
{
    fore_machine_undo(&s->m);
    s->path.moves.n--;
    s->path.ops.n--;
}

static enum fore_status walk_states(struct stuck_search *s, struct fore_err *e)
{
    if (enter_state(s))
        FORE_TRY(tell_if_stuck(s, e));
    while (s->start.n) {
        if (s->moves.list.n == fore_vec_last(&s->start)) {
            s->start.n--;
            if (s->start.n)
                undo_step(s);
            continue;
        }
        struct fore_move v = fore_vec_pop(&s->moves.list);
        fore_vec_push(&s->path.moves, v);
        fore_vec_push(&s->path.ops, fore_machine_next(&s->m, v.thread));
        fore_machine_step(&s->m, v);
        if (enter_state(s))
            FORE_TRY(tell_if_stuck(s, e));
        else
            undo_step(s);
    }
    return FORE_OK;
}

enum search_way { STRICT, LAX, STRAY };

static enum fore_status search_by(struct fore_dl *d, enum search_way way,
                                  struct fore_err *e)
{
    bool stray = way == STRAY;
    struct stuck_search s = {
        .d = d, .stray = stray, .tried = fore_program_tried_locks(d->p)};
    (way == STRICT ? fore_machine_init_strict : fore_machine_init)(&s.m, d->p);
    enum fore_status st = walk_states(&s, e);
    d->states += s.seen.n;
    d->exhaustive &= s.seen.n <= STATES && !d->ctx->budget->spent;
    if (s.seen.n > STATES)
        fore_dl_cap(d, "the operations can come in too many orders to try all");
    fore_machine_release(&s.m);
    fore_map_release(&s.seen);
    fore_vec_release(&s.moves.list);
    fore_vec_release(&s.start);
    fore_steps_release(&s.path);
    fore_free(s.tried);
    return st;
}

enum fore_status fore_dl_search(struct fore_dl *d, struct fore_err *e)
{
    d->exhaustive = d->p->op_count <= FORE_DL_SMALL;
    if (!d->exhaustive)
        return FORE_OK;
    FORE_TRY(search_by(d, STRICT, e));
    if (fore_program_is_partial(d->p))
        FORE_TRY(search_by(d, LAX, e));
    return d->ctx->possible ? search_by(d, STRAY, e) : FORE_OK;
}
