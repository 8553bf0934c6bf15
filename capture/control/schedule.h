/* The file that a controlled program is given: foresee-schedule 2, see docs/formats/schedule.5.
 * The environment's FORESEE_SCHEDULE names it. */
#ifndef FORE_CONTROL_SCHEDULE_H
#define FORE_CONTROL_SCHEDULE_H

#include "capture/control/strategy.h"

#define FORE_SCHEDULE_ENVIRONMENT "FORESEE_SCHEDULE"
/* The creation path of the clock: what "goes" there is a timer that fires. */
#define FORE_SCHEDULE_CLOCK "1.0"
#define FORE_SCHEDULE_FIRST_LINE "foresee-schedule 2"

/* Operations: the word in the file, and the number, which is that of the event (enum
 * fore_ring_kind) where there is one. */
#define FORE_OPERATIONS(X)                                                               \
    X(create, 1)                                                                         \
    X(begin, 2)                                                                          \
    X(join, 6)                                                                           \
    X(select, 7)                                                                         \
    X(send, 8)                                                                           \
    X(receive, 9)                                                                        \
    X(close, 11)                                                                         \
    X(lock, 12)                                                                          \
    X(trylock, 13)                                                                       \
    X(unlock, 14)                                                                        \
    X(rlock, 15)                                                                         \
    X(tryrlock, 16)                                                                      \
    X(runlock, 17)                                                                       \
    X(cwait, 18)                                                                         \
    X(cwoken, 19)                                                                        \
    X(csignal, 20)                                                                       \
    X(cbroadcast, 21)                                                                    \
    X(acquire, 22)                                                                       \
    X(release, 23)                                                                       \
    X(barrier, 24)                                                                       \
    X(once, 25)                                                                          \
    X(wgadd, 26)                                                                         \
    X(wgdone, 27)                                                                        \
    X(wgwait, 28)                                                                        \
    X(read, 31)                                                                          \
    X(write, 32)                                                                         \
    X(rmw, 33)                                                                           \
    X(sleep, 64) /* time passes */                                                       \
    X(input, 65) /* something comes from outside */                                      \
    X(output, 66)                                                                        \
    X(back, 67) /* from a call outside */                                                \
    X(yield, 68)                                                                         \
    X(arrive, 69) /* at a barrier */                                                     \
    X(woken, 70)  /* goes on after a wait: Go */                                         \
    X(enter, 71)  /* the function of a once begins; `once` is when it has run: C */      \
    X(futex, 72)  /* looks at its word, or wakes threads that wait for it: C */          \
    X(parked, 73) /* waits on a futex to be woken: C */                                  \
    X(handle, 74) /* runs the handler of a signal that came while it waited: C */

enum fore_operation {
#define X(word, number) FORE_OP_##word = number,
    FORE_OPERATIONS(X)
#undef X
};

enum {
    FORE_SCHEDULE_EARLY_MS =
        100, /* timers that are this near may fire before their time, by default */
    FORE_SCHEDULE_MOST_EARLY_MS = 3600 * 1000,
};

enum fore_schedule_how {
    FORE_SCHEDULE_DOES,   /* the operation is done */
    FORE_SCHEDULE_WAITS,  /* the thread arrives at it and cannot do it */
    FORE_SCHEDULE_STANDS, /* the thread arrives at it and is held there */
    FORE_SCHEDULE_GOES,   /* `count` points, whatever they are */
};

struct fore_schedule_step {
    uint32_t path;   /* index in `paths` */
    uint32_t before; /* synchronisation operations that the thread has done before */
    uint16_t kind;   /* enum fore_ring_kind */
    uint16_t how;
    int32_t choice; /* of a select, or -1 */
    uint32_t
        count; /* of an access: the k-th of its site since the last synchronisation */
    uint32_t
        object; /* of an access: steps of the same number touch the same memory; 0: any */
    uint32_t line, column;
    char *file; /* NULL: any */
};

struct fore_schedule {
    char *text; /* the text that paths, files and names point into */
    struct fore_schedule_step *steps;
    uint32_t n, cap;
    char **paths;
    uint32_t paths_n, paths_cap;
    char **objects; /* names of objects, by number; NULL: not given */
    uint32_t objects_n;
    enum fore_strategy_kind then;
    uint32_t depth;
    uint64_t seed, length;
    uint64_t inner_seed; /* seed of the program's other randomness, if `seeded`: Go */
    bool seeded;
    bool real_clock;
    uint64_t early_ns;    /* timers that are this near may fire before their time */
    int64_t base_seconds; /* where the virtual clock begins */
    bool sync_points;     /* accesses that are not atomic are no points */
    bool spurious;        /* conditions wake without being signalled */
    bool at_least; /* `before` counts only recorded operations: there may be more */
    bool stops;    /* in a debugger, before the last step */
};

/* Parses the text (from malloc), which is changed and belongs to the schedule from then on.
 * False, with a message of at most `size` bytes, if it is not a schedule. */
bool fore_schedule_parse(struct fore_schedule *s, char *text, char *why, size_t size);
/* Frees the schedule with its text, also after an error. */
void fore_schedule_release(struct fore_schedule *s);
/* Reads a file; also false if it cannot be read. */
bool fore_schedule_read(struct fore_schedule *s, const char *path, char *why,
                        size_t size);
/* The index of a creation path, or UINT32_MAX. */
uint32_t fore_schedule_path(const struct fore_schedule *s, const char *path);
/* Words of operations; 0 and NULL if there is none. */
unsigned fore_schedule_kind(const char *word);
const char *fore_schedule_word(unsigned kind);
bool fore_schedule_is_access(unsigned kind);

#endif
