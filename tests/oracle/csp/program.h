/* A random program of processes, channels, locks, a wait group, a condition and a function that is run once; it notes
 * what it does. */
#ifndef FORE_TESTS_ORACLE_CSP_PROGRAM_H
#define FORE_TESTS_ORACLE_CSP_PROGRAM_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { CHANNELS = 4, LOCKS = 2, MOST_PROCESSES = 6, MOST_STEPS = 64, MOST_NOTES = 4096 };

enum step_kind {
    STEP_SEND,
    STEP_RECV,
    STEP_SELECT,  /* two receives or sends */
    STEP_DEFAULT, /* the same with a default */
    STEP_TIMEOUT, /* the same with a timeout */
    STEP_SECTION, /* a lock, something, its unlock */
    STEP_CLOSE,
    STEP_YIELD,
    STEP_SPAWN,
    STEP_READ, /* a section of the lock for readers and writers */
    STEP_WRITE,
    STEP_TASK,  /* counts the wait group up, and down again */
    STEP_TASKS, /* waits for the wait group */
    STEP_ONCE,
    STEP_WAIT, /* for the condition */
    STEP_SIGNAL,
    STEP_BROADCAST,
    STEP_KINDS
};

struct step {
    uint8_t kind, a, b; /* channels, or a lock; of a select the low bit of `how` … */
    uint8_t how;        /* … says that case a sends, the next one that case b does */
    uint8_t times;
};

struct process {
    struct step steps[MOST_STEPS];
    unsigned n;
};

struct program {
    unsigned capacity[CHANNELS];
    struct process process[MOST_PROCESSES];
    unsigned processes;
    uint64_t seed;
};

/* What one process saw happen, in its order. */
struct note {
    uint32_t process;
    uint8_t
        what; /* 's'end, 'r'eceive, 'z'ero from closed, 'd'efault, 'l'ock, 'u'nlock, 'c'lose; 'R' and 'U' of a
               * reader, 'A'dd, 'D'one, 'G'roup is done, 'O'nce, 'W'ait and 'K' woken, 'S'ignal, 'B'roadcast */
    uint8_t object; /* of channels and locks */
};

struct notes {
    struct note at[MOST_NOTES];
    unsigned n;
};

void program_make(struct program *p, struct fore_rng *r);
/* Runs it in this process of the operating system; does not return. */
_Noreturn void program_run(const struct program *p, struct notes *out);

#endif
