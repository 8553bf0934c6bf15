#include "spec/monitor.h"

#include "base/bitset.h"
#include "spec/ltl.h"
#include "spec/plugin.h"

#include <string.h>

/* An automaton is made explicit while its table stays within these. */
enum { MOST_STATES = 4096, MOST_CELLS = 1 << 20 };

/* An atom that compares a variable with an integer, the common case. */
struct quick {
    bool simple;
    enum fore_node_op op;
    uint32_t var;
    int64_t limit;
};

struct fore_monitor {
    struct fore_spec *spec;
    const struct fore_property *prop;
    uint8_t *bit_of;     /* atom -> bit of the letter */
    struct quick *quick; /* by bit of the letter */
    uint32_t start;
    struct fore_ltl ltl;
    struct fore_ere_reader reader;
    struct fore_plugin *plugin;
    bool is_explicit;
    struct fore_dfa dfa, dfa_possible;
    uint64_t *possible; /* letters */
    struct fore_monitor_size size;
    struct fore_map known; /* not explicit: state << 32 | letter -> state */
};

/* -- The automaton as it is derived ------------------------------------------------ */

static bool derived_bad(const struct fore_monitor *m, uint32_t state)
{
    switch (m->prop->kind) {
    case FORE_PROP_LTL:
        return fore_ltl_false(&m->ltl, state);
    case FORE_PROP_ERE:
        return fore_ere_nullable(&m->spec->ere, state);
    case FORE_PROP_MATCH:
        return state == FORE_ERE_ID_NONE;
    default:
        return fore_plugin_bad(m->plugin, state);
    }
}

static uint32_t derived_step(struct fore_monitor *m, uint32_t state, uint32_t letter)
{
    if (derived_bad(m, state))
        return state;
    return m->prop->kind == FORE_PROP_LTL
               ? fore_ltl_step(&m->ltl, state, letter)
               : fore_ere_derive(&m->spec->ere, &m->reader, state, letter);
}

/* -- Making it explicit ------------------------------------------------------------ */

struct explored {
    struct fore_dfa dfa;
    FORE_VEC(uint32_t) derived; /* state -> derived state */
    FORE_VEC(uint32_t) table;
    struct fore_map number; /* derived state -> state */
};

static uint32_t explored_number(struct explored *x, uint32_t derived)
{
    bool fresh;
    uint64_t *slot = fore_map_put(&x->number, derived, &fresh);
    if (fresh) {
        *slot = x->derived.n;
        fore_vec_push(&x->derived, derived);
    }
    return (uint32_t)*slot;
}

static bool explore_states(struct fore_monitor *m, struct explored *x)
{
    uint32_t letters = 1u << m->prop->atom_count;
    explored_number(x, m->start);
    for (uint32_t q = 0; q < x->derived.n; q++) {
        if (x->derived.n > MOST_STATES || x->table.n > MOST_CELLS)
            return false;
        for (uint32_t letter = 0; letter < letters; letter++)
            fore_vec_push(&x->table,
                          explored_number(x, derived_step(m, x->derived.at[q], letter)));
    }
    x->dfa = (struct fore_dfa){
        .states = (uint32_t)x->derived.n, .letters = letters, .next = x->table.at};
    return true;
}

static bool some_successor(const struct fore_monitor *m, const struct fore_dfa *d,
                           uint32_t q, const bool *in)
{
    for (uint32_t x = 0; x < d->letters; x++)
        if (fore_bit_has(m->possible, x) && in[d->next[q * d->letters + x]])
            return true;
    return false;
}

/* A prefix is bad when nothing good can follow. LTL: the states with an infinite path
 * that never becomes false are good (a greatest fixed point). Good runs: those from which
 * an accepted word can be reached (a least one). Bad prefixes: what is accepted is bad.
 */
static void close_bad(const struct fore_monitor *m, const struct explored *x, bool *bad)
{
    const struct fore_dfa *d = &x->dfa;
    bool *good = fore_calloc(d->states, sizeof *good);
    for (uint32_t q = 0; q < d->states; q++) {
        bad[q] = derived_bad(m, x->derived.at[q]);
        good[q] = m->prop->kind == FORE_PROP_MATCH
                      ? fore_ere_nullable(&m->spec->ere, x->derived.at[q])
                      : !bad[q];
    }
    bool grows = m->prop->kind == FORE_PROP_MATCH;
    for (bool changed = m->prop->kind != FORE_PROP_ERE; changed;) {
        changed = false;
        for (uint32_t q = 0; q < d->states; q++)
            if (good[q] != grows && some_successor(m, d, q, good) == grows) {
                good[q] = grows;
                changed = true;
            }
    }
    for (uint32_t q = 0; q < d->states; q++)
        bad[q] = !good[q];
    fore_free(good);
}

static void make_explicit(struct fore_monitor *m)
{
    if (m->prop->atom_count > FORE_LETTERS_BITS)
        return;
    struct explored x = {0};
    uint32_t letters = 1u << m->prop->atom_count;
    size_t words = FORE_BITSET_WORDS(letters);
    m->possible = fore_calloc(words, sizeof *m->possible);
    fore_letters_possible(m->spec, m->prop, m->possible);
    m->size.letters = letters;
    m->size.possible = (uint32_t)fore_bits_count(m->possible, words);
    m->is_explicit = explore_states(m, &x);
    if (m->is_explicit) {
        bool *bad = fore_calloc(x.dfa.states, sizeof *bad);
        close_bad(m, &x, bad);
        fore_dfa_minimise(&x.dfa, bad, NULL, &m->dfa);
        fore_dfa_minimise(&x.dfa, bad, m->possible, &m->dfa_possible);
        fore_free(bad);
        m->start = m->dfa.start;
        m->size.derived = x.dfa.states;
        m->size.minimal = m->dfa_possible.states;
        m->size.minimal_all = m->dfa.states;
    }
    fore_vec_release(&x.derived);
    fore_vec_release(&x.table);
    fore_map_release(&x.number);
}

/* -- The monitor ------------------------------------------------------------------- */

static struct quick quick_atom(const struct fore_symbols *s, uint32_t atom)
{
    const struct fore_node *n = s->atoms.at[atom].expr;
    while (n->op == FORE_OP_ATOM)
        n = s->atoms.at[n->id].expr;
    bool simple = fore_op_class(n->op) == FORE_OPS_COMPARE && n->a->op == FORE_OP_VAR &&
                  n->b->op == FORE_OP_NUM && !n->b->num.real;
    return simple ? (struct quick){true, n->op, n->a->id, n->b->num.i}
                  : (struct quick){0};
}

static bool quick_holds(const struct quick *q, int64_t x)
{
    switch (q->op) {
    case FORE_OP_EQ:
        return x == q->limit;
    case FORE_OP_NE:
        return x != q->limit;
    case FORE_OP_LT:
        return x < q->limit;
    case FORE_OP_LE:
        return x <= q->limit;
    case FORE_OP_GT:
        return x > q->limit;
    default:
        return x >= q->limit;
    }
}

static enum fore_status open_monitor(struct fore_monitor *m, struct fore_err *e)
{
    const struct fore_property *p = m->prop;
    if (p->kind == FORE_PROP_MONITOR) {
        FORE_TRY(fore_plugin_open(m->spec, p, &m->plugin, e));
        m->start = fore_plugin_start(m->plugin);
        return FORE_OK;
    }
    m->bit_of = fore_calloc(m->spec->symbols.atoms.n + 1, sizeof *m->bit_of);
    m->quick = fore_calloc(p->atom_count + 1u, sizeof *m->quick);
    for (uint32_t k = 0; k < p->atom_count; k++) {
        m->bit_of[p->atoms[k]] = (uint8_t)k;
        m->quick[k] = quick_atom(&m->spec->symbols, p->atoms[k]);
    }
    m->start = p->ere;
    m->reader.bit_of = m->bit_of;
    if (p->kind == FORE_PROP_LTL) {
        const struct fore_node *formula;
        FORE_TRY(fore_ltl_check_safety(m->spec, p, &formula, e));
        fore_ltl_init(&m->ltl);
        m->start = fore_ltl_start(&m->ltl, fore_ltl_function(&m->ltl, formula, m->bit_of),
                                  !fore_node_has(p->formula, FORE_OPS_FUTURE));
    }
    make_explicit(m);
    return FORE_OK;
}

enum fore_status fore_monitor_new(struct fore_spec *s, const struct fore_property *p,
                                  struct fore_monitor **out, struct fore_err *e)
{
    *out = NULL;
    struct fore_monitor *m = fore_calloc(1, sizeof *m);
    m->spec = s;
    m->prop = p;
    enum fore_status status = open_monitor(m, e);
    if (status == FORE_OK)
        *out = m;
    else
        fore_monitor_free(m);
    return status;
}

void fore_monitor_free(struct fore_monitor *m)
{
    if (!m)
        return;
    fore_ltl_release(&m->ltl);
    if (m->plugin)
        fore_plugin_close(m->plugin);
    fore_dfa_release(&m->dfa);
    fore_dfa_release(&m->dfa_possible);
    fore_map_release(&m->known);
    fore_map_release(&m->reader.memory);
    fore_free(m->possible);
    fore_free(m->bit_of);
    fore_free(m->quick);
    fore_free(m);
}

uint32_t fore_monitor_start(const struct fore_monitor *m)
{
    return m->start;
}

bool fore_monitor_bad(const struct fore_monitor *m, uint32_t state)
{
    return m->is_explicit ? state == m->dfa.bad : derived_bad(m, state);
}

static uint32_t step_lazily(struct fore_monitor *m, uint32_t state, uint32_t letter)
{
    uint64_t key = (uint64_t)state << 32 | letter;
    const uint64_t *known = fore_map_get(&m->known, key);
    if (known)
        return (uint32_t)*known;
    uint32_t next = derived_step(m, state, letter);
    *fore_map_put(&m->known, key, NULL) = next;
    return next;
}

uint32_t fore_monitor_step(struct fore_monitor *m, uint32_t state, uint32_t letter,
                           const struct fore_val *vals)
{
    if (m->is_explicit)
        return m->dfa.next[state * m->dfa.letters + letter];
    return m->plugin ? fore_plugin_step(m->plugin, state, vals)
                     : step_lazily(m, state, letter);
}

uint32_t fore_monitor_letter(const struct fore_monitor *m, const struct fore_val *vals)
{
    uint32_t letter = 0;
    for (uint32_t k = 0; k < m->prop->atom_count && !m->plugin; k++) {
        const struct quick *q = &m->quick[k];
        bool holds = q->simple && !vals[q->var].real
                         ? quick_holds(q, vals[q->var].i)
                         : fore_atom_holds(&m->spec->symbols, m->prop->atoms[k], vals);
        letter |= (uint32_t)holds << k;
    }
    return letter;
}

enum fore_status fore_monitor_failure(const struct fore_monitor *m, struct fore_err *e)
{
    return m->plugin ? fore_plugin_failure(m->plugin, e) : FORE_OK;
}

struct fore_monitor_size fore_monitor_size(const struct fore_monitor *m)
{
    return m->size;
}

const struct fore_dfa *fore_monitor_dfa(const struct fore_monitor *m, bool possible)
{
    if (!m->is_explicit)
        return NULL;
    return possible ? &m->dfa_possible : &m->dfa;
}

static void dot_edges(const struct fore_monitor *m, const struct fore_dfa *d, uint32_t q,
                      struct fore_strbuf *out)
{
    for (uint32_t to = 0; to < d->states; to++) {
        uint64_t set[FORE_BITSET_WORDS(1u << FORE_LETTERS_BITS)] = {0};
        bool any = false;
        for (uint32_t x = 0; x < d->letters; x++)
            if (fore_bit_has(m->possible, x) && d->next[q * d->letters + x] == to) {
                fore_bit_add(set, x);
                any = true;
            }
        if (!any)
            continue;
        fore_strbuf_printf(out, "  q%u -> q%u [label=", q, to);
        struct fore_strbuf label = FORE_STRBUF_INIT;
        fore_letters_text(m->spec, m->prop, set, m->possible, &label);
        fore_strbuf_json(out, label.at, label.n);
        fore_strbuf_release(&label);
        fore_strbuf_puts(out, "];\n");
    }
}

bool fore_monitor_dot(const struct fore_monitor *m, struct fore_strbuf *out)
{
    if (!m->is_explicit)
        return false;
    const struct fore_dfa *d = &m->dfa_possible;
    fore_strbuf_printf(out,
                       "digraph \"%s\" {\n  rankdir=LR;\n  node [shape=circle];\n"
                       "  start [shape=point];\n  start -> q%u;\n",
                       m->prop->name, d->start);
    for (uint32_t q = 0; q < d->states; q++) {
        if (q == d->bad)
            fore_strbuf_printf(out,
                               "  q%u [label=\"%u\", shape=doublecircle, color=red, "
                               "tooltip=\"violated\"];\n",
                               q, q);
        else
            fore_strbuf_printf(out, "  q%u [label=\"%u\"];\n", q, q);
    }
    for (uint32_t q = 0; q < d->states; q++)
        dot_edges(m, d, q, out);
    fore_strbuf_puts(out, "}\n");
    return true;
}
