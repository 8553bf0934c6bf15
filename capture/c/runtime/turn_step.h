/* Steps of a schedule, and what a thread is about to do. */
#ifndef FORE_C_TURN_STEP_H
#define FORE_C_TURN_STEP_H

#include "capture/c/runtime/turn.h"

enum { FORE_TURN_WORD = 8 }; /* an access of more bytes may be of several objects */

/* Is it the step that the thread stands before? The second asks for all but how many accesses came before. */
bool fore_turn_is_step(const struct fore_turn_thread *t,
                       const struct fore_schedule_step *s);
bool fore_turn_is_alike(const struct fore_turn_thread *t,
                        const struct fore_schedule_step *s);
/* May it go past where it stands, on its way to the step? */
bool fore_turn_may_pass(const struct fore_turn_thread *t,
                        const struct fore_schedule_step *s);
/* What the step's object is called; NULL if it has no name of its own. Does the access touch what is called so? */
const char *fore_turn_name_of_object(const struct fore_schedule_step *s);
bool fore_turn_touches_called(const struct fore_turn_thread *t, const char *wanted);
/* Where the step's object is, as far as steps have shown it, or 0; does the access touch it; the step was done there. */
uintptr_t fore_turn_address_of(const struct fore_schedule_step *s);
bool fore_turn_is_at_object(const struct fore_turn_thread *t,
                            const struct fore_schedule_step *s);
void fore_turn_learn_address(const struct fore_turn_thread *t,
                             const struct fore_schedule_step *s);
/* As how many records the access counts that are not among the steps done. */
uint32_t fore_turn_records_left(const struct fore_turn_thread *t);
/* A file without its folders. */
const char *fore_turn_last_part(const char *file);

#endif
