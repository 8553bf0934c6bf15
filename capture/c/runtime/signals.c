/* Handlers of signals: what a handler does comes after the sending of the signal. A handler of ours calls
 * the program's and records that; a program that asks for its handler gets its own. */
#include "capture/c/runtime/signals.h"
#include "capture/c/runtime/crash.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/turn.h"

/* The program's handler. What the signal had before is in the kernel. */
typedef void handler(void); /* either of the two kinds */
static struct {
    handler *function; /* NULL: none of ours is installed */
    bool plain;        /* it takes the number alone */
    bool again;        /* it may be interrupted by its own signal */
    sigset_t mask;     /* what is held back meanwhile */
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

static void arrive(int number, siginfo_t *info, void *context)
{
    if (!fore_turn_on() || !fore_turn_put_off(number, info, context))
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

/* Before a signal can come: a handler may not ask for memory. */
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
