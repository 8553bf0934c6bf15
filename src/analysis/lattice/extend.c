#include "analysis/lattice/observer_state.h"

#include <string.h>

/* Above these limits runs are no longer counted. With a window the count says less (only of the
 * runs that were kept) and the traces are longer. */
enum { MOST_LIMBS = 64, MOST_LIMBS_IN_WINDOW = 16 };

/* -- Counts ------------------------------------------------------------------------ */

/* Limbs for the level after `from`: a state has at most one predecessor per thread. */
uint32_t fore_observer_limbs(struct fore_observer *o, struct fore_tier *from)
{
    if (!from->limbs)
        return 0;
    uint32_t bits =
        from->bits + 32 - (uint32_t)__builtin_clz((uint32_t)o->queue.slots.n + 1);
    uint32_t limbs = bits / 64 + 1;
    if (limbs < from->limbs)
        limbs = from->limbs;
    if (limbs <= (o->opt.window ? MOST_LIMBS_IN_WINDOW : MOST_LIMBS))
        return limbs;
    o->stats.counted = false;
    return 0;
}

/* -- States and edges -------------------------------------------------------------- */

void fore_observer_found(struct fore_observer *o, uint32_t prop, uint64_t level,
                         uint32_t chain)
{
    struct fore_violation *v = &o->violations[prop];
    if (v->predicted && v->level <= level)
        return;
    bool first = !v->predicted;
    o->found += first;
    fore_chain_drop(&o->chains[prop], v->chain);
    fore_chain_keep(&o->chains[prop], chain);
    v->predicted = true;
    v->level = level;
    v->chain = chain;
    if (first && o->opt.violated)
        o->opt.violated(o->opt.ctx, prop, false);
}

/* A property is followed until its first violation; in EAGER mode a shorter one may come. */
bool fore_observer_followed(const struct fore_observer *o, uint32_t prop)
{
    return o->opt.detail &&
           (o->opt.mode == FORE_OBSERVE_EAGER || !o->violations[prop].predicted);
}

static uint32_t make_state(struct fore_observer *o, const struct fore_tier *from,
                           uint32_t s, struct fore_tier *to, uint64_t hash,
                           const struct fore_queued *e)
{
    struct fore_watch *w = o->watch;
    uint32_t c = fore_tier_push(to, o->key.at, hash);
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
static void pass_marks(struct fore_observer *o, uint32_t p, const struct fore_tier *from,
                       uint32_t s, struct fore_tier *to, uint32_t c,
                       const struct fore_queued *e, uint64_t level)
{
    struct fore_watch *w = o->watch;
    struct fore_monitor *monitor = w->monitors[p];
    bool steps = fore_watch_mentions(w, p, e->step.var);
    uint32_t letter = to->letters.at[(size_t)c * w->props + p];
    const struct fore_val *values = to->values.at + (size_t)c * w->vars;
    uint32_t m = from->heads.at[(size_t)s * w->props + p];
    for (; m != FORE_TIER_NONE; m = from->marks.at[m].next) {
        struct fore_mark mark = from->marks.at[m];
        bool fresh;
        uint32_t next =
            steps ? fore_monitor_step(monitor, mark.state, letter, values) : mark.state;
        uint32_t k = fore_tier_mark(to, c, p, next, &fresh);
        if (to->limbs && to->per_mark)
            fore_count_add(to->mark_runs.at + (size_t)k * to->limbs, to->limbs,
                           from->mark_runs.at + (size_t)m * from->limbs, from->limbs);
        if (!fresh)
            continue;
        if (fore_observer_followed(o, p) && mark.chain)
            to->marks.at[k].chain = fore_chain_add(&o->chains[p], mark.chain, &e->step);
        if (fore_monitor_bad(monitor, next))
            fore_observer_found(o, p, level, to->marks.at[k].chain);
    }
}

/* The same without counts and chains, for small automata. */
static void pass_set(struct fore_observer *o, uint32_t p, const struct fore_tier *from,
                     uint32_t s, struct fore_tier *to, uint32_t c,
                     const struct fore_queued *e, uint64_t level)
{
    const struct fore_watch *w = o->watch;
    size_t at = (size_t)c * w->props + p;
    uint64_t set = from->sets.at[(size_t)s * w->props + p];
    if (fore_watch_mentions(w, p, e->step.var))
        set = fore_watch_step_set(w, p, set, to->letters.at[at]);
    to->sets.at[at] |= set;
    uint32_t bad = fore_monitor_dfa(w->monitors[p], false)->bad;
    if (bad < 64 && set >> bad & 1)
        fore_observer_found(o, p, level, 0);
}

/* Replaces the extra word of the key by what the step makes of it; what that adds to the
 * hash. */
static uint64_t change_extra(struct fore_observer *o, uint32_t slot)
{
    uint32_t *extra = &o->key.at[o->width - 1], before = *extra;
    bool possible = o->opt.space->step(o->opt.space->ctx, before,
                                       o->queue.slots.at[slot].thread, extra);
    FORE_BUG_IF(!possible);
    return fore_slot_weight(UINT32_MAX - 1) * ((uint64_t)*extra - before);
}

uint32_t fore_observer_edge(struct fore_observer *o, struct fore_tier *from, uint32_t s,
                            struct fore_tier *to, uint32_t slot, uint64_t level)
{
    memcpy(o->key.at, fore_tier_key(from, s), o->width * sizeof *o->key.at);
    uint32_t number = ++o->key.at[slot];
    const struct fore_queued *e = fore_queue_at(&o->queue, slot, number);
    uint64_t hash = from->hashes.at[s] + fore_slot_weight(slot);
    if (o->opt.space)
        hash += change_extra(o, slot);
    uint32_t c = fore_tier_find(to, o->key.at, hash);
    if (c == FORE_TIER_NONE) {
        if (o->opt.window && to->n >= o->opt.window) {
            o->stats.pruned = true;
            return c;
        }
        c = make_state(o, from, s, to, hash, e);
        if (o->opt.space) /* states that differ by their extra word count once */
            fore_map_put(
                &o->cuts,
                hash - fore_slot_weight(UINT32_MAX - 1) * o->key.at[o->width - 1], NULL);
    }
    o->stats.edges++;
    if (to->limbs)
        fore_tier_add_runs(to, c, from->runs.at + (size_t)s * from->limbs, from->limbs);
    for (uint32_t p = 0; p < o->watch->props; p++)
        (o->sets ? pass_set : pass_marks)(o, p, from, s, to, c, e, level);
    if (o->opt.edge)
        o->opt.edge(o->opt.ctx, fore_tier_key(from, s), o->key.at,
                    fore_observer_cut_width(o), &e->step);
    return c;
}

bool fore_observer_extends(const struct fore_observer *o, struct fore_tier *l, uint32_t s,
                           uint32_t slot, uint64_t *arrival)
{
    const uint32_t *cut = fore_tier_key(l, s);
    const struct fore_queued *e = fore_queue_at(&o->queue, slot, cut[slot] + 1);
    if (!e || !fore_queue_enabled(e, cut))
        return false;
    *arrival = e->arrival;
    uint32_t extra;
    return !o->opt.space || o->opt.space->step(o->opt.space->ctx, cut[o->width - 1],
                                               o->queue.slots.at[slot].thread, &extra);
}

void fore_observer_widen(struct fore_observer *o)
{
    size_t words = o->queue.slots.n + (o->opt.space ? 1 : 0);
    if (words <= o->width)
        return;
    while (o->width < words)
        o->width *= 2;
    fore_vec_ensure(&o->key, o->width);
    for (size_t i = 0; i < o->levels.n; i++)
        fore_tier_widen(&o->levels.at[i], o->width);
}

bool fore_observer_spent(struct fore_observer *o)
{
    if (o->opt.progress)
        fore_progress_step(o->opt.progress, o->stats.states, 0);
    if (!o->stats.stopped && o->opt.budget && o->found >= o->opt.expected)
        o->stats.stopped = fore_spent_text(fore_budget_spent(o->opt.budget));
    return o->stats.stopped;
}
