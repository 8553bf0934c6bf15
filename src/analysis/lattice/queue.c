#include "analysis/lattice/queue.h"

#include "base/err.h"

#include <string.h>

void fore_queue_release(struct fore_queue *q)
{
    for (size_t i = 0; i < q->slots.n; i++) {
        struct fore_slot *s = &q->slots.at[i];
        for (size_t k = 0; k < s->events.n; k++)
            fore_free(s->events.at[k].needs);
        fore_vec_release(&s->events);
        fore_vec_release(&s->seen);
    }
    fore_vec_release(&q->slots);
    fore_map_release(&q->slot_of);
}

uint32_t fore_queue_slot(struct fore_queue *q, uint32_t thread)
{
    bool fresh;
    uint64_t *slot = fore_map_put(&q->slot_of, thread, &fresh);
    if (fresh) {
        *slot = q->slots.n;
        fore_vec_push(&q->slots, (struct fore_slot){.thread = thread});
    }
    return (uint32_t)*slot;
}

/* Later tests check only what the thread's previous event did not need. If that event has not
 * arrived, they check everything. */
static void set_needs(struct fore_queue *q, uint32_t slot, struct fore_queued *e,
                      const struct fore_observation *m)
{
    bool follows = q->slots.at[slot].known + 1 == m->number;
    for (uint32_t i = 0; i < m->past_count; i++) {
        uint32_t other = fore_queue_slot(q, m->past[i].thread);
        struct fore_slot *s = &q->slots.at[slot];
        fore_vec_ensure(&s->seen, other + 1u);
        if (follows && s->seen.at[other] >= m->past[i].count)
            continue;
        if (follows)
            s->seen.at[other] = m->past[i].count;
        e->needs = fore_realloc(e->needs, e->need_count + 1u, sizeof *e->needs);
        e->needs[e->need_count++] = (struct fore_past){other, m->past[i].count};
    }
}

uint64_t fore_queue_add(struct fore_queue *q, const struct fore_observation *m)
{
    uint32_t slot = fore_queue_slot(q, m->thread);
    struct fore_queued e = {
        .known = true, .arrival = q->arrived++, .value = m->value, .step = m->step};
    set_needs(q, slot, &e, m);
    struct fore_slot *s = &q->slots.at[slot];
    FORE_BUG_IF(m->number <= s->dropped);
    size_t i = s->first + (m->number - s->dropped - 1);
    fore_vec_ensure(&s->events, i + 1);
    FORE_BUG_IF(s->events.at[i].known);
    s->events.at[i] = e;
    q->held++;
    while (s->first + (s->known - s->dropped) < s->events.n &&
           s->events.at[s->first + (s->known - s->dropped)].known)
        s->known++;
    uint64_t level = m->number;
    for (uint32_t k = 0; k < m->past_count; k++)
        level += m->past[k].count;
    return level;
}

void fore_queue_drop(struct fore_queue *q, uint32_t slot, uint32_t up_to)
{
    struct fore_slot *s = &q->slots.at[slot];
    while (s->dropped < up_to) {
        fore_free(s->events.at[s->first].needs);
        s->events.at[s->first].needs = NULL;
        s->first++;
        s->dropped++;
        q->held--;
    }
    if (s->first > 64 && s->first > s->events.n / 2) {
        s->events.n -= s->first;
        memmove(s->events.at, s->events.at + s->first,
                s->events.n * sizeof *s->events.at);
        s->first = 0;
    }
}
