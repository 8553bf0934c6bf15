/* Calls of OpenMP's library that come here instead: locks and critical sections, done by turns
 * and recorded as locks are, and the few that order threads without the tool being told. */
#include "capture/c/openmp.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/know.h"
#include "capture/c/runtime/openmp.h"
#include "capture/c/runtime/shadow.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

#define X(name, params, args)                                                            \
    __attribute__((weak)) int name params;                                               \
    int foresee_rt_##name params;
#define V(name, params, args)                                                            \
    __attribute__((weak)) void name params;                                              \
    void foresee_rt_##name params;
#define P(name, params, args)                                                            \
    __attribute__((weak)) void *name params;                                             \
    void *foresee_rt_##name params;
FORE_C_OPENMP(X, V, P)
#undef X
#undef V
#undef P

/* ---- locks ---- */

enum { SPINS = 2, RETURNS_TO_OWNER = 3 }; /* see can_lock in turn_objects.c */

static void wait_for_turn(const void *l, unsigned kind, unsigned number)
{
    if (fore_turn_on())
        fore_turn_point((struct fore_turn_op){.kind = (uint16_t)kind,
                                              .address = l,
                                              .number = number,
                                              .site = fore_rt_site(),
                                              .deadline = FORE_TURN_NEVER});
}

static void took_lock(const void *l)
{
    if (fore_turn_on())
        fore_turn_took(l, true);
}

static void about_to_give(const void *l, unsigned flags)
{
    fore_turn_at(FORE_OP_unlock, l);
    fore_rt_op_done(FORE_RING_UNLOCK, 0, l, FORE_RT_LOCK, flags, 0);
}

static void gave_lock(const void *l)
{
    if (fore_turn_on())
        fore_turn_gave(l);
}

static void forget_lock(const void *l)
{
    if (fore_turn_on())
        fore_turn_forget(l);
    fore_rt_forget(l, FORE_RT_LOCK);
}

#define LOCK(l, flags, number, call)                                                     \
    do {                                                                                 \
        FORE_RT_CALLED(fore_rt_self(), fore_rt_site());                                  \
        struct fore_rt_op op =                                                           \
            fore_rt_op_wait(FORE_RING_LOCK, (l), FORE_RT_LOCK, (flags), 0);              \
        wait_for_turn((l), FORE_OP_lock, (number));                                      \
        (call);                                                                          \
        took_lock(l);                                                                    \
        fore_rt_op_finish(op, 0);                                                        \
    } while (0)

#define UNLOCK(l, flags, call)                                                           \
    do {                                                                                 \
        about_to_give((l), (flags));                                                     \
        (call);                                                                          \
        gave_lock(l);                                                                    \
    } while (0)

static int tried(int got, const void *l, unsigned flags)
{
    if (got)
        took_lock(l);
    fore_rt_op_done(FORE_RING_TRYLOCK, got ? 0 : FORE_RING_BUSY, l, FORE_RT_LOCK, flags,
                    0);
    return got;
}

void foresee_rt_omp_init_lock(void *l)
{
    forget_lock(l);
    omp_init_lock(l);
}

void foresee_rt_omp_init_lock_with_hint(void *l, int hint)
{
    forget_lock(l);
    omp_init_lock_with_hint(l, hint);
}

void foresee_rt_omp_destroy_lock(void *l)
{
    forget_lock(l);
    omp_destroy_lock(l);
}

void foresee_rt_omp_set_lock(void *l)
{
    LOCK(l, 0, SPINS, omp_set_lock(l));
}

void foresee_rt_omp_unset_lock(void *l)
{
    UNLOCK(l, 0, omp_unset_lock(l));
}

int foresee_rt_omp_test_lock(void *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    wait_for_turn(l, FORE_OP_trylock, SPINS);
    return tried(omp_test_lock(l), l, 0);
}

void foresee_rt_omp_init_nest_lock(void *l)
{
    forget_lock(l);
    omp_init_nest_lock(l);
}

void foresee_rt_omp_init_nest_lock_with_hint(void *l, int hint)
{
    forget_lock(l);
    omp_init_nest_lock_with_hint(l, hint);
}

void foresee_rt_omp_destroy_nest_lock(void *l)
{
    forget_lock(l);
    omp_destroy_nest_lock(l);
}

void foresee_rt_omp_set_nest_lock(void *l)
{
    LOCK(l, FORE_RING_OBJ_RECURSIVE, RETURNS_TO_OWNER, omp_set_nest_lock(l));
}

void foresee_rt_omp_unset_nest_lock(void *l)
{
    UNLOCK(l, FORE_RING_OBJ_RECURSIVE, omp_unset_nest_lock(l));
}

int foresee_rt_omp_test_nest_lock(void *l)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    wait_for_turn(l, FORE_OP_trylock, RETURNS_TO_OWNER);
    return tried(omp_test_nest_lock(l), l, FORE_RING_OBJ_RECURSIVE);
}

void foresee_rt___kmpc_critical(void *at, int who, void *l)
{
    LOCK(l, 0, SPINS, __kmpc_critical(at, who, l));
}

void foresee_rt___kmpc_critical_with_hint(void *at, int who, void *l, unsigned hint)
{
    LOCK(l, 0, SPINS, __kmpc_critical_with_hint(at, who, l, hint));
}

void foresee_rt___kmpc_end_critical(void *at, int who, void *l)
{
    UNLOCK(l, 0, __kmpc_end_critical(at, who, l));
}

/* ---- order of which the tool is not told, or not where it counts ---- */

static const char in_order, flushed, across; /* one thing for all teams */

void foresee_rt___kmpc_ordered(void *at, int who)
{
    fore_rt_openmp_leave();
    __kmpc_ordered(at, who);
    fore_rt_openmp_back();
    fore_rt_openmp_in((uint64_t)(uintptr_t)&in_order);
}

void foresee_rt___kmpc_end_ordered(void *at, int who)
{
    fore_rt_openmp_out((uint64_t)(uintptr_t)&in_order);
    __kmpc_end_ordered(at, who);
}

/* A thread that is told to add up does so alone, between this call and the end; the library, in
 * a function that is not watched, makes sure that the parts of the others are there. */
static int adds_up(int how, const void *l)
{
    if (how == 1)
        fore_rt_openmp_in((uint64_t)(uintptr_t)l);
    return how;
}

int foresee_rt___kmpc_reduce(void *at, int who, int n, size_t size, void *all,
                             void (*add)(void *, void *), void *l)
{
    return adds_up(__kmpc_reduce(at, who, n, size, all, add, l), l);
}

int foresee_rt___kmpc_reduce_nowait(void *at, int who, int n, size_t size, void *all,
                                    void (*add)(void *, void *), void *l)
{
    return adds_up(__kmpc_reduce_nowait(at, who, n, size, all, add, l), l);
}

void foresee_rt___kmpc_end_reduce(void *at, int who, void *l)
{
    fore_rt_openmp_out((uint64_t)(uintptr_t)l);
    __kmpc_end_reduce(at, who, l);
}

void foresee_rt___kmpc_end_reduce_nowait(void *at, int who, void *l)
{
    fore_rt_openmp_out((uint64_t)(uintptr_t)l);
    __kmpc_end_reduce_nowait(at, who, l);
}

/* Only the library knows for which tasks it waited: all tasks that have ended by then count. */
void foresee_rt___kmpc_omp_wait_deps(void *at, int who, int n, void *on, int m,
                                     void *other)
{
    fore_rt_openmp_leave();
    __kmpc_omp_wait_deps(at, who, n, on, m, other);
    fore_rt_openmp_back();
    fore_rt_openmp_tasks();
}

void foresee_rt___kmpc_doacross_post(void *at, int who, const long long *v)
{
    fore_rt_openmp_out((uint64_t)(uintptr_t)&across);
    __kmpc_doacross_post(at, who, v);
}

void foresee_rt___kmpc_doacross_wait(void *at, int who, const long long *v)
{
    fore_rt_openmp_leave();
    __kmpc_doacross_wait(at, who, v);
    fore_rt_openmp_back();
    fore_rt_openmp_in((uint64_t)(uintptr_t)&across);
}

void foresee_rt___kmpc_flush(void *at)
{
    fore_rt_openmp_in((uint64_t)(uintptr_t)&flushed);
    fore_rt_openmp_out((uint64_t)(uintptr_t)&flushed);
    __kmpc_flush(at);
}

/* ---- the memory of tasks ---- */

static void renew(char *p, size_t n)
{
    if (p && fore_rt_on() && !fore_rt_self()->inside)
        fore_rt_shadow_reset(p, n);
}

/* The library hands out the memory of tasks that are over again, to any thread. */
void *foresee_rt___kmpc_omp_task_alloc(void *at, int who, int flags, size_t n,
                                       size_t shared, void *run)
{
    struct task {
        char *shared; /* what the task shares with others, behind its own */
    } *t = __kmpc_omp_task_alloc(at, who, flags, n, shared, run);
    if (t) {
        renew((char *)t, n);
        if (shared)
            renew(t->shared, shared);
    }
    return t;
}
