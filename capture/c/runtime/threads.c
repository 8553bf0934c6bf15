/* Threads of pthread and of C11, from their creation to their end. */
#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/libc.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "C11 threads are pthreads");

/* ---- numbers of threads ---- */

struct known {
    struct known *after;
    pthread_t handle;
    uint32_t number; /* 0: free */
    bool alone;      /* it cannot be joined, or it has ended */
};

static struct {
    uint32_t lock;
    struct known *first;
} threads;

/* With threads.lock held. */
static struct known *find_thread(pthread_t handle)
{
    struct known *k = threads.first;
    while (k && !(k->number && pthread_equal(k->handle, handle)))
        k = k->after;
    return k;
}

static struct known *unused(void)
{
    struct known *k = threads.first;
    while (k && k->number)
        k = k->after;
    if (!k && (k = calloc(1, sizeof *k))) {
        k->after = threads.first;
        threads.first = k;
    }
    return k;
}

/* With threads.lock held. A handle comes again when its thread is gone. */
static void remember(pthread_t handle, uint32_t number, bool alone)
{
    struct known *k = find_thread(handle);
    if (!k)
        k = unused();
    if (k) {
        k->handle = handle;
        k->number = number;
        k->alone = alone;
    }
}

static uint32_t number_of(pthread_t handle)
{
    fore_rt_spin(&threads.lock);
    struct known *k = find_thread(handle);
    uint32_t found = k ? k->number : 0;
    fore_rt_unspin(&threads.lock);
    return found;
}

/* Forgets the handle of a thread that cannot be joined any more: the library may reuse it. */
static void forget(pthread_t handle, uint32_t number)
{
    fore_rt_spin(&threads.lock);
    struct known *k = find_thread(handle);
    if (k && k->number == number)
        k->number = 0;
    fore_rt_unspin(&threads.lock);
}

static void note_end(void)
{
    fore_rt_spin(&threads.lock);
    struct known *k = find_thread(pthread_self());
    if (k && k->number == foresee_rt_self.number)
        k->alone = true;
    fore_rt_unspin(&threads.lock);
}

bool fore_rt_threads_await(void)
{
    fore_rt_spin(&threads.lock);
    const struct known *k = threads.first;
    while (k && (!k->number || k->alone || k->number == foresee_rt_self.number))
        k = k->after;
    fore_rt_unspin(&threads.lock);
    return k;
}

void fore_rt_threads_forget(void)
{
    threads.lock = 0;
    for (struct known *k = threads.first; k; k = k->after)
        k->number = 0;
}

/* Notes the first thread, which no other one created. */
void fore_rt_threads_begin(void)
{
    fore_rt_spin(&threads.lock);
    remember(pthread_self(), foresee_rt_self.number, false);
    fore_rt_unspin(&threads.lock);
}

/* ---- begin and end ---- */

struct thread_start {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    uint32_t number, name;
    struct fore_turn_thread *turn;
    sigset_t mask; /* the signals that it blocks at its beginning */
};

/* A thread that begins blocks signals until its beginning is recorded, because a handler would
 * otherwise do something before the thread exists in the trace. Signals for its own faults are
 * not blocked. */
static void hold_signals(sigset_t *held, sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigfillset(held);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(held, own[i]);
    pthread_sigmask(SIG_BLOCK, held, before);
}

enum { ROUNDS = 3 }; /* rounds of destructors; there are at least four */
static pthread_key_t last;
static bool has_last;

static void ended(void)
{
    note_end();
    fore_rt_end_thread();
    fore_rt_block_stack_gone(foresee_rt_self.stack, foresee_rt_self.stack_size);
    fore_turn_end();
}

/* Called when the thread's function is over, also if it was cancelled or left by pthread_exit. */
static void left(void *unused_argument)
{
    (void)unused_argument;
    fore_rt_abandon();
    if (!has_last)
        ended();
}

/* Called after the thread's own variables are destroyed, and those of keys in the same round. */
static void come_last(void *rounds)
{
    uintptr_t n = (uintptr_t)rounds - 1;
    if (!n || pthread_setspecific(last, (void *)n))
        ended();
}

/* For the first thread, if it leaves by pthread_exit; otherwise this is not called for it. */
__attribute__((constructor(103))) static void make_last(void)
{
    has_last = pthread_key_create(&last, come_last) == 0;
    if (has_last)
        pthread_setspecific(last, (void *)(uintptr_t)ROUNDS);
}

void fore_rt_thread_taken_in(void)
{
    if (has_last)
        pthread_setspecific(last, (void *)(uintptr_t)ROUNDS);
}

/* Nothing that the program could notice may come before the thread has its turn: even freeing
 * memory makes an arena for the thread, and moves the next thread's stack. */
static void begun(const struct thread_start *s)
{
    fore_turn_begin(s->turn);
    fore_rt_begin_thread(s->number);
    fore_rt_thread_taken_in();
    pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}

static void *trampoline(void *argument)
{
    struct thread_start s = *(struct thread_start *)argument;
    void *result = NULL;
    begun(&s);
    free(argument);
    pthread_cleanup_push(left, NULL);
    result = s.run(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

static int trampoline_c11(void *argument)
{
    struct thread_start s = *(struct thread_start *)argument;
    int result = 0;
    begun(&s);
    free(argument);
    pthread_cleanup_push(left, NULL);
    result = s.run_c11(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

/* The string of the function that the next thread begins with; 0: not known. */
static uint32_t start_name(void)
{
    const char *name = foresee_rt_starts;
    struct fore_rt_thread *t = name ? fore_rt_enter() : NULL;
    foresee_rt_starts = NULL;
    if (!t)
        return 0;
    uint32_t id = fore_rt_text(t, name, strlen(name));
    fore_rt_leave(t);
    return id;
}

static struct thread_start *start_of(void *(*run)(void *), int (*run_c11)(void *),
                                     void *argument)
{
    struct thread_start *s = fore_rt_on() ? malloc(sizeof *s) : NULL;
    if (!s)
        return NULL;
    if (!foresee_rt_starts)
        foresee_rt_starts =
            fore_rt_function_name(run ? (uintptr_t)run : (uintptr_t)run_c11);
    const char *routine = foresee_rt_starts;
    uint32_t name = start_name();
    fore_turn_at(FORE_OP_create, NULL);
    *s = (struct thread_start){.run = run,
                               .run_c11 = run_c11,
                               .argument = argument,
                               .number = fore_rt_new_thread(),
                               .name = name,
                               .turn = fore_turn_create(routine)};
    return s;
}

/* Recorded before the thread begins, because it may fill the disk, and without its creation none
 * of its records could be placed. If it cannot be created, the trace has a thread that did
 * nothing. */
static void put_creation(const struct thread_start *s)
{
    fore_rt_op_put(FORE_RING_SIGNAL, FORE_RING_DONE, NULL, 0, 0, false, s->number,
                   s->name);
}

/* Does the thread count as detached? So does one that a library not built by foresee keeps, such
 * as a thread of a pool, for which no thread waits at the end. */
static bool begins_detached(const pthread_attr_t *a)
{
    int state = PTHREAD_CREATE_JOINABLE;
    return a && !pthread_attr_getdetachstate(a, &state) &&
           state == PTHREAD_CREATE_DETACHED;
}

/* Call it with threads.lock held, so that no other thread creates one with the same attributes,
 * which may say which signals the thread blocks. */
static int create_holding(pthread_t *t, const pthread_attr_t *a, struct thread_start *s)
{
    pthread_attr_t *with = (pthread_attr_t *)a;
    sigset_t held, before, own;
    hold_signals(&held, &before);
    s->mask = before;
    bool has_own = a && !pthread_attr_getsigmask_np(a, &own);
    if (has_own) {
        s->mask = own;
        pthread_attr_setsigmask_np(with, &held);
    }
    int failed = fore_rt_real.pthread_create(t, a, trampoline, s);
    if (has_own)
        pthread_attr_setsigmask_np(with, &own);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static int create_holding_c11(thrd_t *t, struct thread_start *s)
{
    sigset_t held, before;
    hold_signals(&held, &before);
    s->mask = before;
    int status = fore_rt_real.thrd_create(t, trampoline_c11, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* The thread's number is entered before any thread can join it. */
int foresee_rt_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *),
                              void *arg)
{
    struct fore_c_site *site = fore_rt_site();
    struct thread_start *s = start_of(run, NULL, arg);
    if (!s)
        return fore_rt_real.pthread_create(t, a, run, arg);
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    put_creation(s);
    uint32_t number = s->number;
    struct fore_turn_thread *turn = s->turn;
    fore_rt_spin(&threads.lock);
    int failed = create_holding(t, a, s);
    if (!failed)
        remember(*t, number, begins_detached(a) || !site);
    fore_rt_unspin(&threads.lock);
    if (failed)
        free(s);
    else
        foresee_rt_libc_end("w0=8", (const uint64_t[]){(uintptr_t)t}, 0, site);
    fore_rt_called_done(fore_rt_self(), outermost);
    fore_turn_made(turn, failed ? 0 : (unsigned long)*t);
    return failed;
}

int foresee_rt_thrd_create(thrd_t *t, int (*run)(void *), void *arg)
{
    struct fore_c_site *site = fore_rt_site();
    struct thread_start *s = start_of(NULL, run, arg);
    if (!s)
        return fore_rt_real.thrd_create(t, run, arg);
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    put_creation(s);
    uint32_t number = s->number;
    struct fore_turn_thread *turn = s->turn;
    fore_rt_spin(&threads.lock);
    int status = create_holding_c11(t, s);
    if (status == thrd_success)
        remember(*t, number, !site);
    fore_rt_unspin(&threads.lock);
    if (status != thrd_success)
        free(s);
    fore_rt_called_done(fore_rt_self(), outermost);
    fore_turn_made(turn, status != thrd_success ? 0 : (unsigned long)*t);
    return status;
}

/* ---- join and detach ---- */

static struct fore_rt_op joining(uint32_t number)
{
    if (!number)
        return (struct fore_rt_op){0};
    return fore_rt_op_put(FORE_RING_JOIN, 0, NULL, 0, 0, false, number, 0);
}

static uint32_t watched(pthread_t t)
{
    return fore_rt_on() ? number_of(t) : 0;
}

static int joined(pthread_t t, uint32_t number, struct fore_rt_op op, int failed)
{
    if (!failed && number)
        forget(t, number);
    return fore_rt_op_finish(op, failed);
}

int foresee_rt_pthread_join(pthread_t t, void **result)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    uint32_t number = watched(t);
    struct fore_rt_op op = joining(number);
    return joined(t, number, op, fore_rt_real.pthread_join(t, result));
}

int foresee_rt_thrd_join(thrd_t t, int *result)
{
    FORE_RT_CALLED(fore_rt_self(), fore_rt_site());
    uint32_t number = watched(t);
    struct fore_rt_op op = joining(number);
    int status = fore_rt_real.thrd_join(t, result);
    joined(t, number, op, status != thrd_success);
    return status;
}

/* Joined only if the thread has ended in time: otherwise nothing happened, and nothing is
 * recorded. */
int foresee_rt_pthread_tryjoin_np(pthread_t t, void **result)
{
    uint32_t number = watched(t);
    int failed = fore_rt_real.pthread_tryjoin_np(t, result);
    return failed ? failed : joined(t, number, joining(number), 0);
}

int foresee_rt_pthread_timedjoin_np(pthread_t t, void **result,
                                    const struct timespec *until)
{
    uint32_t number = watched(t);
    int failed = fore_rt_real.pthread_timedjoin_np(t, result, until);
    return failed ? failed : joined(t, number, joining(number), 0);
}

int foresee_rt_pthread_detach(pthread_t t)
{
    fore_turn_gone((unsigned long)t);
    uint32_t number = watched(t);
    if (number)
        forget(t, number);
    return fore_rt_real.pthread_detach(t);
}

/* The cancelled thread may leave whatever it waits for. */
int foresee_rt_pthread_cancel(pthread_t t)
{
    if (fore_rt_on() && !fore_rt_self()->inside)
        fore_rt_outside(FORE_RT_THING_CANCELLATION, 0, FORE_RING_OUT, fore_rt_site());
    return fore_rt_real.pthread_cancel(t);
}

int foresee_rt_thrd_detach(thrd_t t)
{
    fore_turn_gone((unsigned long)t);
    uint32_t number = watched(t);
    if (number)
        forget(t, number);
    return fore_rt_real.thrd_detach(t);
}

/* ---- names ---- */

/* Records the thread's name, which replaces the one that it had before. */
static void put_name(uint32_t number, const char *name)
{
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return;
    size_t n = strlen(name), units = (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
    struct fore_ring_record *r = fore_rt_take(t, units);
    memset(r + 1, 0, units * FORE_RING_RECORD);
    memcpy(r + 1, name, n);
    fore_rt_put(t, r, 0, number,
                FORE_RING_WORD(FORE_RING_DEF_THREAD, FORE_RING_DONE, units, n));
    fore_rt_leave(t);
}

/* The library has accepted the name, so it is short. */
int foresee_rt_pthread_setname_np(pthread_t t, const char *name)
{
    /* although it cannot be joined any more */
    bool own = pthread_equal(t, pthread_self());
    uint32_t number = own && fore_rt_on() ? foresee_rt_self.number : watched(t);
    int failed = fore_rt_real.pthread_setname_np(t, name);
    if (!failed && number)
        put_name(number, name);
    if (!failed)
        fore_turn_name(t, own, name);
    return failed;
}
