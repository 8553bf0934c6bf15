/* Runs a program on many schedules, and keeps the runs that fail.
 *
 * Strategies take turns (capture/control/strategy.h; guided is here): guided forces a reversal
 * of some run that was not tried yet, the most promising first, and when nothing is left to
 * reverse the search is complete. `look` hands in other schedules to force, such as predictions. */
#ifndef FORE_EXPLORE_SEARCH_H
#define FORE_EXPLORE_SEARCH_H

#include "base/budget.h"
#include "base/progress.h"
#include "explore/program/failure.h"
#include "explore/program/reversal.h"

enum fore_search_strategy {
    FORE_SEARCH_GUIDED,
    FORE_SEARCH_RANDOM,
    FORE_SEARCH_PCT,
    FORE_SEARCH_POS,
    FORE_SEARCH_DELAY,
    FORE_SEARCH_STRATEGIES
};
extern const char *const fore_search_names[FORE_SEARCH_STRATEGIES];

/* Schedules that were asked for; the list owns them. */
struct fore_wishes {
    FORE_VEC(char *) v;
};

struct fore_search_failure {
    struct fore_failure what;
    uint64_t run, count; /* the first run that failed so, from 1; how many did */
    const char *strategy;
    /* switches of the schedule that is kept; of the run that failed */
    uint32_t switches, before;
    uint32_t early; /* timers that fire too soon in that schedule, see fore_rerun_early */
    bool seen;      /* found by an analysis of the run, and not by the program itself */
    bool asked;     /* the schedule was asked for, and is kept as it is */
    uint64_t seed;
    char *seeds; /* lines with the seeds of randomness besides the schedule */
    char *schedule;
    struct fore_finding *finding; /* in `kept`, without its witness */
};

struct fore_transport;

struct fore_search {
    /* what is asked for */
    /* leads to other processes of the search, or NULL */
    struct fore_transport *transport;
    struct fore_rerun_how how;
    char *const *series; /* the program with arguments that repeat its tests in one
                          * process; NULL: each run has its own */
    const char *options; /* lines for every schedule, such as "points sync\n" */
    bool uses[FORE_SEARCH_STRATEGIES];
    uint64_t runs;     /* at most; 0: no bound */
    uint64_t early_ms; /* by so much a timer may fire before its time */
    uint64_t seed;
    unsigned jobs, depth;
    bool keep_going, minimises;
    const char *only;          /* the rules that count, separated by commas; NULL: all */
    const char *save, *resume; /* files, see journal.h; NULL: none */
    double save_every;         /* seconds; 0: only when it is stopped */
    struct fore_budget *budget;
    struct fore_progress *progress;
    /* Called for a run of a new class: puts other errors of the run into `found`, and other
     * schedules to force (whole ones) into `more`. NULL: runs are not analysed. */
    void (*look)(void *ctx, const struct fore_rerun *p, struct fore_findings *found,
                 struct fore_wishes *more);
    /* Gives a new failure the steps of its run. NULL: failures have none. */
    void (*draw)(void *ctx, const struct fore_rerun *p, struct fore_finding *x,
                 struct fore_findings *f);
    void *ctx;
    /* what came of it */
    uint64_t done, classes, timeouts, departed, uncontrolled;
    uint64_t spins; /* runs that ended because all threads that went on did so in vain */
    char spins_at[112]; /* where the first of them did */
    uint64_t by_strategy[FORE_SEARCH_STRATEGIES];
    uint64_t longest; /* choices */
    FORE_VEC(struct fore_search_failure *) failures;
    struct fore_findings kept; /* theirs, and others */
    bool complete;             /* guided has nothing left to try */
    bool
        sampled; /* the same, but what time, signals or forks decide was taken as it came */
    enum fore_spent
        bound; /* what ended the search; nothing: there is no schedule left, or a failure did */
    double seconds;
    /* of series */
    uint64_t processes;
    uint64_t
        left; /* runs that left something behind, and did not fail alone; the first of these: */
    struct fore_strbuf left_first;
    uint64_t unrepeated, unrepeated_first; /* runs that failed, and did not fail alone */
};

enum fore_status fore_search_run(struct fore_search *s, struct fore_err *e) FORE_MUST_USE;
void fore_search_release(struct fore_search *s);

#endif
