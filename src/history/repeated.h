/* Containers whose values repeat, so that it is not known which put a take belongs to. Searches
 * like fore_search, exact within the limits, over far fewer configurations. */
#ifndef FORE_HISTORY_REPEATED_H
#define FORE_HISTORY_REPEATED_H

#include "history/search.h"

/* Fills `out` as fore_search does. False: this is none of them, and `out` is untouched. */
bool fore_repeated_decide(const struct fore_part *p, struct fore_limits *l,
                          struct fore_search_outcome *out);

/* One file each; the part is a queue, or a stack, that starts empty, in which nil is never
 * put and every take or look that answered says what it saw. False: too much is open at once. */
bool fore_repeated_queue(const struct fore_part *p, struct fore_limits *l,
                         struct fore_search_outcome *out);
/* Which choices a stack's search looks at first: to dig for a value instead of taking one that
 * is being pushed; to pop what is due sooner than what is pushed; to push others below; all ages
 * in turn instead of the last first. It decides the same with all of them, but finds an order sooner with one or the other. */
enum {
    FORE_DIG_FIRST = 1,
    FORE_POP_URGENT = 2,
    FORE_BELOW_FIRST = 4,
    FORE_BY_LEVELS = 8,
    FORE_BY_CHANCE = 16
};
bool fore_repeated_stack(const struct fore_part *p, struct fore_limits *l, unsigned style,
                         struct fore_search_outcome *out);

/* What a container's operation does, by the value that it puts, takes or sees. */
enum fore_repeated_deed { FORE_DEED_NONE, FORE_DEED_PUT, FORE_DEED_TAKE, FORE_DEED_LOOK };
struct fore_deeds {
    uint8_t *deed;     /* by operation; NONE: it may be left out */
    uint32_t *value;   /* dense from 1; 0: nil, or unknown if the operation is pending */
    uint32_t n_values; /* the largest */
};
void fore_deeds_init(struct fore_deeds *d, const struct fore_part *p);
void fore_deeds_release(struct fore_deeds *d);

/* The limit that was reached; NULL while the search may go on. */
const char *fore_repeated_limit(struct fore_limits *l, uint64_t configs, size_t bytes);

#endif
