/* Lets a node make a copy of itself when foresee asks for one. */
#ifndef CAPTURE_NODE_COPY_H
#define CAPTURE_NODE_COPY_H

#include "capture/node/clock.h"

#include <signal.h>

/* How often the process was copied, which interrupts its call. */
extern volatile sig_atomic_t fore_node_copied;

/* From now on foresee may ask for copies. */
void fore_node_copy_begin(struct fore_node_clock *page);

#endif
