/* Sets of held locks as small integers: equal sets have equal numbers, and every
 * operation after the first of its kind is one look-up. 0 is the empty set. A lock held
 * for reading and the same lock held for writing are different members. */
#ifndef FORE_CAUSAL_LOCKSET_H
#define FORE_CAUSAL_LOCKSET_H

#include "base/map.h"

typedef uint32_t fore_lockset;

struct fore_locksets {
    struct fore_intern sets;              /* sorted arrays of members */
    struct fore_map with, without, apart; /* remembered answers */
};

void fore_locksets_release(struct fore_locksets *t);

fore_lockset fore_lockset_add(struct fore_locksets *t, fore_lockset s, uint32_t lock,
                              bool shared);
fore_lockset fore_lockset_remove(struct fore_locksets *t, fore_lockset s, uint32_t lock,
                                 bool shared);
/* Do they exclude each other: one lock in both, held exclusively in at least one? */
bool fore_lockset_excludes(struct fore_locksets *t, fore_lockset a, fore_lockset b);
size_t fore_lockset_count(const struct fore_locksets *t, fore_lockset s);
/* The i-th member, from 0, in ascending order of the lock. */
uint32_t fore_lockset_member(const struct fore_locksets *t, fore_lockset s, size_t i,
                             bool *shared);

#endif
