/* Tells the reader of the ring file where the program crashed. */
#ifndef FORE_C_CRASH_H
#define FORE_C_CRASH_H

#include "capture/ring/ring.h"

#include <signal.h>
#include <stdbool.h>

/* From now on a crash is described in this header. */
void fore_rt_crash_watch(struct fore_ring_header *h);
/* In a forked child: a crash is described in this header or, if it is NULL, nowhere. */
void fore_rt_crash_told_in(struct fore_ring_header *h);
/* Is this signal handler foresee's own, and not one of the program's? */
bool fore_rt_crash_is(const struct sigaction *a);

#endif
