/* Finds:    pairs of accesses that the observed synchronisation leaves without order.
 * Sound:    yes. Each pair can be made adjacent in a run that reads what was read, or is kept
 *           apart only by what a relaxed atomic read saw: then it is a race all the same.
 * Complete: for this order: of all pairs at two places in the source at least one is found.
 * Cost:     O(events), times the accesses of a place that are concurrent with each other.
 * Source:   [fasttrack] for the last accesses in place of clocks, [shb] for the order, which
 *           adds what reads depend on, so that races after the first one are real too. */
#include "analysis/race/race_state.h"

struct last {
    uint32_t at, thread, time;
    bool writes, atomic;
};

/* The last accesses of a place: those that no later one knows of, by kind. Most often one. */
struct place_accesses {
    FORE_VEC(struct last) last;
};

struct happens {
    struct fore_race *r;
    struct fore_clocks clocks;
    FORE_VEC(struct place_accesses) places;
    void (*found)(void *ctx, uint32_t a, uint32_t b);
    void *ctx;
};

static bool happens_before(const struct happens *h, const struct fore_moment *m,
                           const struct last *a)
{
    return a->time <= fore_stamp_get(&h->clocks, m->stamp, a->thread);
}

/* Is the other access ordered before this one, and no more dangerous, so that it need not be
 * remembered? */
static bool covers_access(const struct last *now, const struct last *before)
{
    return (now->writes || !before->writes) && (!now->atomic || before->atomic);
}

static enum fore_flow compare_with_last(void *ctx, const struct fore_moment *m)
{
    struct happens *h = ctx;
    const struct fore_event *e = m->event;
    if (!fore_race_is_access(e) || !h->r->shared.at[e->object])
        return FORE_CONTINUE;
    fore_vec_ensure(&h->places, (size_t)e->object + 1);
    struct place_accesses *p = &h->places.at[e->object];
    struct last now = {(uint32_t)m->at, e->thread, m->stamp.time, fore_race_writes(e),
                       fore_race_atomic(e)};
    size_t kept = 0;
    for (size_t i = 0; i < p->last.n; i++) {
        struct last *a = &p->last.at[i];
        bool ordered = happens_before(h, m, a);
        if (!ordered && fore_race_conflict(a->writes, a->atomic, now.writes, now.atomic))
            h->found(h->ctx, a->at, now.at);
        if (!ordered || !covers_access(&now, a))
            p->last.at[kept++] = *a;
    }
    p->last.n = kept;
    fore_vec_push(&p->last, now);
    return fore_budget_spent(h->r->ctx->budget) ? FORE_STOP : FORE_CONTINUE;
}

enum fore_status fore_race_happens(struct fore_race *r,
                                   void (*found)(void *ctx, uint32_t a, uint32_t b),
                                   void *ctx, struct fore_err *e)
{
    struct happens h = {.r = r, .found = found, .ctx = ctx};
    fore_clocks_init(&h.clocks);
    struct fore_pass_options o = {.mask = FORE_EDGES_RACE,
                                  .visit = compare_with_last,
                                  .results = FORE_RESULTS_PLAIN,
                                  .ctx = &h};
    struct fore_pass *p = fore_pass_new(&h.clocks, &o);
    enum fore_status s = fore_trace_replay(r->t, fore_pass_sink(p), e);
    fore_pass_free(p);
    for (size_t i = 0; i < h.places.n; i++)
        fore_vec_release(&h.places.at[i].last);
    fore_vec_release(&h.places);
    fore_clocks_release(&h.clocks);
    return s;
}
