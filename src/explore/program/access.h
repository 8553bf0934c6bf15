/* Which accesses of a witness have to come in its order: those to memory that several threads access, one of them to write,
 * unless the threads begin so late that nothing else is possible. */
#ifndef FORE_EXPLORE_PROGRAM_ACCESS_H
#define FORE_EXPLORE_PROGRAM_ACCESS_H

#include "trace/trace.h"

#include "base/map.h"

/* Who accesses an object: the next one is `next`, 1 + index. */
struct fore_accessor {
    uint32_t thread, next;
};

struct fore_accesses {
    const struct fore_trace *t;
    struct fore_map first;   /* object -> 1 + its first accessor */
    struct fore_map written; /* objects */
    FORE_VEC(struct fore_accessor) who;
    uint32_t *parent; /* thread -> who created it, 0: nobody did */
    size_t *born;     /* where: event, + 1 */
};

void fore_accesses_init(struct fore_accesses *a, const struct fore_trace *t);
void fore_accesses_release(struct fore_accesses *a);
/* The event is a read or a write. */
bool fore_access_matters(const struct fore_accesses *a, size_t event);

#endif
