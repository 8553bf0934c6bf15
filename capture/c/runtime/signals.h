/* What instrumented code calls in place of the functions of that name. */
#ifndef FORE_C_SIGNALS_H
#define FORE_C_SIGNALS_H

#include "capture/c/runtime/sync.h"

#include <signal.h>

int foresee_rt_sigaction(int number, const struct sigaction *a, struct sigaction *old);
sighandler_t foresee_rt_signal(int number, sighandler_t f);
/* Runs the program's handler of a signal that came before, with the mask that it asked for. */
void fore_rt_signal_run(int number, siginfo_t *info, void *context);

/* Is the signal about what the thread itself has just done? */
static inline bool fore_rt_signal_is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
           number == SIGILL || number == SIGTRAP || number == SIGSYS || number == SIGABRT;
}

#endif
