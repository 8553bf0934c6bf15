/* The histories that an exploration has met, as a tree: a node is a sequence of events, with the
 * judge's verdict on it. A schedule that ends marks its node. */
#ifndef FORE_EXPLORE_HISTORIES_H
#define FORE_EXPLORE_HISTORIES_H

#include "actor/actors.h"
#include "explore/judge.h"

struct fore_history_node {
    uint32_t parent, op;
    bool response;
    bool ended; /* a schedule ended here */
    bool open;  /* it ended with an operation unanswered */
    int64_t result;
    uint32_t state; /* state of the judge; FORE_JUDGE_BROKEN: not linearizable */
};

struct fore_histories {
    struct fore_judge judge;
    FORE_VEC(struct fore_history_node) nodes; /* nodes.at[0] is the empty history */
    struct fore_map children;                 /* parent and event -> node */
    struct fore_intern answers;               /* operation and result -> number */
    uint64_t check_ns;                        /* time spent in the judge */
    uint64_t unique, incomplete, broken; /* ended nodes; of them open, not linearizable */
    uint64_t broken_complete;
};

enum fore_status fore_histories_init(struct fore_histories *s,
                                     const struct fore_harness *h,
                                     struct fore_err *e) FORE_MUST_USE;
void fore_histories_release(struct fore_histories *s);

uint32_t fore_histories_invoke(struct fore_histories *s, uint32_t node, uint32_t op);
uint32_t fore_histories_respond(struct fore_histories *s, uint32_t node, uint32_t op,
                                int64_t result);
/* Follows the last step of `w`: its invocation, then its responses. */
uint32_t fore_histories_step(struct fore_histories *s, uint32_t node,
                             const struct fore_actors *w);
/* Notes that a schedule ends. True if its history is new. */
bool fore_histories_end(struct fore_histories *s, uint32_t node, bool open);
static inline bool fore_histories_dead(const struct fore_histories *s, uint32_t node)
{
    return s->nodes.at[node].state == FORE_JUDGE_BROKEN;
}

/* Adds the histories of another exploration of the same harness. */
void fore_histories_merge(struct fore_histories *into, const struct fore_histories *from);

/* How many classes the ended histories fall into: the same operations answered, with the same
 * results, and the same pairs "response of a before invocation of b". */
void fore_histories_classes(const struct fore_histories *s, uint64_t *classes,
                            uint64_t *violating);
/* A number that is the same for two explorations that have met the same classes. */
uint64_t fore_histories_fingerprint(const struct fore_histories *s);
/* The classes themselves, as interned keys, for comparisons. */
void fore_histories_class_keys(const struct fore_histories *s, struct fore_intern *keys);

#endif
