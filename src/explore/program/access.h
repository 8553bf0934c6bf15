/* Decides which accesses of a witness have to come in its order: those to memory that several
 * threads access, one of them to write, unless the threads begin so late that no other order is
 * possible. For a property, all accesses. */
#ifndef FORE_EXPLORE_PROGRAM_ACCESS_H
#define FORE_EXPLORE_PROGRAM_ACCESS_H

#include "trace/trace.h"

#include "base/map.h"

/* An access by a thread to an object: the next one is `next`, 1 + index. */
struct fore_accessor {
    uint32_t thread, next;
};

struct fore_accesses {
    const struct fore_trace *t;
    bool
        all; /* a property is to break, which depends on the order of writes to different objects */
    struct fore_map first;   /* object -> 1 + its first accessor */
    struct fore_map written; /* objects */
    struct fore_map places;  /* thread << 32 | place, of those that matter */
    FORE_VEC(struct fore_accessor) who;
    uint32_t *parent; /* thread -> the thread that created it, 0: none did */
    size_t *born;     /* where: event, + 1 */
};

void fore_accesses_init(struct fore_accesses *a, const struct fore_trace *t);
void fore_accesses_release(struct fore_accesses *a);
/* Must this read or write come in its order, or another one of the same thread at the same
 * place? These are counted together. */
bool fore_access_matters(const struct fore_accesses *a, const struct fore_event *e);

#endif
