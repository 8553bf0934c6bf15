/* Programs of `foresee go run` and `foresee go test` that are run again: how each was started, which
 * test a finding belongs to, and what is kept for `foresee replay`. */
#ifndef FORE_CLI_GO_AGAIN_H
#define FORE_CLI_GO_AGAIN_H

#include "cli/confirm.h"

/* A finding, and how what shows it is started. */
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
    bool notes;    /* how programs are started is noted in the folder of the rings */
    bool possible; /* what is only possible is collected, since it is to be confirmed */
    size_t given;  /* parameters before that */
    FORE_VEC(struct fore_go_noted) noted;
};

/* Reads the options. `can`: the go command's programs can be started by us. `tests`: they read no
 * input, so that nobody has to type it again. */
enum fore_status fore_go_again_open(struct fore_go_again *g, struct fore_cli *c, bool can,
                                    bool tests, struct fore_err *e) FORE_MUST_USE;
void fore_go_again_release(struct fore_go_again *g);
/* The findings from the `from`-th on are about the process that left this ring file. True: its
 * executable is still needed. */
bool fore_go_again_note(struct fore_go_again *g, const char *ring,
                        const struct fore_tables *t, const struct fore_findings *f,
                        size_t from);
/* Forces what is predicted or possible; then keeps the programs of what is left. */
enum fore_status fore_go_again_confirm(struct fore_go_again *g, struct fore_findings *f,
                                       double took, struct fore_err *e) FORE_MUST_USE;

#endif
