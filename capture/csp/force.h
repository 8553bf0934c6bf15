/* Runs the program along a given schedule: every operation waits for its turn.
 *
 * The file, as `foresee replay` writes it, one step per line, in the order of the schedule:
 *
 *     foresee-schedule 1
 *     1.2 0 send
 *     1.4 1 select 0
 *
 * or the same as a foresee-schedule 2 (docs/formats/schedule.5), whose `then` names the strategy
 * that chooses who runs next, after each operation, when the steps are over. Each step is the
 * creation path of the process, how many operations it did before, the operation (words in
 * force.c), and of a select the index of the case. A process waits before each operation until
 * the schedule comes to it; operations that the schedule does not have wait until it is over.
 * If the program does something else, or a step's process never comes, the rest runs freely
 * and the ring file says how many steps were done. */
#ifndef FORE_CSP_FORCE_H
#define FORE_CSP_FORCE_H

#include "capture/csp/proc.h"

bool fore_force_start(
    const char *path); /* Reads the schedule; false, with a message, if it is none. */
void fore_force_adopt(struct fore_proc *parent, struct fore_proc *child);
/* The current process is about to do an operation (enum fore_ring_kind). Returns the case
 * that a select must take, or -1. */
int fore_force_turn(unsigned kind, foresee_at at);
/* Called when no process can run. True if a process was waiting for its turn and now may run. */
bool fore_force_give_up(void);

#endif
