/* Brzozowski's derivatives. Complement and intersection cost nothing more than union
 * does; what keeps the set of derivatives finite (and small in practice) is that terms
 * are kept modulo associativity, commutativity and idempotence of | and &. */
#include "spec/ere.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/sort.h"

#include <stdlib.h>

static uint32_t intern_term(struct fore_ere *e, struct fore_ere_term t)
{
    uint64_t key = fore_hash_mix(fore_hash_mix((uint64_t)t.op, t.a), t.b);
    for (;; key++) { /* a clash of hashes takes the next key */
        bool fresh;
        uint64_t *slot = fore_map_put(&e->by_hash, key, &fresh);
        if (fresh) {
            *slot = e->terms.n;
            fore_vec_push(&e->terms, t);
            return (uint32_t)*slot;
        }
        const struct fore_ere_term *have = &e->terms.at[*slot];
        if (have->op == t.op && have->a == t.a && have->b == t.b)
            return (uint32_t)*slot;
    }
}

void fore_ere_init(struct fore_ere *e)
{
    *e = (struct fore_ere){0};
    intern_term(e, (struct fore_ere_term){.op = FORE_ERE_NONE});
    intern_term(e, (struct fore_ere_term){.op = FORE_ERE_EMPTY, .nullable = true});
    intern_term(e, (struct fore_ere_term){.op = FORE_ERE_NOT, .nullable = true});
}

void fore_ere_release(struct fore_ere *e)
{
    fore_vec_release(&e->terms);
    fore_map_release(&e->by_hash);
    fore_intern_release(&e->letters);
}

bool fore_ere_nullable(const struct fore_ere *e, uint32_t t)
{
    return e->terms.at[t].nullable;
}

uint32_t fore_ere_letter(struct fore_ere *e, const struct fore_symbols *s,
                         const struct fore_node *pred)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_node_text(s, pred, &text);
    uint32_t name = fore_intern(&e->letters, text.at, text.n);
    fore_strbuf_release(&text);
    return intern_term(
        e, (struct fore_ere_term){.op = FORE_ERE_LETTER, .a = name, .pred = pred});
}

uint32_t fore_ere_cat(struct fore_ere *e, uint32_t a, uint32_t b)
{
    if (a == FORE_ERE_ID_NONE || b == FORE_ERE_ID_NONE)
        return FORE_ERE_ID_NONE;
    if (a == FORE_ERE_ID_EMPTY)
        return b;
    if (b == FORE_ERE_ID_EMPTY || (a == FORE_ERE_ID_ALL && b == FORE_ERE_ID_ALL))
        return a;
    struct fore_ere_term x = e->terms.at[a];
    if (x.op == FORE_ERE_CAT)
        return fore_ere_cat(e, x.a, fore_ere_cat(e, x.b, b));
    bool nullable = x.nullable && e->terms.at[b].nullable;
    return intern_term(e, (struct fore_ere_term){
                              .op = FORE_ERE_CAT, .nullable = nullable, .a = a, .b = b});
}

/* Members of a nested union or intersection. */
struct members {
    FORE_VEC(uint32_t) ids;
};

static void collect_operands(const struct fore_ere *e, enum fore_ere_op op, uint32_t t,
                             struct members *m)
{
    while (e->terms.at[t].op == op) {
        collect_operands(e, op, e->terms.at[t].a, m);
        t = e->terms.at[t].b;
    }
    fore_vec_push(&m->ids, t);
}

/* `unit` leaves the set as it is, `zero` swallows it. */
static uint32_t set_of(struct fore_ere *e, enum fore_ere_op op, uint32_t a, uint32_t b,
                       uint32_t unit, uint32_t zero)
{
    struct members m = {0};
    collect_operands(e, op, a, &m);
    collect_operands(e, op, b, &m);
    qsort(m.ids.at, m.ids.n, sizeof *m.ids.at, fore_compare_u32);
    uint32_t result = unit;
    for (size_t i = m.ids.n; i-- > 0 && result != zero;) {
        uint32_t t = m.ids.at[i];
        if (t == unit || (i + 1 < m.ids.n && t == m.ids.at[i + 1]))
            continue;
        if (t == zero || result == unit) {
            result = t;
            continue;
        }
        bool x = e->terms.at[t].nullable, y = e->terms.at[result].nullable;
        result = intern_term(
            e, (struct fore_ere_term){.op = op,
                                      .nullable = op == FORE_ERE_ALT ? x || y : x && y,
                                      .a = t,
                                      .b = result});
    }
    fore_vec_release(&m.ids);
    return result;
}

uint32_t fore_ere_alt(struct fore_ere *e, uint32_t a, uint32_t b)
{
    return set_of(e, FORE_ERE_ALT, a, b, FORE_ERE_ID_NONE, FORE_ERE_ID_ALL);
}

uint32_t fore_ere_and(struct fore_ere *e, uint32_t a, uint32_t b)
{
    return set_of(e, FORE_ERE_AND, a, b, FORE_ERE_ID_ALL, FORE_ERE_ID_NONE);
}

uint32_t fore_ere_not(struct fore_ere *e, uint32_t a)
{
    struct fore_ere_term x = e->terms.at[a];
    if (x.op == FORE_ERE_NOT)
        return x.a;
    return intern_term(
        e, (struct fore_ere_term){.op = FORE_ERE_NOT, .nullable = !x.nullable, .a = a});
}

uint32_t fore_ere_star(struct fore_ere *e, uint32_t a)
{
    struct fore_ere_term x = e->terms.at[a];
    if (a == FORE_ERE_ID_NONE || a == FORE_ERE_ID_EMPTY)
        return FORE_ERE_ID_EMPTY;
    if (x.op == FORE_ERE_STAR || a == FORE_ERE_ID_ALL)
        return a;
    if (x.op == FORE_ERE_LETTER && x.pred->op == FORE_OP_TRUE)
        return FORE_ERE_ID_ALL;
    return intern_term(
        e, (struct fore_ere_term){.op = FORE_ERE_STAR, .nullable = true, .a = a});
}

/* A boolean combination of atoms under a letter. */
static bool pred_holds(const struct fore_node *n, uint32_t letter, const uint8_t *bit_of)
{
    switch (n->op) {
    case FORE_OP_TRUE:
        return true;
    case FORE_OP_ATOM:
        return letter >> bit_of[n->id] & 1;
    case FORE_OP_NOT:
        return !pred_holds(n->a, letter, bit_of);
    case FORE_OP_AND:
        return pred_holds(n->a, letter, bit_of) && pred_holds(n->b, letter, bit_of);
    case FORE_OP_OR:
        return pred_holds(n->a, letter, bit_of) || pred_holds(n->b, letter, bit_of);
    case FORE_OP_IMPLIES:
        return !pred_holds(n->a, letter, bit_of) || pred_holds(n->b, letter, bit_of);
    case FORE_OP_IFF:
        return pred_holds(n->a, letter, bit_of) == pred_holds(n->b, letter, bit_of);
    default:
        return false;
    }
}

static uint32_t derive_term(struct fore_ere *e, struct fore_ere_reader *r, uint32_t t,
                            uint32_t letter)
{
    struct fore_ere_term x = e->terms.at[t];
    switch (x.op) {
    case FORE_ERE_NONE:
    case FORE_ERE_EMPTY:
        return FORE_ERE_ID_NONE;
    case FORE_ERE_LETTER:
        return pred_holds(x.pred, letter, r->bit_of) ? FORE_ERE_ID_EMPTY
                                                     : FORE_ERE_ID_NONE;
    case FORE_ERE_NOT:
        return fore_ere_not(e, fore_ere_derive(e, r, x.a, letter));
    case FORE_ERE_STAR:
        return fore_ere_cat(e, fore_ere_derive(e, r, x.a, letter), t);
    case FORE_ERE_CAT: {
        uint32_t first = fore_ere_cat(e, fore_ere_derive(e, r, x.a, letter), x.b);
        return e->terms.at[x.a].nullable
                   ? fore_ere_alt(e, first, fore_ere_derive(e, r, x.b, letter))
                   : first;
    }
    case FORE_ERE_ALT:
        return fore_ere_alt(e, fore_ere_derive(e, r, x.a, letter),
                            fore_ere_derive(e, r, x.b, letter));
    case FORE_ERE_AND:
        return fore_ere_and(e, fore_ere_derive(e, r, x.a, letter),
                            fore_ere_derive(e, r, x.b, letter));
    }
    FORE_BUG_IF(true);
    return 0;
}

uint32_t fore_ere_derive(struct fore_ere *e, struct fore_ere_reader *r, uint32_t t,
                         uint32_t letter)
{
    uint64_t key = (uint64_t)t << 32 | letter;
    const uint64_t *known = fore_map_get(&r->memory, key);
    if (known)
        return (uint32_t)*known;
    uint32_t d = derive_term(e, r, t, letter);
    *fore_map_put(&r->memory, key, NULL) = d;
    return d;
}

void fore_ere_atoms(const struct fore_ere *e, uint32_t t, uint64_t *set)
{
    struct fore_ere_term x = e->terms.at[t];
    if (x.op == FORE_ERE_LETTER)
        fore_pred_atoms(x.pred, set);
    if (x.op == FORE_ERE_LETTER || x.op < FORE_ERE_LETTER)
        return;
    fore_ere_atoms(e, x.a, set);
    if (x.op == FORE_ERE_CAT || x.op == FORE_ERE_ALT || x.op == FORE_ERE_AND)
        fore_ere_atoms(e, x.b, set);
}

void fore_pred_atoms(const struct fore_node *n, uint64_t *set)
{
    if (!n)
        return;
    if (n->op == FORE_OP_ATOM)
        fore_bit_add(set, n->id);
    fore_pred_atoms(n->a, set);
    fore_pred_atoms(n->b, set);
}
