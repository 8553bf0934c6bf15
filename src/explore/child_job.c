/* The schedulers of a job: those that can are shared out among all ranks; each of the others is
 * one rank's, so that several of them run at once. Rank 0 puts the results of all together. */
#include "explore/child_state.h"

#include "base/mem.h"
#include "explore/phases.h"
#include "explore/results.h"
#include "explore/transport.h"
#include "explore/walk.h"

#define GATHERING 0 /* the phase in which results are sent; schedulers have 1, 2, … */

static bool can_be_shared(const struct child *c, const struct fore_scheduler *rule)
{
    return fore_scheduler_deals(rule, &c->x->options);
}

static bool talks(const struct child *c, const struct fore_scheduler *rule)
{
    return fore_scheduler_talks(rule, &c->x->options);
}

/* Does this rank have a part in scheduler number i? */
static bool has_part(const struct child *c, size_t i)
{
    const struct fore_scheduler *rule = c->x->schedulers[i];
    const struct fore_transport *t = c->options.transport;
    return talks(c, rule) || can_be_shared(c, rule) || i % t->ranks == t->rank;
}

static enum fore_status explore_part(struct child *c, size_t i, struct fore_explorer *s,
                                     struct fore_err *e)
{
    const struct fore_scheduler *rule = c->x->schedulers[i];
    const struct fore_transport *t = c->options.transport;
    bool shared = can_be_shared(c, rule);
    c->options.share = shared ? t->rank : 0;
    c->options.shares = shared ? t->ranks : 0;
    fore_child_choose(c, rule);
    return has_part(c, i) ? fore_child_explore(c, rule, s, e) : fore_child_open(c, s, e);
}

static void send_results(struct fore_transport *t, size_t i,
                         const struct fore_explorer *s)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    char head[2 * FORE_VARINT_MAX];
    char *end = fore_varint_put(fore_varint_put(head, i), t->rank);
    fore_strbuf_add(&out, head, (size_t)(end - head));
    fore_results_pack(s, &out);
    t->send(t, 0, out.at, out.n);
    fore_strbuf_release(&out);
}

/* How many other ranks have a part in scheduler i and send their results to the first one. */
static uint32_t others_with(const struct child *c, size_t i)
{
    const struct fore_scheduler *rule = c->x->schedulers[i];
    uint32_t ranks = c->options.transport->ranks;
    if (talks(c, rule))
        return 0;
    return can_be_shared(c, rule) ? ranks - 1 : i % ranks != 0;
}

/* On rank 0: waits for the results of the others, and adds them in the order of their ranks, so
 * that the same witness is reported whichever rank was faster. */
static enum fore_status gather_results(struct child *c, struct fore_explorer *all,
                                       struct fore_err *e)
{
    struct fore_transport *t = c->options.transport;
    size_t count = c->x->scheduler_count, left = 0;
    struct fore_strbuf *came = fore_calloc(count * t->ranks, sizeof *came);
    bool good = true;
    for (size_t i = 0; i < count; i++)
        left += others_with(c, i);
    while (left) {
        struct fore_strbuf m = FORE_STRBUF_INIT;
        if (!t->receive(t, &m)) {
            t->idle(t);
            continue;
        }
        struct fore_bytes_in in = {m.at, m.at + m.n, false};
        uint64_t i = fore_varint_get(&in), rank = fore_varint_get(&in);
        FORE_BUG_IF(i >= count || rank >= t->ranks);
        came[i * t->ranks + rank] = m;
        left--;
    }
    for (size_t k = 0; k < count * t->ranks; k++) {
        struct fore_bytes_in in = {came[k].at, came[k].at + came[k].n, false};
        if (!came[k].n)
            continue;
        fore_child_choose(c, c->x->schedulers[k / t->ranks]);
        c->options.shares = can_be_shared(c, c->options.scheduler);
        fore_varint_get(&in);
        fore_varint_get(&in);
        good &= fore_results_merge(&all[k / t->ranks], &in);
        fore_strbuf_release(&came[k]);
    }
    fore_free(came);
    return good ? FORE_OK
                : fore_fail(e, FORE_IO, "what another rank has found is damaged");
}

/* Rank 0 reports the rows in the order in which they were asked for. */
static enum fore_status tell_rows(struct child *c, struct fore_explorer *all, size_t n,
                                  struct fore_err *e)
{
    enum fore_status st = FORE_OK;
    for (size_t i = 0; i < n; i++) {
        fore_child_choose(c, c->x->schedulers[i]);
        if (st == FORE_OK)
            st = fore_child_tell(c, &all[i], e);
        else
            fore_explorer_release(&all[i]);
    }
    return st;
}

enum fore_status fore_child_explore_together(struct child *c, struct fore_err *e)
{
    struct fore_phases phases;
    size_t count = c->x->scheduler_count, done = 0;
    struct fore_explorer *all = fore_calloc(count, sizeof *all);
    struct fore_transport *under = c->options.transport;
    enum fore_status st = FORE_OK;
    fore_phases_init(&phases, under);
    c->options.transport = &phases.transport;
    c->options.jobs = 1; /* ranks are the workers */
    for (size_t i = 0; i < count && st == FORE_OK; i++) {
        phases.phase = (uint8_t)(GATHERING + 1 + i);
        st = explore_part(c, i, &all[i], e);
        done++;
        phases.phase = GATHERING;
        if (st == FORE_OK && under->rank && !talks(c, c->x->schedulers[i]) &&
            has_part(c, i))
            send_results(&phases.transport, i, &all[i]);
    }
    if (st == FORE_OK && !under->rank)
        st = gather_results(c, all, e);
    c->options.transport = under;
    if (st == FORE_OK && !under->rank) {
        st = tell_rows(c, all, done, e);
        done = 0;
    }
    for (size_t i = 0; i < done; i++)
        fore_explorer_release(&all[i]);
    fore_free(all);
    fore_phases_release(&phases);
    return st;
}
