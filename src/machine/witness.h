/* Witnesses: another run of the same recorded operations, written down as a trace, and checked
 * against the trace that it was predicted from. */
#ifndef FORE_MACHINE_WITNESS_H
#define FORE_MACHINE_WITNESS_H

#include "machine/claim.h"

/* Notes what a machine does as events: line order is the schedule. Select cases are those of
 * the machine's trace. */
struct fore_witness {
    FORE_VEC(struct fore_event) events;
    FORE_VEC(uint32_t) index; /* position of each event within its thread, from 0 */
    struct fore_map sends;    /* (thread, channel) -> sends so far */
    struct fore_map numbers;  /* a send that has no recorded number -> the one it got */
    FORE_VEC(uint32_t) announced; /* thread -> 1 + operation whose pre was noted */
    FORE_VEC(uint32_t) counts;    /* thread -> events so far */
    uint64_t fresh;               /* the largest message number, once it is known */
};

/* What led to the state that the machine is in went as recorded: it is counted, and not noted. */
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
 * FORE_SPENT: it is a run, but that its threads stay blocked was not looked into to the end. */
enum fore_status fore_witness_check(const struct fore_trace *w,
                                    const struct fore_trace *t,
                                    struct fore_err *e) FORE_MUST_USE;
/* The same of a witness that is a text, against a program: and what can be claimed of the whole run. */
enum fore_status fore_witness_claim(const char *text, const struct fore_program *p,
                                    struct fore_claim *claim,
                                    struct fore_err *e) FORE_MUST_USE;
/* The same of a witness that is a text: reads it, as anybody else would. */
enum fore_status fore_witness_check_text(const char *text, const struct fore_trace *t,
                                         struct fore_err *e) FORE_MUST_USE;

#endif
