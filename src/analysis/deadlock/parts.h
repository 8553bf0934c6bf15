/* Internal to analysis/deadlock: what its parts share.
 *
 *   index.c     who did what to which object, in the observed order; what was held
 *   closure.c   the least prefix of the run that brings threads to given places
 *   attempt.c   one directed run: to those places, then on as far as everybody can
 *   patterns.c  where to direct it: lock cycles, waits under locks, lost signals, full buffers
 *   search.c    every order of a small trace
 *   rescue.c    who might still end a wait
 *   tell.c      a stuck state as a finding */
#ifndef FORE_ANALYSIS_DEADLOCK_PARTS_H
#define FORE_ANALYSIS_DEADLOCK_PARTS_H

#include "analysis/analysis.h"
#include "machine/drive.h"
#include "machine/run.h"

/* Operations on each object, in the observed order. Channels have two lists: sends, receives. */
struct fore_dl_index {
    uint32_t *start; /* list k is ops[start[k]] .. ops[start[k + 1]] */
    uint32_t *ops;
    uint32_t *rank;          /* operation -> its position in its list */
    uint32_t *release;       /* acquisition -> the operation that gives the lock back */
    uint32_t *closed;        /* channel -> its close, or FORE_NO_OP */
    struct fore_map returns; /* place of a select -> somebody came back after a timeout */
};

struct fore_dl {
    const struct fore_trace *trace;
    struct fore_analysis_ctx *ctx;
    const struct fore_program *p;
    const struct fore_run *observed;
    struct fore_dl_index index;
    uint64_t candidates, attempts, states, found;
    bool exhaustive;
    struct fore_map told;    /* signatures of what was reported */
    struct fore_steps steps; /* of the current directed run; its room is used again */
};

/* How far each thread shall have come: need[t] is the end of its operations. It only grows, and
 * growing it costs what is added. */
struct fore_dl_cut {
    const struct fore_dl *d;
    uint32_t *need;
    uint32_t *seen;          /* thread -> how far its operations were looked at */
    struct fore_map reached; /* list -> how many of its operations are in */
    struct fore_map last;    /* lock -> 1 + its latest acquisition in the cut */
    FORE_VEC(uint32_t) work; /* threads whose need grew */
};

struct fore_dl_target {
    uint32_t thread, end; /* has done everything before operation `end` */
};

enum { FORE_DL_TARGETS = 4 };
/* Operations of a trace of which every order is tried, and events of one that may be such. */
enum { FORE_DL_SMALL = 2000, FORE_DL_SHORT = 1 << 17 };

void fore_dl_index_build(struct fore_dl *d);
void fore_dl_index_release(struct fore_dl_index *x);
/* Does the operation take a lock (a woken wait retakes its own)? Which? */
bool fore_dl_acquires(const struct fore_program *p, uint32_t op, uint32_t *lock);
bool fore_dl_releases(const struct fore_program *p, uint32_t op, uint32_t *lock);
/* May wait for somebody else, and is not a lock. */
bool fore_dl_waits(const struct fore_program *p, uint32_t op);

/* May the operation end by a timeout, which is not how it ended? By which of its cases? */
bool fore_dl_timeout(const struct fore_program *p, uint32_t op, uint16_t *at);
/* Did a timer end it? */
bool fore_dl_by_timer(const struct fore_dl *d, uint32_t op);
/* Where it stands in the source, whatever case it took. */
uint64_t fore_dl_select_place(const struct fore_program *p, uint32_t op);

void fore_dl_cut_init(struct fore_dl_cut *c, const struct fore_dl *d);
void fore_dl_cut_release(struct fore_dl_cut *c);
/* Grows the cut to hold the targets and what they depend on. */
void fore_dl_close(struct fore_dl_cut *c, const struct fore_dl_target *targets, size_t n);

/* Tries to reach a stuck state through the targets; tells it if it is one. */
enum fore_status fore_dl_attempt(struct fore_dl *d, const struct fore_dl_target *targets,
                                 size_t n, struct fore_err *e);
/* The same, through a timeout of the target, which then leaves the trace. */
enum fore_status fore_dl_give_up(struct fore_dl *d, const struct fore_dl_target *target,
                                 struct fore_err *e);
enum fore_status fore_dl_patterns(struct fore_dl *d, struct fore_err *e);
/* May the trace have a pattern at all? */
bool fore_dl_may_match(const struct fore_trace *t, const struct fore_survey *s);
enum fore_status fore_dl_search(struct fore_dl *d, struct fore_err *e);

/* May the thread's next operation end by a timeout, which is not how it ended? */
bool fore_dl_times_out(const struct fore_machine *m, uint32_t t);
/* No thread can take any step, but to leave the trace by a timeout. */
bool fore_dl_quiet(const struct fore_machine *m);
/* Does the thread wait for a lock? Which? */
bool fore_dl_waits_for_lock(const struct fore_machine *m, uint32_t t, uint32_t *lock);
/* The acquisition by which the thread holds the lock now, or FORE_NO_OP. */
uint32_t fore_dl_holds(const struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                       uint32_t lock);
/* Has the thread left the trace, or may it still by a timeout? Or is it one that such a thread
 * would have created? */
bool fore_dl_goes_on(const struct fore_machine *m, uint32_t t);
/* Might one of those end one of these waits? It did so later in the observed run, so that it may
 * well do so here; or it did so before; or it never had to do with what they wait for. */
enum fore_dl_rescue { FORE_DL_SAVED, FORE_DL_DOUBTFUL, FORE_DL_LOST };
enum fore_dl_rescue fore_dl_may_be_rescued(const struct fore_dl *d,
                                           const struct fore_machine *m,
                                           const uint32_t *who, size_t n);
/* Is it stuck where the observed run was not? Then reports it: `steps` led there from the start.
 * The machine is in that state. */
enum fore_status fore_dl_tell(struct fore_dl *d, const struct fore_machine *m,
                              struct fore_steps *steps, struct fore_err *e);

#endif
