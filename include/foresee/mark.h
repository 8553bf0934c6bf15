/* Marks what a program asks of an object and what it answers, so that foresee can judge whether
 * the object behaved as if one operation had happened at a time (linearizability).
 *
 *     static foresee_history *queue;
 *     ...
 *     queue = foresee_object("queue");
 *     ...in any thread:
 *     foresee_call *c = foresee_invoke(queue, "enqueue", foresee_int(7));
 *     enqueue(q, 7);
 *     foresee_return(c, foresee_nothing());
 *
 *     c = foresee_invoke(queue, "dequeue", foresee_nothing());
 *     int v = dequeue(q);
 *     foresee_return(c, v < 0 ? foresee_nil() : foresee_int(v));
 *
 * Built with `foresee cc`, the operations are part of what `foresee run` and `foresee record`
 * see. Linked with libforesee-history (foresee/history.h), the program can check itself.
 * Otherwise nothing records, the object is NULL, and a mark costs the look at a pointer: the
 * header needs no library. */
#ifndef FORESEE_MARK_H
#define FORESEE_MARK_H

#include <stdint.h>

#include "foresee/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foresee_history foresee_history; /* what happened to one object */
typedef struct foresee_call foresee_call;

/* The runtime that records defines these; programs use what is below. */
#define FORESEE_IF_RECORDED __attribute__((weak))
foresee_history *foresee_mark_open(const char *object) FORESEE_IF_RECORDED;
foresee_call *foresee_mark_invoke(foresee_history *h, const char *operation, unsigned n,
                                  const struct foresee_value *args, const char *file,
                                  unsigned line) FORESEE_IF_RECORDED;
void foresee_mark_return(foresee_call *c,
                         const struct foresee_value *result) FORESEE_IF_RECORDED;
void foresee_mark_fail(foresee_call *c) FORESEE_IF_RECORDED;

/* NULL if nobody records. `object` is its name, best that of what it should behave like:
 * "register", "queue" ... (see `foresee lin --object`). */
static inline foresee_history *foresee_object(const char *object)
{
    return foresee_mark_open ? foresee_mark_open(object) : NULL;
}

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

/* About to begin; NULL if it is not recorded, which is fine below. Names of operations and
 * texts must live as long as the program, or until the history is closed. */
#define foresee_invoke(h, operation, arg)                                                \
    foresee_mark_one((h), (operation), (arg), __FILE__, __LINE__)
/* With several arguments, at most 3. An operation of kv takes its key first. */
#define foresee_invoke_values(h, operation, n, args)                                     \
    foresee_mark_many((h), (operation), (n), (args), __FILE__, __LINE__)

static inline foresee_call *foresee_mark_many(foresee_history *h, const char *operation,
                                              unsigned n,
                                              const struct foresee_value *args,
                                              const char *file, unsigned line)
{
    return h ? foresee_mark_invoke(h, operation, n, args, file, line) : NULL;
}

static inline foresee_call *foresee_mark_one(foresee_history *h, const char *operation,
                                             struct foresee_value arg, const char *file,
                                             unsigned line)
{
    return foresee_mark_many(h, operation, arg.kind != FORESEE_ANY, &arg, file, line);
}

/* Has ended, in whatever thread. A call without an end may or may not have happened. */
static inline void foresee_return(foresee_call *c, struct foresee_value result)
{
    if (c)
        foresee_mark_return(c, &result);
}

static inline void foresee_fail(foresee_call *c) /* it certainly did not happen */
{
    if (c)
        foresee_mark_fail(c);
}

#ifdef __cplusplus
}
#endif

#endif
