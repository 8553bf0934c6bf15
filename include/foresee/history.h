/* Records what threads ask of an object and what it answers, and asks `foresee lin` whether
 * the object behaved as if one operation had happened at a time.
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

#include <stdint.h>

#include "foresee/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foresee_history foresee_history;
typedef struct foresee_call foresee_call;

/* `object` is what --object of `foresee lin` takes: "register", "queue", "./mine.so". */
foresee_history *foresee_history_open(const char *object);
/* The initial value, as --init takes it; may be left out. */
void foresee_history_init(foresee_history *h, const char *value);

/* About to begin. Never NULL: when memory runs out, the call is not recorded, and
 * foresee_history_check says so. An operation of kv takes its key first. */
foresee_call *foresee_invoke_values(foresee_history *h, const char *operation, unsigned n,
                                    const struct foresee_value *args); /* n at most 3 */
static inline foresee_call *foresee_invoke(foresee_history *h, const char *operation,
                                           struct foresee_value arg);
/* Has ended, in whatever thread. A call without an end may or may not have happened. */
void foresee_return(foresee_call *c, struct foresee_value result);
void foresee_fail(foresee_call *c); /* it certainly did not happen */

/* Runs the checker on what was recorded. Its report goes to standard output. Returns its
 * exit status: 0 linearizable, 1 not, 3 unknown; 2 or -1 if it could not tell. */
int foresee_history_check(foresee_history *h);
/* Writes it as JSON lines; 0 on success, else errno. */
int foresee_history_write(foresee_history *h, const char *path);
/* Also writes FORESEE_HISTORY, if that is set. */
void foresee_history_close(foresee_history *h);
/* When the program exits: check, and if it is not linearizable, end with status 1. */
void foresee_history_check_at_exit(foresee_history *h);

/* Values. */
static inline struct foresee_value foresee_nothing(void)
{
    struct foresee_value v = {FORESEE_ANY, 0, "", 0, NULL};
    return v;
}

static inline struct foresee_value foresee_nil(void)
{
    struct foresee_value v = {FORESEE_NIL, 0, "", 0, NULL};
    return v;
}

static inline struct foresee_value foresee_int(int64_t i)
{
    struct foresee_value v = {FORESEE_INT, i, "", 0, NULL};
    return v;
}

static inline struct foresee_value foresee_bool(int truth)
{
    struct foresee_value v = {FORESEE_BOOL, truth != 0, "", 0, NULL};
    return v;
}

static inline struct foresee_value foresee_text(const char *s, size_t n)
{
    struct foresee_value v = {FORESEE_TEXT, 0, s, n, NULL};
    return v;
}

static inline foresee_call *foresee_invoke(foresee_history *h, const char *operation,
                                           struct foresee_value arg)
{
    return foresee_invoke_values(h, operation, arg.kind != FORESEE_ANY, &arg);
}

#ifdef __cplusplus
}
#endif

#endif
