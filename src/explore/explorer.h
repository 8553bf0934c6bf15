/* What every exploration shares: a world, the histories met, counts, and the schedules to
 * report. Searches (walk, random, optimal, stateful) decide only what comes next. */
#ifndef FORE_EXPLORE_EXPLORER_H
#define FORE_EXPLORE_EXPLORER_H

#include "actor/actors.h"
#include "base/budget.h"
#include "base/rng.h"
#include "explore/histories.h"

#include <stdatomic.h>

struct fore_scheduler;
struct fore_transport;
struct fore_explorer;

enum fore_dependence {
    FORE_DEPEND_HISTORY, /* same actor, or a response here and an invocation there */
    FORE_DEPEND_ACTOR,   /* same actor only */
};

struct fore_explore_options {
    const struct fore_scheduler *scheduler;
    bool compat; /* as the paper's tool: see the harness's ds2-shared */
    enum fore_dependence dependence;
    struct fore_faults faults;
    uint64_t max_schedules;    /* 0: no bound */
    uint32_t max_depth;        /* 0: no bound */
    uint64_t max_states;       /* of a stateful search; 0: no bound */
    struct fore_budget budget; /* time, memory, interruption */
    uint64_t seed;
    uint32_t delays; /* how many delays the delay-bounded scheduler may spend */
    uint32_t jobs;
    bool no_copies;   /* processes of nodes are started anew, not copied */
    bool slow;        /* a step takes long: budgets are looked at after each */
    bool first_only;  /* a portfolio stops some time after the first violation */
    bool wide;        /* a stateful search tells states apart by 128 bits */
    bool no_symmetry; /* agents that the harness treats alike count as different */
    /* where a stateful search keeps states for which memory has no room */
    const char *folder;
    const char *save;   /* a stateful search's checkpoint, or NULL */
    const char *resume; /* the checkpoint to go on from, or NULL */
    double save_every;  /* seconds between checkpoints; 0: only when it is stopped */
    /* leads to other processes of the same search, or NULL */
    struct fore_transport *transport;
    /* explore only share number `share` of `shares`; 0: everything */
    uint32_t share, shares;
};

/* One choice of a schedule; good in every run of the same system and harness. */
struct fore_schedule_choice {
    uint64_t id;
    enum fore_how how;
};

enum fore_bug {
    FORE_BUG_NOT_LINEARIZABLE,
    FORE_BUG_BLOCKED, /* no message is pending, and an operation has no answer */
    FORE_BUG_LIVELOCK,
    FORE_BUG_REQUIRED,
    FORE_BUG_SYSTEM, /* the system breaks the rules of include/foresee/actor.h */
    FORE_BUGS
};

/* A line that a node wrote to its standard error in a step of the path. */
struct fore_said {
    uint32_t step;
    char *text;
};

struct fore_bug_report {
    uint64_t count; /* schedules that show it */
    bool steps;     /* no, steps between states that lead to it */
    bool shortest;  /* no schedule with fewer steps shows it */
    FORE_VEC(struct fore_schedule_choice) schedule; /* the simplest of them */
    size_t faults;                                  /* in it */
    struct fore_strbuf why;
};

/* A run that breaks a property of the harness: from step `circle` on it goes round for ever; if
 * `circle` is its length, nothing can happen at its end. */
struct fore_lasso {
    uint32_t property;
    size_t circle;
    FORE_VEC(struct fore_schedule_choice) schedule;
};

enum fore_bound {
    FORE_BOUND_NONE,
    FORE_BOUND_SCHEDULES,
    FORE_BOUND_DEPTH,
    FORE_BOUND_STATES,
    FORE_BOUND_BUDGET, /* row.spent says which */
    FORE_BOUND_RANDOM, /* the scheduler only samples */
    FORE_BOUND_LIVELOCK,
    FORE_BOUND_REDUCTION, /* the scheduler treats schedules as equal that clients can tell apart */
    FORE_BOUND_FIRST,    /* the search was to stop after the first violations */
    FORE_BOUND_LOST,     /* a rank was lost */
    FORE_BOUND_CIRCLES,  /* there were too many states to look for circles in memory */
    FORE_BOUND_LIVENESS, /* nor for liveness */
    FORE_BOUND_COMPAT,   /* states are not restored as they were */
};

/* A row of the paper's tables, with columns of our own. */
struct fore_row {
    uint64_t schedules, incomplete; /* S, IH; UH and NL come from the histories */
    uint64_t first_bug;             /* HF + 1; 0: none */
    uint64_t first_bug_ns;          /* TF */
    uint64_t ns;                    /* TS */
    uint64_t steps;                 /* executed */
    /* number of steps if each schedule had begun at the start */
    uint64_t stateless_steps;
    uint64_t redundant;           /* paths that turned out to be explored already */
    uint64_t states, transitions; /* of a stateful search */
    uint64_t walks;               /* random schedules beside it */
    uint64_t on_disk;             /* bytes for which memory had no room */
    uint64_t renamings; /* number of renamings under which states count as equal; 1:
                                     * none */
    bool wide;          /* states were told apart by 128 bits, not 64 */
    enum fore_bound bound;
    enum fore_spent spent; /* of FORE_BOUND_BUDGET */
};

struct fore_explorer {
    const struct fore_explore_options *opt;
    struct fore_actors world;
    struct fore_histories histories;
    FORE_VEC(uint32_t) history; /* node after each step; [0] is the empty history */
    FORE_VEC(uint64_t) hashes;  /* world's hash after each step */
    FORE_VEC(uint32_t)
    progress; /* the last depth at which history was made, or a fault */
    FORE_VEC(struct fore_schedule_choice)
    prefix;             /* the steps that led to the start, after a rebase */
    const char *resume; /* the frontier to go on from, or NULL */
    struct fore_strbuf
        *save;   /* where a scheduler that is stopped writes its frontier, or NULL */
    bool faults; /* the network may fail */
    struct fore_row row;
    struct fore_bug_report bugs[FORE_BUGS];
    FORE_VEC(struct fore_lasso) lassos; /* at most one per property */
    FORE_VEC(struct fore_said) said;    /* other output of nodes, if it was listened to */
    struct fore_rng rng;
    struct fore_budget budget; /* its own copy */
    uint64_t started_ns;
    bool stop;
    struct fore_err failure; /* why a search could not go on: an error of the disk or of a
                              * checkpoint */
    _Atomic bool *halt;      /* set when one worker stops for all, or NULL */
    /* schedules that all workers together may have counted so far; or states of a stateful search */
    _Atomic uint64_t *ended;
    _Atomic uint64_t ended_own; /* where the first worker keeps that number */
    uint64_t portion;           /* of these, those that this worker has not counted yet */
    uint32_t workers;
    struct fore_actor_watch *watch; /* one per worker, or NULL */
    uint32_t watch_index;           /* 0: the first worker */
    /* Estimates how many schedules there are from the part of the tree seen so far; NULL: it
     * cannot. */
    uint64_t (*estimate)(const struct fore_explorer *s);
    const void *search; /* for `estimate` */
    /* called now and then; may set stop */
    void (*tick)(struct fore_explorer *s, void *user);
    void *user;
    uint64_t ticks;
};

enum fore_status fore_explorer_init(struct fore_explorer *s,
                                    const struct fore_system *sys,
                                    const struct fore_harness *h,
                                    const struct fore_explore_options *o,
                                    struct fore_err *e) FORE_MUST_USE;
void fore_explorer_release(struct fore_explorer *s);

static inline uint32_t fore_explorer_depth(const struct fore_explorer *s)
{
    return (uint32_t)s->world.steps.n;
}

static inline uint32_t fore_explorer_node(const struct fore_explorer *s)
{
    return s->history.at[s->history.n - 1];
}

/* What a path may do next. */
enum fore_next {
    FORE_NEXT_GO, /* there is a message to receive */
    FORE_NEXT_END, /* the schedule is over: nothing is pending, or there was a bound, a livelock
                    * or a failure */
};

enum fore_next fore_explorer_next(struct fore_explorer *s);
void fore_explorer_step(struct fore_explorer *s, uint32_t msg, enum fore_how how);
/* Is a step that was possible on the same path before still possible? If not, the system is not
 * deterministic, which is reported, and the search stops. */
bool fore_explorer_expects(struct fore_explorer *s, uint32_t msg, enum fore_how how);
/* Executes a step and nothing else: no history, no hashes. */
void fore_explorer_bare_step(struct fore_explorer *s, uint32_t msg, enum fore_how how);
void fore_explorer_undo(struct fore_explorer *s);
/* Counts the schedule that ends here and keeps what is to be reported. False if no more are to
 * be counted: the search stops. */
bool fore_explorer_end(struct fore_explorer *s);
/* The next way in which `msg` can be received after `how` that the budgets allow, or
 * FORE_HOWS. */
enum fore_how fore_explorer_next_how(const struct fore_explorer *s, uint32_t msg,
                                     enum fore_how how);
/* "schedules", "time", …; NULL if there was no bound. */
const char *fore_explorer_bound(const struct fore_explorer *s);
/* Takes the steps of a schedule from the start; false if it does not fit. */
/* The first line of what nodes said in a step; 0 bytes if nothing. */
size_t fore_explorer_said(const struct fore_explorer *s, uint32_t step,
                          const char **text);
bool fore_explorer_follow(struct fore_explorer *s, const struct fore_schedule_choice *c,
                          size_t n);
/* Makes the current state the start of the exploration; reported schedules begin with the steps
 * that led here. */
void fore_explorer_rebase(struct fore_explorer *s);
/* Runs the scheduler, with opt->jobs workers where it can. */
void fore_explorer_run(struct fore_explorer *s);
/* Calls `work` with `s`, and in further threads with explorers of the same start, s->workers in
 * all, and gathers their results in `s`. */
void fore_explorer_together(struct fore_explorer *s,
                            void (*work)(struct fore_explorer *s, void *team),
                            void *team);
/* Another explorer at the same start, for worker number `index`; released and freed by the
 * caller. */
struct fore_explorer *fore_explorer_twin(const struct fore_explorer *first,
                                         uint32_t index);
/* Adds the results of an explorer of the same harness to those of `into`. */
void fore_explorer_merge(struct fore_explorer *into, const struct fore_explorer *from);
/* The length of the beginnings by which trees of schedules are shared out; 0: they are not. */
uint32_t fore_explorer_split(const struct fore_explorer *s);
/* Does the state belong to opt->share? All shorter schedules belong to the first share. */
bool fore_explorer_is_mine(const struct fore_explorer *s);
/* Checks whether budgets are spent or another worker has stopped the search. */
void fore_explorer_poll(struct fore_explorer *s);
/* Is a's schedule simpler than b's: does it have fewer faults, or as many and fewer steps? */
bool fore_bug_simpler(const struct fore_bug_report *a, const struct fore_bug_report *b);
/* Was the state on the path before, without any client having noticed anything since? */
bool fore_explorer_in_circle(const struct fore_explorer *s);
void fore_explorer_report_circle(struct fore_explorer *s);
void fore_explorer_report_bug(struct fore_explorer *s, enum fore_bug bug,
                              const char *why);

#endif
