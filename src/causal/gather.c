#include "causal/gather.h"

#include "base/mem.h"

void fore_stamp_put(struct fore_clocks *p, struct fore_stamp *s, struct fore_stamp now)
{
    fore_clock_keep(p, now.past);
    fore_clock_drop(p, &s->past);
    *s = now;
}

void fore_stamp_clear(struct fore_clocks *p, struct fore_stamp *s)
{
    fore_clock_drop(p, &s->past);
    *s = (struct fore_stamp){{0, 0}, 0, 0};
}

static void fold_clocks(struct fore_clocks *p, struct fore_gather *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        fore_clock_join(p, &g->sum, g->recent[i].past);
        fore_clock_raise(p, &g->sum, g->recent[i].thread, g->recent[i].time);
        fore_stamp_clear(p, &g->recent[i]);
    }
    g->n = 0;
}

/* Later knowledge of a thread includes its earlier knowledge, so the last stamp is enough.
 * Fences leave older stamps, though; and if only some events count, stamps of one time may
 * differ. */
void fore_gather_add(struct fore_clocks *p, struct fore_gather *g, struct fore_stamp now)
{
    struct fore_stamp *last = g->n ? &g->recent[g->n - 1] : NULL;
    if (last && last->thread == now.thread && last->time < now.time) {
        fore_stamp_put(p, last, now);
        return;
    }
    if (!g->recent)
        g->recent = fore_calloc(FORE_GATHER_ROOM, sizeof *g->recent);
    if (g->n == FORE_GATHER_ROOM)
        fold_clocks(p, g);
    fore_stamp_put(p, &g->recent[g->n++], now);
}

void fore_gather_add_all(struct fore_clocks *p, struct fore_gather *g,
                         const struct fore_gather *from)
{
    fore_clock_join(p, &g->sum, from->sum);
    for (uint32_t i = 0; i < from->n; i++)
        fore_gather_add(p, g, from->recent[i]);
}

void fore_gather_clear(struct fore_clocks *p, struct fore_gather *g)
{
    fore_clock_drop(p, &g->sum);
    for (uint32_t i = 0; i < g->n; i++)
        fore_stamp_clear(p, &g->recent[i]);
    g->n = 0;
}

void fore_gather_release(struct fore_clocks *p, struct fore_gather *g)
{
    fore_gather_clear(p, g);
    fore_free(g->recent);
    g->recent = NULL;
}
