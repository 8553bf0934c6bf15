/* Predicts: violations of safety properties in every run that keeps the observed order of
 *           conflicting accesses (and of critical sections), not only in the observed one.
 * Sound:    yes, for programs whose threads do what they did as long as they read the same.
 * Complete: for those runs, without a window; within the causality cone with one.
 * Cost:     time O(t w m), space O(w m): t events, w states per level, m monitor states.
 * Source:   [jmpax], sections 3 and 4. docs/theory/lattice.md says where this differs from
 *           the pseudo-code of figures 3 and 5. */
#include "analysis/lattice/observer.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LIMBS = 64 };

/* An event that extends a state, before the window has chosen. */
struct candidate {
    uint64_t arrival;
    uint32_t state, slot;
};

struct fore_observer {
    struct fore_watch *watch;
    struct fore_observer_options opt;
    struct fore_observer_stats stats;
    struct fore_queue queue;
    FORE_VEC(struct fore_level) levels; /* LEVELS: two, in turns; EAGER: all */
    uint64_t level;                     /* of the newest complete one */
    uint32_t width;                     /* words of a cut, at least the number of slots */
    struct fore_chains *chains;         /* one per property */
    struct fore_violation *violations;
    FORE_VEC(uint32_t) key; /* of the state that is being made */
    FORE_VEC(struct candidate) candidates;
    FORE_VEC(struct fore_message) waiting; /* EAGER: what it needs is not there yet */
    /* the observed run */
    struct fore_val *seen_values;
    uint32_t *seen_states;
    uint64_t seen;
};

static uint64_t weight(uint32_t slot)
{
    return fore_hash_u64(slot + 1) | 1;
}

/* -- Counts ------------------------------------------------------------------------ */

/* Limbs for the level after `from`: a state has at most one predecessor per thread. */
static uint32_t limbs_after(struct fore_observer *o, struct fore_level *from)
{
    if (!from->limbs)
        return 0;
    uint32_t bits =
        from->bits + 32 - (uint32_t)__builtin_clz((uint32_t)o->queue.slots.n + 1);
    uint32_t limbs = bits / 64 + 1;
    if (limbs < from->limbs)
        limbs = from->limbs;
    if (limbs <= MOST_LIMBS)
        return limbs;
    o->stats.counted = false;
    return 0;
}

/* -- States and edges -------------------------------------------------------------- */

static void found(struct fore_observer *o, uint32_t prop, uint64_t level, uint32_t chain)
{
    struct fore_violation *v = &o->violations[prop];
    if (v->predicted && v->level <= level)
        return;
    bool first = !v->predicted;
    fore_chain_drop(&o->chains[prop], v->chain);
    fore_chain_keep(&o->chains[prop], chain);
    v->predicted = true;
    v->level = level;
    v->chain = chain;
    if (first && o->opt.violated)
        o->opt.violated(o->opt.ctx, prop, false);
}

/* A property is followed until its first violation; in EAGER mode a shorter one may come. */
static bool followed(const struct fore_observer *o, uint32_t prop)
{
    return o->opt.follow &&
           (o->opt.mode == FORE_OBSERVE_EAGER || !o->violations[prop].predicted);
}

static void start_marks(struct fore_observer *o, struct fore_level *l)
{
    struct fore_watch *w = o->watch;
    for (uint32_t p = 0; p < w->props; p++) {
        struct fore_monitor *m = w->monitors[p];
        uint32_t letter = fore_monitor_letter(m, w->initial);
        uint32_t state = fore_monitor_step(m, fore_monitor_start(m), letter, w->initial);
        bool fresh;
        uint32_t mark = fore_level_mark(l, 0, p, state, &fresh);
        l->letters.at[p] = letter;
        l->marks.at[mark].chain = o->opt.follow ? 1 : 0;
        fore_chain_keep(&o->chains[p], l->marks.at[mark].chain);
        if (l->limbs)
            l->mark_runs.at[(size_t)mark * l->limbs] = 1;
        o->seen_states[p] = state;
        if (!fore_monitor_bad(m, state))
            continue;
        o->violations[p].observed = true;
        found(o, p, 0, l->marks.at[mark].chain);
    }
}

static void start(struct fore_observer *o)
{
    struct fore_watch *w = o->watch;
    fore_vec_ensure(&o->levels, 2);
    struct fore_level *l = &o->levels.at[0];
    o->width = 4;
    fore_vec_ensure(&o->key, o->width);
    fore_level_clear(l, o->width, w, o->opt.count);
    fore_level_clear(&o->levels.at[1], o->width, w, o->opt.count);
    fore_level_push(l, o->key.at, 0);
    memcpy(l->values.at, w->initial, w->vars * sizeof *l->values.at);
    memcpy(o->seen_values, w->initial, w->vars * sizeof *o->seen_values);
    if (l->limbs)
        l->runs.at[0] = 1;
    l->bits = 1;
    start_marks(o, l);
    o->stats.states = o->stats.levels = o->stats.widest = 1;
}

static uint32_t make_state(struct fore_observer *o, const struct fore_level *from,
                           uint32_t s, struct fore_level *to, uint64_t hash,
                           const struct fore_queued *e)
{
    struct fore_watch *w = o->watch;
    uint32_t c = fore_level_push(to, o->key.at, hash);
    struct fore_val *values = to->values.at + (size_t)c * w->vars;
    memcpy(values, from->values.at + (size_t)s * w->vars, w->vars * sizeof *values);
    values[e->step.var] = e->value;
    for (uint32_t p = 0; p < w->props; p++)
        to->letters.at[(size_t)c * w->props + p] =
            fore_watch_mentions(w, p, e->step.var)
                ? fore_monitor_letter(w->monitors[p], values)
                : from->letters.at[(size_t)s * w->props + p];
    return c;
}

/* The runs that reach s in some monitor state go on to c. A monitor steps when one of its
 * property's variables is written, so that what a property says does not depend on which
 * others stand beside it. */
static void pass_marks(struct fore_observer *o, uint32_t p, const struct fore_level *from,
                       uint32_t s, struct fore_level *to, uint32_t c,
                       const struct fore_queued *e, uint64_t level)
{
    struct fore_watch *w = o->watch;
    struct fore_monitor *monitor = w->monitors[p];
    bool steps = fore_watch_mentions(w, p, e->step.var);
    uint32_t letter = to->letters.at[(size_t)c * w->props + p];
    const struct fore_val *values = to->values.at + (size_t)c * w->vars;
    uint32_t m = from->heads.at[(size_t)s * w->props + p];
    for (; m != FORE_LEVEL_NONE; m = from->marks.at[m].next) {
        struct fore_mark mark = from->marks.at[m];
        bool fresh;
        uint32_t next =
            steps ? fore_monitor_step(monitor, mark.state, letter, values) : mark.state;
        uint32_t k = fore_level_mark(to, c, p, next, &fresh);
        if (to->limbs)
            fore_count_add(to->mark_runs.at + (size_t)k * to->limbs, to->limbs,
                           from->mark_runs.at + (size_t)m * from->limbs, from->limbs);
        if (!fresh || !followed(o, p) || !mark.chain)
            continue;
        to->marks.at[k].chain = fore_chain_add(&o->chains[p], mark.chain, &e->step);
        if (fore_monitor_bad(monitor, next))
            found(o, p, level, to->marks.at[k].chain);
    }
}

/* Without chains there is no witness, but the verdict is the same. */
static void note_unfollowed(struct fore_observer *o, struct fore_level *to, uint32_t c,
                            uint64_t level)
{
    struct fore_watch *w = o->watch;
    for (uint32_t p = 0; p < w->props; p++) {
        uint32_t m = to->heads.at[(size_t)c * w->props + p];
        for (; m != FORE_LEVEL_NONE; m = to->marks.at[m].next)
            if (fore_monitor_bad(w->monitors[p], to->marks.at[m].state))
                found(o, p, level, 0);
    }
}

/* Extends state s of `from` by the event of `slot`, into `to`, whose states are on `level`.
 * The state it leads to, or NONE if the window is full. */
static uint32_t add_edge(struct fore_observer *o, struct fore_level *from, uint32_t s,
                         struct fore_level *to, uint32_t slot, uint64_t level)
{
    memcpy(o->key.at, fore_level_key(from, s), o->width * sizeof *o->key.at);
    uint32_t number = ++o->key.at[slot];
    const struct fore_queued *e = fore_queue_at(&o->queue, slot, number);
    uint64_t hash = from->hashes.at[s] + weight(slot);
    uint32_t c = fore_level_find(to, o->key.at, hash);
    if (c == FORE_LEVEL_NONE) {
        if (o->opt.window && to->n >= o->opt.window) {
            o->stats.pruned = true;
            return c;
        }
        c = make_state(o, from, s, to, hash, e);
    }
    o->stats.edges++;
    if (to->limbs)
        fore_level_add_runs(to, c, from->runs.at + (size_t)s * from->limbs, from->limbs);
    for (uint32_t p = 0; p < o->watch->props; p++)
        pass_marks(o, p, from, s, to, c, e, level);
    if (!o->opt.follow)
        note_unfollowed(o, to, c, level);
    if (o->opt.edge)
        o->opt.edge(o->opt.ctx, fore_level_key(from, s), o->key.at, o->width, &e->step);
    return c;
}

static bool extends(const struct fore_observer *o, struct fore_level *l, uint32_t s,
                    uint32_t slot, uint64_t *arrival)
{
    const uint32_t *cut = fore_level_key(l, s);
    const struct fore_queued *e = fore_queue_at(&o->queue, slot, cut[slot] + 1);
    if (!e || !fore_queue_enabled(e, cut))
        return false;
    *arrival = e->arrival;
    return true;
}

static void widen(struct fore_observer *o)
{
    if (o->queue.slots.n <= o->width)
        return;
    while (o->width < o->queue.slots.n)
        o->width *= 2;
    fore_vec_ensure(&o->key, o->width);
    for (size_t i = 0; i < o->levels.n; i++)
        fore_level_widen(&o->levels.at[i], o->width);
}

static bool spent(struct fore_observer *o)
{
    if (!o->stats.stopped && o->opt.budget)
        o->stats.stopped = fore_budget_spent(o->opt.budget);
    return o->stats.stopped;
}

/* -- Level by level ---------------------------------------------------------------- */

static int by_arrival(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->arrival != y->arrival)
        return x->arrival < y->arrival ? -1 : 1;
    return x->state < y->state ? -1 : x->state > y->state;
}

static void sort_candidates(struct candidate *c, size_t n)
{
    if (n > 24) {
        qsort(c, n, sizeof *c, by_arrival);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct candidate x = c[i];
        size_t j = i;
        for (; j > 0 && by_arrival(&x, &c[j - 1]) < 0; j--)
            c[j] = c[j - 1];
        c[j] = x;
    }
}

/* With a window the earliest events go first, so that the states kept are those nearest to
 * the observed run; a level that is full still takes the edges into what it kept. */
static void fill_window(struct fore_observer *o, struct fore_level *from,
                        struct fore_level *to)
{
    uint32_t slots = (uint32_t)o->queue.slots.n;
    struct candidate c;
    fore_vec_clear(&o->candidates);
    for (c.state = 0; c.state < from->n; c.state++)
        for (c.slot = 0; c.slot < slots; c.slot++)
            if (extends(o, from, c.state, c.slot, &c.arrival))
                fore_vec_push(&o->candidates, c);
    sort_candidates(o->candidates.at, o->candidates.n);
    for (size_t i = 0; i < o->candidates.n; i++)
        add_edge(o, from, o->candidates.at[i].state, to, o->candidates.at[i].slot,
                 o->level + 1);
}

static void fill_all(struct fore_observer *o, struct fore_level *from,
                     struct fore_level *to)
{
    uint32_t slots = (uint32_t)o->queue.slots.n;
    uint64_t arrival;
    for (uint32_t s = 0; s < from->n && !spent(o); s++)
        for (uint32_t i = 0; i < slots; i++)
            if (extends(o, from, s, i, &arrival))
                add_edge(o, from, s, to, i, o->level + 1);
}

static void leave_level(struct fore_observer *o, struct fore_level *l)
{
    for (uint32_t s = 0; s < l->n; s++) {
        if (o->opt.state)
            o->opt.state(o->opt.ctx, o->level, fore_level_key(l, s), o->width,
                         l->values.at + (size_t)s * l->vars);
        for (uint32_t p = 0; p < l->props && o->opt.follow; p++) {
            uint32_t m = l->heads.at[(size_t)s * l->props + p];
            for (; m != FORE_LEVEL_NONE; m = l->marks.at[m].next)
                fore_chain_drop(&o->chains[p], l->marks.at[m].chain);
        }
    }
}

/* Lemma 8, by the minimum of the level that is now current. */
static void drop_useless(struct fore_observer *o, struct fore_level *l)
{
    for (uint32_t i = 0; i < o->queue.slots.n; i++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t s = 0; s < l->n; s++) {
            uint32_t x = fore_level_key(l, s)[i];
            least = x < least ? x : least;
        }
        fore_queue_drop(&o->queue, i, least);
    }
    for (uint32_t p = 0; p < o->watch->props && o->opt.follow; p++)
        if (followed(o, p))
            fore_chains_trim(&o->chains[p]);
}

/* Builds the next level from all events that are there. False if there is none. */
static bool advance(struct fore_observer *o)
{
    struct fore_level *from = &o->levels.at[o->level % 2];
    struct fore_level *to = &o->levels.at[(o->level + 1) % 2];
    fore_level_clear(to, o->width, o->watch, limbs_after(o, from));
    if (o->opt.window)
        fill_window(o, from, to);
    else
        fill_all(o, from, to);
    if (to->n == 0 || spent(o))
        return false;
    leave_level(o, from);
    o->level++;
    o->stats.states += to->n;
    o->stats.levels++;
    o->stats.widest = to->n > o->stats.widest ? to->n : o->stats.widest;
    drop_useless(o, to);
    return true;
}

/* -- Event by event ---------------------------------------------------------------- */

/* The states without and with the new event, on the level that is worked on. */
struct front {
    FORE_VEC(uint32_t) old, new;
};

static struct fore_level *eager_level(struct fore_observer *o, uint64_t level)
{
    struct fore_level *from = &o->levels.at[level - 1];
    uint32_t limbs = limbs_after(o, from);
    if (level == o->levels.n) {
        struct fore_level fresh = {0};
        fore_vec_push(&o->levels, fresh);
        fore_level_clear(&o->levels.at[level], o->width, o->watch, limbs);
    }
    struct fore_level *l = &o->levels.at[level];
    if (l->n == 0)
        fore_level_clear(l, o->width, o->watch, limbs);
    fore_level_deepen(l, limbs);
    return l;
}

/* Is the state met for the first time since the newest event came? */
static bool first_visit(struct fore_observer *o, struct fore_level *l, uint32_t state)
{
    if (l->stamps.at[state] == o->queue.arrived)
        return false;
    l->stamps.at[state] = o->queue.arrived;
    return true;
}

/* All states above those of `f`: the old ones stay without the event (they exist already and
 * are only looked up), the new ones contain it. */
static void rise(struct fore_observer *o, struct front *f, struct front *up,
                 uint64_t level, uint32_t slot)
{
    struct fore_level *to = eager_level(o, level + 1), *from = &o->levels.at[level];
    uint32_t before = to->n, slots = (uint32_t)o->queue.slots.n;
    uint64_t arrival;
    fore_vec_clear(&up->old);
    fore_vec_clear(&up->new);
    for (size_t k = 0; k < f->old.n; k++) {
        uint32_t s = f->old.at[k];
        uint32_t c = add_edge(o, from, s, to, slot, level + 1);
        if (first_visit(o, to, c))
            fore_vec_push(&up->new, c);
        for (uint32_t i = 0; i < slots; i++) {
            if (i == slot || !extends(o, from, s, i, &arrival))
                continue;
            memcpy(o->key.at, fore_level_key(from, s), o->width * sizeof *o->key.at);
            o->key.at[i]++;
            c = fore_level_find(to, o->key.at, from->hashes.at[s] + weight(i));
            if (c != FORE_LEVEL_NONE && first_visit(o, to, c))
                fore_vec_push(&up->old, c);
        }
    }
    for (size_t k = 0; k < f->new.n; k++)
        for (uint32_t i = 0; i < slots; i++)
            if (extends(o, from, f->new.at[k], i, &arrival)) {
                uint32_t c = add_edge(o, from, f->new.at[k], to, i, level + 1);
                if (first_visit(o, to, c))
                    fore_vec_push(&up->new, c);
            }
    o->stats.states += to->n - before;
    o->stats.widest = to->n > o->stats.widest ? to->n : o->stats.widest;
}

static bool present(const struct fore_observer *o, const struct fore_message *m)
{
    for (uint32_t i = 0; i < m->past_count; i++) {
        const uint64_t *slot = fore_map_get(&o->queue.slot_of, m->past[i].thread);
        if (!slot || o->queue.slots.at[*slot].known < m->past[i].count)
            return false;
    }
    const uint64_t *own = fore_map_get(&o->queue.slot_of, m->thread);
    return (own ? o->queue.slots.at[*own].known : 0) + 1 == m->number;
}

/* The cuts that an event makes possible are those that contain it. Without it each of them is
 * a cut that was there before; the least of these is what the event needs. */
static void insert_event(struct fore_observer *o, const struct fore_message *m)
{
    uint64_t level = fore_queue_add(&o->queue, m) - 1;
    uint32_t slot = fore_queue_slot(&o->queue, m->thread);
    uint64_t hash = weight(slot) * (m->number - 1);
    widen(o);
    memset(o->key.at, 0, o->width * sizeof *o->key.at);
    o->key.at[slot] = m->number - 1;
    for (uint32_t i = 0; i < m->past_count; i++) {
        uint32_t other = fore_queue_slot(&o->queue, m->past[i].thread);
        o->key.at[other] = m->past[i].count;
        hash += weight(other) * m->past[i].count;
    }
    struct front a = {0}, b = {0}, *f = &a, *up = &b;
    uint32_t least = fore_level_find(&o->levels.at[level], o->key.at, hash);
    FORE_BUG_IF(least == FORE_LEVEL_NONE);
    fore_vec_push(&f->old, least);
    for (; (f->old.n || f->new.n) && !spent(o); level++) {
        rise(o, f, up, level, slot);
        struct front *swap = f;
        f = up;
        up = swap;
    }
    fore_vec_release(&a.old);
    fore_vec_release(&a.new);
    fore_vec_release(&b.old);
    fore_vec_release(&b.new);
}

static void hold(struct fore_observer *o, const struct fore_message *m)
{
    struct fore_message copy = *m;
    struct fore_past *past = fore_calloc(m->past_count + 1u, sizeof *past);
    if (m->past_count)
        memcpy(past, m->past, m->past_count * sizeof *past);
    copy.past = past;
    fore_vec_push(&o->waiting, copy);
}

static void take_eagerly(struct fore_observer *o, const struct fore_message *m)
{
    if (!present(o, m)) {
        hold(o, m);
        return;
    }
    insert_event(o, m);
    for (size_t i = 0; i < o->waiting.n;) {
        struct fore_message w = o->waiting.at[i];
        if (!present(o, &w)) {
            i++;
            continue;
        }
        o->waiting.at[i] = fore_vec_pop(&o->waiting);
        insert_event(o, &w);
        fore_free((void *)w.past);
        i = 0;
    }
}

/* -- The observed run -------------------------------------------------------------- */

void fore_observer_write(struct fore_observer *o, uint32_t var, struct fore_val value)
{
    struct fore_watch *w = o->watch;
    o->seen_values[var] = value;
    o->seen++;
    for (uint32_t p = 0; p < w->props; p++) {
        if (!fore_watch_mentions(w, p, var))
            continue;
        struct fore_monitor *m = w->monitors[p];
        uint32_t letter = fore_monitor_letter(m, o->seen_values);
        o->seen_states[p] =
            fore_monitor_step(m, o->seen_states[p], letter, o->seen_values);
        if (o->violations[p].observed || !fore_monitor_bad(m, o->seen_states[p]))
            continue;
        o->violations[p].observed = true;
        o->violations[p].observed_at = o->seen;
        if (o->opt.violated)
            o->opt.violated(o->opt.ctx, p, true);
    }
}

/* -- Interface --------------------------------------------------------------------- */

struct fore_observer *fore_observer_new(struct fore_watch *w,
                                        const struct fore_observer_options *options)
{
    struct fore_observer *o = fore_calloc(1, sizeof *o);
    o->watch = w;
    o->opt = *options;
    if (!o->opt.queue)
        o->opt.queue = 2 * o->opt.window;
    if (o->opt.window)
        o->opt.mode = FORE_OBSERVE_LEVELS;
    o->stats.counted = o->opt.count;
    o->chains = fore_calloc(w->props + 1u, sizeof *o->chains);
    o->violations = fore_calloc(w->props + 1u, sizeof *o->violations);
    o->seen_values = fore_calloc(w->vars + 1u, sizeof *o->seen_values);
    o->seen_states = fore_calloc(w->props + 1u, sizeof *o->seen_states);
    for (uint32_t p = 0; p < w->props; p++)
        fore_chains_init(&o->chains[p]);
    start(o);
    return o;
}

void fore_observer_free(struct fore_observer *o)
{
    for (size_t i = 0; i < o->levels.n; i++)
        fore_level_release(&o->levels.at[i]);
    for (uint32_t p = 0; p < o->watch->props; p++) {
        fore_chains_release(&o->chains[p]);
        fore_big_release(&o->violations[p].runs);
    }
    for (size_t i = 0; i < o->waiting.n; i++)
        fore_free((void *)o->waiting.at[i].past);
    fore_vec_release(&o->waiting);
    fore_vec_release(&o->levels);
    fore_vec_release(&o->key);
    fore_vec_release(&o->candidates);
    fore_queue_release(&o->queue);
    fore_big_release(&o->stats.runs);
    fore_free(o->chains);
    fore_free(o->violations);
    fore_free(o->seen_values);
    fore_free(o->seen_states);
    fore_free(o);
}

bool fore_observer_message(struct fore_observer *o, const struct fore_message *m,
                           bool in_order)
{
    if (in_order)
        fore_observer_write(o, m->step.var, m->value);
    if (o->opt.window == 1)
        return !spent(o);
    if (o->opt.mode == FORE_OBSERVE_EAGER) {
        take_eagerly(o, m);
        return !spent(o);
    }
    /* An event that could have extended a level already left was cut off by the queue. */
    if (fore_queue_add(&o->queue, m) - 1 < o->level)
        o->stats.pruned = true;
    widen(o);
    while (o->opt.window && o->queue.held >= o->opt.queue && advance(o))
        ;
    return !spent(o);
}

static void count_runs(struct fore_observer *o, const struct fore_level *top)
{
    fore_big_set(&o->stats.runs, 0);
    o->stats.counted = o->stats.counted && top->limbs && !o->stats.stopped;
    for (uint32_t p = 0; p < o->watch->props; p++)
        fore_big_set(&o->violations[p].runs, 0);
    for (uint32_t s = 0; s < top->n && o->stats.counted; s++) {
        fore_count_big(top->runs.at + (size_t)s * top->limbs, top->limbs, &o->stats.runs);
        for (uint32_t p = 0; p < top->props; p++) {
            uint32_t m = top->heads.at[(size_t)s * top->props + p];
            for (; m != FORE_LEVEL_NONE; m = top->marks.at[m].next)
                if (fore_monitor_bad(o->watch->monitors[p], top->marks.at[m].state))
                    fore_count_big(top->mark_runs.at + (size_t)m * top->limbs, top->limbs,
                                   &o->violations[p].runs);
        }
    }
}

/* With a window of one state the only run is the observed one. */
static void end_observed(struct fore_observer *o)
{
    o->stats.states += o->seen;
    o->stats.levels += o->seen;
    o->stats.edges = o->seen;
    o->stats.pruned = true;
    fore_big_set(&o->stats.runs, 1);
    for (uint32_t p = 0; p < o->watch->props; p++)
        fore_big_set(&o->violations[p].runs, o->violations[p].observed);
}

void fore_observer_end(struct fore_observer *o)
{
    if (o->opt.window == 1) {
        end_observed(o);
        return;
    }
    if (o->opt.mode == FORE_OBSERVE_EAGER) {
        while (o->levels.n > 1 && fore_vec_last(&o->levels).n == 0)
            fore_level_release(&fore_vec_pop(&o->levels));
        o->stats.levels = o->levels.n;
        count_runs(o, &fore_vec_last(&o->levels));
        return;
    }
    while (!o->stats.stopped && advance(o))
        ;
    struct fore_level *top = &o->levels.at[o->level % 2];
    leave_level(o, top);
    count_runs(o, top);
}

const struct fore_observer_stats *fore_observer_stats(const struct fore_observer *o)
{
    return &o->stats;
}

const struct fore_violation *fore_observer_violation(const struct fore_observer *o,
                                                     uint32_t prop)
{
    return &o->violations[prop];
}

void fore_observer_witness(const struct fore_observer *o, uint32_t prop,
                           struct fore_lattice_steps *out)
{
    fore_chain_steps(&o->chains[prop], o->violations[prop].chain, out);
}
