/* The loop that the paper's schedulers share: depth first, with a set of receives that were
 * explored and a set that are to be (the backtrack set) in every state on the path. A scheduler
 * is a row: how sets begin, and two predicates. */
#ifndef FORE_EXPLORE_WALK_H
#define FORE_EXPLORE_WALK_H

#include "explore/explorer.h"

struct fore_walk;

/* A new one is two predicates, `are_dependent` and `did_enable`, in a file of its own, and its
 * name in FORE_SCHEDULERS; the loop in walk.c does the rest. */
struct fore_scheduler {
    const char *name, *summary;
    bool paper; /* one of the seven that [ds2] compares */
    /* The rest may be left out. Searches that are no such loop have their own. */
    void (*run)(struct fore_explorer *s);
    bool parallel; /* run can use fore_explorer_together */
    bool resumes;  /* run knows s->resume and s->save */
    bool shares;   /* explores the share that it is given, and that of others not */
    bool ranks;  /* run talks to the other ranks of a job; the first has what all found */
    bool levels; /* run is a search by levels: it counts states, and has checkpoints */
    /* For the loop. */
    bool everything; /* every pending receive is to be explored: no predicates */
    bool root_whole; /* the first state's backtrack set begins with everything */
    bool freezes;    /* at most one receive is added to a set until a child returns */
    bool delays;     /* skips over agents at random */
    /* Whether the receives of two steps (numbers from 1, i < j) are dependent. */
    bool (*are_dependent)(const struct fore_actors *w, uint32_t i, uint32_t j);
    /* Whether step i's receive may have caused step j's message to be sent. */
    bool (*did_enable)(const struct fore_actors *w, uint32_t i, uint32_t j);
    /* Called after step j, which is dependent with i and was not pending there: adds to i's
     * backtrack set. NULL: adds the receive that began the causal chain by `did_enable`. */
    void (*add)(struct fore_walk *k, uint32_t i, uint32_t j);
};

/* A state on the path. Sets are over the messages that existed then. */
struct fore_walk_state {
    size_t sets; /* offset into words: explored, then backtrack */
    size_t words;
    uint32_t msg; /* being explored */
    enum fore_how how;
    uint32_t delays; /* spent on the way here */
    bool frozen;
};

struct fore_walk {
    struct fore_explorer *s;
    const struct fore_scheduler *rule;
    FORE_VEC(struct fore_walk_state) path; /* path.at[i - 1] is where step i was taken */
    FORE_VEC(uint64_t) words;
    size_t cursor; /* of the round robin over actors */
};

void fore_walk_run(struct fore_explorer *s);
/* Whether a search by this scheduler can be stopped and resumed. */
static inline bool fore_scheduler_resumes(const struct fore_scheduler *s)
{
    return s->resumes || s->levels || !s->run;
}

/* In a job: a search whose ranks talk to each other, and tell the first one what they found. */
static inline bool fore_scheduler_talks(const struct fore_scheduler *s,
                                        const struct fore_explore_options *o)
{
    return s->levels || (s->ranks && !o->max_schedules);
}

/* In a job: a search of which each rank has a share. What the paper's tool shares between snapshots
 * depends on the order, and a bound of schedules on what was counted before; walks are numbered. */
static inline bool fore_scheduler_deals(const struct fore_scheduler *s,
                                        const struct fore_explore_options *o)
{
    bool walks = s->shares && s->run;
    return s->shares && (walks || (!o->compat && !o->max_schedules));
}

/* Adds `msg` to the backtrack set of the state in which `step` was taken. */
void fore_walk_add(struct fore_walk *k, uint32_t step, uint32_t msg);
/* Adds to step i the first message that ran between i and j, was pending at i and was not
 * planned there. False if there is none. */
bool fore_walk_add_since(struct fore_walk *k, uint32_t i, uint32_t j);

/* The predicates of the paper. */
bool fore_same_actor(const struct fore_actors *w, uint32_t i, uint32_t j);
bool fore_sender_received(const struct fore_actors *w, uint32_t i, uint32_t j);

/* Walks are numbered, and each has a seed of its own, so that they can be dealt out. */
void fore_walk_seed(struct fore_explorer *s, uint64_t walk);
/* After the walks of a share: numbers the first bug among all, and says that walks try only some orders. */
void fore_walk_finish(struct fore_explorer *s);
/* A pending message at random, and a way in which it meets its receiver. */
uint32_t fore_sr_pick(struct fore_explorer *s);
enum fore_how fore_sr_how(struct fore_explorer *s, uint32_t msg);

/* The table of schedulers, in the order of the paper's columns, ours first. */
#define FORE_SCHEDULERS(X)                                                               \
    X(portfolio) X(optimal) X(ex) X(sr) X(db) X(dp) X(td) X(ir) X(lv) X(pct) X(stateful)
#define FORE_SCHEDULER_DECLARE(name)                                                     \
    extern const struct fore_scheduler fore_scheduler_##name;
FORE_SCHEDULERS(FORE_SCHEDULER_DECLARE)
extern const struct fore_scheduler *const fore_schedulers[];        /* ends with NULL */
const struct fore_scheduler *fore_scheduler_find(const char *name); /* or NULL */

#endif
