/* The vector clock method as a library has to do it, for comparison with pre/post tracing:
 * every message carries its sender's clock and a channel for the answer, and the sender waits
 * for the receiver's clock on that channel ([goscout], section 1). */
#ifndef FORE_CSP_CLOCK_H
#define FORE_CSP_CLOCK_H

#include "capture/csp/proc.h"

bool fore_clock_start(void);
size_t fore_clock_size(size_t size); /* of an element with what it carries */
void fore_clock_inherit(struct fore_proc *parent, struct fore_proc *child);
void fore_clock_drop(struct fore_proc *p);
void fore_clock_send(foresee_chan *c, const void *value, foresee_at at);
bool fore_clock_recv(foresee_chan *c, void *value, foresee_at at);

#endif
