/* The outcome of a controlled run: a file that the program maps and the process that started it
 * reads, also while the program runs and after it was killed. The environment's FORESEE_OUTCOME
 * names it.
 *
 *   0                   struct fore_outcome
 *   FORE_OUTCOME_SERIES   struct fore_outcome_runs          of a process that repeats its tests
 *   FORE_OUTCOME_STEPS  struct fore_outcome_step ...      all steps, in their order */
#ifndef FORE_CONTROL_OUTCOME_H
#define FORE_CONTROL_OUTCOME_H

#include <stdint.h>

#define FORE_OUTCOME_ENVIRONMENT "FORESEE_OUTCOME"
#define FORE_OUTCOME_MAGIC "FORESEEO"
enum {
    FORE_OUTCOME_VERSION = 3,
    FORE_OUTCOME_THREADS = 1024, /* as many are told of */
    FORE_OUTCOME_STEPS = 1 << 19,
    FORE_OUTCOME_MOST = 1 << 20, /* steps */
    /* after this many steps that change nothing the run is given up */
    FORE_OUTCOME_VAIN = 20000,
    FORE_OUTCOME_STANDS = 4,
    FORE_OUTCOME_RACES = 8, /* different races that are reported */
    FORE_OUTCOME_SERIES = 0x52000,
    FORE_OUTCOME_RING = 8192, /* classes of runs that wait to be taken */
};

enum fore_outcome_end {
    FORE_OUTCOME_RUNNING, /* or killed */
    FORE_OUTCOME_EXITED,
    FORE_OUTCOME_STUCK, /* no thread could go on, and nothing outside could help */
    FORE_OUTCOME_SPINS, /* for very long no thread did anything that others could notice */
};

enum fore_outcome_state {
    FORE_OUTCOME_NEW,   /* created, and has not run yet */
    FORE_OUTCOME_RUNS,  /* has the turn */
    FORE_OUTCOME_WAITS, /* before an operation: waits for its turn, or for what it needs */
    FORE_OUTCOME_OUTSIDE, /* in a call that no controlled thread can end */
    FORE_OUTCOME_OVER,
};

struct fore_outcome_thread {
    char path[112];  /* of its creation */
    char place[112]; /* of the operation that it is about to do: file:line:column */
    char name[56];   /* the function that it began with, or its own name; "": not known */
    uint32_t state;
    uint32_t kind;    /* of that operation, enum fore_ring_kind */
    uint32_t blocked; /* the operation could not be done when it was last looked at */
    uint32_t size;    /* of an access */
    uint64_t address, other; /* as of a step */
};

/* Two accesses, one a write, that stood at their points at once. */
struct fore_outcome_race {
    uint32_t thread[2], kind[2];
    char place[2][112];
    char object[112]; /* name of the memory; "": not known */
};

/* One step: a thread went past a point. */
struct fore_outcome_step {
    uint32_t thread; /* index in `threads` */
    uint16_t kind;
    uint16_t flags;          /* enum fore_outcome_flags */
    uint64_t address, other; /* `other` is a condition's lock, or the thread that is
                              * created or joined */
    uint32_t size;
    uint32_t site; /* line << 8 | column, for readers */
};

enum fore_outcome_flags {
    FORE_OUTCOME_CHOICE = 1,  /* others could have gone */
    FORE_OUTCOME_TIMEOUT = 2, /* it went because time passed */
    FORE_OUTCOME_ATOMIC = 4,  /* an access that does not race with another atomic one */
    FORE_OUTCOME_BUSY = 8,    /* a try that failed */
    FORE_OUTCOME_EARLY =
        16, /* a millisecond or more passed although others could have gone */
};

struct fore_outcome {
    char magic[8];
    uint32_t version, end;
    uint32_t steps, done; /* of the schedule */
    uint32_t skipped;     /* of the steps done: accesses that did not come */
    uint32_t deviated;    /* why the program did not come to step `done` + 1 */
    char reason[256];
    /* how often something was not under control, and the last such thing */
    uint32_t uncontrolled;
    char uncontrolled_by[120];
    char file[112];                 /* where the last step was */
    uint32_t line, column, running; /* and whose it was */
    uint32_t threads;               /* that there were */
    uint32_t met; /* the threads that were to stand at their accesses at once do so */
    uint32_t stand[FORE_OUTCOME_STANDS]; /* who, as they were then */
    uint64_t choices;                    /* points where two or more could go */
    uint64_t logged;                     /* steps that follow */
    uint64_t virtual_ns;                 /* how far the clock has advanced */
    uint64_t hash; /* hash of the threads that went, in their order */
    uint32_t races;
    struct fore_outcome_race race[FORE_OUTCOME_RACES];
    struct fore_outcome_thread stood[FORE_OUTCOME_STANDS];
    struct fore_outcome_thread thread[FORE_OUTCOME_THREADS];
    uint32_t signals; /* signals whose handlers were run: C */
    uint32_t forks;   /* forks while there were other threads: C */
    /* Where a forked child waits for a lock that another thread of its parent held: C */
    char child_waits[112];
    uint32_t
        cut; /* it ended before its threads did, as it may, so waits that are left mean nothing:
              * C */
};

/* Why a process that repeats its tests (capture/go/hooks/turn_runs.go) ended after a run. */
enum fore_outcome_why {
    FORE_OUTCOME_DIED, /* within it */
    FORE_OUTCOME_FAILED,
    FORE_OUTCOME_LEFT, /* it left goroutines or timers behind */
    FORE_OUTCOME_LAST,
};

struct fore_outcome_runs {
    uint64_t done, taken; /* runs that are over; those whose class the reader has taken */
    uint64_t run;         /* the number of the run that goes on, or was the last */
    uint64_t seed, length; /* what it runs on */
    uint32_t strategy, depth;
    uint32_t why; /* enum fore_outcome_why */
    uint32_t goroutines, timers;
    uint32_t uncontrolled;             /* runs that were not wholly under control */
    uint64_t longest;                  /* choices of a run */
    char path[112], place[112];        /* of the first goroutine that was left */
    uint64_t class[FORE_OUTCOME_RING]; /* class of run i at i modulo the size */
};

_Static_assert(sizeof(struct fore_outcome) <= FORE_OUTCOME_SERIES, "before the runs");
_Static_assert(FORE_OUTCOME_SERIES + sizeof(struct fore_outcome_runs) <=
                   FORE_OUTCOME_STEPS,
               "before the steps");

#endif
