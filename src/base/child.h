/* Programs that we start, and other people's code, which runs in a process of its own. What a parent needs to notice that it
 * crashed, or that it does not return. */
#ifndef FORE_BASE_CHILD_H
#define FORE_BASE_CHILD_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Lies in memory that both see. Every call of such code is between enter and leave. */
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
/* A program, and what its process does before it becomes that program. */
struct fore_child_program {
    char *const *argv; /* ends with NULL; looked for in PATH */
    /* Its environment, its files; may change `argv`. Gives 0, or the errno that says why not. */
    int (*prepare)(struct fore_child_program *p);
    void *ctx;   /* for that */
    int dies_by; /* the signal that it gets when its parent has ended; 0: none */
};

/* Starts it; fails if it cannot be run. Ours is the only code that starts programs. */
enum fore_status fore_child_start(const struct fore_child_program *program, pid_t *child,
                                  struct fore_err *e) FORE_MUST_USE;
/* The same, to its end; `*status` is what a shell would call its status. */
enum fore_status fore_child_run(const struct fore_child_program *program, int *status,
                                struct fore_err *e) FORE_MUST_USE;
/* The same: what it prints is added to `out`; `silent`: its input is empty, its errors are not seen. */
enum fore_status fore_child_ask(char *const *argv, bool silent, struct fore_strbuf *out,
                                int *status, struct fore_err *e) FORE_MUST_USE;
/* Of what waitpid gives: the status, or 128 + the signal, as shells tell it. */
int fore_child_status(int wait_status);

/* As fork: `*child` is 0 in the child, which dies with its parent and leaves no core. */
enum fore_status fore_child_fork(pid_t *child, struct fore_err *e) FORE_MUST_USE;
/* Waits for its end; gives what waitpid does. */
int fore_child_wait(pid_t child);
/* "crashed: Segmentation fault", "ended the process with status 3" */
void fore_child_end_text(int status, char *out, size_t size);

/* When it was last seen to have moved on. Start with all zero. */
struct fore_pulse {
    uint64_t steps, ns, cpu_ns;
};
/* Has `steps` not changed for so many seconds of the child's processor time (so that a busy
 * machine is not taken for a loop), or 20 times as long by the clock, while it was busy? */
bool fore_child_hangs(pid_t child, struct fore_pulse *last, uint64_t steps, bool busy,
                      double seconds);

#endif
