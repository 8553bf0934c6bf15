/* The loop that the paper's schedulers share: depth first, with a set of receives that were
 * explored and a set that are to be (the backtrack set) in every state on the path. A scheduler
 * is a row: how sets begin, and two predicates. */
#ifndef FORE_EXPLORE_WALK_H
#define FORE_EXPLORE_WALK_H

#include "explore/explorer.h"

struct fore_walk;

struct fore_scheduler {
    const char *name, *summary;
    void (*run)(struct fore_explorer *s);
    bool parallel; /* run can use fore_explorer_together */
    bool resumes;  /* run knows s->resume and s->save */
    /* The rest is for schedulers whose run is fore_walk_run. */
    bool everything; /* every pending receive is to be explored */
    bool root_whole; /* the first state's backtrack set begins with everything */
    bool freezes;    /* at most one receive is added to a set until a child returns */
    bool delays;     /* skips over agents at random */
    /* Whether the receives of two steps (numbers from 1, i < j) are dependent. */
    bool (*are_dependent)(const struct fore_actors *w, uint32_t i, uint32_t j);
    /* Whether step i's receive may have caused step j's message to be sent. */
    bool (*did_enable)(const struct fore_actors *w, uint32_t i, uint32_t j);
    /* Called after step j, which is dependent with i and was not pending there: adds to i's
     * backtrack set. NULL with `everything`. */
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

uint64_t *fore_walk_explored(struct fore_walk *k, uint32_t step);
uint64_t *fore_walk_backtrack(struct fore_walk *k, uint32_t step);
/* Adds `msg` to the backtrack set of the state in which `step` was taken. */
void fore_walk_add(struct fore_walk *k, uint32_t step, uint32_t msg);

/* The predicates of the paper. */
bool fore_same_actor(const struct fore_actors *w, uint32_t i, uint32_t j);
bool fore_sender_received(const struct fore_actors *w, uint32_t i, uint32_t j);

/* The table of schedulers, in the order of the paper's columns, ours first. */
extern const struct fore_scheduler *const fore_schedulers[];
const struct fore_scheduler *fore_scheduler_find(const char *name); /* or NULL */

extern const struct fore_scheduler fore_scheduler_ex, fore_scheduler_sr,
    fore_scheduler_db, fore_scheduler_dp, fore_scheduler_td, fore_scheduler_ir,
    fore_scheduler_lv, fore_scheduler_optimal, fore_scheduler_stateful;

#endif
