/* Extends the lattice event by event: FORE_OBSERVE_EAGER. */
#include "analysis/lattice/observer_state.h"

#include <string.h>

/* The states without and with the new event, on the present level. */
struct front {
    FORE_VEC(uint32_t) old, new;
};

static struct fore_tier *eager_level(struct fore_observer *o, uint64_t level)
{
    struct fore_tier *from = &o->levels.at[level - 1];
    uint32_t limbs = fore_observer_limbs(o, from);
    if (level == o->levels.n) {
        struct fore_tier fresh = {0};
        fore_vec_push(&o->levels, fresh);
        fore_tier_clear(&o->levels.at[level], o->width, o->watch, limbs, o->opt.detail);
    }
    struct fore_tier *l = &o->levels.at[level];
    if (l->n == 0)
        fore_tier_clear(l, o->width, o->watch, limbs, o->opt.detail);
    fore_tier_deepen(l, limbs);
    return l;
}

/* Is the state met for the first time since the newest event came? */
static bool first_visit(struct fore_observer *o, struct fore_tier *l, uint32_t state)
{
    if (l->stamps.at[state] == o->queue.arrived)
        return false;
    l->stamps.at[state] = o->queue.arrived;
    return true;
}

/* All states above those of `f`: the old ones stay without the event (they exist already and
 * are only looked up), the new ones contain it. */
static void add_states_above(struct fore_observer *o, struct front *f, struct front *up,
                             uint64_t level, uint32_t slot)
{
    struct fore_tier *to = eager_level(o, level + 1), *from = &o->levels.at[level];
    uint32_t before = to->n, slots = (uint32_t)o->queue.slots.n;
    uint64_t arrival;
    fore_vec_clear(&up->old);
    fore_vec_clear(&up->new);
    for (size_t k = 0; k < f->old.n; k++) {
        uint32_t s = f->old.at[k];
        uint32_t c = fore_observer_edge(o, from, s, to, slot, level + 1);
        if (first_visit(o, to, c))
            fore_vec_push(&up->new, c);
        for (uint32_t i = 0; i < slots; i++) {
            if (i == slot || !fore_observer_extends(o, from, s, i, &arrival))
                continue;
            memcpy(o->key.at, fore_tier_key(from, s), o->width * sizeof *o->key.at);
            o->key.at[i]++;
            c = fore_tier_find(to, o->key.at, from->hashes.at[s] + fore_slot_weight(i));
            if (c != FORE_TIER_NONE && first_visit(o, to, c))
                fore_vec_push(&up->old, c);
        }
    }
    for (size_t k = 0; k < f->new.n; k++)
        for (uint32_t i = 0; i < slots; i++)
            if (fore_observer_extends(o, from, f->new.at[k], i, &arrival)) {
                uint32_t c = fore_observer_edge(o, from, f->new.at[k], to, i, level + 1);
                if (first_visit(o, to, c))
                    fore_vec_push(&up->new, c);
            }
    o->stats.states += to->n - before;
    o->stats.widest = to->n > o->stats.widest ? to->n : o->stats.widest;
}

static bool past_is_present(const struct fore_observer *o,
                            const struct fore_observation *m)
{
    for (uint32_t i = 0; i < m->past_count; i++) {
        const uint64_t *slot = fore_map_get(&o->queue.slot_of, m->past[i].thread);
        if (!slot || o->queue.slots.at[*slot].known < m->past[i].count)
            return false;
    }
    const uint64_t *own = fore_map_get(&o->queue.slot_of, m->thread);
    return (own ? o->queue.slots.at[*own].known : 0) + 1 == m->number;
}

/* An event makes those cuts possible that contain it. Without the event each of them is a cut
 * that was there before; the least of these is what the event needs. */
static void insert_event(struct fore_observer *o, const struct fore_observation *m)
{
    uint64_t level = fore_queue_add(&o->queue, m) - 1;
    uint32_t slot = fore_queue_slot(&o->queue, m->thread);
    uint64_t hash = fore_slot_weight(slot) * (m->number - 1);
    fore_observer_widen(o);
    memset(o->key.at, 0, o->width * sizeof *o->key.at);
    o->key.at[slot] = m->number - 1;
    for (uint32_t i = 0; i < m->past_count; i++) {
        uint32_t other = fore_queue_slot(&o->queue, m->past[i].thread);
        o->key.at[other] = m->past[i].count;
        hash += fore_slot_weight(other) * m->past[i].count;
    }
    struct front a = {0}, b = {0}, *f = &a, *up = &b;
    uint32_t least = fore_tier_find(&o->levels.at[level], o->key.at, hash);
    FORE_BUG_IF(least == FORE_TIER_NONE);
    fore_vec_push(&f->old, least);
    for (; (f->old.n || f->new.n) && !fore_observer_spent(o); level++) {
        add_states_above(o, f, up, level, slot);
        struct front *swap = f;
        f = up;
        up = swap;
    }
    fore_vec_release(&a.old);
    fore_vec_release(&a.new);
    fore_vec_release(&b.old);
    fore_vec_release(&b.new);
}

static void hold_message(struct fore_observer *o, const struct fore_observation *m)
{
    struct fore_observation copy = *m;
    struct fore_past *past = fore_calloc(m->past_count + 1u, sizeof *past);
    if (m->past_count)
        memcpy(past, m->past, m->past_count * sizeof *past);
    copy.past = past;
    fore_vec_push(&o->waiting, copy);
}

void fore_observer_eagerly(struct fore_observer *o, const struct fore_observation *m)
{
    if (!past_is_present(o, m)) {
        hold_message(o, m);
        return;
    }
    insert_event(o, m);
    for (size_t i = 0; i < o->waiting.n;) {
        struct fore_observation w = o->waiting.at[i];
        if (!past_is_present(o, &w)) {
            i++;
            continue;
        }
        o->waiting.at[i] = fore_vec_pop(&o->waiting);
        insert_event(o, &w);
        fore_free((void *)w.past);
        i = 0;
    }
}
