/* Witnesses: another run of the same recorded operations, written down as a trace, and checked
 * against the trace that it was predicted from. */
#ifndef FORE_MACHINE_WITNESS_H
#define FORE_MACHINE_WITNESS_H

#include "machine/claim.h"

/* Writes down what a machine does as events: the order of the lines is the schedule. Cases of
 * selects are those of the machine's trace. */
struct fore_witness {
    FORE_VEC(struct fore_event) events;
    /* Position of each event within its recorded thread, from 0; a wait that was not recorded has
     * that of what ended it. */
    FORE_VEC(uint32_t) index;
    struct fore_map sends;   /* (thread, channel) -> sends so far */
    struct fore_map numbers; /* a send that has no recorded number -> the one it got */
    FORE_VEC(uint32_t) announced; /* thread -> 1 + operation whose pre was noted */
    FORE_VEC(uint32_t) counts;    /* thread -> events so far */
    uint64_t fresh;               /* the largest message number, once it is known */
};

/* The steps that led to the machine's present state went as recorded: counts them without noting
 * them. */
void fore_witness_begin(struct fore_witness *w, const struct fore_machine *m);
/* Takes the step and notes it. */
void fore_witness_step(struct fore_witness *w, struct fore_machine *m,
                       struct fore_move v);
/* Notes that the thread has begun its next operation, and waits. */
void fore_witness_wait(struct fore_witness *w, const struct fore_machine *m,
                       uint32_t thread);
void fore_witness_release(struct fore_witness *w);

/* Is `w` a run of the operations recorded in `t`, and does it end as its `expect` lines say?
 * Threads and objects are matched by name. If not, fails (FORE_MEANING) and says where.
 * FORE_SPENT: it is a run, but there was no time to show that its threads stay blocked. */
enum fore_status fore_witness_check(const struct fore_trace *w,
                                    const struct fore_trace *t,
                                    struct fore_err *e) FORE_MUST_USE;
/* The same for a witness given as text, against a program; and the claim about the whole run. */
enum fore_status fore_witness_claim(const char *text, const struct fore_program *p,
                                    struct fore_claim *claim,
                                    struct fore_err *e) FORE_MUST_USE;
/* The same for a witness given as text, which it reads like any other trace. */
enum fore_status fore_witness_check_text(const char *text, const struct fore_trace *t,
                                         struct fore_err *e) FORE_MUST_USE;

#endif
