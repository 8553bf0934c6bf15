/* Forces a program along the witnesses of findings, and enters what came of it:
 *
 *   confirmed      the program did it: the threads are blocked, the two accesses stood at their points
 *                  at once, the monitor rejects the forced run
 *   not confirmed  the program did not come that far, or did something else; why is said
 *   refuted        a step was impossible, or what was claimed did not come, although everything was under
 *                  control, time too, and the run came to its end: the witness is no run of this
 *                  program, and the finding is taken back */
#ifndef FORE_CLI_CONFIRM_H
#define FORE_CLI_CONFIRM_H

#include "cli/kept.h"
#include "cli/launch.h"
#include "explore/program/rerun.h"

enum fore_confirm_when { FORE_CONFIRM_AUTO, FORE_CONFIRM_ALWAYS, FORE_CONFIRM_NEVER };

struct fore_confirm {
    enum fore_confirm_when when;
    double seconds; /* seconds that one forced run may take */
    double
        cpu_seconds; /* processor time that all of them may take, with their analyses; 0: as much
                      * as `took` says */
    uint64_t cpu_until;
    const char *input; /* the input of the program, a regular file; NULL: none */
    bool
        unrepeatable; /* the input was a pipe or a terminal: the program has read it, and it
                       * cannot be given again */
    char path[4096];
    /* Gives the program of a finding, if there are several; false: it cannot be run again. */
    bool (*program_of)(void *ctx, const struct fore_finding *x, struct fore_started *out);
    /* Assigns another finding of a forced run to its program; NULL: such findings are not
     * reported. */
    void (*adopt)(void *ctx, const struct fore_finding *of, const struct fore_finding *x);
    void *ctx;
};

/* Gives how the program is started again, on any processor. */
struct fore_rerun_how fore_confirm_start(const struct fore_started *program,
                                         const struct fore_confirm *how);

/* Option rows for the verbs that confirm. */
#define FORE_CONFIRM_OPTIONS                                                             \
    {"confirm", 0, "[=WHEN]",                                                            \
     "run the program again on the witnesses, to confirm predictions: "                  \
     "auto (default: for as long as the first run took; run: at least 10 s), "           \
     "always (also --confirm alone), never"},                                            \
    {                                                                                    \
        "confirm-time", 0, "S", "seconds that one such run may take (default 10)"        \
    }

/* Reads the options, else FORESEE_CONFIRM, else auto. */
enum fore_status fore_confirm_read(struct fore_cli *c, struct fore_confirm *how,
                                   struct fore_err *e) FORE_MUST_USE;
/* Forces all predicted or possible findings, the gravest first; the observed run took `took`
 * seconds. The findings must be sealed. `program` is the program of all of them, or NULL. */
enum fore_status fore_confirm_findings(struct fore_cli *c, struct fore_findings *f,
                                       const struct fore_started *program,
                                       const struct fore_confirm *how, double took,
                                       struct fore_err *e) FORE_MUST_USE;
/* Takes out the conjectures that no forced run has confirmed. */
void fore_confirm_drop_conjectures(struct fore_findings *f);

/* Forcing one of them, of a program that can be controlled; its result. `shown`: the program's
 * output is not caught. */
struct fore_forced {
    uint32_t steps, done;
    bool took, timed_out;
    bool unfed; /* the program read input that it cannot be given again */
    /* the schedule lets a timer fire, which may start more than the schedule says */
    bool timed;
    const char *failed; /* the rule by which it ended badly; NULL: it did not */
    struct fore_strbuf output, failure;
};
enum fore_status
fore_confirm_one(struct fore_cli *c, struct fore_findings *f, struct fore_finding *x,
                 const struct fore_started *program, const struct fore_confirm *how,
                 bool shown, struct fore_forced *out, struct fore_err *e) FORE_MUST_USE;
void fore_forced_release(struct fore_forced *r);
/* The schedule for such a program. `loosely`: other operations may come between the steps. */
enum fore_status fore_confirm_schedule(const struct fore_finding *x,
                                       const struct fore_started *program, bool loosely,
                                       struct fore_strbuf *out,
                                       struct fore_err *e) FORE_MUST_USE;

#endif
