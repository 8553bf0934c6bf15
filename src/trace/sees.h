/* What a capture sees of a run. What it does not see may decide what the program does, so
 * predictions depend on it. A trace written by hand sees everything unless it says otherwise. */
#ifndef FORE_TRACE_SEES_H
#define FORE_TRACE_SEES_H

/* X(name, text): bits are numbered from 0, and part of the file formats. */
#define FORE_SEES_LIST(X)                                                                \
    X(THREADS, "threads") /* creation, end, join */                                      \
    X(CHANNELS, "channels")                                                              \
    X(LOCKS, "locks") /* conditions, semaphores, barriers, once, wait groups too */      \
    X(ATOMICS, "atomics")                                                                \
    X(MEMORY, "memory")   /* the accesses that are no atomics */                         \
    X(VALUES, "values")   /* what is read and written */                                 \
    X(OUTSIDE, "outside") /* what comes in and goes out */

enum fore_sees_bit {
#define X(name, text) FORE_SEES_BIT_##name,
    FORE_SEES_LIST(X)
#undef X
        FORE_SEES_BITS
};

enum fore_sees {
#define X(name, text) FORE_SEES_##name = 1 << FORE_SEES_BIT_##name,
    FORE_SEES_LIST(X)
#undef X
        FORE_SEES_ALL = (1 << FORE_SEES_BITS) - 1,
    FORE_SEES_DECLARED = 1 << 15, /* a trace without it sees everything */
};

/* "memory" for the bit FORE_SEES_BIT_MEMORY. */
extern const char *const fore_sees_names[FORE_SEES_BITS];

/* What files saw that were written before captures declared it. */
enum {
    FORE_SEES_LEGACY =
        FORE_SEES_THREADS | FORE_SEES_CHANNELS | FORE_SEES_LOCKS | FORE_SEES_DECLARED,
    FORE_SEES_LEGACY_MEMORY = FORE_SEES_ATOMICS | FORE_SEES_MEMORY | FORE_SEES_VALUES,
};

#endif
