/* What every exploration shares: a world, the histories met, counts, and the schedules that
 * are worth telling. Searches (walk, random, optimal, stateful) decide only what comes next. */
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
    uint32_t delays; /* the delay-bounded scheduler's budget */
    uint32_t jobs;
    bool no_copies;     /* processes of nodes are not copied */
    bool slow;          /* a step takes long: budgets are looked at after each */
    bool first_only;    /* a portfolio stops some time after the first violation */
    bool wide;          /* a stateful search tells states apart by 128 bits */
    bool no_symmetry;   /* agents that the harness treats alike are told apart */
    const char *folder; /* where a stateful search puts what memory has no room for */
    const char *save;   /* a stateful search's checkpoint, or NULL */
    const char *resume; /* one to go on from, or NULL */
    double save_every;  /* seconds between checkpoints; 0: only when it is stopped */
    struct fore_transport *transport; /* to other processes of the same search, or NULL */
    uint32_t share, shares; /* explore only this one of so many shares; 0: everything */
};

/* One choice of a schedule; good in every run of the same system and harness. */
struct fore_schedule_choice {
    uint64_t id;
    enum fore_how how;
};

enum fore_bug {
    FORE_BUG_NOT_LINEARIZABLE,
    FORE_BUG_BLOCKED, /* nothing is pending, and an operation has no answer */
    FORE_BUG_LIVELOCK,
    FORE_BUG_REQUIRED,
    FORE_BUG_SYSTEM, /* the system breaks the rules of include/foresee/actor.h */
    FORE_BUGS
};

/* What a node wrote to its standard error in a step of the path. */
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
 * that is its length, nothing happens any more at its end. */
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
    FORE_BOUND_REDUCTION, /* the scheduler takes for equal what clients can tell apart */
    FORE_BOUND_FIRST,     /* it was not to go on after the first violations */
    FORE_BOUND_LOST,      /* a rank was lost */
    FORE_BOUND_CIRCLES,   /* the states did not fit into memory to look for circles */
    FORE_BOUND_LIVENESS,  /* nor for liveness */
    FORE_BOUND_COMPAT,    /* states are not restored as they were */
};

/* A row of the paper's tables, and ours. */
struct fore_row {
    uint64_t schedules, incomplete; /* S, IH; UH and NL are the histories' */
    uint64_t first_bug;             /* HF + 1; 0: none */
    uint64_t first_bug_ns;          /* TF */
    uint64_t ns;                    /* TS */
    uint64_t steps;                 /* executed */
    uint64_t stateless_steps;       /* as if each schedule began at the start */
    uint64_t redundant;             /* paths that turned out to be known already */
    uint64_t states, transitions;   /* of a stateful search */
    uint64_t walks;                 /* random schedules beside it */
    uint64_t on_disk;               /* bytes that memory had no room for */
    uint64_t renamings;             /* under which states were the same; 1: none */
    bool wide;                      /* states were told apart by 128 bits, not 64 */
    enum fore_bound bound;
    const char *spent; /* FORE_BOUND_BUDGET: time, memory or interrupted */
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
    prefix;             /* what led to the start, after a rebase */
    const char *resume; /* a frontier to go on from, or NULL */
    struct fore_strbuf
        *save;   /* where a scheduler that is stopped writes its own, or NULL */
    bool faults; /* the network may fail */
    struct fore_row row;
    struct fore_bug_report bugs[FORE_BUGS];
    FORE_VEC(struct fore_lasso) lassos; /* at most one per property */
    FORE_VEC(struct fore_said) said; /* what nodes said besides, if it was listened to */
    struct fore_rng rng;
    struct fore_budget budget; /* its own copy */
    uint64_t started_ns;
    bool stop;
    struct fore_err failure; /* why a search could not go on: the disk, a checkpoint */
    _Atomic bool *halt;      /* set when one worker stops for all, or NULL */
    _Atomic uint64_t *ended; /* schedules that all workers may count so far; states of a
                                 * stateful search */
    _Atomic uint64_t ended_own; /* where the first keeps that */
    uint64_t portion;           /* of them, what this one has not counted yet */
    uint32_t workers;
    struct fore_actor_watch *watch; /* one per worker, or NULL */
    uint32_t watch_index;           /* 0: the first worker */
    /* How many schedules there are, by what has been seen of the tree; NULL: no idea. */
    uint64_t (*estimate)(const struct fore_explorer *s);
    const void *search;                                /* for `estimate` */
    void (*tick)(struct fore_explorer *s, void *user); /* now and then; may set stop */
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
    FORE_NEXT_END, /* the schedule is over: nothing pending, a bound, a livelock, a failure */
};

enum fore_next fore_explorer_next(struct fore_explorer *s);
void fore_explorer_step(struct fore_explorer *s, uint32_t msg, enum fore_how how);
/* Whether a step that was possible on the same path before still is; if it is not, the system
 * is not deterministic: that is reported, and the search stops. */
bool fore_explorer_expects(struct fore_explorer *s, uint32_t msg, enum fore_how how);
/* Executes a step and no more: no history, no hashes. */
void fore_explorer_bare_step(struct fore_explorer *s, uint32_t msg, enum fore_how how);
void fore_explorer_undo(struct fore_explorer *s);
/* Counts the schedule that ends here and keeps what is worth telling. False if no more are to be
 * counted: the search stops. */
bool fore_explorer_end(struct fore_explorer *s);
/* The next way in which `msg` can be received after `how` that the budgets allow, or
 * FORE_HOWS. */
enum fore_how fore_explorer_next_how(const struct fore_explorer *s, uint32_t msg,
                                     enum fore_how how);
/* "schedules", "time", …; NULL if there was no bound. */
const char *fore_explorer_bound(const struct fore_explorer *s);
/* Takes the steps of a schedule from the start; false if it does not fit. */
/* The first line of what was said in a step; 0 bytes if nothing was. */
size_t fore_explorer_said(const struct fore_explorer *s, uint32_t step,
                          const char **text);
bool fore_explorer_follow(struct fore_explorer *s, const struct fore_schedule_choice *c,
                          size_t n);
/* Makes the current state the start of the exploration; schedules that are reported begin
 * with what led here. */
void fore_explorer_rebase(struct fore_explorer *s);
/* Runs the scheduler, with opt->jobs workers where it can. */
void fore_explorer_run(struct fore_explorer *s);
/* Calls `work` with `s`, and in further threads with explorers of the same start, s->workers
 * in all, and gathers in `s` what they found. */
void fore_explorer_together(struct fore_explorer *s,
                            void (*work)(struct fore_explorer *s, void *team),
                            void *team);
/* Another explorer at the same start, for worker number `index`; released and freed by the
 * caller. */
struct fore_explorer *fore_explorer_twin(const struct fore_explorer *first,
                                         uint32_t index);
/* Adds what an explorer of the same harness has found to what `into` has. */
void fore_explorer_merge(struct fore_explorer *into, const struct fore_explorer *from);
/* Trees of schedules are shared out by their beginnings of this length; 0: they are not. */
uint32_t fore_explorer_split(const struct fore_explorer *s);
/* Whether the state belongs to opt->share. Of shorter schedules the first share has all. */
bool fore_explorer_is_mine(const struct fore_explorer *s);
/* The reasons for which budgets stop a search, as numbers. */
uint64_t fore_spent_number(const char *spent);
const char *fore_spent_text(uint64_t number); /* or NULL */
/* Looks whether budgets are spent or somebody else stops the search. */
void fore_explorer_poll(struct fore_explorer *s);
/* Whether a's schedule is simpler than b's: it has fewer faults, or as many and fewer steps. */
bool fore_bug_simpler(const struct fore_bug_report *a, const struct fore_bug_report *b);
/* Whether the state has been on the path before, and no client has noticed anything since. */
bool fore_explorer_in_circle(const struct fore_explorer *s);
void fore_explorer_report_circle(struct fore_explorer *s);
void fore_explorer_report_bug(struct fore_explorer *s, enum fore_bug bug,
                              const char *why);

#endif
