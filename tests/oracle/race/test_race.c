/* Data races on random small traces, against every choice of how far each thread has come; and every witness against the checker of witnesses. */
#include "../../unit/check.h"

#include "../causal/random_trace.h"
#include "analysis/race/race.h"
#include "causal/settle.h"
#include "machine/witness.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 18, MOST_EVENTS = 64, MOST_OBJECTS = 64 };

/* ---- by brute force ---- */

struct brute {
    const struct fore_trace *t;
    size_t n;
    uint32_t writer[MOST_EVENTS]; /* 1 + the event whose value a read saw, 0: initial */
    uint32_t holder[MOST_EVENTS]; /* 1 + the event that had taken what a trylock wanted */
    uint32_t index[MOST_EVENTS];  /* in its thread, from 0 */
    uint32_t list[RANDOM_THREADS + 1][MOST_EVENTS], count[RANDOM_THREADS + 1];
    bool race[MOST_EVENTS][MOST_EVENTS];
};

static bool reads(const struct fore_event *e)
{
    return e->kind == FORE_EV_READ || e->kind == FORE_EV_RMW;
}

static bool writes(const struct fore_event *e)
{
    return e->kind == FORE_EV_WRITE || e->kind == FORE_EV_RMW;
}

static void brute_init(struct brute *b, const struct fore_trace *t)
{
    uint32_t last[MOST_OBJECTS] = {0};
    memset(b, 0, sizeof *b);
    b->t = t;
    b->n = t->events.n;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct fore_event *e = &t->events.at[i];
        b->index[i] = b->count[e->thread];
        b->list[e->thread][b->count[e->thread]++] = i;
        if (reads(e))
            b->writer[i] = last[e->object];
        if (e->kind == FORE_EV_TRYLOCK && e->flags & FORE_F_BUSY)
            b->holder[i] = last[e->object];
        else if (writes(e) || e->kind == FORE_EV_LOCK || e->kind == FORE_EV_TRYLOCK)
            last[e->object] = i + 1;
        else if (e->kind == FORE_EV_CWOKEN)
            last[e->a] = i + 1;
    }
}

struct world {
    uint32_t owner[MOST_OBJECTS], readers[MOST_OBJECTS], last[MOST_OBJECTS];
    bool created[RANDOM_THREADS + 1], ended[RANDOM_THREADS + 1];
    int64_t count
        [MOST_OBJECTS]; /* units, tasks, arrivals; 1 if what is run once has been run */
    int64_t arrival[RANDOM_THREADS + 1];
    uint64_t queue[MOST_OBJECTS][MOST_EVENTS];
    uint32_t put[MOST_OBJECTS], taken[MOST_OBJECTS];
    uint32_t asleep;               /* threads in the condition, as bits */
    uint32_t signals[MOST_EVENTS]; /* each: whom of them it may wake */
    uint32_t signalled;
};

static bool is_child(const struct brute *b, uint32_t thread)
{
    return b->t->tables.threads.at[thread].parent != 0;
}

/* The signal that has the fewest others to wake; false if none came since the thread waits. */
static bool wake(struct world *w, uint32_t thread)
{
    uint32_t best = w->signalled;
    for (uint32_t k = 0; k < w->signalled; k++)
        if (w->signals[k] >> thread & 1 &&
            (best == w->signalled ||
             __builtin_popcount(w->signals[k]) < __builtin_popcount(w->signals[best])))
            best = k;
    if (best == w->signalled)
        return false;
    w->signals[best] = 0;
    for (uint32_t k = 0; k < w->signalled; k++)
        w->signals[k] &= ~(1u << thread);
    w->asleep &= ~(1u << thread);
    return true;
}

static bool condition_step(const struct brute *b, struct world *w, uint32_t i)
{
    const struct fore_event *e = &b->t->events.at[i];
    switch (e->kind) {
    case FORE_EV_CWAIT:
        w->owner[e->a] = 0;
        w->asleep |= 1u << e->thread;
        return true;
    case FORE_EV_CWOKEN:
        if (w->owner[e->a])
            return false;
        w->owner[e->a] = i + 1;
        return wake(w, e->thread);
    case FORE_EV_CBROADCAST:
        for (uint32_t t = 1; t <= RANDOM_THREADS; t++)
            w->signals[w->signalled++] = w->asleep & 1u << t;
        return true;
    default:
        w->signals[w->signalled++] = w->asleep;
        return true;
    }
}

/* Semaphores, wait groups, once and barriers. */
static bool counter_step(struct world *w, const struct fore_event *e)
{
    int64_t *n = &w->count[e->object];
    switch (e->kind) {
    case FORE_EV_RELEASE:
    case FORE_EV_WGADD:
        *n += (int64_t)e->a;
        return *n >= 0;
    case FORE_EV_ACQUIRE:
    case FORE_EV_WGDONE:
        *n -= 1;
        return *n >= 0;
    case FORE_EV_WGWAIT:
        return *n == 0;
    case FORE_EV_ONCE:
        if (*n != !!(e->flags & FORE_F_BUSY))
            return false;
        *n = 1;
        return true;
    default:
        if (e->flags & FORE_F_PRE)
            w->arrival[e->thread] = (*n)++;
        return e->flags & FORE_F_PRE || *n / 3 > w->arrival[e->thread] / 3;
    }
}

static bool buffer_step(struct world *w, const struct fore_event *e, uint64_t capacity)
{
    uint32_t *put = &w->put[e->object], *taken = &w->taken[e->object];
    if (e->kind == FORE_EV_SEND) {
        w->queue[e->object][(*put)++] = e->a;
        return *put - *taken <= capacity;
    }
    return *taken < *put && w->queue[e->object][(*taken)++] == e->a;
}

static bool lock_step(const struct brute *b, struct world *w, uint32_t i)
{
    const struct fore_event *e = &b->t->events.at[i];
    uint32_t *owner = &w->owner[e->object], *readers = &w->readers[e->object];
    switch (e->kind) {
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
        if (e->flags & FORE_F_BUSY)
            return *owner == b->holder[i];
        if (*owner || *readers)
            return false;
        *owner = i + 1;
        return true;
    case FORE_EV_RLOCK:
        *readers += 1;
        return !*owner;
    case FORE_EV_UNLOCK:
        *owner = 0;
        return true;
    default:
        *readers -= 1;
        return true;
    }
}

/* Is the other half of the communication within the cut? */
static bool partner_in(const struct brute *b, const uint32_t *cut,
                       const struct fore_event *e)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct fore_event *f = &b->t->events.at[i];
        bool pair = e->kind == FORE_EV_SEND
                        ? f->kind == FORE_EV_RECV && f->a == e->thread && f->b == e->a
                        : f->kind == FORE_EV_SEND && e->a == f->thread && e->b == f->a;
        if (pair && f->object == e->object)
            return b->index[i] < cut[f->thread];
    }
    return false;
}

static bool step(const struct brute *b, struct world *w, const uint32_t *cut, uint32_t i)
{
    const struct fore_event *e = &b->t->events.at[i];
    if (is_child(b, e->thread) && !w->created[e->thread])
        return false;
    if (e->kind == FORE_EV_PRE || (e->flags & FORE_F_PRE && e->kind != FORE_EV_BARRIER))
        return true;
    const struct fore_object *o = &b->t->tables.objects.at[e->object];
    switch (fore_kind_group(e->kind)) {
    case FORE_GROUP_LOCK:
        return o->kind == FORE_OBJ_LOCK   ? lock_step(b, w, i)
               : o->kind == FORE_OBJ_COND ? condition_step(b, w, i)
                                          : counter_step(w, e);
    case FORE_GROUP_CHANNEL:
        return o->capacity ? buffer_step(w, e, o->capacity) : partner_in(b, cut, e);
    case FORE_GROUP_MEMORY:
        if (reads(e) && w->last[e->object] != b->writer[i])
            return false;
        if (writes(e))
            w->last[e->object] = i + 1;
        return true;
    default:
        if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
            w->created[e->a] = true;
        w->ended[e->thread] |= e->kind == FORE_EV_END;
        return e->kind != FORE_EV_JOIN || w->ended[e->a];
    }
}

/* Played in the observed order, is the cut a run? Then whatever is next may meet. */
static void try_cut(struct brute *b, const uint32_t *cut)
{
    struct world w;
    memset(&w, 0, sizeof w);
    for (uint32_t i = 0; i < b->n; i++)
        if (b->index[i] < cut[b->t->events.at[i].thread] && !step(b, &w, cut, i))
            return;
    for (uint32_t x = 1; x <= RANDOM_THREADS; x++)
        for (uint32_t y = x + 1; y <= RANDOM_THREADS; y++) {
            if (cut[x] >= b->count[x] || cut[y] >= b->count[y] ||
                (is_child(b, x) && !w.created[x]) || (is_child(b, y) && !w.created[y]))
                continue;
            uint32_t i = b->list[x][cut[x]], k = b->list[y][cut[y]];
            const struct fore_event *e = &b->t->events.at[i], *f = &b->t->events.at[k];
            if ((reads(e) || writes(e)) && (reads(f) || writes(f)) &&
                (writes(e) || writes(f)) && e->object == f->object)
                b->race[i < k ? i : k][i < k ? k : i] = true;
        }
}

static void try_all(struct brute *b)
{
    uint32_t cut[RANDOM_THREADS + 1] = {0};
    for (;;) {
        try_cut(b, cut);
        uint32_t t = 1;
        while (t <= RANDOM_THREADS && cut[t] == b->count[t])
            cut[t++] = 0;
        if (t > RANDOM_THREADS)
            return;
        cut[t]++;
    }
}

/* ---- ours ---- */

struct report {
    struct fore_findings f;
    struct fore_budget budget;
    struct fore_params params;
};

/* Every event has a line of its own, so that no two pairs are at the same places. */
static void number_lines(struct fore_trace *t)
{
    uint32_t file = fore_tables_string(&t->tables, "t", 1);
    for (uint32_t i = 0; i < t->events.n; i++)
        t->events.at[i].where = fore_tables_where(
            &t->tables, (struct fore_where){.file = file, .line = i + 1});
}

static void analyse_within(struct report *r, const struct fore_trace *t,
                           const volatile sig_atomic_t *interrupted)
{
    struct fore_err e = {0};
    memset(r, 0, sizeof *r);
    fore_findings_init(&r->f);
    r->budget.interrupted = interrupted;
    struct fore_analysis_ctx ctx = {
        .out = &r->f, .params = &r->params, .budget = &r->budget, .jobs = 1};
    if (fore_analysis_race.run(t, &ctx, &e) != FORE_OK)
        fail_msg("%s", e.msg);
}

static void analyse(struct report *r, const struct fore_trace *t)
{
    analyse_within(r, t, NULL);
}

static uint32_t line_of(const struct fore_place *p)
{
    return (uint32_t)strtoul(strchr(p->location, ':') + 1, NULL, 10) - 1;
}

static void assert_witness(const struct fore_finding *x, const struct fore_trace *t)
{
    struct fore_trace w;
    struct fore_err e = {0};
    fore_trace_init(&w, "witness");
    if (fore_trace_parse(&w, x->witness_trace, strlen(x->witness_trace), &e) != FORE_OK ||
        fore_witness_check(&w, t, &e) != FORE_OK)
        fail_msg("%s\n%s", e.msg, x->witness_trace);
    assert_int_equal(w.expects.n, 2);
    fore_trace_release(&w);
}

/* Was it found only by another order of the sections of a lock? */
static bool is_searched(const struct fore_finding *x)
{
    return strstr(x->explanation, "takes it first") != NULL;
}

/* What keeps the order of sections is what the cuts have; the rest is among all reorderings, as
 * another case shows. */
static size_t compare(struct brute *b, const struct report *r, uint64_t seed)
{
    size_t missed = 0;
    for (size_t i = 0; i < r->f.list.n; i++) {
        const struct fore_finding *x = r->f.list.at[i];
        uint32_t a = line_of(&x->places.at[0]), c = line_of(&x->places.at[1]);
        if (is_searched(x)) {
            assert_witness(x, b->t);
            b->race[a][c] = false;
            continue;
        }
        assert_int_equal(x->verdict, FORE_VERDICT_PREDICTED);
        if (!b->race[a][c])
            fail_msg("seed %lu: %u and %u do not race", (unsigned long)seed, a, c);
        b->race[a][c] = false;
        assert_witness(x, b->t);
    }
    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            missed += b->race[i][k];
    return missed;
}

/* How many races there are; `*missed` of them were not found. */
static size_t sweep(unsigned features, uint64_t seeds, size_t *missed)
{
    static struct brute b;
    size_t races = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct random_trace t;
        struct report r;
        random_trace_make(&t, seed, features, EVENTS);
        fore_trace_settle(&t.trace);
        number_lines(&t.trace);
        brute_init(&b, &t.trace);
        try_all(&b);
        analyse(&r, &t.trace);
        races += r.f.list.n;
        size_t lost = compare(&b, &r, seed);
        *missed += lost;
        races += lost;
        fore_findings_release(&r.f);
        random_trace_release(&t);
    }
    return races;
}

static void assert_exact(unsigned features, size_t least)
{
    size_t missed = 0;
    assert_true(sweep(features, 1500, &missed) > least);
    assert_int_equal(missed, 0);
}

static void races_under_locks_are_found_exactly(void)
{
    assert_exact(RANDOM_MEMORY | RANDOM_LOCK, 1000);
    assert_exact(RANDOM_MEMORY | RANDOM_LOCK | RANDOM_RWLOCK, 1000);
}

static void races_under_threads_and_channels_are_found_exactly(void)
{
    unsigned threads = RANDOM_MEMORY | RANDOM_LOCK | RANDOM_FORK | RANDOM_JOIN;
    assert_exact(threads, 1000);
    assert_exact(threads | RANDOM_CHANNEL, 500);
}

/* Nothing is invented. Which release a semaphore's unit came from is not free in the order of the
 * observed run, so that some are missed there; elsewhere next to none. */
static void races_under_whatever_else_are_found(void)
{
    static const struct {
        unsigned feature;
        size_t one_in; /* is missed at most */
    } kinds[] = {{RANDOM_SEM, 40},        {RANDOM_WG, 500},
                 {RANDOM_ONCE, SIZE_MAX}, {RANDOM_BARRIER | RANDOM_WHOLE, SIZE_MAX},
                 {RANDOM_BUFFER, 500},    {RANDOM_LOCK | RANDOM_COND, SIZE_MAX}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t missed = 0,
               all = sweep(RANDOM_MEMORY | RANDOM_FORK | RANDOM_JOIN | kinds[i].feature,
                           1500, &missed);
        assert_true(all > 500);
        assert_true(missed <= all / kinds[i].one_in);
    }
}

/* ---- against all reorderings ---- */

struct search {
    struct fore_machine m;
    struct fore_map seen;
    bool race[MOST_EVENTS][MOST_EVENTS];
};

static void meet(struct search *s)
{
    const struct fore_program *p = s->m.p;
    for (uint32_t x = 1; x <= p->threads; x++)
        for (uint32_t y = x + 1; y <= p->threads; y++) {
            uint32_t i = fore_machine_next(&s->m, x), k = fore_machine_next(&s->m, y);
            if (i == FORE_NO_OP || k == FORE_NO_OP ||
                !(fore_machine_flags(&s->m, x) & fore_machine_flags(&s->m, y) &
                  FORE_T_STARTED))
                continue;
            const struct fore_event *e = fore_insn_event(p, i),
                                    *f = fore_insn_event(p, k);
            if ((reads(e) || writes(e)) && (reads(f) || writes(f)) &&
                (writes(e) || writes(f)) && e->object == f->object) {
                size_t a = (size_t)(e - p->trace->events.at);
                size_t b = (size_t)(f - p->trace->events.at);
                s->race[a < b ? a : b][a < b ? b : a] = true;
            }
        }
}

/* Every run in which each thread gets what it recorded. */
static void explore(struct search *s)
{
    bool fresh;
    fore_map_put(&s->seen, fore_machine_fingerprint(&s->m), &fresh);
    if (!fresh)
        return;
    meet(s);
    struct fore_moves moves = {0};
    for (uint32_t t = 1; t <= s->m.p->threads; t++)
        fore_machine_moves(&s->m, t, false, &moves);
    for (size_t i = 0; i < moves.list.n; i++)
        if (fore_machine_faithful(&s->m, moves.list.at[i])) {
            fore_machine_step(&s->m, moves.list.at[i]);
            explore(s);
            fore_machine_undo(&s->m);
        }
    fore_vec_release(&moves.list);
}

static size_t count_all(struct search *s, const struct fore_trace *t)
{
    struct fore_program p;
    struct fore_err e;
    size_t n = 0;
    memset(s, 0, sizeof *s);
    assert_int_equal(fore_program_build(&p, t, &e), FORE_OK);
    fore_machine_init(&s->m, &p);
    explore(s);
    fore_machine_release(&s->m);
    fore_map_release(&s->seen);
    fore_program_release(&p);
    for (size_t i = 0; i < MOST_EVENTS; i++)
        for (size_t k = 0; k < MOST_EVENTS; k++)
            n += s->race[i][k];
    return n;
}

struct tally {
    size_t all, ours, searched;
};

static void count_ours(struct tally *n, const struct search *s, const struct report *r)
{
    for (size_t i = 0; i < r->f.list.n; i++) {
        const struct fore_finding *x = r->f.list.at[i];
        assert_true(s->race[line_of(&x->places.at[0])][line_of(&x->places.at[1])]);
        n->searched += is_searched(x);
    }
    n->ours += r->f.list.n;
}

/* A failed attempt is believed to need the holder that it had: without such. */
static void drop_attempts(struct fore_trace *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->events.n; i++)
        if (!(t->events.at[i].flags & FORE_F_BUSY))
            t->events.at[kept++] = t->events.at[i];
    t->events.n = kept;
}

static struct tally against_all(unsigned features, unsigned events, uint64_t seeds)
{
    static struct search s;
    struct tally n = {0};
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct random_trace t;
        struct report r;
        random_trace_make(&t, seed, features, events);
        drop_attempts(&t.trace);
        fore_trace_settle(&t.trace);
        number_lines(&t.trace);
        analyse(&r, &t.trace);
        n.all += count_all(&s, &t.trace);
        count_ours(&n, &s, &r);
        fore_findings_release(&r.f);
        random_trace_release(&t);
    }
    print_message("%zu of %zu races, %zu by search\n", n.ours, n.all, n.searched);
    return n;
}

/* There is no race that no reordering has, and none of those that reorderings have is missed. */
static void races_are_those_of_all_reorderings(void)
{
    struct tally n =
        against_all(RANDOM_MEMORY | RANDOM_LOCK | RANDOM_RWLOCK | RANDOM_FORK, 12, 1500);
    assert_int_equal(n.ours, n.all);
    n = against_all(RANDOM_MEMORY | RANDOM_LOCK | RANDOM_FORK, 26, 1000);
    assert_int_equal(n.ours, n.all);
    assert_true(n.searched > 0);
}

/* The same run after so many accesses by one thread that it is searched in windows. */
static void begin_with_accesses(struct fore_trace *t, size_t n)
{
    const char *name = "padding";
    struct fore_event pad = {.kind = FORE_EV_WRITE, .thread = 1};
    pad.object = fore_tables_object(&t->tables, FORE_OBJ_PLACE, name, strlen(name));
    for (size_t i = 0; i < n; i++)
        fore_vec_push(&t->events, pad);
    memmove(t->events.at + n, t->events.at, (t->events.n - n) * sizeof *t->events.at);
    for (size_t i = 0; i < n; i++)
        t->events.at[i] = pad;
}

/* What another order of sections shows in a short trace, it shows in a long one too. (Only there is it enough if a
 * place has eight races.) */
static void sections_are_swapped_in_windows(void)
{
    size_t searched = 0;
    for (uint64_t seed = 0; seed < 12000; seed++) {
        struct random_trace t;
        struct report small, large;
        size_t mine = 0, theirs = 0;
        random_trace_make(&t, seed, RANDOM_MEMORY | RANDOM_LOCK | RANDOM_FORK, 26);
        drop_attempts(&t.trace);
        fore_trace_settle(&t.trace);
        number_lines(&t.trace);
        analyse(&small, &t.trace);
        for (size_t i = 0; i < small.f.list.n && small.f.list.n < 8; i++)
            mine += is_searched(small.f.list.at[i]);
        if (mine) {
            begin_with_accesses(&t.trace, 2500);
            analyse(&large, &t.trace);
            for (size_t i = 0; i < large.f.list.n; i++)
                theirs += is_searched(large.f.list.at[i]);
            assert_int_equal(mine, theirs);
            assert_int_equal(small.f.list.n, large.f.list.n);
            assert_true(large.f.completeness.sampled);
            fore_findings_release(&large.f);
        }
        searched += mine;
        fore_findings_release(&small.f);
        random_trace_release(&t);
    }
    print_message("%zu races by search\n", searched);
    assert_true(searched >= 10);
}

/* Each race costs a run: none is told when the budget has ended, and that is said. */
static void an_interrupted_analysis_tells_no_more(void)
{
    static const volatile sig_atomic_t yes = 1;
    size_t incomplete = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct random_trace t;
        struct report r;
        random_trace_make(&t, seed, RANDOM_MEMORY | RANDOM_LOCK | RANDOM_FORK, 26);
        fore_trace_settle(&t.trace);
        number_lines(&t.trace);
        analyse_within(&r, &t.trace, &yes);
        assert_int_equal(r.f.list.n, 0);
        incomplete += !r.f.completeness.exhausted && !r.f.completeness.sampled;
        fore_findings_release(&r.f);
        random_trace_release(&t);
    }
    assert_true(incomplete > 50);
}

/* With every primitive there is: the witness is what counts. */
static void every_witness_is_a_run(void)
{
    size_t races = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct random_trace t;
        struct report r;
        random_trace_make(&t, seed, RANDOM_ALL & ~RANDOM_CLOSE, 40);
        fore_trace_settle(&t.trace);
        number_lines(&t.trace);
        analyse(&r, &t.trace);
        for (size_t i = 0; i < r.f.list.n; i++)
            if (r.f.list.at[i]->verdict == FORE_VERDICT_PREDICTED)
                assert_witness(r.f.list.at[i], &t.trace);
        races += r.f.list.n;
        fore_findings_release(&r.f);
        random_trace_release(&t);
    }
    assert_true(races > 300);
}

RUN_CASES(CASE(races_under_locks_are_found_exactly),
          CASE(races_under_threads_and_channels_are_found_exactly),
          CASE(races_under_whatever_else_are_found),
          CASE(races_are_those_of_all_reorderings), CASE(sections_are_swapped_in_windows),
          CASE(an_interrupted_analysis_tells_no_more), CASE(every_witness_is_a_run))
