/* A worker of the optimal search, as threads (optimal.c) and ranks (tree_ranks.c) use it. It
 * shares the states at the beginning of its path with other workers, which explore other
 * children of them; the states below belong to it alone until it gives them away. */
#ifndef FORE_EXPLORE_TREE_H
#define FORE_EXPLORE_TREE_H

#include "explore/explorer.h"
#include "explore/wakeup.h"

/* A state on the path; step i + 1 was taken in path.at[i]. */
struct fore_tree_state {
    struct fore_wakeup *node;
    size_t sleep, hb, races; /* where the state's entries begin in the stacks below */
    struct fore_faults left;
    bool circle; /* the path has been in the same state before */
};

struct fore_tree_worker {
    struct fore_explorer *s;
    FORE_VEC(struct fore_tree_state) path;
    FORE_VEC(struct fore_recv) moves; /* by step */
    FORE_VEC(uint8_t) ways; /* by step: in which other ways it could have come, as bits */
    FORE_VEC(struct fore_recv) sleep;
    FORE_VEC(uint64_t) hb;    /* per step, the steps that happen before it, as bits */
    FORE_VEC(uint32_t) races; /* per step, the steps it races with */
    FORE_VEC(struct fore_recv) v, copy;
    FORE_VEC(uint64_t) late; /* steps that would come after a planned sequence, as bits */
    uint32_t shared;         /* this many states at the path's beginning are shared */
    struct fore_wakeup_pool pool;
    /* Plans the sequence in `v` to be explored from the shared state before step i, unless it is
     * covered. */
    void (*plan)(struct fore_tree_worker *k, uint32_t i);
    /* Called when a schedule is over: some work may be given to waiting workers. */
    void (*offer)(struct fore_tree_worker *k);
    void *others; /* of these two */
};

/* Makes the path just the start, whose node is `root`. */
void fore_tree_begin(struct fore_tree_worker *k, struct fore_wakeup *root);
/* Executes the steps that lead to `node` from the start; only its last state is not shared.
 * False if the search stops before. Siblings may be added meanwhile, but only behind it. */
bool fore_tree_go_to(struct fore_tree_worker *k, struct fore_wakeup *node);
/* Explores the subtree below the last shared state's started child: that many schedules, or
 * fewer if no more are left or the search stops. */
void fore_tree_explore(struct fore_tree_worker *k, uint64_t schedules);
/* Back to before the start. */
void fore_tree_leave(struct fore_tree_worker *k);
/* The first of its own states in which a sequence waits; path.n if there is none. */
uint32_t fore_tree_waiting(const struct fore_tree_worker *k);
/* Does the tree cover `v` from the state before step i? Needs no lock. */
bool fore_tree_covers(struct fore_tree_worker *k, uint32_t i);
/* Adds `v` there. Returns the node in which a sequence now waits, or NULL if `v` was covered. */
struct fore_wakeup *fore_tree_insert(struct fore_wakeup_pool *pool,
                                     struct fore_wakeup *at,
                                     const struct fore_wakeup *current,
                                     struct fore_recv *v, size_t n,
                                     enum fore_dependence d);
/* The search stops: a state that was reached but not looked at is to be reached again. */
struct fore_wakeup *fore_tree_step_back(const struct fore_tree_worker *k);
/* Starts the first waiting sequence from `n` on, and returns its end. What it goes through is
 * pushed to `given`, since more may wait there. */
struct fore_wakeup_list {
    FORE_VEC(struct fore_wakeup *) v;
};
struct fore_wakeup *fore_tree_start_chain(struct fore_wakeup_list *given,
                                          struct fore_wakeup *n);
/* The next waiting node of `given`, or NULL; those with nothing left are dropped. */
struct fore_wakeup *fore_tree_next_given(struct fore_wakeup_list *given);
void fore_tree_release(struct fore_tree_worker *k);

/* tree_ranks.c: the search by all ranks of a transport. On rank 0, `root` is the tree (of a
 * checkpoint, or empty), and `given` its nodes in which something may wait; afterwards it holds what is
 * left, and `s` has what all have found. A rank looks for messages after `portion` schedules. */
struct fore_tree_rank;
struct fore_tree_rank *fore_tree_rank_new(struct fore_explorer *s,
                                          struct fore_transport *t,
                                          struct fore_wakeup *root,
                                          struct fore_wakeup_list *given,
                                          uint64_t portion);
/* A few schedules' work; false when the search is over on all ranks. */
bool fore_tree_rank_turn(struct fore_tree_rank *r);
/* On rank 0: whether the search was stopped before it was over. */
bool fore_tree_rank_free(struct fore_tree_rank *r);

#endif
