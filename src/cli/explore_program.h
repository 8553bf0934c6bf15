/* `foresee explore -- CMD`: a real program on many schedules. */
#ifndef FORE_CLI_EXPLORE_PROGRAM_H
#define FORE_CLI_EXPLORE_PROGRAM_H

#include "cli/cli.h"

#define FORE_EXPLORE_PROGRAM_OPTIONS                                                     \
    {"strategy", 0, "S",                                                                 \
     "programs: how to choose schedules: portfolio (default: guided, "                   \
     "random, pct and pos take turns), or some of guided, random, pct, "                 \
     "pos, delay, separated by commas"},                                                 \
        {"runs", 0, "N", "programs: at most N runs (default 10000)"},                    \
        {"run-time", 0, "S", "programs: seconds that one run may take (default 10)"},    \
        {"depth", 0, "D", "pct and delay: how many changes a run has (default 3)"},      \
        {"clock", 0, "C",                                                                \
         "time that a program or node sees: virtual (default) or real"},                 \
        {"timers", 0, "MS",                                                              \
         "programs: milliseconds that a timer or timeout may fire before its time "      \
         "(default: 5 for Go, 100 for C); 0: none does"},                                \
        {"points", 0, "P",                                                               \
         "programs: where threads may be switched: memory (default: also at "            \
         "plain reads and writes) or sync"},                                             \
        {"memory", 0, "[=all]",                                                          \
         "go test and go run: also switch at reads and writes of your "                  \
         "module's packages (=all: of all packages)"},                                   \
        {"in-process", 0, NULL,                                                          \
         "go test: run the tests many times in one process, as with go test "            \
         "-count; what fails is run again in a process of its own"},                     \
        {"spurious", 0, NULL, "programs: let conditions wake without a signal"},         \
        {"no-shorten", 0, NULL,                                                          \
         "programs: keep the schedule of a failure as it was found, do not look for "    \
         "fewer switches"},                                                              \
    {                                                                                    \
        "keep-going", 0, NULL, "programs: do not stop at the first failure"              \
    }

/* Runs the verb; returns the exit status. */
int fore_explore_program(struct fore_cli *c, struct fore_err *e);
/* The first given option that is only for programs, or not for them; NULL: none. */
const char *fore_explore_misused(const struct fore_cli *c, bool program);

#endif
