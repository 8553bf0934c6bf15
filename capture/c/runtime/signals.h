/* What instrumented code calls in place of the functions of that name. */
#ifndef FORE_C_SIGNALS_H
#define FORE_C_SIGNALS_H

#include "capture/c/runtime/sync.h"

#include <signal.h>

int foresee_rt_sigaction(int number, const struct sigaction *a, struct sigaction *old);
sighandler_t foresee_rt_signal(int number, sighandler_t f);

#endif
