/* The command that go starts in place of a program that is watched with a specification, or that
 * will be run again. */
#ifndef FORE_CLI_GO_EXEC_H
#define FORE_CLI_GO_EXEC_H

#include "base/err.h"
#include "base/strbuf.h"

/* In the environment: the names of the variables, with ; between them. */
#define FORE_GO_NAMES "FORESEE_NAMES"

/* In the environment: two folders. In the first, PID.started notes how each program is started.
 * In the second, the program is also kept as PID.exe, and is not run. */
#define FORE_GO_STARTED "FORESEE_STARTED"
#define FORE_GO_COLLECT "FORESEE_COLLECT"

/* Looks up, in the debug information of the program words[0], where the variables are, tells the
 * program (FORESEE_VARS, see capture/go/hooks/exact.go) and becomes it. Returns only if that fails. */
enum fore_status fore_go_exec(const char *const *words, struct fore_err *e) FORE_MUST_USE;
/* Makes the program of `foresee go` that is started next record the variables of a specification
 * (NULL: there is none), if it was built with --spec or --memory. Other programs are not
 * affected. */
enum fore_status fore_go_watch(const char *program, const char *specification,
                               struct fore_err *e) FORE_MUST_USE;
struct fore_spec;
/* The names of the specification's variables, separated by semicolons. */
void fore_go_spec_names(const struct fore_spec *spec, struct fore_strbuf *out);

#endif
