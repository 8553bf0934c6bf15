/* Predicts: as observer.c, for the runs in which critical sections of a lock exclude each
 *           other instead of keeping their order (the paper's future work).
 * Sound:    yes; accesses of one place that conflict keep their order, so sections swap only
 *           when nothing in them conflicts.  Complete: for those runs.
 * Cost:     that of the lattice, times the ways in which lock operations fit in between.
 * Source:   [jmpax], end of section 5.
 *
 * A state of the lattice is a cut of the relevant writes. Lock operations are silent steps
 * between them, and one cut of writes can go with many cuts of all steps. They are followed
 * as a set, as in the subset construction, so that a run is still one path and counts stay
 * exact. A release that can happen does so at once: it only makes more possible (unless some
 * trylock was seen to fail, which needs the lock to be held). */
#include "analysis/lattice/exclusive.h"

#include "causal/lockset.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 1 << 14 };
#define NONE UINT32_MAX

struct one_step {
    enum fore_lock_step kind; /* none: it is relevant */
    fore_lockset wants;       /* the lock that it takes, or finds taken */
    fore_lockset held;        /* the locks that the thread holds afterwards */
    uint32_t needs, need_count;
    struct fore_lattice_step step;
    struct fore_val value;
};

struct holder {
    uint32_t thread;
    FORE_VEC(struct one_step) steps;
    FORE_VEC(uint32_t) depths; /* lock -> how often it is held */
    uint32_t relevant;         /* so far */
    fore_lockset held;
};

/* A cut of all steps on the way, and the step that led to it. */
struct place_locks {
    uint32_t parent, slot;
};

struct fore_exclusive {
    struct fore_space space;
    struct fore_locksets locksets;
    FORE_VEC(struct holder) holders;
    struct fore_map slot_of;           /* thread -> holder */
    FORE_VEC(struct fore_past) needs;  /* by holder */
    FORE_VEC(struct fore_past) writes; /* holder, step: in arrival order */
    struct fore_intern sets;           /* of cuts, sorted */
    struct fore_map known;             /* set << 32 | holder -> set, or NONE */
    bool busy, cut_short;
    /* of the search under way */
    struct fore_intern cuts; /* number less 1 is that of the place */
    FORE_VEC(struct place_locks) places;
};

/* -- The steps --------------------------------------------------------------------- */

bool fore_exclusive_wants(const struct fore_event *e)
{
    return fore_event_lock(e).step != FORE_LOCK_NONE;
}

static uint32_t holder_of(struct fore_exclusive *x, uint32_t thread)
{
    bool fresh;
    uint64_t *slot = fore_map_put(&x->slot_of, thread, &fresh);
    if (fresh) {
        *slot = x->holders.n;
        fore_vec_push(&x->holders, (struct holder){.thread = thread});
    }
    return (uint32_t)*slot;
}

/* What the thread holds after a step on a lock; a recursive one is held until the last. */
static void update_held(struct fore_exclusive *x, struct holder *h, struct one_step *s)
{
    struct fore_lock_use use = fore_event_lock(&s->step.event);
    fore_vec_ensure(&h->depths, use.lock + 1u);
    uint32_t *depth = &h->depths.at[use.lock];
    s->kind = use.step;
    if (s->kind != FORE_LOCK_GIVEN_BACK)
        s->wants = fore_lockset_add(&x->locksets, 0, use.lock, use.shared);
    if (s->kind == FORE_LOCK_TAKEN && (*depth)++ == 0)
        h->held = fore_lockset_add(&x->locksets, h->held, use.lock, use.shared);
    if (s->kind == FORE_LOCK_GIVEN_BACK && *depth && --*depth == 0)
        h->held = fore_lockset_remove(&x->locksets, h->held, use.lock, use.shared);
    x->busy = x->busy || s->kind == FORE_LOCK_BUSY;
}

void fore_exclusive_message(struct fore_exclusive *x, const struct fore_observation *m,
                            bool relevant)
{
    uint32_t slot = holder_of(x, m->thread);
    struct one_step s = {.needs = (uint32_t)x->needs.n,
                         .need_count = m->past_count,
                         .step = m->step,
                         .value = m->value};
    for (uint32_t i = 0; i < m->past_count; i++) {
        uint32_t other = holder_of(x, m->past[i].thread);
        fore_vec_push(&x->needs, (struct fore_past){other, m->past[i].count});
    }
    struct holder *h = &x->holders.at[slot];
    if (relevant)
        fore_vec_push(&x->writes, (struct fore_past){slot, (uint32_t)h->steps.n});
    else
        update_held(x, h, &s);
    s.held = h->held;
    fore_vec_push(&h->steps, s);
}

/* -- Where they can come ----------------------------------------------------------- */

static fore_lockset held_at(const struct fore_exclusive *x, uint32_t slot, uint32_t count)
{
    return count ? x->holders.at[slot].steps.at[count - 1].held : 0;
}

/* Does another thread hold what the step wants? */
static bool is_lock_taken(struct fore_exclusive *x, const uint32_t *cut, uint32_t slot,
                          fore_lockset wants)
{
    for (uint32_t j = 0; j < x->holders.n; j++)
        if (j != slot &&
            fore_lockset_excludes(&x->locksets, wants, held_at(x, j, cut[j])))
            return true;
    return false;
}

/* The thread's next step, if it can come at this cut; NULL otherwise. */
static const struct one_step *next_step(struct fore_exclusive *x, const uint32_t *cut,
                                        uint32_t slot)
{
    const struct holder *h = &x->holders.at[slot];
    if (cut[slot] == h->steps.n)
        return NULL;
    const struct one_step *s = &h->steps.at[cut[slot]];
    for (uint32_t i = 0; i < s->need_count; i++) {
        struct fore_past need = x->needs.at[s->needs + i];
        if (cut[need.thread] < need.count)
            return NULL;
    }
    if (s->kind == FORE_LOCK_TAKEN && is_lock_taken(x, cut, slot, s->wants))
        return NULL;
    if (s->kind == FORE_LOCK_BUSY && !is_lock_taken(x, cut, slot, s->wants))
        return NULL;
    return s;
}

static const uint32_t *cut_of(const struct fore_exclusive *x, uint32_t place)
{
    return (const uint32_t *)(const void *)fore_intern_bytes(&x->cuts, place + 1).at;
}

/* The cut after one more step of the thread. */
static uint32_t go_on(struct fore_exclusive *x, uint32_t from, uint32_t slot)
{
    size_t n = x->holders.n;
    uint32_t *cut = fore_alloc(n * sizeof *cut);
    memcpy(cut, cut_of(x, from), n * sizeof *cut);
    cut[slot]++;
    uint32_t place = fore_intern(&x->cuts, cut, n * sizeof *cut) - 1;
    fore_free(cut);
    if (place == x->places.n)
        fore_vec_push(&x->places, (struct place_locks){from, slot});
    return place;
}

static void restart_search(struct fore_exclusive *x)
{
    fore_intern_release(&x->cuts);
    x->cuts = (struct fore_intern){0};
    fore_vec_clear(&x->places);
}

static uint32_t begin_at(struct fore_exclusive *x, const uint32_t *cut)
{
    uint32_t place = fore_intern(&x->cuts, cut, x->holders.n * sizeof *cut) - 1;
    if (place == x->places.n)
        fore_vec_push(&x->places, (struct place_locks){.parent = NONE});
    return place;
}

/* A release that can happen; NONE if there is none, or if releases have to wait. */
static uint32_t release_at(struct fore_exclusive *x, const uint32_t *cut)
{
    for (uint32_t i = 0; i < x->holders.n && !x->busy; i++) {
        const struct one_step *s = next_step(x, cut, i);
        if (s && s->kind == FORE_LOCK_GIVEN_BACK)
            return i;
    }
    return NONE;
}

/* Adds all places that silent steps lead to from those numbered `from` and above. */
static void close_silently(struct fore_exclusive *x, uint32_t from)
{
    for (uint32_t p = from; p < x->places.n && !x->cut_short; p++) {
        uint32_t release = release_at(x, cut_of(x, p));
        if (release != NONE) {
            go_on(x, p, release);
            continue;
        }
        for (uint32_t i = 0; i < x->holders.n; i++) {
            const struct one_step *s = next_step(x, cut_of(x, p), i);
            if (s && s->kind != FORE_LOCK_NONE)
                go_on(x, p, i);
        }
        x->cut_short = x->places.n > MOST_CUTS;
    }
}

static int by_words(const void *a, const void *b, void *size)
{
    return memcmp(a, b, *(size_t *)size);
}

/* Gives the cuts at which no step has to come at once, as a set. */
static uint32_t intern_set(struct fore_exclusive *x)
{
    size_t size = x->holders.n * sizeof(uint32_t), n = 0;
    char *all = fore_alloc(x->places.n * size + 1);
    for (uint32_t p = 0; p < x->places.n; p++)
        if (release_at(x, cut_of(x, p)) == NONE)
            memcpy(all + n++ * size, cut_of(x, p), size);
    qsort_r(all, n, size, by_words, &size);
    uint32_t set = fore_intern(&x->sets, all, n * size) - 1;
    fore_free(all);
    return set;
}

/* Set 0: before every step but those on locks. */
static void first_set(struct fore_exclusive *x)
{
    uint32_t *zero = fore_calloc(x->holders.n + 1, sizeof *zero);
    restart_search(x);
    begin_at(x, zero);
    close_silently(x, 0);
    intern_set(x);
    fore_free(zero);
}

/* Goes on from all places from `from` on by the holder's next write. */
static void write_once(struct fore_exclusive *x, uint32_t from, uint32_t slot)
{
    uint32_t end = (uint32_t)x->places.n;
    for (uint32_t p = from; p < end; p++) {
        const struct one_step *s = next_step(x, cut_of(x, p), slot);
        if (s && s->kind == FORE_LOCK_NONE)
            go_on(x, p, slot);
    }
}

static uint32_t derive_set(struct fore_exclusive *x, uint32_t set, uint32_t slot)
{
    struct fore_bytes cuts = fore_intern_bytes(&x->sets, set + 1);
    size_t size = x->holders.n * sizeof(uint32_t);
    uint32_t *cut = fore_alloc(size);
    restart_search(x);
    for (size_t at = 0; at < cuts.n; at += size) {
        memcpy(cut, cuts.at + at, size);
        const struct one_step *s = next_step(x, cut, slot);
        if (!s || s->kind != FORE_LOCK_NONE)
            continue;
        cut[slot]++;
        begin_at(x, cut);
    }
    fore_free(cut);
    if (x->places.n == 0)
        return NONE;
    close_silently(x, 0);
    return intern_set(x);
}

static bool space_step(void *ctx, uint32_t set, uint32_t thread, uint32_t *next)
{
    struct fore_exclusive *x = ctx;
    uint32_t slot = holder_of(x, thread);
    bool fresh;
    uint64_t *known = fore_map_put(&x->known, (uint64_t)set << 32 | slot, &fresh);
    if (fresh)
        *known = derive_set(x, set, slot);
    *next = (uint32_t)*known;
    return *next != NONE;
}

/* -- Interface --------------------------------------------------------------------- */

struct fore_exclusive *fore_exclusive_new(void)
{
    struct fore_exclusive *x = fore_calloc(1, sizeof *x);
    x->space = (struct fore_space){space_step, x};
    return x;
}

void fore_exclusive_free(struct fore_exclusive *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->holders.n; i++) {
        fore_vec_release(&x->holders.at[i].steps);
        fore_vec_release(&x->holders.at[i].depths);
    }
    fore_locksets_release(&x->locksets);
    fore_vec_release(&x->holders);
    fore_map_release(&x->slot_of);
    fore_vec_release(&x->needs);
    fore_vec_release(&x->writes);
    fore_intern_release(&x->sets);
    fore_map_release(&x->known);
    fore_intern_release(&x->cuts);
    fore_vec_release(&x->places);
    fore_free(x);
}

const struct fore_space *fore_exclusive_space(struct fore_exclusive *x)
{
    return &x->space;
}

void fore_exclusive_end(struct fore_exclusive *x, struct fore_observer *o)
{
    first_set(x);
    for (size_t i = 0; i < x->writes.n; i++) {
        struct holder *h = &x->holders.at[x->writes.at[i].thread];
        const struct one_step *s = &h->steps.at[x->writes.at[i].count];
        struct fore_observation m = {.thread = h->thread,
                                     .number = ++h->relevant,
                                     .value = s->value,
                                     .step = s->step};
        if (!fore_observer_message(o, &m, true))
            break;
    }
    fore_observer_end(o);
}

void fore_exclusive_complete(struct fore_exclusive *x, struct fore_lattice_steps *run)
{
    uint32_t *zero = fore_calloc(x->holders.n + 1, sizeof *zero);
    restart_search(x);
    uint32_t stage = begin_at(x, zero);
    fore_free(zero);
    for (size_t i = 0; i < run->v.n; i++) {
        close_silently(x, stage);
        uint32_t end = (uint32_t)x->places.n;
        write_once(x, stage, holder_of(x, run->v.at[i].event.thread));
        stage = end;
        if (stage == x->places.n)
            return; /* the search was cut short: the run stays as it is */
    }
    fore_vec_clear(&run->v);
    for (uint32_t p = stage; x->places.at[p].parent != NONE; p = x->places.at[p].parent) {
        uint32_t slot = x->places.at[p].slot;
        fore_vec_push(&run->v, x->holders.at[slot].steps.at[cut_of(x, p)[slot] - 1].step);
    }
    for (size_t i = 0, j = run->v.n; i + 1 < j; i++) {
        struct fore_lattice_step swap = run->v.at[i];
        run->v.at[i] = run->v.at[--j];
        run->v.at[j] = swap;
    }
}

bool fore_exclusive_cut_short(const struct fore_exclusive *x)
{
    return x->cut_short;
}
