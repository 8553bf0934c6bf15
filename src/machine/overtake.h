/* Accesses of which the capture kept only the last (FORE_F_LAST): while one thread had a place for itself, what else it
 * did there is not in the trace. So a write of another thread that comes before such an access, and came after it in
 * the observed run, may give that thread another value somewhere on its way there. */
#ifndef FORE_MACHINE_OVERTAKE_H
#define FORE_MACHINE_OVERTAKE_H

#include "machine/machine.h"

void fore_last_accesses_find(struct fore_program *p);
void fore_last_accesses_release(struct fore_program *p);

/* Called before a strict machine does the write: marks the threads that it overtakes (FORE_T_OVERTAKEN). */
void fore_overtake(struct fore_machine *m, uint32_t thread, uint32_t op);
/* Does the read overtake such an access of another thread? Then what that thread wrote until then is not known. */
bool fore_overtakes(const struct fore_machine *m, uint32_t thread, uint32_t op);

#endif
