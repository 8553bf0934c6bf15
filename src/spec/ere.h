/* Extended regular expressions as hash-consed terms: equal terms have equal ids, and
 * unions and intersections are sorted sets, so that an expression has finitely many
 * derivatives. */
#ifndef FORE_SPEC_ERE_H
#define FORE_SPEC_ERE_H

#include "base/map.h"
#include "spec/ast.h"

enum fore_ere_op {
    FORE_ERE_NONE,  /* no word */
    FORE_ERE_EMPTY, /* the empty word */
    FORE_ERE_LETTER,
    FORE_ERE_CAT,
    FORE_ERE_ALT,
    FORE_ERE_AND,
    FORE_ERE_NOT,
    FORE_ERE_STAR,
};

struct fore_ere_term {
    enum fore_ere_op op;
    bool nullable;
    uint32_t a, b;                /* LETTER: a is the interned text of its predicate */
    const struct fore_node *pred; /* LETTER */
};

struct fore_ere {
    FORE_VEC(struct fore_ere_term) terms;
    struct fore_map by_hash;
    struct fore_intern letters;
};

enum { FORE_ERE_ID_NONE = 0, FORE_ERE_ID_EMPTY = 1, FORE_ERE_ID_ALL = 2 };

void fore_ere_init(struct fore_ere *e);
void fore_ere_release(struct fore_ere *e);
uint32_t fore_ere_letter(struct fore_ere *e, const struct fore_symbols *s,
                         const struct fore_node *pred);
uint32_t fore_ere_cat(struct fore_ere *e, uint32_t a, uint32_t b);
uint32_t fore_ere_alt(struct fore_ere *e, uint32_t a, uint32_t b);
uint32_t fore_ere_and(struct fore_ere *e, uint32_t a, uint32_t b);
uint32_t fore_ere_not(struct fore_ere *e, uint32_t a);
uint32_t fore_ere_star(struct fore_ere *e, uint32_t a);
bool fore_ere_nullable(const struct fore_ere *e, uint32_t t);
/* How letters are read, and what is known of derivatives by them. */
struct fore_ere_reader {
    const uint8_t *bit_of;  /* atom -> bit of a letter */
    struct fore_map memory; /* term << 32 | letter -> term */
};

/* What may follow after `letter`. */
uint32_t fore_ere_derive(struct fore_ere *e, struct fore_ere_reader *r, uint32_t t,
                         uint32_t letter);
/* Adds the atoms that occur in t to a bitset over atoms. */
void fore_ere_atoms(const struct fore_ere *e, uint32_t t, uint64_t *set);

void fore_pred_atoms(const struct fore_node *n, uint64_t *set);

#endif
