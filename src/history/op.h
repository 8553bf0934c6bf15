/* One operation of a history: which process asked what of which object, between which two
 * moments.
 */
#ifndef FORE_HISTORY_OP_H
#define FORE_HISTORY_OP_H

#include "history/value.h"

#define FORE_NEVER UINT32_MAX

struct fore_op {
    fore_val arg[2];
    /* FORE_ANY while it is open, or if the answer was not recorded */
    fore_val result;
    uint32_t invoke, ret; /* positions of its two events; ret is FORE_NEVER if pending */
    uint32_t process;     /* dense from 0 */
    uint32_t object;      /* dense from 0: the object, or the key of a keyed one */
    uint32_t where;       /* of its invocation: see fore_history_place_text */
    uint16_t f;           /* index into the model's operations */
};

static inline bool fore_op_pending(const struct fore_op *op)
{
    return op->ret == FORE_NEVER;
}

#endif
