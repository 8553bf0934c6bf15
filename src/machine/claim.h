/* The verdict about another run: the only place where one is made.
 *
 * The machine shows what the trace allows; a claim says what the program can do. A candidate is
 * a schedule, played by a lax machine, and what it leads to. The same schedule is then played by
 * a strict machine, which leaves out whatever the program may not do there; if that still leads
 * to the same end, and everything else that could forbid it was seen, the finding is predicted;
 * otherwise it is possible, with the clause that stands in the way. docs/theory/verdicts.md has
 * the rules. */
#ifndef FORE_MACHINE_CLAIM_H
#define FORE_MACHINE_CLAIM_H

#include "machine/mark.h"

enum fore_goal {
    /* The last step of the schedule is taken, and the targets are next: a meeting, a panic */
    FORE_GOAL_STEP,
    FORE_GOAL_ALL,     /* every step is taken: a property over the whole run */
    FORE_GOAL_NEXT,    /* the targets' operations are next at the same time: a race */
    FORE_GOAL_BLOCKED, /* the targets wait, and nothing ends their waits */
};

struct fore_target {
    uint32_t thread, op;
};

struct fore_candidate {
    enum fore_goal goal;
    const struct fore_run_mark
        *from; /* the schedule begins there; NULL: at the beginning */
    const struct fore_move *schedule;
    size_t steps;
    const struct fore_target *targets;
    size_t n;
};

enum fore_claim_verdict {
    FORE_CLAIM_NONE, /* the schedule is no run, or does not lead to the end that is claimed */
    FORE_CLAIM_POSSIBLE,
    FORE_CLAIM_PREDICTED,
};

struct fore_claim {
    enum fore_claim_verdict verdict;
    enum fore_clause clause; /* the clause that stands in the way of a prediction */
    /* The operation before which the thread may leave the trace, and the one since which it
     * differs; FORE_NO_OP: none. */
    uint32_t at, since;
    bool if_race_free; /* the prediction holds for programs without data races */
};

/* The program's causes must be known (fore_run_replay). */
struct fore_claim fore_claim_make(const struct fore_program *p,
                                  const struct fore_candidate *c);
/* For findings without a schedule: possible, by this clause (events were lost, or no run was
 * found). */
struct fore_claim fore_claim_unplayed(enum fore_clause clause);
/* For a run that keeps every recorded order, as runs of a lattice do: only things that the
 * recording as a whole could not see can forbid it. */
struct fore_claim fore_claim_in_order(const struct fore_trace *t);
/* For operations of two threads in the observed run that nothing recorded orders: they happened
 * so, unless something unrecorded orders them. Predicted here means observed. */
struct fore_claim fore_claim_unordered(const struct fore_program *p, uint32_t one,
                                       uint32_t other);
/* Why it is not predicted, or under which condition it is, as a sentence; "" if neither. */
void fore_claim_reason(const struct fore_program *p, const struct fore_claim *c,
                       struct fore_strbuf *out);
/* What else is known of the reason, to be added to it: "; so it may not come to its next step at a.c:7". */
void fore_claim_details(const struct fore_program *p, const struct fore_claim *c,
                        struct fore_strbuf *out);

#endif
