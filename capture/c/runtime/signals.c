/* Signal handlers: a handler's operations come after the sending of the signal. A handler of the
 * runtime calls the program's and records that; a program that asks for its handler gets its
 * own.
 *
 * A signal that arrives while the runtime is at work is handled a moment later, when the runtime
 * is done, so that the handler is recorded, too. The kernel is not asked for help, because
 * programs may have given up the system calls that it takes. */
#include "capture/c/runtime/signals.h"
#include "capture/c/runtime/crash.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/turn.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

/* The program's handler. Without one, the kernel has the signal's disposition. */
typedef void handler(void); /* either of the two kinds */
static struct {
    handler *function; /* NULL: the runtime's handler is not installed */
    bool plain;        /* it takes only the signal's number */
    bool again;        /* its own signal may interrupt it */
    bool at_once;      /* it runs on a stack of its own, or only once */
    sigset_t mask;     /* signals that are blocked meanwhile */
} handlers[NSIG];

static void run_handler(int number, siginfo_t *info, void *context)
{
    handler *f = __atomic_load_n(&handlers[number].function, __ATOMIC_ACQUIRE);
    if (fore_rt_on() && !fore_rt_self()->inside && !fore_rt_self()->over)
        fore_rt_outside(FORE_RT_THING_SIGNALS, 0, FORE_RING_IN, NULL);
    if (handlers[number].plain)
        ((void (*)(int))f)(number);
    else
        ((void (*)(int, siginfo_t *, void *))f)(number, info, context);
}

/* ---- handlers that wait until the runtime is done ---- */

/* Those of all threads. */
static struct late {
    const struct fore_rt_thread *of; /* NULL: free */
    uint32_t order;
    int number;
    siginfo_t info;
    ucontext_t context;
} late[64];
enum { MOST_LATE = sizeof late / sizeof *late };

/* Signals that the late handler blocks. */
static FORE_RT_OWN uint64_t held_back;

static uint64_t bit_of(int number)
{
    return (uint64_t)1 << (number - 1);
}

/* Signals of the old kind do not queue: a waiting one stands for all that arrive meanwhile. */
static bool is_there_already(const struct fore_rt_thread *t, int number)
{
    for (unsigned i = 0; i < MOST_LATE && number < SIGRTMIN; i++)
        if (__atomic_load_n(&late[i].of, __ATOMIC_ACQUIRE) == t &&
            late[i].number == number)
            return true;
    return false;
}

static bool put_off(int number, const siginfo_t *info, const void *context)
{
    static FORE_RT_OWN uint32_t order;
    struct fore_rt_thread *t = fore_rt_self();
    bool held = number <= 64 && held_back & bit_of(number);
    if (!fore_rt_on() || t->over || (!t->inside && !held) ||
        fore_rt_signal_is_fault(number) || handlers[number].at_once)
        return false;
    if (is_there_already(t, number))
        return true;
    for (unsigned i = 0; i < MOST_LATE; i++) {
        const struct fore_rt_thread *nobody = NULL;
        if (!__atomic_compare_exchange_n(&late[i].of, &nobody, t, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        late[i].order = ++order;
        late[i].number = number;
        late[i].info = *info;
        memcpy(&late[i].context, context, sizeof late[i].context);
        __atomic_fetch_or(&t->left_to_do, (uint8_t)FORE_RT_SIGNALLED, __ATOMIC_RELAXED);
        return true;
    }
    return false;
}

/* The thread's first signal that is not blocked. */
static struct late *next_late(const struct fore_rt_thread *t)
{
    struct late *first = NULL;
    for (unsigned i = 0; i < MOST_LATE; i++) {
        struct late *l = &late[i];
        if (__atomic_load_n(&l->of, __ATOMIC_ACQUIRE) == t &&
            !(held_back & bit_of(l->number)) && (!first || l->order < first->order))
            first = l;
    }
    return first;
}

static uint64_t mask_of(int number)
{
    uint64_t mask = handlers[number].again ? 0 : bit_of(number);
    for (int i = 1; i <= 64; i++)
        if (sigismember(&handlers[number].mask, i) == 1)
            mask |= bit_of(i);
    return mask;
}

void fore_rt_signals_run(struct fore_rt_thread *t)
{
    uintptr_t site = foresee_rt_site;
    uint64_t before = held_back;
    int why = errno;
    __atomic_fetch_and(&t->left_to_do, (uint8_t)~FORE_RT_SIGNALLED, __ATOMIC_RELAXED);
    for (struct late *l; (l = next_late(t));) {
        siginfo_t info = l->info;
        ucontext_t context = l->context;
        int number = l->number;
        held_back = before | mask_of(number);
        __atomic_store_n(&l->of, NULL, __ATOMIC_RELEASE);
        run_handler(number, &info, &context);
        held_back = before;
    }
    errno = why;
    foresee_rt_site = site;
}

void fore_rt_signals_jumped(void)
{
    held_back = 0;
    if (fore_rt_on() && fore_rt_self()->left_to_do & FORE_RT_SIGNALLED)
        fore_rt_signals_run(fore_rt_self());
}

void fore_rt_signals_forget(void)
{
    for (unsigned i = 0; i < MOST_LATE; i++)
        if (late[i].of != fore_rt_self())
            late[i].of = NULL;
        else
            fore_rt_self()->left_to_do |= FORE_RT_SIGNALLED;
}

static void arrive(int number, siginfo_t *info, void *context)
{
    bool later = fore_turn_on() ? fore_turn_put_off(number, info, context)
                                : put_off(number, info, context);
    if (!later)
        run_handler(number, info, context);
}

void fore_rt_signal_run(int number, siginfo_t *info, void *context)
{
    sigset_t mask = handlers[number].mask, before;
    if (!handlers[number].again)
        sigaddset(&mask, number);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    run_handler(number, info, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool is_function(const struct sigaction *a)
{
    return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

/* Calls the handler with the arguments that the program has asked for. */
static void give_back(handler *function, bool plain, struct sigaction *old)
{
    if (fore_rt_crash_is(old)) {
        *old = (struct sigaction){.sa_handler = SIG_DFL};
        return;
    }
    if (old->sa_sigaction != arrive || !(old->sa_flags & SA_SIGINFO))
        return;
    old->sa_handler = (void (*)(int))function;
    if (plain)
        old->sa_flags &= ~SA_SIGINFO;
}

/* Called before a signal can arrive, because a handler must not ask for memory. */
static void know_signals(void)
{
    static bool known;
    if (__atomic_exchange_n(&known, true, __ATOMIC_RELAXED))
        return;
    fore_rt_outside(FORE_RT_THING_SIGNALS, 0, FORE_RING_OUT, fore_rt_site());
}

int foresee_rt_sigaction(int number, const struct sigaction *a, struct sigaction *old)
{
    if (number <= 0 || number >= NSIG || !fore_rt_on())
        return sigaction(number, a, old);
    handler *function = handlers[number].function;
    bool plain = handlers[number].plain;
    struct sigaction ours, before;
    if (a && is_function(a)) {
        know_signals();
        ours = *a;
        handlers[number].function = (handler *)a->sa_handler;
        handlers[number].plain = !(a->sa_flags & SA_SIGINFO);
        handlers[number].again = a->sa_flags & SA_NODEFER;
        handlers[number].at_once = a->sa_flags & (SA_ONSTACK | (int)SA_RESETHAND);
        handlers[number].mask = a->sa_mask;
        ours.sa_sigaction = arrive;
        ours.sa_flags |= SA_SIGINFO;
        a = &ours;
    }
    int failed = sigaction(number, a, &before);
    if (failed) {
        handlers[number].function = function;
        handlers[number].plain = plain;
        return failed;
    }
    give_back(function, plain, &before);
    if (old)
        *old = before;
    return 0;
}

sighandler_t foresee_rt_signal(int number, sighandler_t f)
{
    struct sigaction a = {.sa_handler = f, .sa_flags = SA_RESTART}, old;
    if (!fore_rt_on())
        return signal(number, f);
    sigemptyset(&a.sa_mask);
    return foresee_rt_sigaction(number, &a, &old) ? SIG_ERR : old.sa_handler;
}
