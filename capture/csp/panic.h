/* Prints what ends a program: Go's panics and its deadlock, with the processes that wait and for
 * what. */
#ifndef FORE_CSP_PANIC_H
#define FORE_CSP_PANIC_H

#include "capture/csp/proc.h"

/* Ends the program because the library cannot go on (no memory, wrong thread). */
_Noreturn void fore_csp_fatal(const char *what);
/* Ends the program because every process waits, and no timer will end that. */
_Noreturn void fore_csp_deadlock(void);

#endif
