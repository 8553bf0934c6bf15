/* States of the replay, kept here and there, from which other runs begin that go as the observed one for a while:
 * a long run that differs in its last steps costs those steps. */
#ifndef FORE_MACHINE_MARK_H
#define FORE_MACHINE_MARK_H

#include "machine/machine.h"
#include "machine/run.h"

/* Keeps the state of the machine after so many steps of the order, if it is time for that. */
void fore_run_keep_mark(struct fore_run *o, const struct fore_machine *m, size_t steps);
/* The latest that has at most so many steps; NULL: none. */
const struct fore_run_mark *fore_run_mark_before(const struct fore_run *o,
                                                 uint32_t steps);
/* Brings a fresh machine there, strict or not; nobody may ask it for moves until fore_machine_list. */
void fore_run_resume(const struct fore_run_mark *from, struct fore_machine *m);

#endif
