/* What instrumented code calls in place of the functions of the same name, those functions
 * themselves, and how each of them records what it does. */
#ifndef FORE_C_SYNC_H
#define FORE_C_SYNC_H

#include "capture/c/calls.h"
#include "capture/c/runtime/rt.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define X(name, params, args) int foresee_rt_##name params;
#define V(name, params, args) void foresee_rt_##name params;
FORE_C_CALLS(X, V)
#undef X
#undef V

/* The library's own, also when the program's symbols of these names are the runtime's. */
struct fore_rt_real {
#define X(name, params, args) int(*name) params;
#define V(name, params, args) void(*name) params;
    FORE_C_CALLS(X, V)
#undef X
#undef V
};
extern struct fore_rt_real fore_rt_real;

/* Static variables of C++: of the object that says whether one is made. */
int foresee_rt___cxa_guard_acquire(char *guard);
void foresee_rt___cxa_guard_release(char *guard);
void foresee_rt___cxa_guard_abort(char *guard);

/* ---- op.c: one operation ---- */

struct fore_rt_op {
    struct fore_ring_record *record;
    struct fore_rt_object *object;
};

enum {
    FORE_RT_LOCK = FORE_RING_OBJ_LOCK,
    FORE_RT_RW = FORE_RING_OBJ_RW,
    FORE_RT_SPIN = FORE_RING_OBJ_HIDDEN
};

/* A record of one unit {a, b}, on the object of kind `of` at the address, if there is one. */
struct fore_rt_op fore_rt_op_put(unsigned kind, unsigned flags, const void *address,
                                 unsigned of, unsigned object_flags, bool ticket,
                                 uint64_t a, uint64_t b);
/* About to wait; then fore_rt_op_finish, which returns `failed`. */
struct fore_rt_op fore_rt_op_wait(unsigned kind, const void *address, unsigned of,
                                  unsigned object_flags, uint64_t a);
int fore_rt_op_finish(struct fore_rt_op op, int failed);
/* The same, for an operation whose second operand is known only now. */
int fore_rt_op_finish_with(struct fore_rt_op op, int failed, uint64_t b);
/* Done at once. */
void fore_rt_op_done(unsigned kind, unsigned flags, const void *address, unsigned of,
                     unsigned object_flags, uint64_t a);

#endif
