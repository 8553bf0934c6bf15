/* Internal to analysis/deadlock: what its parts share.
 *
 *   select_escape.c     selects with a way out: timeouts, default
 *   attempt.c           one directed run: to those places, then on as far as everybody can
 *   patterns.c          where to direct it: lock cycles, waits under locks, lost signals, full buffers
 *   deadlock_search.c   every order of a small trace
 *   rescue.c            who might still end a wait
 *   core.c              who waits for whom in a stuck state
 *   deadlock_finding.c  a stuck state as a finding */
#ifndef FORE_ANALYSIS_DEADLOCK_DEADLOCK_STATE_H
#define FORE_ANALYSIS_DEADLOCK_DEADLOCK_STATE_H

#include "analysis/analysis.h"
#include "machine/claim.h"
#include "machine/closure.h"
#include "machine/drive.h"
#include "machine/quiet.h"
#include "machine/run.h"

/* What was reported about one core of waits. */
struct fore_dl_told {
    enum fore_claim_verdict verdict; /* NONE: nothing yet */
    unsigned tries;
    size_t at; /* in the list of findings */
};

struct fore_dl {
    const struct fore_trace *trace;
    const struct fore_survey *survey;
    struct fore_analysis_ctx *ctx;
    const struct fore_program *p;
    struct fore_run *observed;
    const struct fore_index *index;
    struct fore_map returns; /* place of a select -> a thread came back after a timeout */
    uint64_t candidates, attempts, states, found;
    bool patterns_only; /* of a part of a trace that is too long to try every order */
    bool untold;        /* findings are only counted, and kept in `told` */
    bool exhaustive;    /* every order was tried */
    bool strays;        /* threads that read another value may leave the trace */
    bool bare; /* the trace has none of the reads and writes that were recorded */
    const char *capped; /* what was not tried because there was too much of it, or NULL */
    struct fore_map told; /* signature of a core -> 1 + its index in `tellings` */
    FORE_VEC(struct fore_dl_told) tellings;
    struct fore_steps steps; /* of the current directed run; its room is used again */
};

/* Notes that something was left out that might have been a deadlock; the first such note is
 * reported. */
static inline void fore_dl_cap(struct fore_dl *d, const char *what)
{
    if (!d->capped)
        d->capped = what;
}

struct fore_dl_target {
    uint32_t thread, end; /* has done everything before operation `end` */
};

enum { FORE_DL_TARGETS = 16 };
/* The most operations of a trace of which every order is tried, and how many events one
 * operation may have, its pre included; the most events of a trace in which timeouts are tried. */
enum { FORE_DL_SMALL = 2000, FORE_DL_EVENTS = 2, FORE_DL_SHORT = 1 << 17 };

/* Looks for deadlocks in `d->trace`; `d` then has what was reported. */
enum fore_status fore_dl_look(struct fore_dl *d, struct fore_run *observed,
                              struct fore_err *e);
void fore_dl_release(struct fore_dl *d);

/* In deadlock_thin.c: is it enough to analyse the thin trace of a brief trace and, for what is
 * found there, the trace's end? */
bool fore_dl_thin_is_enough(const struct fore_trace *t,
                            const struct fore_analysis_ctx *ctx);
/* Analyses these; `d` then has the results. */
enum fore_status fore_dl_look_thin(struct fore_dl *d, const struct fore_trace *t,
                                   struct fore_analysis_ctx *ctx, struct fore_err *e);

/* In select_escape.c: fills `returns`. */
void fore_dl_find_returns(struct fore_dl *d);
/* May wait for another thread, and is not a lock. */
bool fore_dl_waits(const struct fore_program *p, uint32_t op);
/* Did a timer end it? */
bool fore_dl_by_timer(const struct fore_dl *d, uint32_t op);
/* The place of the select itself, whatever case it took. */
uint64_t fore_dl_select_place(const struct fore_program *p, uint32_t op);

/* Grows the closure to hold the targets and what they depend on. */
void fore_dl_close(struct fore_closure *c, const struct fore_dl_target *targets,
                   size_t n);

/* Tries to reach a stuck state through the targets; reports it if it is one. */
enum fore_status fore_dl_attempt(struct fore_dl *d, const struct fore_dl_target *targets,
                                 size_t n, struct fore_err *e);
/* The same, if the closure of what they need (see fore_dl_close) is known already. */
enum fore_status fore_dl_attempt_cut(struct fore_dl *d, const struct fore_closure *cut,
                                     const struct fore_dl_target *targets, size_t n,
                                     struct fore_err *e);
/* The same, through a timeout of the target, which then leaves the trace. */
enum fore_status fore_dl_give_up(struct fore_dl *d, const struct fore_dl_target *target,
                                 struct fore_err *e);
enum fore_status fore_dl_patterns(struct fore_dl *d, struct fore_err *e);
/* May the trace have a pattern at all? */
bool fore_dl_may_match(const struct fore_trace *t, const struct fore_survey *s);
enum fore_status fore_dl_search(struct fore_dl *d, struct fore_err *e);

/* Does the thread that took a lock by this operation still hold it before operation `end`? */
bool fore_dl_held_since(const struct fore_dl *d, uint32_t op, uint32_t end);
/* Did the thread take a lock by this operation, and end without giving it back? */
bool fore_dl_keeps_for_ever(const struct fore_dl *d, uint32_t op);
/* The acquisition by which the thread holds the lock now, or FORE_NO_OP. */
uint32_t fore_dl_holds(const struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                       uint32_t lock);
/* Has the thread left the trace, or may it still leave it by a timeout? Or would such a thread
 * have created it? */
bool fore_dl_goes_on(const struct fore_machine *m, uint32_t t);
/* Would one of those threads end one of these waits, by its next steps in the observed run? */
bool fore_dl_may_be_rescued(const struct fore_dl *d, const struct fore_machine *m,
                            const uint32_t *who, size_t n);
/* Does the thread wait for a lock held by the thread that ended the program, or by a thread that
 * waits so itself? A thread that ends the program need not unlock first. */
bool fore_dl_ends_with_program(const struct fore_dl *d, const struct fore_machine *m,
                               uint32_t t);
/* A cycle shows when its first thread comes up again. */
enum { FORE_DL_CORE = FORE_DL_TARGETS + 1, FORE_DL_REASONS = 4 };

/* The threads that the finding is about; each waits for the next, the last for the first if it
 * is a cycle. */
struct fore_dl_core {
    uint32_t thread[FORE_DL_CORE];
    size_t n;
    bool cycle;
};

/* Does the thread wait where it did not in the observed run? A timer that does not fire is no thread that waits. */
bool fore_dl_newly_blocked(const struct fore_machine *m, uint32_t t);
/* Follows from a thread on which thread waits for which, until the chain closes, or ends with a
 * thread that no other one can serve. */
struct fore_dl_core fore_dl_core_of(const struct fore_dl *d, const struct fore_machine *m,
                                    uint32_t t);
/* The same for waits at the same places. */
uint64_t fore_dl_core_signature(const struct fore_machine *m,
                                const struct fore_dl_core *c);
/* The operations done before that make the wait endless: a signal that woke no thread, the sends
 * that fill a buffer, the acquisitions that emptied a semaphore. Returns how many there are,
 * with what each did. */
size_t fore_dl_reasons(const struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                       uint32_t out[FORE_DL_REASONS], const char **role);

/* Has the thread taken a lock by this operation that it still holds after `end`? */
bool fore_dl_still_holds(struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                         uint32_t op, uint32_t end, uint32_t *lock);

/* Adds the events of the run to the finding and its witness, marking those that the core depends
 * on, and the run's end. */
enum fore_status fore_dl_tell_run(struct fore_dl *d, const struct fore_machine *m,
                                  const struct fore_dl_core *c,
                                  const struct fore_steps *steps, struct fore_finding *x,
                                  struct fore_err *e);
/* Is every step of the run listed? */
bool fore_dl_run_is_whole(const struct fore_dl *d, const struct fore_steps *steps);

/* Is the machine stuck where the observed run was not, as a whole, or by threads that wait for
 * each other's locks? Then reports it: `steps` led there from the start. */
enum fore_status fore_dl_tell(struct fore_dl *d, const struct fore_machine *m,
                              struct fore_steps *steps, struct fore_err *e);

#endif
