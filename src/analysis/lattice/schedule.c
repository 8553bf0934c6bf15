#include "analysis/lattice/schedule.h"

#include "base/sort.h"
#include "causal/order.h"
#include "machine/run.h"
#include "machine/witness.h"
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

struct schedule {
    const struct fore_trace *trace;
    struct fore_order order;
    uint32_t *done;          /* thread -> how many of its events have come out */
    uint32_t *count;         /* thread -> how many it has */
    FORE_VEC(uint32_t) next; /* positions of what one step needs */
    FORE_VEC(struct fore_event) events;
};

/* Emits the events that the event at `at` comes after and that are not out yet, in the observed
 * order, and then the event. The lattice holds the cuts of one causal order, with or without
 * locks, and this places the steps of a way through them by that order's clocks. It is no search
 * for a least part of the run, which is what machine/closure does; and the claim plays the
 * result, so the machine has the last word. */
static void emit_with_past(struct schedule *s, uint32_t at)
{
    fore_vec_clear(&s->next);
    for (uint32_t t = 1; t <= fore_order_threads(&s->order); t++) {
        uint32_t upto = fore_order_past(&s->order, at, t);
        while (s->done[t] < upto)
            fore_vec_push(&s->next, fore_order_event(&s->order, t, ++s->done[t]));
    }
    qsort(s->next.at, s->next.n, sizeof *s->next.at, fore_compare_u32);
    for (size_t i = 0; i < s->next.n; i++)
        fore_vec_push(&s->events, s->trace->events.at[s->next.at[i]]);
}

static bool is_past_out(const struct schedule *s, uint32_t at, uint32_t own)
{
    for (uint32_t t = 1; t <= fore_order_threads(&s->order); t++)
        if (t != own && fore_order_past(&s->order, at, t) > s->done[t])
            return false;
    return true;
}

/* Could it do harm to let the event come before it has to? Another thread may not have seen the
 * variable, or not wait yet. */
static bool is_hasty(unsigned kind)
{
    return kind == FORE_EV_READ || kind == FORE_EV_WRITE || kind == FORE_EV_RMW ||
           kind == FORE_EV_CSIGNAL || kind == FORE_EV_CBROADCAST;
}

/* The first event that is not out, waits for nothing, and is wanted: because the event `step`
 * comes after it, or because it does no harm; UINT32_MAX: there is none. */
static uint32_t first_ready(const struct schedule *s, uint32_t step, uint32_t *thread)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 1; t <= fore_order_threads(&s->order); t++) {
        if (s->done[t] >= s->count[t])
            continue;
        uint32_t at = fore_order_event(&s->order, t, s->done[t] + 1);
        bool wanted = s->done[t] < fore_order_past(&s->order, step, t) ||
                      !is_hasty(s->trace->events.at[at].kind);
        if (at < best && wanted && is_past_out(s, at, t)) {
            best = at;
            *thread = t;
        }
    }
    return best;
}

/* Emits the events that the event `step` comes after, the event itself, and everything that can
 * come meanwhile. */
static void emit_ready(struct schedule *s, uint32_t step)
{
    uint32_t at, thread;
    while ((at = first_ready(s, step, &thread)) != UINT32_MAX) {
        s->done[thread]++;
        fore_vec_push(&s->events, s->trace->events.at[at]);
    }
}

/* Late: events that no step needs do not come. Early: they come as soon as they can, so that a
 * wait for a group can be over before another thread adds to it, and a thread can wait for a
 * condition before it is signalled. */
static enum fore_status write_witness(struct schedule *s, struct fore_findings *f,
                                      struct fore_finding *x,
                                      const struct fore_lattice_steps *steps, bool early,
                                      const char *property, struct fore_err *e)
{
    const struct fore_trace *t = s->trace;
    fore_vec_clear(&s->events);
    memset(s->done, 0, (fore_order_threads(&s->order) + 2u) * sizeof *s->done);
    for (size_t i = 0; i < steps->v.n; i++) {
        if (early)
            emit_ready(s, (uint32_t)steps->v.at[i].at);
        else
            emit_with_past(s, (uint32_t)steps->v.at[i].at);
    }
    FORE_TRY(fore_finding_witness(f, x, t, s->events.at, s->events.n, t->cases.at, NULL,
                                  0, e));
    /* the trace's tables do not have the property's name */
    x->witness_trace =
        fore_findings_printf(f, "%sexpect violation %s\n", x->witness_trace, property);
    return FORE_OK;
}

/* The claim that follows from playing the witness. */
static struct fore_claim claim_of(const struct fore_finding *x,
                                  const struct fore_program *p, struct fore_err *why)
{
    struct fore_claim claim = {.verdict = FORE_CLAIM_NONE};
    *why = (struct fore_err){0};
    enum fore_status s = fore_witness_claim(x->witness_trace, p, &claim, why);
    if (s != FORE_OK || claim.verdict == FORE_CLAIM_NONE)
        claim = fore_claim_unplayed(FORE_CLAUSE_NO_RUN);
    return claim;
}

/* Plays the witness, and lowers the verdict to what can be claimed of it. */
static enum fore_status settle_verdict(struct schedule *s, struct fore_findings *f,
                                       struct fore_finding *x,
                                       const struct fore_lattice_steps *steps,
                                       const char *property, struct fore_err *e)
{
    enum { MOST_EARLY = 100000 }; /* each event is compared with every thread */
    struct fore_err why = {0};
    struct fore_run run = {0};
    struct fore_claim claim = fore_claim_unplayed(FORE_CLAUSE_NO_RUN);
    enum fore_status status = fore_run_claims(&run, s->trace, &why);
    if (status == FORE_OK)
        claim = claim_of(x, &run.p, &why);
    if (status == FORE_OK && claim.verdict != FORE_CLAIM_PREDICTED &&
        s->trace->events.n <= MOST_EARLY) {
        const char *late = x->witness_trace;
        struct fore_err other = {0};
        status = write_witness(s, f, x, steps, true, property, e);
        struct fore_claim early = claim_of(x, &run.p, &other);
        if (early.verdict == FORE_CLAIM_PREDICTED) {
            claim = early;
            why = other;
        } else {
            x->witness_trace = late;
        }
    } else {
        status = FORE_OK;
    }
    if (why.msg[0])
        fore_finding_fact(f, x, "unchecked", "%s", why.msg);
    if (claim.verdict == FORE_CLAIM_POSSIBLE)
        fore_finding_claim_again(f, x, &run.p, &claim);
    fore_run_release(&run);
    return status;
}

enum fore_status fore_schedule_witness(struct fore_findings *f, struct fore_finding *x,
                                       const struct fore_trace *t, unsigned mask,
                                       const struct fore_lattice_steps *steps,
                                       const char *property, struct fore_err *e)
{
    struct schedule s = {.trace = t};
    FORE_TRY(fore_order_build(&s.order, t, mask, e));
    s.done = fore_calloc(fore_order_threads(&s.order) + 2u, sizeof *s.done);
    s.count = fore_calloc(fore_order_threads(&s.order) + 2u, sizeof *s.count);
    for (size_t i = 0; i < t->events.n; i++)
        s.count[t->events.at[i].thread]++;
    enum fore_status status = write_witness(&s, f, x, steps, false, property, e);
    if (status == FORE_OK && x->verdict == FORE_VERDICT_PREDICTED)
        status = settle_verdict(&s, f, x, steps, property, e);
    fore_order_release(&s.order);
    fore_free(s.done);
    fore_free(s.count);
    fore_vec_release(&s.next);
    fore_vec_release(&s.events);
    return status;
}
