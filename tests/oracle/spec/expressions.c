/* Random extended regular expressions on random words, against membership by definition. */
#include "base/rng.h"
#include "spec/monitor.h"

#include <stdio.h>
#include <string.h>

enum {
    ATOMS = 2,
    LETTERS = 1 << ATOMS,
    EXPRESSIONS = 20000,
    LONGEST = 5,
    EXTRA = 12,
    MOST_NODES = 16,
    MOST = LONGEST + EXTRA + 1
};

enum op { LETTER, EMPTY, CAT, ALT, AND, NOT, STAR, PLUS, OPTION, TWICE, OPS };

struct expression {
    enum op op[MOST_NODES];
    int a[MOST_NODES], b[MOST_NODES]; /* LETTER: must hold, must not hold */
    int n;
};

static int grow(struct expression *x, struct fore_rng *r, int room)
{
    int k = x->n++;
    if (room <= 1 || x->n + 3 >= MOST_NODES) {
        x->op[k] = fore_rng_below(r, 15) ? LETTER : EMPTY;
        x->a[k] = (int)fore_rng_below(r, LETTERS);
        x->b[k] = (int)fore_rng_below(r, LETTERS) & ~x->a[k];
        return k;
    }
    enum op o = (enum op)(CAT + fore_rng_below(r, OPS - CAT));
    x->op[k] = o;
    int left = o < NOT ? (room - 1) / 2 : room - 1;
    x->a[k] = grow(x, r, left);
    x->b[k] = o < NOT ? grow(x, r, room - 1 - left) : -1;
    return k;
}

static void print(const struct expression *x, int k, struct fore_strbuf *out)
{
    static const char *const between[] = {"", "", " ", " | ", " & "};
    static const char *const after[] = {"*", "+", "?", "{2}"};
    enum op o = x->op[k];
    if (o == LETTER) {
        const char *comma = "";
        fore_strbuf_putc(out, '{');
        for (int i = 0; i < ATOMS; i++) {
            int must = x->a[k] >> i & 1, not = x->b[k] >> i & 1;
            if (must || not )
                fore_strbuf_printf(out, "%s%s%c", comma, not ? "!" : "", 'p' + i);
            comma = must || not || *comma ? ", " : "";
        }
        fore_strbuf_putc(out, '}');
        return;
    }
    fore_strbuf_puts(out, o == NOT ? "!(" : "(");
    if (o != EMPTY)
        print(x, x->a[k], out);
    if (o >= CAT && o < NOT) {
        fore_strbuf_puts(out, between[o]);
        print(x, x->b[k], out);
    }
    fore_strbuf_printf(out, ")%s", o >= STAR ? after[o - STAR] : "");
}

/* Is word[i..j) in the language? By definition, with what is known remembered. */
static signed char known[MOST_NODES][MOST + 1][MOST + 1];

static bool in(const struct expression *x, int k, const unsigned *w, int i, int j);

static bool star(const struct expression *x, int a, const unsigned *w, int i, int j)
{
    bool reach[MOST + 1] = {0};
    reach[i] = true;
    for (int m = i; m < j; m++)
        for (int e = m + 1; reach[m] && e <= j; e++)
            reach[e] = reach[e] || in(x, a, w, m, e);
    return reach[j];
}

static bool cat(const struct expression *x, int a, int b, const unsigned *w, int i, int j)
{
    for (int m = i; m <= j; m++)
        if (in(x, a, w, i, m) && in(x, b, w, m, j))
            return true;
    return false;
}

static bool plus(const struct expression *x, int a, const unsigned *w, int i, int j)
{
    for (int m = i; m <= j; m++)
        if (in(x, a, w, i, m) && star(x, a, w, m, j))
            return true;
    return false;
}

static bool decide(const struct expression *x, int k, const unsigned *w, int i, int j)
{
    int a = x->a[k], b = x->b[k];
    switch (x->op[k]) {
    case LETTER:
        return j == i + 1 && ((int)w[i] & a) == a && !((int)w[i] & b);
    case EMPTY:
        return i == j;
    case CAT:
        return cat(x, a, b, w, i, j);
    case ALT:
        return in(x, a, w, i, j) || in(x, b, w, i, j);
    case AND:
        return in(x, a, w, i, j) && in(x, b, w, i, j);
    case NOT:
        return !in(x, a, w, i, j);
    case STAR:
        return star(x, a, w, i, j);
    case PLUS:
        return plus(x, a, w, i, j);
    case OPTION:
        return i == j || in(x, a, w, i, j);
    default:
        return cat(x, a, a, w, i, j);
    }
}

static bool in(const struct expression *x, int k, const unsigned *w, int i, int j)
{
    signed char *slot = &known[k][i][j];
    if (!*slot)
        *slot = decide(x, k, w, i, j) ? 1 : -1;
    return *slot > 0;
}

static bool member(const struct expression *x, const unsigned *w, int n)
{
    memset(known, 0, sizeof known);
    return in(x, 0, w, 0, n);
}

/* -- The comparison ---------------------------------------------------------------- */

struct tested {
    const struct expression *x;
    struct fore_spec *s;
    const struct fore_property *prop;
    struct fore_monitor *m;
};

static unsigned letter_of(const struct tested *t, unsigned atoms)
{
    unsigned letter = 0;
    for (uint32_t k = 0; k < t->prop->atom_count; k++)
        letter |= (atoms >> (t->s->symbols.atoms.at[t->prop->atoms[k]].name[0] - 'p') & 1)
                  << k;
    return letter;
}

/* Bad prefixes: bad from the first prefix that is in the language. */
static bool try_ere(const struct tested *t, const unsigned *w, int n)
{
    uint32_t state = fore_monitor_start(t->m);
    bool bad = false;
    for (int i = 0; i <= n; i++) {
        bad = bad || member(t->x, w, i);
        if (fore_monitor_bad(t->m, state) != bad)
            return false;
        if (i < n)
            state = fore_monitor_step(t->m, state, letter_of(t, w[i]), NULL);
    }
    return true;
}

/* Is there a word of at most `more` letters that extends w into the language? */
static bool extends(const struct tested *t, unsigned *w, int n, int more)
{
    if (member(t->x, w, n))
        return true;
    for (unsigned x = 0; more > 0 && x < LETTERS; x++) {
        w[n] = x;
        if (extends(t, w, n + 1, more - 1))
            return true;
    }
    return false;
}

/* Good runs: bad when nothing extends it. What the monitor calls good it may have to show by
 * a longer word, which the shortest way through the automaton bounds. */
static bool try_match(const struct tested *t, unsigned *w, int n, int *undecided)
{
    uint32_t state = fore_monitor_start(t->m);
    for (int i = 0; i < n; i++)
        state = fore_monitor_step(t->m, state, letter_of(t, w[i]), NULL);
    bool found = extends(t, w, n, 3);
    if (fore_monitor_bad(t->m, state))
        return !found;
    *undecided += !found;
    return true;
}

static bool try_expression(struct fore_rng *r, int *undecided)
{
    struct expression x = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_err e = {0};
    struct fore_spec s;
    grow(&x, r, 2 + (int)fore_rng_below(r, 7));
    bool match = fore_rng_below(r, 3) == 0;
    fore_strbuf_puts(&text, match ? "property f: match { " : "property f: ere { ");
    print(&x, 0, &text);
    fore_strbuf_puts(&text, " }");
    struct fore_monitor *m = NULL;
    bool ok = fore_spec_parse(&s, "random", text.at, text.n, &e) == FORE_OK &&
              fore_monitor_new(&s, &s.props.at[0], &m, &e) == FORE_OK;
    if (!ok)
        printf("# %s\n", e.msg);
    struct tested t = {&x, &s, ok ? &s.props.at[0] : NULL, m};
    for (int i = 0; ok && i < 3; i++) {
        unsigned w[MOST];
        int n = (int)fore_rng_below(r, LONGEST + 1);
        for (int k = 0; k < n; k++)
            w[k] = (unsigned)fore_rng_below(r, LETTERS);
        ok = match ? try_match(&t, w, n, undecided) : try_ere(&t, w, n);
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
    int undecided = 0;
    bool ok = true;
    fore_rng_seed(&r, 4711);
    for (int i = 0; ok && i < EXPRESSIONS; i++)
        ok = try_expression(&r, &undecided);
    printf("# %d expressions; %d words needed an extension of more than 3 letters\n",
           EXPRESSIONS, undecided);
    ok = ok && undecided < EXPRESSIONS / 50;
    printf("%s random expressions agree with membership by definition\n",
           ok ? "ok" : "not ok");
    return ok ? 0 : 1;
}
