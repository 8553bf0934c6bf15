/* What timers have to know about a select that waits. */
#ifndef FORE_CSP_SELECT_H
#define FORE_CSP_SELECT_H

#include "capture/csp/proc.h"

/* Records that the select in which p waits has timed out: now, because its channels may change
 * before p runs. */
void fore_select_expired(struct fore_proc *p);

#endif
