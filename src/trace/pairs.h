/* Which receive takes which send of a thread on an unbuffered channel: the k-th. The notation leaves k
 * out where it is the first that was not taken yet. */
#ifndef FORE_TRACE_PAIRS_H
#define FORE_TRACE_PAIRS_H

#include "base/map.h"
#include "base/vec.h"

#define FORE_PAIRS_MOST ((UINT64_C(1) << 32) - 1) /* sends of one thread on one channel */

struct fore_pair {
    uint32_t thread, chan;
    uint64_t sends; /* so far */
    uint64_t next;  /* the first send that was not taken, counted from 1 */
    uint64_t last;  /* the latest that was taken */
    uint64_t mark;  /* set by the caller: the receive that took `last` */
};

struct fore_pairs {
    struct fore_map index;          /* thread << 32 | channel -> number + 1 */
    FORE_VEC(struct fore_pair) all; /* in order of first mention */
    struct fore_map early; /* number << 32 | k: sends that were taken, and come after
                                     * `next` */
};

void fore_pairs_release(struct fore_pairs *p);
/* Good until the next call. */
struct fore_pair *fore_pairs_of(struct fore_pairs *p, uint32_t thread, uint32_t chan);
/* Takes the k-th send, 1 <= k <= FORE_PAIRS_MOST. False if it was taken before. */
bool fore_pairs_take(struct fore_pairs *p, struct fore_pair *pair, uint64_t k);

#endif
