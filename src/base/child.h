/* Starts programs, and runs users' code in a process of its own, with what a parent needs to
 * notice that such code crashed or does not return. */
#ifndef FORE_BASE_CHILD_H
#define FORE_BASE_CHILD_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Lies in memory that parent and child share. Every call of users' code is between enter and
 * leave. */
struct fore_beat {
    _Atomic uint64_t left;   /* calls that have ended */
    _Atomic uint32_t inside; /* calls that have not */
};

static inline void fore_beat_enter(struct fore_beat *b)
{
    if (b)
        atomic_fetch_add_explicit(&b->inside, 1, memory_order_relaxed);
}

static inline void fore_beat_leave(struct fore_beat *b)
{
    if (!b)
        return;
    atomic_fetch_add_explicit(&b->left, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&b->inside, 1, memory_order_relaxed);
}

/* Memory that a child shares with its parent, cleared; munmap frees it. */
enum fore_status fore_child_share(size_t bytes, void **out,
                                  struct fore_err *e) FORE_MUST_USE;
/* A program to start, and what its process does before it becomes that program. */
struct fore_child_program {
    char *const *argv; /* ends with NULL; looked for in PATH */
    /* Runs in the new process: sets the environment and files, and may change `argv`. Returns 0,
     * or the errno that says why it failed. */
    int (*prepare)(struct fore_child_program *p);
    void *ctx;   /* for that */
    int dies_by; /* the signal that it gets when its parent has ended; 0: none */
};

/* Starts the program; fails if it cannot be run. No other function of foresee starts programs. */
enum fore_status fore_child_start(const struct fore_child_program *program, pid_t *child,
                                  struct fore_err *e) FORE_MUST_USE;
/* The same, and waits for its end; `*status` is its status as a shell counts it. */
enum fore_status fore_child_run(const struct fore_child_program *program, int *status,
                                struct fore_err *e) FORE_MUST_USE;
/* The same, appending its output to `out`; `silent`: its input is empty, and its errors are
 * discarded. */
enum fore_status fore_child_ask(char *const *argv, bool silent, struct fore_strbuf *out,
                                int *status, struct fore_err *e) FORE_MUST_USE;
/* From the status that waitpid gives: the exit status, or 128 + the signal, as shells have it. */
int fore_child_status(int wait_status);

/* Like fork: `*child` is 0 in the child, which dies with its parent and leaves no core. */
enum fore_status fore_child_fork(pid_t *child, struct fore_err *e) FORE_MUST_USE;
/* Waits for the end of the child; gives the status as waitpid does. */
int fore_child_wait(pid_t child);
/* "crashed: Segmentation fault", "ended the process with status 3" */
void fore_child_end_text(int status, char *out, size_t size);

/* When the child was last seen to make a step. Start with all zero. */
struct fore_pulse {
    uint64_t steps, ns, cpu_ns;
};
/* Has `steps` not changed for that many seconds of the child's processor time while it was busy?
 * Elapsed time counts only after 20 times as long, so that a busy machine does not look like a
 * loop. */
bool fore_child_hangs(pid_t child, struct fore_pulse *last, uint64_t steps, bool busy,
                      double seconds);

#endif
