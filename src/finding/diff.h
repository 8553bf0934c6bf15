/* Two runs of the same program: what they share, thread by thread, and where they part. Threads
 * are the same if they were created the same way (their paths). */
#ifndef FORE_FINDING_DIFF_H
#define FORE_FINDING_DIFF_H

#include "base/arena.h"
#include "trace/trace.h"

struct fore_diff_thread {
    const char *path, *label, *name;
    uint64_t events[2]; /* of this thread in the first and the second run; 0: not there */
    uint64_t shared;    /* how many of them, from the start, are the same */
    const char *next[2];     /* the first event that differs, "" if it has none left */
    const char *location[2]; /* of that */
    uint64_t at[2];          /* its position in the trace */
};

struct fore_diff {
    FORE_VEC(struct fore_diff_thread) threads; /* those that part first come first */
    uint64_t shared, events[2];
    size_t both, only[2]; /* threads */
};

/* Texts live in the arena. */
void fore_diff_compute(struct fore_diff *d, struct fore_arena *a,
                       const struct fore_trace *x, const struct fore_trace *y);
void fore_diff_release(struct fore_diff *d);
static inline bool fore_diff_parts(const struct fore_diff_thread *t)
{
    return t->shared < t->events[0] || t->shared < t->events[1];
}

#endif
