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
    double seconds; /* that one forced run may take */
    double
        cpu_seconds; /* of the processors, that all of them may take, with what is looked at afterwards; 0: as `took` says */
    uint64_t cpu_until;
    const char *input; /* the program's, a regular file; NULL: none */
    bool
        unrepeatable; /* it was a pipe or a terminal: the program has read it, and nobody has it any more */
    char path[4096];
    /* The program of a finding, where there are several; false: it cannot be run again. */
    bool (*program_of)(void *ctx, const struct fore_finding *x, struct fore_started *out);
    /* What a forced run showed besides is of the same program; NULL: it is not reported. */
    void (*adopt)(void *ctx, const struct fore_finding *of, const struct fore_finding *x);
    void *ctx;
};

/* How the program is started again, on any processor. */
struct fore_rerun_how fore_confirm_start(const struct fore_started *program,
                                         const struct fore_confirm *how);

/* Rows for the verbs that confirm. */
#define FORE_CONFIRM_OPTIONS                                                             \
    {"confirm", 0, "[=WHEN]",                                                            \
     "run the program again on the witnesses, to confirm predictions: "                  \
     "auto (default: for as long as the first run took; run: at least 10 s), "           \
     "always (also --confirm alone), never"},                                            \
    {                                                                                    \
        "confirm-time", 0, "S", "seconds that one such run may take (default 10)"        \
    }

/* What the options say, else FORESEE_CONFIRM, else auto. */
enum fore_status fore_confirm_read(struct fore_cli *c, struct fore_confirm *how,
                                   struct fore_err *e) FORE_MUST_USE;
/* Forces all that is predicted or possible, the gravest first; `took` seconds is how long the run
 * took. The findings are sealed. `program` is that of all of them, or NULL. */
enum fore_status fore_confirm_findings(struct fore_cli *c, struct fore_findings *f,
                                       const struct fore_started *program,
                                       const struct fore_confirm *how, double took,
                                       struct fore_err *e) FORE_MUST_USE;
/* Takes out the conjectures that no forced run has confirmed. */
void fore_confirm_drop_conjectures(struct fore_findings *f);

/* One of them, of a program that can be controlled. `shown`: its output is not caught. */
struct fore_forced {
    uint32_t steps, done;
    bool took, timed_out;
    bool unfed; /* the program read what it cannot be given again */
    bool timed; /* the schedule lets a timer fire, which may start more than it says */
    const char *failed; /* the rule of how it ended badly; NULL: it did not */
    struct fore_strbuf output, failure;
};
enum fore_status
fore_confirm_one(struct fore_cli *c, struct fore_findings *f, struct fore_finding *x,
                 const struct fore_started *program, const struct fore_confirm *how,
                 bool shown, struct fore_forced *out, struct fore_err *e) FORE_MUST_USE;
void fore_forced_release(struct fore_forced *r);
/* The schedule that such a program is given. `loosely`: operations may come between the steps. */
enum fore_status fore_confirm_schedule(const struct fore_finding *x,
                                       const struct fore_started *program, bool loosely,
                                       struct fore_strbuf *out,
                                       struct fore_err *e) FORE_MUST_USE;

#endif
