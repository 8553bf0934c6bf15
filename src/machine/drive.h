/* Runs threads on as they were recorded, each as far as it can, in time linear in the steps: a
 * thread that cannot go on waits in a list of the object (or thread) that it needs, and is tried
 * again when something happens to that. */
#ifndef FORE_MACHINE_DRIVE_H
#define FORE_MACHINE_DRIVE_H

#include "machine/mark.h"

/* The steps in the order in which they were taken. */
struct fore_steps {
    FORE_VEC(struct fore_move) moves;
    FORE_VEC(uint32_t) ops;      /* the operation of moves.at[i].thread */
    FORE_VEC(uint32_t) arrivals; /* of `ops`: positions of those that only arrive */
    /* Only these are kept, which takes a fifth of the room; see fore_steps_expand. The steps up
     * to the mark from which a closed set is played are not among them. */
    bool ops_only;
    const struct fore_run_mark *from; /* that mark; NULL: the beginning */
};

void fore_steps_release(struct fore_steps *s);
void fore_steps_clear(struct fore_steps *s);
/* Finds the moves of steps that were logged without them, by taking the steps once more. */
void fore_steps_expand(struct fore_steps *s, const struct fore_program *p);

struct fore_driver {
    struct fore_machine *m;
    struct fore_steps *log; /* NULL: not wanted */
    uint32_t *limit;        /* thread -> end of the operations that it may do now */
    uint32_t *head; /* object, or objects + thread -> first thread that waits for it */
    uint32_t *next; /* the rest of that list */
    bool *waits;
    FORE_VEC(uint32_t) work; /* threads that may be able to go on */
    bool announce;           /* a writer that cannot get a lock arrives at it */
    uint64_t steps;
    bool stopped; /* the trace's budget ended: threads that could go on did not */
};

/* At the beginning no thread may do anything. */
void fore_driver_init(struct fore_driver *d, struct fore_machine *m,
                      struct fore_steps *log);
void fore_driver_release(struct fore_driver *d);
/* Takes the step, which must be possible; threads that waited for it may then go on. */
void fore_driver_take(struct fore_driver *d, struct fore_move v);
/* Lets the thread go on as far as it can and may, and then the threads that can go on because of
 * that. */
void fore_driver_go(struct fore_driver *d, uint32_t thread);
/* Lifts every limit and runs until no thread can do what it recorded. */
void fore_driver_all(struct fore_driver *d);

#endif
