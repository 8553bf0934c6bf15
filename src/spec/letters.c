#include "spec/letters.h"

#include "base/bitset.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 100000 };

/* For each variable the values at which some proposition changes, and those between. */
struct samples {
    FORE_VEC(double) at;
    size_t next; /* of the odometer */
};

struct sampler {
    const struct fore_spec *spec;
    const struct fore_property *prop;
    struct samples *vars;
    uint32_t exact; /* bits of atoms that only compare variables with constants */
};

static bool is_simple(const struct fore_spec *s, const struct fore_node *n)
{
    if (n->op == FORE_OP_ATOM)
        return is_simple(s, s->symbols.atoms.at[n->id].expr);
    if (fore_op_class(n->op) == FORE_OPS_COMPARE) {
        const struct fore_node *var = n->a->op == FORE_OP_VAR ? n->a : n->b;
        const struct fore_node *num = var == n->a ? n->b : n->a;
        return var->op == FORE_OP_VAR && num->op == FORE_OP_NUM &&
               fabs(fore_val_double(num->num)) < 4503599627370496.0; /* 2^52 */
    }
    if (fore_op_class(n->op) == FORE_OPS_NUMBER)
        return n->op == FORE_OP_VAR;
    return (!n->a || is_simple(s, n->a)) && (!n->b || is_simple(s, n->b));
}

static void add_points(struct sampler *m, const struct fore_node *n)
{
    if (n->op == FORE_OP_ATOM)
        n = m->spec->symbols.atoms.at[n->id].expr;
    if (n->op == FORE_OP_VAR) {
        fore_vec_push(&m->vars[n->id].at, 0.0);
    } else if (fore_op_class(n->op) == FORE_OPS_COMPARE) {
        const struct fore_node *var = n->a->op == FORE_OP_VAR ? n->a : n->b;
        const struct fore_node *num = var == n->a ? n->b : n->a;
        fore_vec_push(&m->vars[var->id].at, fore_val_double(num->num));
    } else {
        if (n->a)
            add_points(m, n->a);
        if (n->b)
            add_points(m, n->b);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Adds what lies below, between and above the values at which something changes. */
static void spread_samples(struct samples *v)
{
    size_t n = v->at.n;
    if (n == 0) {
        fore_vec_push(&v->at, 0.0);
        return;
    }
    qsort(v->at.at, n, sizeof *v->at.at, by_value);
    for (size_t i = 0; i + 1 < n; i++)
        if (v->at.at[i] < v->at.at[i + 1])
            fore_vec_push(&v->at, (v->at.at[i] + v->at.at[i + 1]) / 2);
    fore_vec_push(&v->at, v->at.at[0] - 1);
    fore_vec_push(&v->at, v->at.at[n - 1] + 1);
}

/* Marks the letter with every choice of the atoms that are not exact. */
static void mark_letter(const struct sampler *m, uint32_t letter, uint64_t *set)
{
    uint32_t free_bits = ((1u << m->prop->atom_count) - 1) & ~m->exact;
    for (uint32_t sub = free_bits;; sub = (sub - 1) & free_bits) {
        fore_bit_add(set, letter | sub);
        if (sub == 0)
            break;
    }
}

static void sample_all(struct sampler *m, uint64_t *set)
{
    size_t vars = m->spec->symbols.vars.n;
    struct fore_val *vals = fore_calloc(vars + 1, sizeof *vals);
    for (;;) {
        for (size_t v = 0; v < vars; v++)
            vals[v] = fore_val_real(m->vars[v].at.at[m->vars[v].next]);
        uint32_t letter = 0;
        for (uint32_t k = 0; k < m->prop->atom_count; k++)
            if (m->exact >> k & 1 &&
                fore_atom_holds(&m->spec->symbols, m->prop->atoms[k], vals))
                letter |= 1u << k;
        mark_letter(m, letter, set);
        size_t v = 0;
        while (v < vars && ++m->vars[v].next == m->vars[v].at.n)
            m->vars[v++].next = 0;
        if (v == vars)
            break;
    }
    fore_free(vals);
}

void fore_letters_possible(const struct fore_spec *s, const struct fore_property *p,
                           uint64_t *set)
{
    size_t vars = s->symbols.vars.n;
    struct sampler m = {s, p, fore_calloc(vars + 1, sizeof *m.vars), 0};
    for (uint32_t k = 0; k < p->atom_count; k++) {
        const struct fore_node *expr = s->symbols.atoms.at[p->atoms[k]].expr;
        if (is_simple(s, expr)) {
            m.exact |= 1u << k;
            add_points(&m, expr);
        }
    }
    size_t points = 1;
    for (size_t v = 0; v < vars; v++) {
        spread_samples(&m.vars[v]);
        points = points > MOST_POINTS ? points : points * m.vars[v].at.n;
    }
    if (points > MOST_POINTS) {
        m.exact = 0;
        mark_letter(&m, 0, set);
    } else {
        sample_all(&m, set);
    }
    for (size_t v = 0; v < vars; v++)
        fore_vec_release(&m.vars[v].at);
    fore_free(m.vars);
}

/* -- Text ------------------------------------------------------------------------------
 */

/* A cube fixes the bits of `care` to those of `value`. */
struct cube {
    uint32_t care, value;
};

static bool inside_set(struct cube c, uint32_t bits, const uint64_t *set,
                       const uint64_t *possible)
{
    uint32_t all = (1u << bits) - 1, free_bits = all & ~c.care;
    for (uint32_t sub = free_bits;; sub = (sub - 1) & free_bits) {
        uint32_t letter = (c.value & c.care) | sub;
        if (fore_bit_has(possible, letter) && !fore_bit_has(set, letter))
            return false;
        if (sub == 0)
            return true;
    }
}

static void cube_text(const struct fore_spec *s, const struct fore_property *p,
                      struct cube c, struct fore_strbuf *out)
{
    bool first = true;
    for (uint32_t k = 0; k < p->atom_count; k++) {
        if (!(c.care >> k & 1))
            continue;
        fore_strbuf_puts(out, first ? "" : " && ");
        const struct fore_atom *atom = &s->symbols.atoms.at[p->atoms[k]];
        bool negative = !(c.value >> k & 1), bare = atom->named || !negative;
        fore_strbuf_printf(out, "%s%s%s%s", negative ? "!" : "", bare ? "" : "(",
                           atom->name, bare ? "" : ")");
        first = false;
    }
    if (first)
        fore_strbuf_puts(out, "true");
}

void fore_letters_text(const struct fore_spec *s, const struct fore_property *p,
                       const uint64_t *set, const uint64_t *possible,
                       struct fore_strbuf *out)
{
    uint32_t bits = p->atom_count, letters = 1u << bits;
    uint64_t covered[FORE_BITSET_WORDS(1u << FORE_LETTERS_BITS)] = {0};
    const char *between = "";
    for (uint32_t x = 0; x < letters; x++) {
        if (!fore_bit_has(set, x) || !fore_bit_has(possible, x) ||
            fore_bit_has(covered, x))
            continue;
        struct cube c = {letters - 1, x};
        for (uint32_t k = 0; k < bits; k++) {
            struct cube wider = {c.care & ~(1u << k), x};
            if (inside_set(wider, bits, set, possible))
                c = wider;
        }
        for (uint32_t y = 0; y < letters; y++)
            if ((y & c.care) == (c.value & c.care))
                fore_bit_add(covered, y);
        fore_strbuf_puts(out, between);
        cube_text(s, p, c, out);
        between = " || ";
    }
}
