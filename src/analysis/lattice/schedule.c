#include "analysis/lattice/schedule.h"

#include "causal/order.h"
#include "machine/run.h"
#include "machine/witness.h"
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

struct schedule {
    const struct fore_trace *trace;
    struct fore_order order;
    uint32_t *done;          /* thread -> how many of its events are out */
    FORE_VEC(uint32_t) next; /* positions of what one step needs */
    FORE_VEC(struct fore_event) events;
};

static int by_position(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* What the event at `at` comes after and is not out yet, in the observed order, and itself. The
 * lattice holds the cuts of one causal order, with or without locks, and this places the steps of a
 * way through them by that order's clocks. It is no search for a least part of the run, which is
 * what machine/closure does; and the claim plays the result, so the machine has the last word. */
static void emit_with_past(struct schedule *s, uint32_t at)
{
    fore_vec_clear(&s->next);
    for (uint32_t t = 1; t <= fore_order_threads(&s->order); t++) {
        uint32_t upto = fore_order_past(&s->order, at, t);
        while (s->done[t] < upto)
            fore_vec_push(&s->next, fore_order_event(&s->order, t, ++s->done[t]));
    }
    qsort(s->next.at, s->next.n, sizeof *s->next.at, by_position);
    for (size_t i = 0; i < s->next.n; i++)
        fore_vec_push(&s->events, s->trace->events.at[s->next.at[i]]);
}

/* Plays the witness, and lowers the verdict to what can be claimed of it. */
static void settle_verdict(struct fore_findings *f, struct fore_finding *x,
                           const struct fore_trace *t)
{
    struct fore_err why = {0};
    struct fore_run run = {0};
    struct fore_claim claim = {.verdict = FORE_CLAIM_NONE};
    enum fore_status s = fore_run_claims(&run, t, &why);
    if (s == FORE_OK)
        s = fore_witness_claim(x->witness_trace, &run.p, &claim, &why);
    if (s != FORE_OK)
        fore_finding_fact(f, x, "unchecked", "%s", why.msg);
    if (s != FORE_OK || claim.verdict == FORE_CLAIM_NONE)
        claim = fore_claim_unplayed(FORE_CLAUSE_NO_RUN);
    if (claim.verdict == FORE_CLAIM_POSSIBLE)
        fore_finding_claim_again(f, x, &run.p, &claim);
    fore_run_release(&run);
}

enum fore_status fore_schedule_witness(struct fore_findings *f, struct fore_finding *x,
                                       const struct fore_trace *t, unsigned mask,
                                       const struct fore_lattice_steps *steps,
                                       const char *property, struct fore_err *e)
{
    struct schedule s = {.trace = t};
    FORE_TRY(fore_order_build(&s.order, t, mask, e));
    s.done = fore_calloc(fore_order_threads(&s.order) + 2u, sizeof *s.done);
    for (size_t i = 0; i < steps->v.n; i++)
        emit_with_past(&s, (uint32_t)steps->v.at[i].at);
    enum fore_status status =
        fore_finding_witness(f, x, t, s.events.at, s.events.n, t->cases.at, NULL, 0, e);
    if (status == FORE_OK) /* the trace's tables do not have the property's name */
        x->witness_trace = fore_findings_printf(f, "%sexpect violation %s\n",
                                                x->witness_trace, property);
    if (status == FORE_OK && x->verdict == FORE_VERDICT_PREDICTED)
        settle_verdict(f, x, t);
    fore_order_release(&s.order);
    fore_free(s.done);
    fore_vec_release(&s.next);
    fore_vec_release(&s.events);
    return status;
}
