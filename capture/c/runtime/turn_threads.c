/* The library's calls that wait for other threads as such, done by turns: barriers, what runs once,
 * join; and cancellation. Locks and conditions are in turn_calls.c. */
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn_calls.h"

#include <errno.h>

/* ---- barriers, once ---- */

static int init_barrier(pthread_barrier_t *b, const pthread_barrierattr_t *a,
                        unsigned count)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    fore_turn_forget(b);
    if (a)
        pthread_barrierattr_getpshared(a, &shared);
    if (shared == PTHREAD_PROCESS_PRIVATE)
        fore_turn_barrier(b, count);
    return fore_turn_native.pthread_barrier_init(b, a, count);
}

static int destroy_barrier(pthread_barrier_t *b)
{
    fore_turn_forget(b);
    return fore_turn_native.pthread_barrier_destroy(b);
}

static int wait_barrier(pthread_barrier_t *b)
{
    bool last;
    if (!fore_turn_self() || !fore_turn_knows_barrier(b)) {
        fore_turn_leave();
        int status = fore_turn_native.pthread_barrier_wait(b);
        fore_turn_back();
        return status;
    }
    fore_turn_point(fore_turn_op_on(FORE_OP_arrive, b));
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_barrier, b);
    op.number = fore_turn_arrive(b, &last);
    fore_turn_point(op);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static void once_over(void *control)
{
    fore_turn_once(control, false);
}

static int run_once(pthread_once_t *control, void (*run)(void))
{
    int status;
    fore_turn_point(fore_turn_op_on(FORE_OP_enter, control));
    fore_turn_once(control, true);
    pthread_cleanup_push(once_over, control);
    status = fore_turn_native.pthread_once(control, run);
    pthread_cleanup_pop(1);
    fore_turn_point(fore_turn_op_on(
        FORE_OP_once, control)); /* recorded, and counted, when it has run */
    return status;
}

static void run_call_once(once_flag *flag, void (*run)(void))
{
    fore_turn_point(fore_turn_op_on(FORE_OP_enter, flag));
    fore_turn_once(flag, true);
    pthread_cleanup_push(once_over, flag);
    fore_turn_native.call_once(flag, run);
    pthread_cleanup_pop(1);
    fore_turn_point(fore_turn_op_on(FORE_OP_once, flag));
}

/* ---- threads ---- */

static bool wait_for_end(pthread_t handle, uint64_t deadline)
{
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_join, NULL);
    op.whom = fore_turn_known((unsigned long)handle);
    op.deadline = deadline;
    if (!op.whom)
        return false;
    op.address = op.whom;
    fore_turn_point(op);
    return true;
}

static int join_thread(pthread_t t, void **result)
{
    bool known = fore_turn_self() && wait_for_end(t, FORE_TURN_NEVER);
    if (!known)
        fore_turn_leave();
    int status = fore_turn_native.pthread_join(t, result);
    if (!known)
        fore_turn_back();
    else if (!status)
        fore_turn_gone((unsigned long)t);
    return status;
}

static int join_thrd(thrd_t t, int *result)
{
    bool known = fore_turn_self() && wait_for_end(t, FORE_TURN_NEVER);
    if (!known)
        fore_turn_leave();
    int status = fore_turn_native.thrd_join(t, result);
    if (!known)
        fore_turn_back();
    else if (status == thrd_success)
        fore_turn_gone((unsigned long)t);
    return status;
}

/* A thread that takes no more turns ends at once. */
static int join_if_over(pthread_t t, void **result, uint64_t deadline, int busy)
{
    struct fore_turn_thread *me = fore_turn_self();
    if (!me || !wait_for_end(t, deadline))
        return fore_turn_native.pthread_tryjoin_np(t, result);
    if (me->timed_out)
        return busy;
    fore_turn_gone((unsigned long)t);
    return fore_turn_native.pthread_join(t, result);
}

static int try_join(pthread_t t, void **result)
{
    return join_if_over(t, result, 0, EBUSY);
}

static int timed_join(pthread_t t, void **result, const struct timespec *until)
{
    return join_if_over(t, result, fore_turn_until(CLOCK_REALTIME, until), ETIMEDOUT);
}

/* The thread to be cancelled waits for its turn, where it cannot be: it is let go, and ends when it has the turn. */
static int cancel_thread(pthread_t t)
{
    struct fore_turn_thread *whom = fore_turn_known((unsigned long)t);
    fore_turn_point(fore_turn_op_on(FORE_OP_yield, whom));
    int status = fore_turn_native.pthread_cancel(t);
    if (!status && whom)
        whom->cancelled = true;
    return status;
}

void fore_turn_cancelled(struct fore_turn_thread *t)
{
    t->cancelled = false;
    pthread_testcancel();
}

/* ---- all of them ---- */

void fore_turn_thread_calls_start(void)
{
#define DO(name, ours) fore_rt_real.name = ours;
    DO(pthread_barrier_init, init_barrier)
    DO(pthread_barrier_wait, wait_barrier)
    DO(pthread_barrier_destroy, destroy_barrier)
    DO(pthread_once, run_once)
    DO(call_once, run_call_once)
    DO(pthread_join, join_thread)
    DO(pthread_tryjoin_np, try_join)
    DO(pthread_timedjoin_np, timed_join)
    DO(thrd_join, join_thrd)
    DO(pthread_cancel, cancel_thread)
#undef DO
}
