/* Random formulas on random words, against an evaluator that knows nothing of automata.
 *
 * A monitor claims of a finite word either "bad" (no infinite continuation satisfies the
 * formula) or "not yet". The first is tested on many continuations u v w^omega, on which the
 * naive evaluator must say false. For the second the automaton itself gives a continuation
 * that never becomes bad, on which the naive evaluator must say true. */
#include "base/rng.h"
#include "spec/monitor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATOMS = 3, FORMULAS = 40000, WORDS = 2, LONGEST = 5, MOST_NODES = 24, MOST = 400 };

static const char names[] = "pqr";

/* Operators in the test's own numbering; texts are the language's. */
enum op {
    TRUE_,
    FALSE_,
    VAR,
    NOT,
    AND,
    OR,
    IMPLIES,
    IFF,
    NEXT,
    ALWAYS,
    EVENTUALLY,
    UNTIL,
    WEAK,
    RELEASE,
    PREVIOUS,
    ONCE,
    HISTORICALLY,
    SINCE,
    START,
    END,
    INTERVAL,
    OPS
};

struct formula {
    enum op op[MOST_NODES];
    int a[MOST_NODES], b[MOST_NODES];
    int n;
    uint32_t used; /* operators */
};

/* ANY: promises may stand anywhere; most such formulas are refused. */
enum { POSITIVE = 1, NEGATIVE = 2, ANY = 4 };

static int leaf(struct formula *f, struct fore_rng *r)
{
    int k = f->n++;
    f->op[k] = fore_rng_below(r, 12) == 0 ? (enum op)fore_rng_below(r, 2) : VAR;
    f->a[k] = (int)fore_rng_below(r, ATOMS);
    return k;
}

static bool unary(enum op o)
{
    return o == NOT || o == NEXT || o == ALWAYS || o == EVENTUALLY || o == PREVIOUS ||
           o == ONCE || o == HISTORICALLY || o == START || o == END;
}

static bool allowed(enum op o, unsigned polarity)
{
    if (polarity != ANY && (o == UNTIL || o == EVENTUALLY))
        return polarity == NEGATIVE;
    if (polarity != ANY && (o == WEAK || o == RELEASE || o == ALWAYS))
        return polarity == POSITIVE;
    return o != TRUE_ && o != FALSE_ && o != VAR;
}

static unsigned flipped(unsigned polarity)
{
    if (polarity == ANY)
        return ANY;
    return (polarity & 1) << 1 | polarity >> 1;
}

static unsigned first_polarity(enum op o, unsigned polarity)
{
    if (o == NOT || o == IMPLIES)
        return flipped(polarity);
    bool both = o == IFF || o == START || o == END;
    return both && polarity != ANY ? POSITIVE | NEGATIVE : polarity;
}

static unsigned second_polarity(enum op o, unsigned polarity)
{
    if (o == INTERVAL)
        return flipped(polarity);
    return o == IFF && polarity != ANY ? POSITIVE | NEGATIVE : polarity;
}

static int grow(struct formula *f, struct fore_rng *r, unsigned polarity, int room)
{
    if (room <= 1 || f->n + 3 >= MOST_NODES)
        return leaf(f, r);
    enum op o;
    do
        o = (enum op)(NOT + fore_rng_below(r, OPS - NOT));
    while (!allowed(o, polarity));
    int k = f->n++;
    f->op[k] = o;
    f->used |= 1u << o;
    int left = unary(o) ? room - 1 : (room - 1) / 2;
    f->a[k] = grow(f, r, first_polarity(o, polarity), left);
    f->b[k] = unary(o) ? -1 : grow(f, r, second_polarity(o, polarity), room - 1 - left);
    return k;
}

static void print(const struct formula *f, int k, struct fore_strbuf *out)
{
    static const char *const texts[] = {"true", "false", "",   "!",  "&&",    "||",  "->",
                                        "<->",  "X ",    "[]", "<>", "U",     "W",   "R",
                                        "Y ",   "O ",    "H ", "S",  "start", "end", ""};
    enum op o = f->op[k];
    if (o == VAR) {
        fore_strbuf_putc(out, names[f->a[k]]);
    } else if (o == TRUE_ || o == FALSE_) {
        fore_strbuf_puts(out, texts[o]);
    } else if (unary(o)) {
        fore_strbuf_printf(out, "%s(", texts[o]);
        print(f, f->a[k], out);
        fore_strbuf_putc(out, ')');
    } else {
        fore_strbuf_putc(out, o == INTERVAL ? '[' : '(');
        print(f, f->a[k], out);
        fore_strbuf_printf(out, " %s ", o == INTERVAL ? "," : texts[o]);
        print(f, f->b[k], out);
        fore_strbuf_putc(out, ')');
    }
}

/* -- The naive evaluator ----------------------------------------------------------- */

/* A lasso: `n` letters, after the last of which comes letter `loop` again. The loop has been
 * unrolled so often that past operators have settled in its last round. */
struct lasso {
    unsigned letter[MOST];
    int n, loop;
};

static int successor(const struct lasso *w, int i)
{
    return i + 1 < w->n ? i + 1 : w->loop;
}

/* One step further along, at most twice around the loop. */
static bool look_ahead(const struct lasso *w, enum op o, int i, const bool *a,
                       const bool *b)
{
    for (int j = i, steps = 0; steps <= 2 * w->n; j = successor(w, j), steps++) {
        bool stop = o == EVENTUALLY ? a[j] : o == RELEASE ? a[j] && b[j] : b && b[j];
        bool hold = o == EVENTUALLY || (o == RELEASE ? b[j] : a[j]);
        if (stop || !hold)
            return stop;
    }
    return o != UNTIL && o != EVENTUALLY;
}

static bool look_back(enum op o, int i, const bool *a, const bool *b, const bool *x)
{
    bool before = i > 0 && x[i - 1], a_before = i > 0 && a[i - 1];
    switch (o) {
    case PREVIOUS:
        return a_before;
    case ONCE:
        return a[i] || before;
    case HISTORICALLY:
        return a[i] && (i == 0 || before);
    case SINCE:
        return b[i] || (a[i] && before);
    case START:
        return a[i] && i > 0 && !a_before;
    case END:
        return !a[i] && a_before;
    default: /* INTERVAL */
        return !b[i] && (a[i] || before);
    }
}

static bool look_here(const struct formula *f, int k, unsigned letter, bool a, bool b)
{
    switch (f->op[k]) {
    case TRUE_:
        return true;
    case VAR:
        return letter >> f->a[k] & 1;
    case NOT:
        return !a;
    case AND:
        return a && b;
    case OR:
        return a || b;
    case IMPLIES:
        return !a || b;
    case IFF:
        return a == b;
    default:
        return false;
    }
}

/* Truth of the node at every position; children first. */
static void evaluate(const struct formula *f, int k, const struct lasso *w,
                     bool (*v)[MOST])
{
    enum op o = f->op[k];
    const bool *a = NULL, *b = NULL;
    if (o >= NOT) {
        evaluate(f, f->a[k], w, v);
        a = v[f->a[k]];
    }
    if (o >= NOT && !unary(o)) {
        evaluate(f, f->b[k], w, v);
        b = v[f->b[k]];
    }
    for (int i = 0; i < w->n; i++) {
        if (o == NEXT)
            v[k][i] = a[successor(w, i)];
        else if (o > NEXT && o < PREVIOUS)
            v[k][i] = look_ahead(w, o, i, a, b);
        else if (o >= PREVIOUS)
            v[k][i] = look_back(o, i, a, b, v[k]);
        else
            v[k][i] = look_here(f, k, w->letter[i], a && a[i], b && b[i]);
    }
}

static bool pure_past(const struct formula *f)
{
    return !(f->used & (1u << NEXT | 1u << ALWAYS | 1u << EVENTUALLY | 1u << UNTIL |
                        1u << WEAK | 1u << RELEASE));
}

/* The word and then the loop, forever. */
static bool naive(const struct formula *f, const unsigned *stem, int stems,
                  const unsigned *loop, int loops)
{
    static bool v[MOST_NODES][MOST];
    static struct lasso w;
    int rounds = 2 + MOST_NODES / 2;
    w.n = 0;
    for (int i = 0; i < stems; i++)
        w.letter[w.n++] = stem[i];
    for (int k = 0; k < rounds && w.n + loops <= MOST; k++) {
        w.loop = w.n;
        for (int i = 0; i < loops; i++)
            w.letter[w.n++] = loop[i];
    }
    evaluate(f, 0, &w, v);
    if (!pure_past(f))
        return v[0][0];
    for (int i = 0; i < w.n; i++) /* to hold in every state */
        if (!v[0][i])
            return false;
    return true;
}

/* -- The comparison ---------------------------------------------------------------- */

struct tested {
    const struct formula *f;
    const struct fore_property *prop;
    struct fore_monitor *m;
    const struct fore_dfa *d;
    struct fore_rng *r;
};

/* The property's letter has only the bits of the atoms that it mentions. */
static unsigned letter_of(const struct tested *t, const struct fore_spec *s,
                          unsigned atoms)
{
    unsigned letter = 0;
    for (uint32_t k = 0; k < t->prop->atom_count; k++) {
        const char *name = s->symbols.atoms.at[t->prop->atoms[k]].name;
        letter |= (atoms >> (strchr(names, name[0]) - names) & 1) << k;
    }
    return letter;
}

/* Continues from `state` without ever becoming bad, and asks the naive evaluator. */
static bool confirm_good(const struct tested *t, const struct fore_spec *s,
                         unsigned *word, int n, uint32_t state)
{
    uint32_t seen[64];
    int at = 0;
    for (; at < 64; at++) {
        for (int i = 0; i < at; i++)
            if (seen[i] == state) /* from position n + i on it repeats */
                return naive(t->f, word, n + i, word + n + i, at - i);
        seen[at] = state;
        unsigned from = (unsigned)fore_rng_below(t->r, 1u << ATOMS), x = 0;
        for (; x < 1u << ATOMS; x++) {
            uint32_t next = t->d->next[state * t->d->letters +
                                       letter_of(t, s, (from + x) % (1u << ATOMS))];
            if (next != t->d->bad) {
                word[n + at] = (from + x) % (1u << ATOMS);
                state = next;
                break;
            }
        }
        if (x == 1u << ATOMS)
            return false; /* a good state without a good successor */
    }
    return true; /* too long a path to a repetition: not decided */
}

static bool confirm_bad(const struct tested *t, unsigned *word, int n)
{
    for (unsigned one = 0; one < 1u << ATOMS; one++) { /* every constant continuation */
        word[n] = one;
        if (naive(t->f, word, n, word + n, 1))
            return false;
    }
    for (int tries = 0; tries < 12; tries++) {
        int stem = n + (int)fore_rng_below(t->r, 4),
            loop = 1 + (int)fore_rng_below(t->r, 3);
        for (int i = n; i < stem + loop; i++)
            word[i] = (unsigned)fore_rng_below(t->r, 1u << ATOMS);
        if (naive(t->f, word, stem, word + stem, loop))
            return false;
    }
    return true;
}

static bool try_word(const struct tested *t, const struct fore_spec *s, int *bad_words)
{
    unsigned word[LONGEST + 128];
    int n = (int)fore_rng_below(t->r, LONGEST + 1);
    for (int i = 0; i < n; i++)
        word[i] = (unsigned)fore_rng_below(t->r, 1u << ATOMS);
    uint32_t state = fore_monitor_start(t->m);
    struct fore_val vals[ATOMS] = {{0}};
    for (int i = 0; i < n; i++)
        state = fore_monitor_step(t->m, state, letter_of(t, s, word[i]), vals);
    if (!fore_monitor_bad(t->m, state))
        return confirm_good(t, s, word, n, state);
    (*bad_words)++;
    return confirm_bad(t, word, n);
}

struct tally {
    int formulas, words, bad_words, refused;
    uint32_t used;
};

static bool try_formula(struct fore_rng *r, struct tally *t)
{
    struct formula f = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_err e = {0};
    struct fore_spec s;
    bool any = fore_rng_below(r, 4) == 0;
    grow(&f, r, any ? ANY : POSITIVE, 2 + (int)fore_rng_below(r, any ? 7 : 10));
    fore_strbuf_puts(&text, "property f: ");
    print(&f, 0, &text);
    bool ok = fore_spec_parse(&s, "random", text.at, text.n, &e) == FORE_OK;
    struct fore_monitor *m = NULL;
    enum fore_status made = ok ? fore_monitor_new(&s, &s.props.at[0], &m, &e) : FORE_OK;
    t->refused += made == FORE_MEANING;
    ok = ok && (made == FORE_OK || (any && made == FORE_MEANING));
    if (!ok)
        printf("# %s\n", e.msg);
    if (ok && m && fore_monitor_dfa(m, false)) {
        struct tested tested = {&f, &s.props.at[0], m, fore_monitor_dfa(m, false), r};
        t->formulas++;
        t->used |= f.used;
        for (int i = 0; ok && i < WORDS; i++, t->words++)
            ok = try_word(&tested, &s, &t->bad_words);
    }
    if (!ok)
        printf("# %s\n", text.at);
    fore_monitor_free(m);
    fore_spec_release(&s);
    fore_strbuf_release(&text);
    return ok;
}

int main(void)
{
    struct fore_rng r;
    struct tally t = {0};
    bool ok = true;
    fore_rng_seed(&r, 20260);
    for (int i = 0; ok && i < FORMULAS; i++)
        ok = try_formula(&r, &t);
    printf("# %d formulas, %d words, %d of them bad; %d formulas refused\n", t.formulas,
           t.words, t.bad_words, t.refused);
    for (enum op o = NOT; o < OPS; o++)
        ok = ok && t.used >> o & 1;
    ok = ok && t.formulas >= 20000;
    printf("%s random formulas agree with a naive evaluator\n", ok ? "ok" : "not ok");
    return ok ? 0 : 1;
}
