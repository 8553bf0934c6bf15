/* The parts of a history are decided on all processors, and take turns: each turn may visit
 * a number of configurations that grows from round to round, and easy parts come first. So a
 * hard part cannot hide that another one fails. */
#ifndef FORE_HISTORY_TURNS_H
#define FORE_HISTORY_TURNS_H

#include "history/lin.h"

/* Decides the parts of `r` that are not linearizable already, until one fails; then
 * `r->failing` is that one. Which one does not depend on the number of threads. */
void fore_lin_take_turns(struct fore_history *h, const struct fore_lin_options *o,
                         struct fore_lin_result *r);

#endif
