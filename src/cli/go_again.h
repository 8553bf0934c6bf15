/* Runs programs of `foresee go run` and `foresee go test` again: remembers how each was started,
 * which test a finding belongs to, and what to keep for `foresee replay`. */
#ifndef FORE_CLI_GO_AGAIN_H
#define FORE_CLI_GO_AGAIN_H

#include "cli/confirm.h"

/* A finding, and how the program that shows it is started. */
struct fore_go_noted {
    const struct fore_finding *finding;
    struct fore_started started;
    const char *executable; /* beside its ring file */
    const char *kept;       /* NULL: not yet */
};

struct fore_go_again {
    struct fore_cli *cli;
    struct fore_arena arena;
    struct fore_confirm how;
    bool notes;    /* the start of each program is noted in the folder of the rings */
    bool possible; /* possible findings are collected, because they will be forced */
    size_t given;  /* parameters before that */
    FORE_VEC(struct fore_go_noted) noted;
};

/* Reads the options. `can`: foresee can start the go command's programs itself. `tests`: they
 * read no input that a person would have to type again. */
enum fore_status fore_go_again_open(struct fore_go_again *g, struct fore_cli *c, bool can,
                                    bool tests, struct fore_err *e) FORE_MUST_USE;
void fore_go_again_release(struct fore_go_again *g);
/* Notes that the findings from the `from`-th on are about the process that left this ring file.
 * True: its executable is still needed. */
bool fore_go_again_note(struct fore_go_again *g, const char *ring,
                        const struct fore_tables *t, const struct fore_findings *f,
                        size_t from);
/* Forces the predicted and possible findings; then keeps the programs of those that remain. */
enum fore_status fore_go_again_confirm(struct fore_go_again *g, struct fore_findings *f,
                                       double took, struct fore_err *e) FORE_MUST_USE;

#endif
