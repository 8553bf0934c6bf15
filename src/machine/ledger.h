/* Keeps along a run which operation came directly before which: for each object, the operations
 * that the next one on it will come directly after, as marks in the machine's state. Internal to
 * machine/.
 *
 * The causes of an operation are one number: two runs in which it has the same direct
 * predecessors give it the same one. The recorded run fills fore_program.causes; a strict
 * machine compares. A thread that has come to differ leaves other marks than the recorded ones,
 * so that everything it releases, sends or puts out passes its difference on.
 *
 *   lock       LAST the release of the last exclusive section, MORE those of shared ones since
 *   channel    LAST the last send, MORE the close; the slot of a message that was taken: who did
 *   semaphore  LAST the last acquisition, MORE how many units were released; their slots: by whom
 *   barrier    the arrivals of this round and of the one before: LAST and MORE in turns
 *   wait group LAST what counted down since the counter was 0
 *   once, timer, outside: LAST the last operation
 *   place      1 + the operation that wrote last is in its COUNT already */
#ifndef FORE_MACHINE_LEDGER_H
#define FORE_MACHINE_LEDGER_H

#include "machine/machine.h"

/* The causes that the thread's operation has if the thread takes the step now. */
uint32_t fore_ledger_causes(const struct fore_machine *m, struct fore_move v,
                            uint32_t thread, uint32_t op);
/* Notes that the thread has done the operation. Call it before any other effect of the step. */
void fore_ledger_note(struct fore_machine *m, struct fore_move v, uint32_t thread,
                      uint32_t op);
/* The clause that an operation breaks if it has other causes. */
enum fore_clause fore_ledger_clause(const struct fore_program *p, uint32_t op);
/* The mark that an operation leaves, given the present state of its thread. */
uint32_t fore_ledger_mark(const struct fore_machine *m, uint32_t op);

#endif
