/* Runs a recorded program as it was recorded: definition 11 of [goscout], with the rules for
 * buffered channels, default, close, locks and the rest. */
#ifndef FORE_MACHINE_REPLAY_H
#define FORE_MACHINE_REPLAY_H

#include "machine/drive.h"
#include "machine/run.h"

/* Takes every step of the trace in the observed order. The halves of an unbuffered communication
 * may have been written in either order: the thread that comes first waits, and what it did
 * after that comes later too. `steps`, if wanted, gets them all. `m` must be fresh; it is left
 * in the last state. A recorded default is accepted even if a case is ready by then: captures
 * cannot always tell when exactly the select looked. Fails (FORE_MEANING) where the trace
 * cannot have happened in its order, and says which operation cannot happen and what it would need. */
enum fore_status fore_replay_run(struct fore_machine *m, struct fore_steps *steps,
                                 struct fore_err *e) FORE_MUST_USE;
/* The same; the run gets marks. */
enum fore_status fore_replay_marked(struct fore_machine *m, struct fore_steps *steps,
                                    struct fore_run *marks,
                                    struct fore_err *e) FORE_MUST_USE;

#endif
