/* Log-linear algorithms for common objects, each with a precondition that is checked. They
 * certify themselves: a yes comes with an order that is checked step by step, a no with a
 * few operations for which the general search confirms it, or of which two prove it. Where
 * neither succeeds, the general search decides.
 *
 * Time is a line of points; point x lies just after the event at position x. An operation
 * may take effect at the points invoke … ret - 1. */
#ifndef FORE_HISTORY_SPECIAL_H
#define FORE_HISTORY_SPECIAL_H

#include "history/search.h"

/* The point after everything. Positions are dense here, far below it. */
#define FORE_POINT_END ((int64_t)1 << 40)

/* The operations of one value of a container. */
struct fore_life {
    uint32_t put, take;         /* operations; FORE_NEVER: none */
    uint32_t taken_again;       /* a second take, or 0 */
    int64_t put_inv, put_ret;   /* a put that never returned ends at FORE_POINT_END */
    int64_t take_inv, take_ret; /* never taken: FORE_POINT_END and the point after it */
    int64_t due;                /* the first answer that showed it, or FORE_POINT_END */
    int64_t stays; /* taken no earlier; a guess, if there are takes of unknown values */
    uint32_t first_look, last_look; /* by answer, by invocation; FORE_NEVER: none */
    fore_val value;
    bool gone; /* it has its place, and no other value depends on it any more */
};

/* An operation with the point at which it takes effect; ties in ascending order. */
struct fore_timed {
    int64_t point, tie;
    uint32_t op;
};

/* An operation that saw the value in front without taking it. */
struct fore_look {
    uint32_t op, life;
};

/* What an algorithm works with and what it leaves: `timed` for a yes, `core` for a no. */
struct fore_special {
    const struct fore_part *part;
    FORE_VEC(struct fore_life) lives;
    FORE_VEC(uint32_t) empties; /* takes and looks that found nothing */
    FORE_VEC(struct fore_look) looks;
    FORE_VEC(uint32_t) unknown; /* takes of unknown values */
    bool anyway;                /* there are looks that saw unknown values */
    FORE_VEC(struct fore_timed) timed;
    FORE_VEC(uint32_t) core;
    uint32_t proof; /* `core` needs no search: this answer, + 1, cannot be; 0: it does */
};

/* Decides one part if its precondition holds; then `out` is filled as by fore_search. */
bool fore_special_decide(const struct fore_part *p, struct fore_limits *l,
                         struct fore_search_outcome *out);

/* One file each. False: the precondition does not hold. */
bool fore_zones(struct fore_special *s);      /* registers */
bool fore_membership(struct fore_special *s); /* one element of a set */
bool fore_overlooked(struct fore_special *s); /* texts that grow; true only with a core */
/* These three find `lives` and `empties` filled; each value is put once, taken at most
 * once, and not before it is put. */
bool fore_fifo(struct fore_special *s);
bool fore_lifo(struct fore_special *s);
bool fore_priority(struct fore_special *s);
/* Handles all of them with looks and unknown takes, too. False: it got stuck, which says
 * nothing. */
bool fore_guided(struct fore_special *s);

void fore_special_at(struct fore_special *s, int64_t point, int64_t tie, uint32_t op);
void fore_special_core(struct fore_special *s, uint32_t op);
void fore_special_core_life(struct fore_special *s, const struct fore_life *v);
/* Adds to the core values whose certain presence, put_ret … take_inv - 1, covers the points
 * from … to without a gap; `within`: and reaches no further. Values that are gone are not
 * asked. The caller knows that there are such. */
void fore_special_core_cover(struct fore_special *s, int64_t from, int64_t to,
                             bool within);

/* Point ranges in which the container is empty, ascending. */
struct fore_gap {
    int64_t from, to;
    int64_t tie;
};
struct fore_gaps {
    FORE_VEC(struct fore_gap) v;
};
/* Times every empty take at some gap. False: one of them fits none, and is in `core`. */
bool fore_special_place_empties(struct fore_special *s, const struct fore_gaps *g);

#endif
