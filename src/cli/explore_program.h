/* `foresee explore -- CMD`: a real program on many schedules. */
#ifndef FORE_CLI_EXPLORE_PROGRAM_H
#define FORE_CLI_EXPLORE_PROGRAM_H

#include "cli/cli.h"

#define FORE_EXPLORE_PROGRAM_OPTIONS                                                     \
    {"strategy", 0, "S",                                                                 \
     "of a program: portfolio (default: guided, random, pct and pos take turns), or "    \
     "some of guided, random, pct, pos, delay, separated by commas"},                    \
        {"runs", 0, "N", "of a program: at most N runs (default 10000)"},                \
        {"run-time", 0, "S", "seconds that one run may take (default 10)"},              \
        {"depth", 0, "D", "of pct and delay: changes in a run (default 3)"},             \
        {"clock", 0, "C", "what a program's clocks show: virtual (default) or real"},    \
        {"points", 0, "P",                                                               \
         "where threads may change: memory (default) or sync, without plain accesses"},  \
        {"memory", 0, "[=all]",                                                          \
         "of go test and go run: accesses of your module's packages are points, or of "  \
         "all packages"},                                                                \
        {"in-process", 0, NULL,                                                          \
         "of go test: many runs of the tests in one process, as with go test -count; "   \
         "what fails is run again in a process of its own"},                             \
        {"no-shorten", 0, NULL,                                                          \
         "do not look for the fewest switches with which a program still fails"},        \
        {"spurious", 0, NULL, "conditions may wake without a signal"},                   \
        {"no-shorten", 0, NULL, "keep the schedule of a failure as it was found"},       \
    {                                                                                    \
        "keep-going", 0, NULL, "do not stop at the first failure"                        \
    }

/* Runs it; the exit status. */
int fore_explore_program(struct fore_cli *c, struct fore_err *e);
/* The first option that is for programs alone, or not for them; NULL: none. */
const char *fore_explore_misused(const struct fore_cli *c, bool program);

#endif
