/* Predicts: data races that need two sections of one lock in the other order.
 * Sound:    yes; the path of the search is the witness.
 * Complete: of a small trace, for pairs that locks alone kept apart: every state of the machine is
 *           visited in which all threads are on the trace, until there are too many of them. In a longer
 *           trace the same within a window around such a pair; before the window the run is the observed one.
 * Cost:     states times threads of the window; nothing if no such pair is left. */
#include "analysis/race/witness.h"
#include "base/sort.h"
#include "machine/quiet.h"

#include <stdlib.h>

enum { WINDOW = 2000, STATES = 20000, WORK = 400000, MOST_WINDOWS = 16 };

struct race_search {
    struct fore_race *r;
    struct fore_machine m;
    struct fore_map seen;   /* states */
    struct fore_map access; /* position in the trace -> 1 + number of the access */
    FORE_VEC(struct fore_move) path; /* from the beginning of the trace */
    uint32_t from, end;              /* the window: steps of the observed run */
    FORE_VEC(uint32_t) threads;      /* that do something in it */
    bool *active;                    /* thread -> is it one of them? */
    size_t most;                     /* states */
    bool over;                       /* there were more of them, in some window */
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
    for (size_t i = 0; a && i < s->threads.n; i++) {
        uint32_t t = s->threads.at[i];
        const struct fore_race_access *b = t == came ? NULL : next_access(s, t);
        if (b && s->status == FORE_OK && may_race(s->r, a, b))
            s->status = fore_race_tell_run(s->r, s->path.at, s->path.n, a, b, s->e);
    }
}

/* A step on a place that only its thread uses concerns nobody else either. */
static bool is_alone(const struct race_search *s, uint32_t op)
{
    const struct fore_event *e = fore_insn_event(s->m.p, op);
    bool access =
        e->kind == FORE_EV_READ || e->kind == FORE_EV_WRITE || e->kind == FORE_EV_RMW;
    return access ? s->user[e->object] != FORE_SHARED
                  : fore_insn_is_alone(s->m.p, op, s->tried);
}

/* Is what the thread does next done in the window? In a window without an end, whatever it is. */
static bool is_within(const struct race_search *s, uint32_t thread)
{
    uint32_t op = fore_machine_next(&s->m, thread);
    return s->end == UINT32_MAX || (op != FORE_NO_OP && s->r->run->when[op] < s->end);
}

/* The steps in the window that keep every thread on the trace; one that is alone is enough. */
static void steps_from(struct race_search *s, struct fore_moves *out)
{
    for (size_t k = 0; k < s->threads.n; k++) {
        size_t from = out->list.n, kept = from;
        uint32_t t = s->threads.at[k];
        if (!is_within(s, t))
            continue;
        fore_machine_moves(&s->m, t, false, out);
        for (size_t i = from; i < out->list.n; i++) {
            struct fore_move v = out->list.at[i];
            if ((!v.other || is_within(s, v.other)) && fore_machine_faithful(&s->m, v))
                out->list.at[kept++] = v;
        }
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
    s->tried = fore_program_tried_locks(p);
    s->user = fore_calloc((size_t)p->objects + 2, sizeof *s->user);
    s->active = fore_calloc((size_t)p->threads + 1, sizeof *s->active);
    for (uint32_t op = 0; op < p->op_count; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        uint32_t *user = &s->user[e->object];
        *user = *user && *user != e->thread ? FORE_SHARED : e->thread;
    }
    for (size_t i = 0; i < s->r->accesses.n; i++)
        *fore_map_put(&s->access, s->r->accesses.at[i].at, NULL) = i + 1;
    fore_machine_init(&s->m, p);
}

static void release_search(struct race_search *s)
{
    fore_machine_release(&s->m);
    fore_map_release(&s->seen);
    fore_map_release(&s->access);
    fore_vec_release(&s->path);
    fore_vec_release(&s->threads);
    fore_free(s->active);
    fore_free(s->user);
    fore_free(s->tried);
}

static void add_thread(struct race_search *s, uint32_t thread)
{
    if (s->active[thread])
        return;
    s->active[thread] = true;
    fore_vec_push(&s->threads, thread);
}

/* Every order of what is in the window, from the state that the machine is in. */
static void search_window(struct race_search *s)
{
    s->most = WORK / (s->threads.n + 1) < STATES ? WORK / (s->threads.n + 1) : STATES;
    fore_map_clear(&s->seen);
    for (size_t i = 0; i < s->threads.n; i++)
        meet_others(s, s->threads.at[i]);
    explore_orders(s);
    s->over |= s->seen.n > s->most;
}

static void search_whole_trace(struct race_search *s)
{
    s->end = UINT32_MAX;
    for (uint32_t t = 1; t <= s->m.p->threads; t++)
        add_thread(s, t);
    search_window(s);
    if (s->over)
        fore_findings_sampled(
            s->r->ctx->out, "%s",
            "races: critical sections can come in too many orders to try all");
}

/* ---- windows of a long trace ------------------------------------------------------------------ */

/* Goes on as observed to the beginning of the window. False where the replay believed a default that the machine
 * does not take. */
static bool go_to_window(struct race_search *s)
{
    const struct fore_run *run = s->r->run;
    fore_machine_forget(&s->m);
    while (s->path.n < s->from) {
        uint32_t i = (uint32_t)s->path.n;
        struct fore_move v = {.thread = fore_insn_thread(&run->p, run->order[i]),
                              .act = FORE_ACT_ARRIVE};
        if (fore_run_arrives(run, i) && fore_machine_can(&s->m, v))
            fore_machine_step(&s->m, v);
        else if (!fore_machine_follow(&s->m, v.thread, &v))
            return false;
        fore_vec_push(&s->path, v);
    }
    fore_machine_remember(&s->m);
    for (size_t i = 0; i < s->threads.n; i++)
        s->active[s->threads.at[i]] = false;
    fore_vec_clear(&s->threads);
    for (uint32_t i = s->from; i < s->end; i++) {
        uint32_t op = run->order[i], partner = fore_run_partner(run, op);
        add_thread(s, fore_insn_thread(&run->p, op));
        if (partner != FORE_NO_OP)
            add_thread(s, fore_insn_thread(&run->p, partner));
    }
    return true;
}

/* The step of the observed run by which the later of the two is done. */
static uint32_t later_step(const struct fore_run *run, struct fore_race_pair p)
{
    uint32_t a = run->when[p.a->op], b = run->when[p.b->op];
    return a > b ? a : b;
}

static uint32_t earlier_step(const struct fore_run *run, struct fore_race_pair p)
{
    uint32_t a = run->when[p.a->op], b = run->when[p.b->op];
    return a < b ? a : b;
}

static int by_later_step(const void *a, const void *b, void *run)
{
    uint32_t x = later_step(run, *(const struct fore_race_pair *)a);
    uint32_t y = later_step(run, *(const struct fore_race_pair *)b);
    return fore_order_of(x, y);
}

/* A window around each pair that is left, a quarter of it after the pair, unless the last one had both. */
static void search_windows(struct race_search *s)
{
    struct fore_race *r = s->r;
    size_t windows = 0;
    bool skipped = r->unkept;
    qsort_r(r->left.at, r->left.n, sizeof *r->left.at, by_later_step, (void *)r->run);
    for (size_t i = 0; i < r->left.n && s->status == FORE_OK; i++) {
        struct fore_race_pair p = r->left.at[i];
        uint32_t first = earlier_step(r->run, p), last = later_step(r->run, p);
        if (!may_race(r, p.a, p.b) || (windows && first >= s->from && last < s->end))
            continue;
        if (last - first > WINDOW / 2 || windows == MOST_WINDOWS) {
            skipped = true;
            continue;
        }
        s->end = r->run->steps - last > WINDOW / 4 ? last + WINDOW / 4 : r->run->steps;
        s->from = s->end > WINDOW ? s->end - WINDOW : 0;
        windows++;
        if (!go_to_window(s))
            break;
        search_window(s);
    }
    fore_findings_sampled(
        r->ctx->out,
        "races: critical sections were put into other orders only within %d operations%s",
        WINDOW,
        skipped   ? ", and not near all pairs of accesses"
        : s->over ? ", and not all"
                  : "");
}

enum fore_status fore_race_search(struct fore_race *r, struct fore_err *e)
{
    struct race_search s = {.r = r, .e = e};
    if (!r->left.n || fore_budget_spent_now(r->ctx->budget))
        return FORE_OK;
    prepare_search(&s);
    if (r->program->op_count <= WINDOW)
        search_whole_trace(&s);
    else
        search_windows(&s);
    release_search(&s);
    return s.status;
}
