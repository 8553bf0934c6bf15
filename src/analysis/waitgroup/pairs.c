/* Finds waits and count-ups that can be next at the same time while the counter is
 * zero. In the order of its thread, a count-up is first known to a given wait, then
 * unordered with it, and in the end knows of it; only the unordered ones matter. The
 * least cut that the wait and such a count-up need is a run, and the counter there is
 * the sum of what the cut's operations add. If that is not zero, the cut grows by
 * operations that depend on neither of the two, as long as they bring the counter
 * nearer to zero. This is tried often, so cuts are clocks here; only a cut that
 * reaches zero becomes a closure of the machine. */
#include "analysis/waitgroup/waitgroup_state.h"

#include "base/hash.h"
#include "base/search.h"

#include <stdlib.h>

enum { PER_PLACE = 64, MOST_PROBES = 1024, MOST_VISITS = 10000000 };

/* The first operation of the slice after the thread's time-th event. */
static size_t first_after(const struct fore_wg *g, const struct fore_wg_slice *s,
                          uint32_t time)
{
    size_t low = s->first, high = s->end;
    FORE_BISECT(low, high, mid, g->ops.at[mid].time <= time);
    return low;
}

/* What the thread has added to the current group by then. */
static int64_t added_until(const struct fore_wg *g, uint32_t thread, uint32_t time)
{
    if (!g->slice_of.at[thread])
        return 0;
    const struct fore_wg_slice *s = &g->slices.at[g->slice_of.at[thread] - 1];
    size_t i = first_after(g, s, time);
    return i > s->first ? g->ops.at[i - 1].sum : 0;
}

static int64_t counter_at(const struct fore_wg *g, struct fore_clock cut)
{
    int64_t sum = 0;
    uint32_t time;
    for (uint32_t t = 1; fore_clock_next(&g->clocks, cut, &t, &time); t++)
        sum += added_until(g, t, time);
    return sum;
}

struct change {
    const struct fore_wg *g;
    struct fore_clock before;
    int64_t sum;
};

static void add_change(void *ctx, uint32_t thread, uint32_t time)
{
    struct change *c = ctx;
    c->sum += added_until(c->g, thread, time) -
              added_until(c->g, thread, fore_clock_get(&c->g->clocks, c->before, thread));
}

static bool depends(const struct fore_wg *g, const struct fore_wg_op *x,
                    const struct fore_wg_op *on)
{
    return fore_stamp_get(&g->clocks, x->stamp, on->thread) >= on->time;
}

/* Grows the cut by what this operation needs, and itself, if that brings the counter nearer to
 * zero by `least` or more. */
static bool take_counted(struct fore_wg *g, const struct fore_wg_op *x,
                         struct fore_clock *cut, int64_t *count, int64_t least)
{
    struct fore_clock more = fore_stamp_clock(&g->clocks, x->stamp);
    struct change c = {.g = g, .before = *cut};
    fore_clock_join(&g->clocks, &more, *cut);
    fore_clock_news(&g->clocks, more, *cut, add_change, &c);
    bool helps = llabs(*count + c.sum) + least <= llabs(*count);
    if (helps) {
        struct fore_clock was = *cut;
        *cut = more;
        more = was;
        *count += c.sum;
    }
    fore_clock_drop(&g->clocks, &more);
    return helps;
}

/* Takes the first operation of the thread that helps and depends on neither of the
 * two. */
static bool balance_by(struct fore_wg *g, const struct fore_wg_slice *s,
                       const struct fore_wg_op *const two[2], struct fore_clock *cut,
                       int64_t *count, int64_t least, unsigned *probes)
{
    size_t i = first_after(g, s, fore_clock_get(&g->clocks, *cut, s->thread));
    for (; i < s->end && *probes < MOST_PROBES; i++) {
        const struct fore_wg_op *x = &g->ops.at[i];
        if (depends(g, x, two[0]) || depends(g, x, two[1]))
            return false;
        if (x->by && ++*probes && take_counted(g, x, cut, count, least))
            return true;
    }
    return false;
}

/* Can the counter be zero when both are next? Then `cut` leads there. When no
 * operation helps, one that leaves the sum as it is may be taken: the operation after
 * it may help. */
static bool reach_zero(struct fore_wg *g, const struct fore_wg_op *const two[2],
                       struct fore_clock *cut)
{
    int64_t count = counter_at(g, *cut), least = 1;
    unsigned probes = 0;
    while (count && least >= 0) {
        bool grown = false;
        for (size_t i = 0; i < g->slices.n && count && !(grown && !least); i++)
            grown |= balance_by(g, &g->slices.at[i], two, cut, &count, least, &probes);
        least = grown ? 1 : least - 1;
    }
    g->capped |= count && probes >= MOST_PROBES;
    return count == 0;
}

static uint64_t place_of(const struct fore_wg *g, const struct fore_wg_op *x)
{
    uint32_t where = g->trace->events.at[x->at].where;
    return where ? fore_hash_mix(1, where) : fore_hash_mix(2, x->at);
}

static enum fore_status try_pair(struct fore_wg *g, const struct fore_wg_op *wait,
                                 const struct fore_wg_op *add, struct fore_err *e)
{
    const struct fore_wg_op *const two[2] = {wait, add};
    uint64_t places = fore_hash_mix(place_of(g, wait), place_of(g, add));
    uint64_t *tests = fore_map_put(&g->tests, places, NULL);
    bool told = false;
    g->pairs++;
    if (*tests >= PER_PLACE) {
        g->capped |= *tests == PER_PLACE;
        return FORE_OK;
    }
    ++*tests;
    struct fore_clock cut = fore_stamp_clock(&g->clocks, wait->stamp);
    fore_clock_join(&g->clocks, &cut, add->stamp.past);
    fore_clock_raise(&g->clocks, &cut, add->thread, add->time - 1);
    enum fore_status s = FORE_OK;
    if (reach_zero(g, two, &cut))
        s = fore_wg_tell(g, wait, add, cut, &told, e);
    fore_clock_drop(&g->clocks, &cut);
    if (told) /* once is enough */
        *fore_map_put(&g->tests, places, NULL) = PER_PLACE + 1;
    return s;
}

/* Tries the wait with each addition of another thread that is not ordered with it. */
static enum fore_status try_wait(struct fore_wg *g, const struct fore_wg_op *wait,
                                 const struct fore_wg_slice *s, struct fore_err *e)
{
    size_t i = first_after(g, s, fore_stamp_get(&g->clocks, wait->stamp, s->thread));
    for (unsigned seen = 0; i < s->end && seen <= PER_PLACE; i++) {
        const struct fore_wg_op *x = &g->ops.at[i];
        if (depends(g, x, wait))
            break;
        if (x->by > 0 && ++seen)
            FORE_TRY(try_pair(g, wait, x, e));
    }
    return FORE_OK;
}

/* The first of the thread's waits that knows all (or, `all` not set, is not known to any) of what
 * the other thread adds. */
static size_t first_wait(const struct fore_wg *g, const struct fore_wg_slice *waits,
                         const struct fore_wg_slice *adds, bool all)
{
    size_t low = waits->wait, high = waits->wait_end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct fore_wg_op *w = g->waits.at[mid];
        bool reached = all ? fore_stamp_get(&g->clocks, w->stamp, adds->thread) >=
                                 adds->last_add->time
                           : !depends(g, adds->add, w);
        if (reached)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static enum fore_status try_threads(struct fore_wg *g, const struct fore_wg_slice *waits,
                                    const struct fore_wg_slice *adds, uint64_t *visits,
                                    struct fore_err *e)
{
    if (adds->thread == waits->thread)
        return FORE_OK;
    size_t end = first_wait(g, waits, adds, true);
    ++*visits;
    for (size_t w = first_wait(g, waits, adds, false); w < end; w++) {
        if (++*visits > MOST_VISITS || fore_budget_spent(g->ctx->budget))
            break;
        FORE_TRY(try_wait(g, g->waits.at[w], adds, e));
    }
    return FORE_OK;
}

/* Finds the slices of the group that begins at ops.at[first], and where it ends. */
static size_t cut_up(struct fore_wg *g, size_t first)
{
    const struct fore_wg_op *ops = g->ops.at;
    size_t i = first;
    for (size_t k = 0; k < g->slices.n; k++)
        g->slice_of.at[g->slices.at[k].thread] = 0;
    fore_vec_clear(&g->slices);
    fore_vec_clear(&g->waits);
    fore_vec_clear(&g->adders);
    fore_vec_ensure(&g->slice_of, g->trace->tables.threads.n);
    for (; i < g->ops.n && ops[i].group == ops[first].group; i++) {
        uint32_t *at = &g->slice_of.at[ops[i].thread];
        if (!*at) {
            fore_vec_push(&g->slices, (struct fore_wg_slice){.thread = ops[i].thread,
                                                             .first = i,
                                                             .wait = g->waits.n});
            *at = (uint32_t)g->slices.n;
        }
        struct fore_wg_slice *s = &g->slices.at[*at - 1];
        if (!ops[i].by)
            fore_vec_push(&g->waits, &ops[i]);
        if (ops[i].by > 0)
            s->last_add = &ops[i];
        if (!s->add && s->last_add) {
            s->add = s->last_add;
            fore_vec_push(&g->adders, *at - 1);
        }
        s->end = i + 1;
        s->wait_end = g->waits.n;
    }
    return i;
}

enum fore_status fore_wg_pairs(struct fore_wg *g, struct fore_err *e)
{
    uint64_t visits = 0;
    for (size_t first = 0; first < g->ops.n;) {
        first = cut_up(g, first);
        for (size_t w = 0; w < g->slices.n; w++) {
            const struct fore_wg_slice *waits = &g->slices.at[w];
            for (size_t a = 0; a < g->adders.n && waits->wait < waits->wait_end &&
                               visits <= MOST_VISITS;
                 a++)
                FORE_TRY(
                    try_threads(g, waits, &g->slices.at[g->adders.at[a]], &visits, e));
            if (fore_budget_spent(g->ctx->budget))
                return FORE_OK;
        }
    }
    if (visits > MOST_VISITS)
        fore_findings_incomplete(g->ctx->out, "wait groups: too many threads use one");
    if (g->capped)
        fore_findings_sampled(
            g->ctx->out, "%s",
            "wait groups: places that occur often were tried a few times each");
    return FORE_OK;
}
