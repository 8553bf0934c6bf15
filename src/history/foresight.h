/* What the operations alone say about a stack's future, whatever its content. */
#ifndef FORE_HISTORY_FORESIGHT_H
#define FORE_HISTORY_FORESIGHT_H

#include "history/deadlines.h"
#include "history/repeated.h"

struct fore_foresight {
    const struct fore_part *part;
    const struct fore_deeds *deeds;
    const struct fore_deadlines *line; /* of all operations */
    uint32_t *events;                  /* operation * 2, + 1 for answers, by time */
    uint32_t *due_event;               /* where the answers are among them */
    uint32_t *pops;                    /* those that answered, by value and invocation */
    size_t *pops_from;                 /* by value */
    uint32_t *spare;                   /* by value: pushes that could still serve a pop */
};

/* Its arguments must live as long. */
void fore_foresight_init(struct fore_foresight *f, const struct fore_part *p,
                         const struct fore_deeds *d, const struct fore_deadlines *line);
void fore_foresight_release(struct fore_foresight *f);
/* When the first operation after `now` begins that can pop this value; or FORE_NEVER. */
uint32_t fore_foresight_pop(const struct fore_foresight *f, uint32_t now, uint32_t value);
/* Can a value that `push` brings now, with `at` answers passed and `bits` used, stay on the
 * stack until then? No empty answer may come, and every pop that answers needs another push,
 * begun before. */
bool fore_foresight_can_stay(struct fore_foresight *f, uint32_t at, const uint64_t *bits,
                             uint32_t push, uint32_t until);

#endif
