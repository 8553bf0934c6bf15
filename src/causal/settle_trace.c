/* Settles a whole trace in place. */
#include "causal/settle.h"

struct rearranged {
    FORE_VEC(uint32_t) at; /* positions in the observed order, once an event has moved */
    size_t n;
};

static enum fore_flow note_position(void *ctx, const struct fore_settled *s)
{
    struct rearranged *r = ctx;
    size_t n = r->n++;
    if (!r->at.n && s->at == n)
        return FORE_CONTINUE;
    if (!r->at.n)
        for (uint32_t i = 0; i < n; i++)
            fore_vec_push(&r->at, i);
    fore_vec_push(&r->at, (uint32_t)s->at);
    return FORE_CONTINUE;
}

static void rearrange_events(struct fore_trace *t, const uint32_t *at)
{
    size_t n = t->events.n;
    struct fore_event *events = fore_alloc((n + 1) * sizeof *events);
    for (size_t i = 0; i < n; i++)
        events[i] = t->events.at[at[i]];
    memcpy(t->events.at, events, n * sizeof *events);
    fore_free(events);
    fore_trace_reordered(t);
}

void fore_trace_settle(struct fore_trace *t)
{
    struct rearranged r = {0};
    struct fore_settle s;
    if (t->settled || t->brief || t->events.n >= UINT32_MAX)
        return;
    fore_settle_init(&s, note_position, &r);
    struct fore_batch all = {&t->tables, t->events.at, t->events.n, t->cases.at, false};
    fore_settle_push(&s, &all);
    fore_settle_end(&s);
    fore_settle_release(&s);
    t->settled = r.n == t->events.n;
    if (r.at.n && t->settled)
        rearrange_events(t, r.at.at);
    fore_vec_release(&r.at);
}
