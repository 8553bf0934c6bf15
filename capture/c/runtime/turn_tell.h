#ifndef FORE_C_TURN_TELL_H
#define FORE_C_TURN_TELL_H

#include "capture/c/runtime/turn.h"

/* All with the turn's lock, or the turn. How the thread was created; where it stands. */
void fore_turn_tell_path(const struct fore_turn_thread *t);
void fore_turn_tell_name(const struct fore_turn_thread *t,
                         const char *name); /* or NULL */
void fore_turn_tell(const struct fore_turn_thread *t, bool blocked);
void fore_turn_tell_all(void);
/* The thread goes past its point. */
void fore_turn_log(const struct fore_turn_thread *t);
/* The one that goes on, and another one, stand at accesses to one place: that is a race. */
void fore_turn_look_for_race(const struct fore_turn_thread *next);

#endif
