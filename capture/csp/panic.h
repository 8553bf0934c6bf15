/* What ends a program, in words: Go's panics and its deadlock, with who waits for what. */
#ifndef FORE_CSP_PANIC_H
#define FORE_CSP_PANIC_H

#include "capture/csp/proc.h"

/* The library itself cannot go on (no memory, wrong thread). */
_Noreturn void fore_csp_fatal(const char *what);
/* Every process waits, and no timer will end it. */
_Noreturn void fore_csp_deadlock(void);

#endif
