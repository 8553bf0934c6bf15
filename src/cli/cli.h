/* The command line: a table of verbs, each one file cmd_<verb>.c. Only this folder prints
 * errors or exits. */
#ifndef FORE_CLI_CLI_H
#define FORE_CLI_CLI_H

#include "analysis/analysis.h"
#include "base/budget.h"
#include "base/option.h"
#include "base/progress.h"
#include "finding/baseline.h"
#include "finding/finding.h"
#include "report/report.h"

enum fore_exit {
    FORE_EXIT_OK = 0,
    FORE_EXIT_FINDINGS = 1,
    FORE_EXIT_ERROR = 2,      /* usage, input, internal */
    FORE_EXIT_INCOMPLETE = 3, /* no findings, but a limit was reached */
    FORE_EXIT_SIGNAL = 128,   /* + that which ended it */
};

/* The value of --fail-on: a level, or one of these. */
enum fore_fail_on { FORE_FAIL_NEVER = FORE_LEVEL_ERROR + 1, FORE_FAIL_PREDICTED };

/* What every verb gets. Options beyond the common ones are in `params`. */
struct fore_cli {
    const struct fore_verb *verb;
    const char *program; /* how foresee was called */
    struct fore_params params;
    struct fore_words words; /* what is not an option */
    struct fore_budget budget;
    struct fore_progress progress;
    enum fore_progress_mode progress_mode;
    const struct fore_reporter *reporter;
    /* the report goes to standard error, because standard output is the program's */
    bool beside;
    struct fore_report_options report;
    const char *output; /* NULL: standard output */
    uint64_t seed;
    unsigned jobs;
    unsigned fail_on; /* a level, or an enum fore_fail_on */
    bool quiet;
    bool reacted; /* the command of --on-finding has been run */
    /* For a supervised verb: 4096 bytes for the name of a folder that its parent removes if the
     * verb cannot. NULL: the verb removes it itself. */
    char *scratch;
    unsigned verbose;
    bool brief; /* print no figures about runs without findings */
};

struct fore_verb {
    const char *name, *summary;
    const char *usage;    /* "T… [--spec F]" */
    const char *words;    /* the possible first words; NULL: a file or a name */
    const char *details;  /* a paragraph or two, plain text */
    const char *examples; /* lines "foresee …" with a comment after "#" */
    const struct fore_option *options; /* its own; NULL: none */
    enum fore_option_rest rest;
    bool with_analyses; /* also takes the options of every analysis */
    bool finds;         /* it has findings even without analyses, or shows findings */
    bool runs_objects;  /* --object may name users' code */
    bool tells_verdict; /* --fail-on may also be `predicted` */
    bool
        ends_at_once; /* an interrupt ends it at once: it has nothing to report or clean up */
    /* Returns the exit status; FORE_EXIT_ERROR after filling `e`, or with `e->status` OK if it
     * has printed the error itself. */
    int (*run)(struct fore_cli *c, struct fore_err *e);
};

extern const struct fore_verb *const fore_verbs[]; /* NULL-terminated, in help's order */
extern const struct fore_option fore_common_options[];
/* options of verbs that have findings */
extern const struct fore_option fore_finding_options[];

const struct fore_verb *fore_verb_named(const char *name); /* or NULL */
/* Fills `e` with that error, and the nearest name. */
void fore_verb_unknown(const char *name, struct fore_err *e);
/* The option tables that a verb takes, NULL-terminated. */
void fore_verb_tables(const struct fore_verb *v,
                      const struct fore_option *tables[FORE_MAX_TABLES]);

/* help.c */
void fore_help_verb(const struct fore_verb *v, struct fore_strbuf *out);
void fore_help_all(struct fore_strbuf *out);
void fore_help_man(const struct fore_verb *v,
                   struct fore_strbuf *out); /* NULL: foresee(1) */
enum fore_status fore_help_completion(const char *shell, struct fore_strbuf *out,
                                      struct fore_err *e);

/* In finish.c: what every analysing verb does with its findings. */
struct fore_analysis_ctx fore_cli_context(struct fore_cli *c, struct fore_findings *f);
/* Does --only leave any rule of this analysis? */
bool fore_cli_wants(const struct fore_cli *c, const struct fore_analysis *a);
/* Fails if --only names no rule, or an analysis cannot take the value of one of its options. */
enum fore_status fore_cli_accepts(const struct fore_cli *c,
                                  struct fore_err *e) FORE_MUST_USE;
/* Loads a trace for fore_cli_analyse: brief (see trace/format.h), if that is enough for all
 * questions. Names of files below the current directory become relative to it. */
enum fore_status fore_cli_load(struct fore_cli *c, const char *path, struct fore_trace *t,
                               struct fore_err *e) FORE_MUST_USE;
/* The same, never brief, for verbs that show a trace: as much of it as --max-mem allows. */
enum fore_status fore_cli_load_whole(const struct fore_cli *c, const char *path,
                                     struct fore_trace *t,
                                     struct fore_err *e) FORE_MUST_USE;
/* Makes names of files below the current directory relative to it. */
void fore_cli_shorten_paths(struct fore_trace *t);
/* Does --only name a rule that is a note? */
bool fore_cli_names_notes(const struct fore_cli *c);
/* Runs every analysis that --only and the trace ask for. */
enum fore_status fore_cli_analyse(struct fore_cli *c, struct fore_trace *t,
                                  struct fore_findings *f, struct fore_err *e);
/* Runs the analyses that cannot take a stream, after the others have had it. */
enum fore_status fore_cli_analyse_rest(struct fore_cli *c, struct fore_trace *t,
                                       struct fore_findings *f,
                                       struct fore_err *e) FORE_MUST_USE;
/* Seals, filters, saves and prints the findings; returns the exit status. */
int fore_cli_finish(struct fore_cli *c, struct fore_findings *f, struct fore_err *e);
/* Writes the text to -o or standard output. */
/* For watched programs: the report goes to standard error, and a format for programs needs a
 * file. */
enum fore_status fore_cli_beside(struct fore_cli *c, struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_cli_write(struct fore_cli *c, const struct fore_strbuf *text,
                                struct fore_err *e) FORE_MUST_USE;
/* Writes text for people: names in it come from traces, and characters that could harm a
 * terminal are shown as \xNN. */
enum fore_status fore_cli_write_lines(struct fore_cli *c, const struct fore_strbuf *text,
                                      struct fore_err *e) FORE_MUST_USE;
/* "foresee: …" on standard error, unless --quiet. */
void fore_cli_say(const struct fore_cli *c, const char *fmt, ...) FORE_PRINTF(2, 3);

/* In cmd_baseline.c: reads --baseline, or the foresee.baseline of this folder or one above, if
 * there is one. */
enum fore_status fore_cli_baseline(struct fore_cli *c, struct fore_baseline *b,
                                   struct fore_err *e) FORE_MUST_USE;

/* In store.c: .foresee/last.json and the witnesses beside it. */
const char *fore_store_folder(void);
enum fore_status fore_store_save(const struct fore_findings *f, struct fore_err *e);
/* Keeps the trace whose summary was added last, for `report`: unless --no-save, if it is not too
 * long and not one of too many. If it cannot be written, that is a remark, not an error. */
void fore_store_trace(const struct fore_cli *c, struct fore_findings *f,
                      const struct fore_trace *t);
enum fore_status fore_store_load(struct fore_findings *f, struct fore_err *e);
/* The finding whose id begins with this text; NULL, with `e` filled, if none does or several do. */
struct fore_finding *fore_store_find(const struct fore_findings *f, const char *id,
                                     struct fore_err *e);

#endif
