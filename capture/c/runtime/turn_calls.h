/* What the files with the library's calls share. */
#ifndef FORE_C_TURN_CALLS_H
#define FORE_C_TURN_CALLS_H

#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

extern struct fore_rt_real fore_turn_native; /* the library's own */

static inline struct fore_turn_op fore_turn_op_on(unsigned kind, const void *object)
{
    return (struct fore_turn_op){.kind = (uint16_t)kind,
                                 .address = object,
                                 .site = fore_rt_site(),
                                 .deadline = FORE_TURN_NEVER};
}

void fore_turn_thread_calls_start(void); /* turn_threads.c */

#endif
