/* Builds the programs that `go test` and `go run` would run, and keeps them instead of running
 * them. */
#ifndef FORE_CLI_GO_PROGRAMS_H
#define FORE_CLI_GO_PROGRAMS_H

#include "cli/kept.h"

/* Is it `go test …` or `go run …`? */
bool fore_go_is_command(char *const *words);
/* Builds the one program of that command, as `foresee go` does, into the folder of the store, or into
 * `scratch` if that is not NULL. */
enum fore_status fore_go_program(struct fore_cli *c, char *const *words,
                                 const char *scratch, struct fore_arena *a,
                                 struct fore_started *out,
                                 struct fore_err *e) FORE_MUST_USE;
/* The arguments that make a test binary run only this test, and print its name. NULL: all tests
 * that it would run. */
char **fore_go_test_argv(struct fore_arena *a, char *const *argv, const char *test);
/* The arguments that make it repeat its tests for ever, without output; NULL: it is no test
 * binary. */
char **fore_go_repeat_argv(struct fore_arena *a, char *const *argv);

#endif
