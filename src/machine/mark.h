/* States that the replay keeps now and then. Other runs that begin like the observed one start
 * from them, so that a long run which differs only in its last steps costs only those. */
#ifndef FORE_MACHINE_MARK_H
#define FORE_MACHINE_MARK_H

#include "machine/machine.h"
#include "machine/run.h"

/* Keeps the state of the machine after that many steps of the order, if one is due. */
void fore_run_keep_mark(struct fore_run *o, const struct fore_machine *m, size_t steps);
/* The latest mark with at most that many steps; NULL: there is none. */
const struct fore_run_mark *fore_run_mark_before(const struct fore_run *o,
                                                 uint32_t steps);
/* Brings a fresh machine, strict or not, into the state of the mark; no caller may ask it for
 * moves until fore_machine_list. */
void fore_run_resume(const struct fore_run_mark *from, struct fore_machine *m);

#endif
