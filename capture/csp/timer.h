/* Processes that wait for a time, the earliest first. */
#ifndef FORE_CSP_TIMER_H
#define FORE_CSP_TIMER_H

#include "capture/csp/proc.h"

/* The time in `ns` from now; never overflows. */
int64_t fore_timer_in(int64_t ns);
void fore_timer_arm(struct fore_proc *p, int64_t deadline);
/* Does nothing if the process has no timer. */
void fore_timer_disarm(struct fore_proc *p);
bool fore_timer_any(void);
/* Makes the processes ready whose time has come. */
void fore_timer_fire(void);
/* Nothing else can run: waits for the earliest time, or makes it the present. */
void fore_timer_await(void);

#endif
