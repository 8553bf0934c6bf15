/* Timers that no call waits for: alarms, and descriptors of timers. */
#ifndef CAPTURE_NODE_TIMERS_H
#define CAPTURE_NODE_TIMERS_H

#include "capture/node/clock.h"

void fore_node_timers_begin(struct fore_node_clock *page);
/* Lets all go off whose time has come. In a signal's handler. */
void fore_node_timers_fire(void);

#endif
