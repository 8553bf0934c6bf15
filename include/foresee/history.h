/* Records what threads ask of an object and what it answers, marked as in foresee/mark.h, and
 * asks `foresee lin` whether the object behaved as if one operation had happened at a time.
 *
 *     foresee_history *h = foresee_history_open("queue");
 *     ...in any thread:
 *     foresee_call *c = foresee_invoke(h, "enqueue", foresee_int(7));
 *     enqueue(q, 7);
 *     foresee_return(c, foresee_nothing());
 *
 *     c = foresee_invoke(h, "dequeue", foresee_nothing());
 *     int v = dequeue(q);
 *     foresee_return(c, v < 0 ? foresee_nil() : foresee_int(v));
 *     ...at the end, when no thread records any more:
 *     int status = foresee_history_check(h);
 *     foresee_history_close(h);
 *
 * Recording takes no lock: a call is a record in a buffer of its thread and two increments of
 * one shared counter, which is what real time is here. Names of operations and texts must
 * live until the history is closed.
 *
 * FORESEE_HISTORY=FILE: foresee_history_close also writes the history to FILE, as JSON lines.
 * FORESEE=PROGRAM: the checker to run; "foresee" unless told. */
#ifndef FORESEE_HISTORY_H
#define FORESEE_HISTORY_H

#include "foresee/mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `object` is what --object of `foresee lin` takes: "register", "queue", "./mine.so". NULL if
 * there is no memory: nothing is recorded then. */
foresee_history *foresee_history_open(const char *object);
/* The initial value, as --init takes it; may be left out. */
void foresee_history_init(foresee_history *h, const char *value);

/* Runs the checker on what was recorded. Its report goes to standard output. Returns its
 * exit status: 0 linearizable, 1 not, 3 unknown; 2 or -1 if it could not tell. */
int foresee_history_check(foresee_history *h);
/* Writes it as JSON lines; 0 on success, else errno. */
int foresee_history_write(foresee_history *h, const char *path);
/* Also writes FORESEE_HISTORY, if that is set. */
void foresee_history_close(foresee_history *h);
/* When the program exits: check, and if it is not linearizable, end with status 1. */
void foresee_history_check_at_exit(foresee_history *h);

#ifdef __cplusplus
}
#endif

#endif
