/* Predicts: violations of safety properties in every run that keeps the observed order of
 *           conflicting accesses (and of critical sections), not only in the observed one.
 * Sound:    yes, for programs whose threads do what they did as long as they read the same.
 * Complete: for those runs, without a window; within the causality cone with one.
 * Cost:     time O(t w m), space O(w m): t events, w states per level, m monitor states.
 * Source:   [jmpax], sections 3 and 4. docs/theory/lattice.md says where this differs from
 *           the pseudo-code of figures 3 and 5. */
#include "analysis/lattice/observer_state.h"

#include <stdlib.h>
#include <string.h>

/* -- The first state ----------------------------------------------------------- */

static void start_marks(struct fore_observer *o, struct fore_tier *l)
{
    struct fore_watch *w = o->watch;
    for (uint32_t p = 0; p < w->props; p++) {
        struct fore_monitor *m = w->monitors[p];
        uint32_t letter = fore_monitor_letter(m, w->initial);
        uint32_t state = fore_monitor_step(m, fore_monitor_start(m), letter, w->initial);
        bool fresh;
        uint32_t mark = fore_tier_mark(l, 0, p, state, &fresh);
        l->letters.at[p] = letter;
        l->marks.at[mark].chain = o->opt.detail ? 1 : 0;
        fore_chain_keep(&o->chains[p], l->marks.at[mark].chain);
        if (l->limbs && l->per_mark)
            l->mark_runs.at[(size_t)mark * l->limbs] = 1;
        if (o->sets)
            l->sets.at[p] = 1ull << state;
        o->seen_states[p] = state;
        if (!fore_monitor_bad(m, state))
            continue;
        o->violations[p].observed = true;
        fore_observer_found(o, p, 0, l->marks.at[mark].chain);
    }
}

static void start_observer(struct fore_observer *o)
{
    struct fore_watch *w = o->watch;
    fore_vec_ensure(&o->levels, 2);
    struct fore_tier *l = &o->levels.at[0];
    o->width = 4;
    fore_vec_ensure(&o->key, o->width);
    fore_tier_clear(l, o->width, w, o->opt.count, o->opt.detail);
    fore_tier_clear(&o->levels.at[1], o->width, w, o->opt.count, o->opt.detail);
    fore_tier_push(l, o->key.at, 0);
    memcpy(l->values.at, w->initial, w->vars * sizeof *l->values.at);
    memcpy(o->seen_values, w->initial, w->vars * sizeof *o->seen_values);
    if (l->limbs)
        l->runs.at[0] = 1;
    l->bits = 1;
    start_marks(o, l);
    o->stats.states = o->stats.levels = o->stats.widest = 1;
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
static void fill_window(struct fore_observer *o, struct fore_tier *from,
                        struct fore_tier *to)
{
    uint32_t slots = (uint32_t)o->queue.slots.n;
    struct candidate c;
    fore_vec_clear(&o->candidates);
    for (c.state = 0; c.state < from->n; c.state++)
        for (c.slot = 0; c.slot < slots; c.slot++)
            if (fore_observer_extends(o, from, c.state, c.slot, &c.arrival))
                fore_vec_push(&o->candidates, c);
    sort_candidates(o->candidates.at, o->candidates.n);
    for (size_t i = 0; i < o->candidates.n; i++)
        fore_observer_edge(o, from, o->candidates.at[i].state, to,
                           o->candidates.at[i].slot, o->level + 1);
}

static void fill_all(struct fore_observer *o, struct fore_tier *from,
                     struct fore_tier *to)
{
    uint32_t slots = (uint32_t)o->queue.slots.n;
    uint64_t arrival;
    for (uint32_t s = 0; s < from->n && !fore_observer_spent(o); s++)
        for (uint32_t i = 0; i < slots; i++)
            if (fore_observer_extends(o, from, s, i, &arrival))
                fore_observer_edge(o, from, s, to, i, o->level + 1);
}

static void leave_level(struct fore_observer *o, struct fore_tier *l)
{
    for (uint32_t s = 0; s < l->n; s++) {
        if (o->opt.state)
            o->opt.state(o->opt.ctx, o->level, fore_tier_key(l, s),
                         fore_observer_cut_width(o), l->values.at + (size_t)s * l->vars);
        for (uint32_t p = 0; p < l->props && o->opt.detail; p++) {
            uint32_t m = l->heads.at[(size_t)s * l->props + p];
            for (; m != FORE_TIER_NONE; m = l->marks.at[m].next)
                fore_chain_drop(&o->chains[p], l->marks.at[m].chain);
        }
    }
}

/* Lemma 8, by the minimum of the level that is now current. */
static void drop_useless(struct fore_observer *o, struct fore_tier *l)
{
    uint32_t slots = (uint32_t)o->queue.slots.n, *least = o->key.at;
    memcpy(least, fore_tier_key(l, 0), slots * sizeof *least);
    for (uint32_t s = 1; s < l->n; s++) {
        const uint32_t *cut = fore_tier_key(l, s);
        for (uint32_t i = 0; i < slots; i++)
            least[i] = cut[i] < least[i] ? cut[i] : least[i];
    }
    for (uint32_t i = 0; i < slots; i++)
        fore_queue_drop(&o->queue, i, least[i]);
    for (uint32_t p = 0; p < o->watch->props && o->opt.detail; p++)
        if (fore_observer_followed(o, p))
            fore_chains_trim(&o->chains[p]);
}

/* Builds the next level from all events that are there. False if there is none. */
static bool advance_level(struct fore_observer *o)
{
    struct fore_tier *from = &o->levels.at[o->level % 2];
    struct fore_tier *to = &o->levels.at[(o->level + 1) % 2];
    fore_tier_clear(to, o->width, o->watch, fore_observer_limbs(o, from), o->opt.detail);
    if (o->opt.window)
        fill_window(o, from, to);
    else
        fill_all(o, from, to);
    if (to->n == 0 || fore_observer_spent(o))
        return false;
    leave_level(o, from);
    uint64_t n = o->opt.space ? o->cuts.n : to->n;
    fore_map_clear(&o->cuts);
    o->level++;
    o->stats.states += n;
    o->stats.levels++;
    o->stats.widest = n > o->stats.widest ? n : o->stats.widest;
    drop_useless(o, to);
    return true;
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
    o->sets = w->small && !o->opt.detail;
    o->stats.counted = o->opt.count;
    o->chains = fore_calloc(w->props + 1u, sizeof *o->chains);
    o->violations = fore_calloc(w->props + 1u, sizeof *o->violations);
    o->seen_values = fore_calloc(w->vars + 1u, sizeof *o->seen_values);
    o->seen_states = fore_calloc(w->props + 1u, sizeof *o->seen_states);
    for (uint32_t p = 0; p < w->props; p++)
        fore_chains_init(&o->chains[p]);
    start_observer(o);
    return o;
}

void fore_observer_free(struct fore_observer *o)
{
    for (size_t i = 0; i < o->levels.n; i++)
        fore_tier_release(&o->levels.at[i]);
    for (uint32_t p = 0; p < o->watch->props; p++) {
        fore_chains_release(&o->chains[p]);
        fore_big_release(&o->violations[p].runs);
    }
    for (size_t i = 0; i < o->waiting.n; i++)
        fore_free((void *)o->waiting.at[i].past);
    fore_vec_release(&o->waiting);
    fore_vec_release(&o->levels);
    fore_vec_release(&o->key);
    fore_map_release(&o->cuts);
    fore_vec_release(&o->candidates);
    fore_queue_release(&o->queue);
    fore_big_release(&o->stats.runs);
    fore_free(o->chains);
    fore_free(o->violations);
    fore_free(o->seen_values);
    fore_free(o->seen_states);
    fore_free(o);
}

bool fore_observer_message(struct fore_observer *o, const struct fore_observation *m,
                           bool in_order)
{
    if (in_order)
        fore_observer_write(o, m->step.var, m->value);
    if (o->opt.window == 1)
        return !fore_observer_spent(o);
    if (o->opt.mode == FORE_OBSERVE_EAGER) {
        fore_observer_eagerly(o, m);
        return !fore_observer_spent(o);
    }
    /* An event that could have extended a level already left was cut off by the queue. */
    if (fore_queue_add(&o->queue, m) - 1 < o->level)
        o->stats.pruned = true;
    fore_observer_widen(o);
    while (o->opt.window && !o->opt.space && o->queue.held >= o->opt.queue &&
           advance_level(o))
        ;
    return !fore_observer_spent(o);
}

static void count_runs(struct fore_observer *o, const struct fore_tier *top)
{
    fore_big_set(&o->stats.runs, 0);
    o->stats.counted = o->stats.counted && top->limbs && !o->stats.stopped;
    for (uint32_t p = 0; p < o->watch->props; p++)
        fore_big_set(&o->violations[p].runs, 0);
    for (uint32_t s = 0; s < top->n && o->stats.counted; s++) {
        fore_count_big(top->runs.at + (size_t)s * top->limbs, top->limbs, &o->stats.runs);
        for (uint32_t p = 0; p < top->props && top->per_mark; p++) {
            uint32_t m = top->heads.at[(size_t)s * top->props + p];
            for (; m != FORE_TIER_NONE; m = top->marks.at[m].next)
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
            fore_tier_release(&fore_vec_pop(&o->levels));
        o->stats.levels = o->levels.n;
        count_runs(o, &fore_vec_last(&o->levels));
        return;
    }
    while (!o->stats.stopped && advance_level(o))
        ;
    struct fore_tier *top = &o->levels.at[o->level % 2];
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
