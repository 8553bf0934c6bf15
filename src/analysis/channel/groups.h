/* Pairs of operations, grouped by rule and by their two places in the source. A group has a
 * count and some examples; operations without a place are groups of their own. */
#ifndef FORE_ANALYSIS_CHANNEL_GROUPS_H
#define FORE_ANALYSIS_CHANNEL_GROUPS_H

#include "analysis/channel/reach.h"

#define FORE_NO_GROUP UINT32_MAX
enum { FORE_GROUP_SAMPLES = 8 };

struct fore_comm_group {
    uint32_t rule, where_a, where_b;
    uint32_t samples;
    uint64_t count; /* pairs that the model allows; after verification, see `exact` */
    struct fore_comm_pair sample[FORE_GROUP_SAMPLES];
    bool exact;    /* each of `count` was run on the machine, or need not be */
    bool verified; /* sample[0] was */
};

struct fore_groups {
    const struct fore_comm *c;
    struct fore_comm_sink sink; /* takes single pairs */
    FORE_VEC(struct fore_comm_group) list;
    struct fore_map index;
    FORE_VEC(struct fore_comm_pair) pairs; /* all of them, while `keep` */
    FORE_VEC(uint32_t) of;                 /* the group of each */
    bool keep;                             /* pairs will have to be verified one by one */
    bool overflow;                         /* there were too many to keep */
    bool unlooked; /* some pairs were not run, nor any other of their group */
    bool sampled; /* some pairs were not run, since the examples of their groups stand for
                      * them */
    uint64_t untold; /* number of groups of notes for which there was no time */
};

void fore_groups_init(struct fore_groups *g, const struct fore_comm *c, bool keep);
void fore_groups_release(struct fore_groups *g);

void fore_groups_add(struct fore_groups *g, struct fore_comm_pair x);
/* Pairs of `op` with each operation of a lane from its `lo`-th up to, but not including, its
 * `hi`-th, except `except`. `x` has the rule and the channel. */
struct fore_comm_range {
    struct fore_comm_pair x;
    uint32_t op, except;
    bool op_is_a;
    const struct fore_comm_lane *lane;
    uint32_t lo, hi;
    uint32_t *group; /* the group of such pairs, if known; FORE_NO_GROUP at first */
};
void fore_groups_range(struct fore_groups *g, const struct fore_comm_range *range);

/* Runs the pairs (if they were kept) or examples of each group on the machine. Groups without a
 * run are dropped. Errors come first; notes have the budget that `for_notes` then begins, unless that is NULL. */
void fore_groups_verify(struct fore_groups *g, struct fore_reach *r,
                        struct fore_budget *(*for_notes)(void *ctx), void *ctx);

#endif
