/* A real program that is run again and again on schedules that were chosen for it. A program of
 * `foresee cc` waits behind its loader and forks for each run (capture/c/runtime/server.c);
 * others, such as Go programs and shell scripts around a program, are started anew. */
#ifndef FORE_EXPLORE_RERUN_H
#define FORE_EXPLORE_RERUN_H

#include "base/err.h"
#include "base/strbuf.h"
#include "capture/control/outcome.h"
#include "explore/program/host.h"

#include <stdbool.h>
#include <sys/types.h>

#define FORE_RERUN_SERVER "FORESEE_SERVER" /* see capture/c/runtime/server.c */

struct fore_rerun_how {
    char *const *argv;
    const char *directory; /* the directory to start it in; NULL: this one */
    const char *input;     /* its input, a regular file; NULL: none */
    double seconds;        /* that one run may take */
    uint64_t deadline_ns;  /* when all runs must be over; 0: no limit */
    int cpu;               /* the processor that it runs on; -1: any */
    bool shown;            /* its output is not caught */
    bool alone;            /* always started anew: for a debugger */
    bool unrecorded;
};

struct fore_rerun {
    struct fore_rerun_how how;
    const struct fore_host *host; /* NULL: unknown, as for a shell script */
    char folder[64]; /* for the schedule, the outcome, the output and the ring files */
    bool serves;
    pid_t server, pid; /* pid: the run that goes on, or 0 */
    int to, from;      /* the server's pipes */
    int outcome_fd;
    struct fore_outcome *outcome; /* of the last run */
    uint64_t until;               /* when the run is to be over */
    int status;                   /* as waitpid gives it */
    bool timed_out, told;
};

enum fore_status fore_rerun_open(struct fore_rerun *p, const struct fore_rerun_how *how,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_rerun_close(struct fore_rerun *p);

/* Begins a run; call fore_rerun_look now and then until it is over. */
enum fore_status fore_rerun_begin(struct fore_rerun *p, const char *schedule,
                                  struct fore_err *e) FORE_MUST_USE;
/* Gives it the time of a whole run from now on. */
void fore_rerun_prolong(struct fore_rerun *p);
/* Waits for at most that long; true if the run is over: status, timed_out and outcome are valid
 * then. */
bool fore_rerun_look(struct fore_rerun *p, int ms);
/* Does a run from its beginning to its end. */
enum fore_status fore_rerun_run(struct fore_rerun *p, const char *schedule,
                                const volatile int *interrupted,
                                struct fore_err *e) FORE_MUST_USE;
/* Did the program read the schedule at all? */
bool fore_rerun_took(const struct fore_rerun *p);
/* What it wrote to standard output and error; at most its last 64 KiB. */
void fore_rerun_output(const struct fore_rerun *p, struct fore_strbuf *out);
/* The outcome of a process that repeats its tests. */
struct fore_outcome_runs *fore_rerun_runs(const struct fore_rerun *p);
const struct fore_outcome_step *fore_rerun_steps(const struct fore_rerun *p);
/* How many timers fired, or waits gave up, before their time, though others could have gone on. */
uint32_t fore_rerun_early(const struct fore_rerun *p);

#endif
