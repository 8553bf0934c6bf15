#include "explore/program/reversal.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "capture/control/schedule.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a step touches ---- */

/* One object and how it is touched: `from` to `to` are bytes, or one number of another object. */
struct touch {
    uint64_t from, to;
    bool writes;
};

static bool is_access(unsigned kind)
{
    return fore_schedule_is_access(kind);
}

static bool only_reads(unsigned kind)
{
    return kind == FORE_OP_read || kind == FORE_OP_rlock || kind == FORE_OP_runlock ||
           kind == FORE_OP_tryrlock;
}

/* The objects that a step touches, at most two: an object, and the lock of a condition. */
static unsigned places_touched(const struct fore_outcome_step *s, struct touch out[2])
{
    unsigned n = 0;
    switch (s->kind) {
    case FORE_OP_create:
    case FORE_OP_begin:
    case FORE_OP_join:
    case FORE_OP_sleep:
    case FORE_OP_yield:
    case FORE_OP_back:
        return 0;
    default:
        break;
    }
    if (s->address)
        out[n++] =
            (struct touch){s->address, s->address + (is_access(s->kind) ? s->size : 1),
                           !only_reads(s->kind)};
    if (s->other && s->kind != FORE_OP_input && s->kind != FORE_OP_output)
        out[n++] = (struct touch){s->other, s->other + 1, true};
    return n;
}

static bool in_conflict(const struct touch *a, const struct touch *b)
{
    return (a->writes || b->writes) && a->from < b->to && b->from < a->to;
}

static bool steps_depend(const struct fore_outcome_step *a,
                         const struct fore_outcome_step *b)
{
    struct touch x[2], y[2];
    unsigned n = places_touched(a, x), m = places_touched(b, y);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < m; k++)
            if (in_conflict(&x[i], &y[k]))
                return true;
    return false;
}

/* Can the step wait for what an earlier step on the same object does? */
static bool may_block(unsigned kind)
{
    return kind == FORE_OP_lock || kind == FORE_OP_rlock || kind == FORE_OP_cwoken ||
           kind == FORE_OP_acquire || kind == FORE_OP_once || kind == FORE_OP_enter ||
           kind == FORE_OP_barrier || kind == FORE_OP_input || kind == FORE_OP_parked ||
           kind == FORE_OP_send || kind == FORE_OP_receive || kind == FORE_OP_select ||
           kind == FORE_OP_wgwait;
}

/* ---- a run ---- */

enum { GRANULE = 4, MOST_GRANULES = 16 };

/* The steps on one granule of memory form a list, the last one first. */
struct reversal_entry {
    uint32_t step, before; /* before: 1 + the index of the previous entry */
};

struct reversed_run {
    const struct fore_outcome *outcome;
    struct fore_outcome_step *steps;
    uint32_t n,
        done; /* number of steps; of those that were done: the others are operations that threads
               * were about to do */
    uint32_t threads;
    uint32_t *clock;      /* per step: how many steps of each thread are not after it */
    uint32_t *own;        /* per step: its number in its thread, from 1 */
    uint32_t *before;     /* per step: 1 + the thread's previous step, or its creation */
    struct fore_map last; /* granule -> its last entry, + 1 */
    FORE_VEC(struct reversal_entry) entries;
};

static uint32_t *clock_of(const struct reversed_run *r, uint32_t step)
{
    return r->clock + (size_t)step * r->threads;
}

static bool is_before(const struct reversed_run *r, uint32_t a, uint32_t b)
{
    return clock_of(r, b)[r->steps[a].thread] >= r->own[a];
}

static void join_clock(const struct reversed_run *r, uint32_t *into, uint32_t step)
{
    const uint32_t *from = clock_of(r, step);
    for (uint32_t i = 0; i < r->threads; i++)
        if (from[i] > into[i])
            into[i] = from[i];
}

/* The granules of a touch, up to a limit. */
static uint64_t granules_of(const struct touch *t, uint64_t *from)
{
    uint64_t n = (t->to - 1) / GRANULE - t->from / GRANULE + 1;
    *from = t->from / GRANULE + 1;
    return n < MOST_GRANULES ? n : MOST_GRANULES;
}

static void depend_on_chain(const struct reversed_run *r, uint32_t at, uint64_t granule,
                            const struct touch *t, uint32_t *clock)
{
    const uint64_t *last = fore_map_get(&r->last, granule);
    for (uint32_t i = last ? (uint32_t)*last : 0; i; i = r->entries.at[i - 1].before) {
        struct touch other[2];
        uint32_t step = r->entries.at[i - 1].step;
        if (!steps_depend(&r->steps[step], &r->steps[at]))
            continue;
        join_clock(r, clock, step);
        unsigned n = places_touched(&r->steps[step], other);
        for (unsigned k = 0; k < n; k++)
            if (other[k].writes && other[k].from <= t->from && other[k].to >= t->to)
                return; /* what came before that one is ordered before it */
    }
}

static void enter_step(struct reversed_run *r, uint32_t at, uint64_t granule)
{
    uint64_t *last = fore_map_put(&r->last, granule, NULL);
    fore_vec_push(&r->entries, (struct reversal_entry){at, (uint32_t)*last});
    *last = r->entries.n;
}

static void add_dependences(struct reversed_run *r, uint32_t at)
{
    struct touch t[2];
    uint64_t from;
    unsigned n = places_touched(&r->steps[at], t);
    for (unsigned k = 0; k < n; k++)
        for (uint64_t g = 0; g < granules_of(&t[k], &from); g++)
            depend_on_chain(r, at, from + g, &t[k], clock_of(r, at));
    for (unsigned k = 0; k < n; k++)
        for (uint64_t g = 0; g < granules_of(&t[k], &from); g++)
            enter_step(r, at, from + g);
}

/* Copies the steps that were done, and for each thread the one that it was about to do. */
static void copy_steps(struct reversed_run *r, const struct fore_rerun *p)
{
    r->steps = fore_calloc(r->done + r->threads + 1, sizeof *r->steps);
    memcpy(r->steps, fore_rerun_steps(p), r->done * sizeof *r->steps);
    r->n = r->done;
    for (uint32_t i = 0; r->done == r->outcome->logged && i < r->threads; i++) {
        const struct fore_outcome_thread *t = &r->outcome->thread[i];
        if (t->state == FORE_OUTCOME_WAITS && (t->address || t->other))
            r->steps[r->n++] = (struct fore_outcome_step){.thread = i,
                                                          .kind = (uint16_t)t->kind,
                                                          .address = t->address,
                                                          .other = t->other,
                                                          .size = t->size};
    }
}

static void make_clocks(struct reversed_run *r)
{
    uint32_t *last_of = fore_calloc(r->threads + 1, sizeof *last_of);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct fore_outcome_step *s = &r->steps[i];
        uint32_t *clock = clock_of(r, i), previous = last_of[s->thread];
        r->before[i] = previous;
        if (previous)
            join_clock(r, clock, previous - 1);
        bool first = !previous || r->steps[previous - 1].thread != s->thread;
        r->own[i] = first ? 1 : r->own[previous - 1] + 1;
        if (s->kind == FORE_OP_join && s->other < r->threads && last_of[s->other])
            join_clock(r, clock, last_of[s->other] - 1);
        if (i < r->done)
            add_dependences(r, i);
        clock[s->thread] = r->own[i];
        last_of[s->thread] = i + 1;
        if (s->kind == FORE_OP_create && i < r->done && s->other < r->threads)
            last_of[s->other] = i + 1;
    }
    fore_free(last_of);
}

/* In a run that was given up, the last steps only look at what was there: how many steps count. */
static uint64_t steps_that_count(const struct fore_outcome *o)
{
    enum { LOOKS = 64 };
    return o->end == FORE_OUTCOME_SPINS && o->logged > FORE_OUTCOME_VAIN
               ? o->logged - FORE_OUTCOME_VAIN + LOOKS
               : o->logged;
}

static bool open_run(struct reversed_run *r, const struct fore_rerun *p)
{
    const struct fore_outcome *o = p->outcome;
    uint64_t steps = steps_that_count(o);
    *r = (struct reversed_run){.outcome = o, .threads = o->threads};
    if (steps > FORE_REVERSAL_STEPS || o->threads > FORE_REVERSAL_THREADS)
        return false;
    r->done = (uint32_t)steps;
    copy_steps(r, p);
    r->clock = fore_calloc((size_t)r->n * r->threads + 1, sizeof *r->clock);
    r->own = fore_calloc(r->n + 1, sizeof *r->own);
    r->before = fore_calloc(r->n + 1, sizeof *r->before);
    make_clocks(r);
    return true;
}

static void close_run(struct reversed_run *r)
{
    fore_map_release(&r->last);
    fore_vec_release(&r->entries);
    fore_free(r->steps);
    fore_free(r->clock);
    fore_free(r->own);
    fore_free(r->before);
}

/* ---- the class of a sequence of steps ---- */

struct classes {
    const struct fore_outcome *outcome;
    uint64_t thread[FORE_REVERSAL_THREADS];
    struct fore_map written,
        read; /* granule -> hash of its last write; of the reads since */
};

static void classes_begin(struct classes *c, const struct fore_outcome *o)
{
    *c = (struct classes){.outcome = o};
}

/* A thread is identified by its path. Its creation may be recorded after its beginning. */
static uint64_t class_of_thread(const struct classes *c, uint32_t thread)
{
    const char *path = c->outcome->thread[thread].path;
    return c->thread[thread] ? c->thread[thread] : fore_hash(path, strlen(path)) | 1;
}

static void classes_step(struct classes *c, const struct fore_outcome_step *s)
{
    struct touch t[2];
    uint64_t from, h = fore_hash_mix(class_of_thread(c, s->thread), s->kind);
    unsigned n = places_touched(s, t);
    h = fore_hash_mix(h, s->site + ((uint64_t)(s->flags & FORE_OUTCOME_TIMEOUT) << 40));
    if (s->kind == FORE_OP_join && s->other < FORE_REVERSAL_THREADS)
        h = fore_hash_mix(h, c->thread[s->other]);
    for (unsigned k = 0; k < n; k++)
        for (uint64_t g = 0; g < granules_of(&t[k], &from); g++) {
            const uint64_t *w = fore_map_get(&c->written, from + g);
            const uint64_t *r = fore_map_get(&c->read, from + g);
            h = fore_hash_mix(h, (w ? *w : 0) + (t[k].writes && r ? *r : 0));
        }
    for (unsigned k = 0; k < n; k++)
        for (uint64_t g = 0; g < granules_of(&t[k], &from); g++) {
            if (t[k].writes)
                *fore_map_put(&c->written, from + g, NULL) = h;
            uint64_t *r = fore_map_put(&c->read, from + g, NULL);
            *r = t[k].writes ? 0 : *r + h;
        }
    c->thread[s->thread] = h;
}

static uint64_t classes_end(struct classes *c)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < FORE_REVERSAL_THREADS; i++)
        sum += fore_hash_u64(c->thread[i]);
    fore_map_release(&c->written);
    fore_map_release(&c->read);
    return sum;
}

uint64_t fore_reversal_class(const struct fore_rerun *p)
{
    const struct fore_outcome *o = p->outcome;
    const struct fore_outcome_step *s = fore_rerun_steps(p);
    struct classes c;
    if (o->threads > FORE_REVERSAL_THREADS)
        return fore_hash(s, o->logged * sizeof *s);
    classes_begin(&c, o);
    for (uint64_t i = 0; i < o->logged; i++)
        classes_step(&c, &s[i]);
    return fore_hash_mix(classes_end(&c), o->end);
}

/* ---- as a schedule ---- */

struct segment_writer {
    const struct fore_outcome *outcome;
    struct fore_strbuf *out;
    uint32_t thread, count, switches;
};

static void put_segment(struct segment_writer *w)
{
    if (w->count)
        fore_strbuf_printf(w->out, "%s goes %u\n", w->outcome->thread[w->thread].path,
                           w->count);
    w->count = 0;
}

static void put_step(struct segment_writer *w, uint32_t thread)
{
    if (w->count && thread != w->thread) {
        put_segment(w);
        w->switches++;
    }
    w->thread = thread;
    w->count++;
}

uint32_t fore_reversal_schedule(const struct fore_rerun *p, uint64_t steps,
                                struct fore_strbuf *out)
{
    struct segment_writer w = {.outcome = p->outcome, .out = out};
    const struct fore_outcome_step *s = fore_rerun_steps(p);
    for (uint64_t i = 0; i < p->outcome->logged && i < steps; i++)
        if (s[i].thread < FORE_OUTCOME_THREADS)
            put_step(&w, s[i].thread);
    put_segment(&w);
    return w.switches;
}

/* ---- reversals ---- */

/* In the beginning without i and the steps after it, would j wait for a lock? */
static bool is_locked(const struct reversed_run *r, uint32_t i, uint32_t j)
{
    uint64_t lock = r->steps[j].kind == FORE_OP_cwoken || r->steps[j].other
                        ? r->steps[j].other
                        : r->steps[j].address;
    bool held = false;
    if (r->steps[j].kind != FORE_OP_lock && r->steps[j].kind != FORE_OP_cwoken)
        return false;
    for (uint32_t k = 0; k < j && k < r->done; k++) {
        const struct fore_outcome_step *s = &r->steps[k];
        if ((s->address != lock && s->other != lock) || (k >= i && is_before(r, i, k)) ||
            s->thread == r->steps[j].thread)
            continue;
        if (s->kind == FORE_OP_lock || s->kind == FORE_OP_cwoken)
            held = true;
        else if (s->kind == FORE_OP_unlock || s->kind == FORE_OP_cwait)
            held = false;
    }
    return held;
}

static uint64_t pair_of(const struct fore_outcome_step *a,
                        const struct fore_outcome_step *b)
{
    return fore_hash_u64(((uint64_t)a->site << 8) + a->kind) +
           fore_hash_u64(((uint64_t)b->site << 8) + b->kind);
}

/* Is the thread the clock of a Go program? In another order timers fire at other moments: when
 * the thread that is to go on waits for them. */
static bool is_clock(const struct fore_outcome *o, uint32_t thread)
{
    return !strcmp(o->thread[thread].path, FORE_SCHEDULE_CLOCK);
}

static bool is_message(unsigned kind)
{
    return kind == FORE_OP_send || kind == FORE_OP_receive;
}

/* Adds all steps up to j that i does not force to come after it, and then j. */
static void add_beginning(const struct reversed_run *r, uint32_t i, uint32_t j,
                          struct fore_beginnings *out)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct segment_writer w = {.outcome = r->outcome, .out = &text};
    struct classes c;
    classes_begin(&c, r->outcome);
    for (uint32_t k = 0; k < j && k < r->done; k++) {
        if ((k >= i && is_before(r, i, k)) || is_clock(r->outcome, r->steps[k].thread))
            continue;
        put_step(&w, r->steps[k].thread);
        classes_step(&c, &r->steps[k]);
    }
    put_step(&w, r->steps[j].thread);
    classes_step(&c, &r->steps[j]);
    put_segment(&w);
    fore_vec_push(&out->v,
                  (struct fore_beginning){.hash = classes_end(&c),
                                          .pair = pair_of(&r->steps[i], &r->steps[j]),
                                          .preemptions = w.switches,
                                          .dull = is_message(r->steps[i].kind) &&
                                                  is_message(r->steps[j].kind),
                                          .schedule = fore_strbuf_detach(&text)});
}

/* Does the thread of j learn of i before it comes to j? */
static bool is_forced(const struct reversed_run *r, uint32_t i, uint32_t j)
{
    return r->before[j] && is_before(r, i, r->before[j] - 1);
}

/* Is there a step between the two that comes after i and on which j depends? */
static bool is_through(const struct reversed_run *r, uint32_t i, uint32_t j,
                       const uint32_t *seen, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (seen[k] != i && is_before(r, i, seen[k]))
            return true;
    (void)j;
    return false;
}

/* Two steps that could come in the other order, unless a lock forbids it. */
struct reversal_pair {
    uint32_t i, j;
    uint32_t repeats; /* number of earlier pairs of the run with the same two places */
};

struct reversal_pairs {
    FORE_VEC(struct reversal_pair) v;
    struct fore_map places; /* pair of places -> how many */
    uint64_t steps;         /* number of steps to go through for all their beginnings */
};

static void add_pair(const struct reversed_run *r, uint32_t i, uint32_t j,
                     struct reversal_pairs *out)
{
    uint64_t *repeats =
        fore_map_put(&out->places, pair_of(&r->steps[i], &r->steps[j]), NULL);
    fore_vec_push(&out->v, (struct reversal_pair){i, j, (uint32_t)(*repeats)++});
    out->steps += j;
}

static void reverse_chain(const struct reversed_run *r, uint32_t j, uint64_t granule,
                          struct reversal_pairs *out)
{
    enum { MOST = 64 };
    uint32_t seen[MOST];
    unsigned n = 0;
    bool blocks = may_block(r->steps[j].kind);
    const uint64_t *last = fore_map_get(&r->last, granule);
    for (uint32_t e = last ? (uint32_t)*last : 0; e && n < MOST;
         e = r->entries.at[e - 1].before) {
        uint32_t i = r->entries.at[e - 1].step;
        if (i >= j || !steps_depend(&r->steps[i], &r->steps[j]))
            continue;
        if (r->steps[i].thread == r->steps[j].thread || is_forced(r, i, j)) {
            if (!only_reads(r->steps[i].kind) && !blocks)
                return;
            seen[n++] = i;
            continue;
        }
        if (blocks || !is_through(r, i, j, seen, n))
            add_pair(r, i, j, out);
        seen[n++] = i;
    }
}

static int by_repeats(const void *a, const void *b)
{
    const struct reversal_pair *x = a, *y = b;
    if (x->repeats != y->repeats)
        return x->repeats < y->repeats ? -1 : 1;
    return x->j != y->j ? (x->j < y->j ? -1 : 1) : (x->i > y->i) - (x->i < y->i);
}

/* The beginnings of the pairs. Each costs as much as the steps before it, so in a long run (with
 * threads that spin, for instance) only some can be made, those of different places first.
 * Returns whether all were made. */
static bool add_beginnings(const struct reversed_run *r, struct reversal_pairs *pairs,
                           struct fore_beginnings *out)
{
    enum { MOST_STEPS = 1 << 20 };
    bool all = pairs->steps <= MOST_STEPS;
    uint64_t steps = 0;
    if (!all)
        qsort(pairs->v.at, pairs->v.n, sizeof *pairs->v.at, by_repeats);
    for (size_t k = 0; k < pairs->v.n && steps <= MOST_STEPS; k++) {
        const struct reversal_pair *p = &pairs->v.at[k];
        if (!is_locked(r, p->i, p->j))
            add_beginning(r, p->i, p->j, out);
        steps += p->j;
    }
    return all;
}

void fore_reversals(const struct fore_rerun *p, struct fore_beginnings *out, bool *whole)
{
    struct reversed_run r;
    struct reversal_pairs pairs = {0};
    *whole = open_run(&r, p);
    for (uint32_t j = 0; *whole && j < r.n; j++) {
        struct touch t[2];
        uint64_t from, seen = 0;
        unsigned n = places_touched(&r.steps[j], t);
        for (unsigned k = 0; k < n; k++)
            for (uint64_t g = 0; g < granules_of(&t[k], &from); g++)
                if (from + g != seen)
                    reverse_chain(&r, j, seen = from + g, &pairs);
    }
    *whole = *whole && add_beginnings(&r, &pairs, out);
    fore_vec_release(&pairs.v);
    fore_map_release(&pairs.places);
    close_run(&r);
}

void fore_beginnings_release(struct fore_beginnings *b)
{
    for (size_t i = 0; i < b->v.n; i++)
        fore_free(b->v.at[i].schedule);
    fore_vec_release(&b->v);
}
