/* Every level of isolation against brute force, on random histories that are read from text.
 * Usage: levels [histories per level] */
#include "../../txn_text.h"
#include "history/txn/explain.h"
#include "oracle/txn/random_txns.h"

#include <stdio.h>
#include <stdlib.h>

static const struct small_shape shapes[] = {
    {.txns = 4, .keys = 2, .ops = 3, .lists = true},
    {.txns = 5, .keys = 2, .ops = 2, .lists = true, .wrong = 5},
    {.txns = 5, .keys = 3, .ops = 3, .lists = true},
    {.txns = 4, .keys = 2, .ops = 3},
    {.txns = 5, .keys = 2, .ops = 2, .wrong = 5},
    {.txns = 5, .keys = 3, .ops = 3},
    {.txns = 6, .keys = 2, .ops = 2},
    {.txns = 6, .keys = 2, .ops = 2, .split = true},
    {.txns = 6, .keys = 2, .ops = 2, .lists = true, .split = true},
    {.txns = 5, .keys = 3, .ops = 2, .split = true, .repeats = true},
    {.txns = 4, .keys = 2, .ops = 3, .repeats = true},
    {.txns = 5, .keys = 2, .ops = 2, .repeats = true, .wrong = 5},
    {.txns = 6, .keys = 3, .ops = 3, .repeats = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
#define NONSENSE 0x100u

/* `only`: violated, and the level below is not. */
struct tally {
    uint64_t holds, violated, only;
};

/* Is each step's end the next one's beginning? */
static bool is_cycle(const struct fore_dep_cycle *c)
{
    bool fine = true;
    for (size_t i = 0; i < c->deps.n; i++)
        fine = fine && c->deps.at[i].to == c->deps.at[(i + 1) % c->deps.n].from &&
               c->deps.at[i].from != c->deps.at[i].to;
    return fine;
}

/* What is shown of a violated level: a bit for each level that it claims to be violated.
 * Every history has something to show, and cycles are cycles. */
static unsigned claimed_levels(struct fore_txn_guess *g, enum fore_txn_level level,
                               const struct fore_txn_decision *d)
{
    struct fore_txn_evidences why;
    unsigned claims = 0;
    fore_txn_explain(&why, g, level, d, NULL);
    for (size_t i = 0; i < why.list.n; i++) {
        const struct fore_txn_evidence *v = &why.list.at[i];
        claims |= 1u << fore_txn_anomaly_level(v->kind);
        if (!is_cycle(&v->cycle) || (!v->odd.count && !v->txns.n))
            claims |= NONSENSE;
        for (size_t k = 0; k < v->lemmas.n; k++)
            if (!is_cycle(&v->lemmas.at[k].otherwise))
                claims |= NONSENSE;
    }
    if ((claims == 0) != (d->answer != FORE_TXN_VIOLATED))
        claims |= NONSENSE;
    fore_txn_evidences_release(&why);
    return claims;
}

static enum fore_txn_answer judge(const char *text, size_t n, enum fore_txn_level level,
                                  unsigned *claims)
{
    struct fore_txns h;
    struct fore_txn_index x;
    struct fore_txn_guess g;
    struct fore_txn_decision d;
    struct fore_err e = {0};
    if (read_txns_text(&h, "random", text, n, &e) != FORE_OK ||
        fore_txn_index_make(&x, &h, NULL, &e) != FORE_OK) {
        fprintf(stderr, "%s\n", e.msg);
        abort();
    }
    fore_txn_guess_init(&g, &x);
    fore_txn_judge(&g, level, NULL, &d);
    *claims = claimed_levels(&g, level, &d);
    fore_txn_guess_release(&g);
    fore_txn_decision_release(&d);
    fore_txn_index_release(&x);
    fore_txns_release(&h);
    return d.answer;
}

static bool agree(const struct small_history *h, enum fore_txn_level level,
                  struct tally *t)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    unsigned claims;
    txns_text(h, &b);
    bool expected = brute_force(h, (int)level);
    enum fore_txn_answer got = judge(b.at, b.n, level, &claims);
    bool same = got == (expected ? FORE_TXN_HOLDS : FORE_TXN_VIOLATED);
    *(expected ? &t->holds : &t->violated) += 1;
    t->only += !expected && (!level || brute_force(h, (int)level - 1));
    if (!same)
        fprintf(stderr, "%s: brute force says %s, the checker %d\n%s",
                fore_txn_levels[level].name, expected ? "holds" : "violated", (int)got,
                b.at);
    for (int l = 0; l <= (int)level; l++)
        if (claims & NONSENSE || (claims >> l & 1 && brute_force(h, l))) {
            fprintf(stderr, "%s: what is shown (%x) is wrong\n%s",
                    fore_txn_levels[level].name, claims, b.at);
            same = false;
            break;
        }
    fore_strbuf_release(&b);
    return same;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
    struct fore_rng rng;
    fore_rng_seed(&rng, 20250);
    int bad = 0;
    for (unsigned level = 0; fore_txn_levels[level].name; level++) {
        struct tally t = {0};
        for (uint64_t i = 0; i < n && bad < 3; i++) {
            struct small_history h;
            random_txns(&h, &shapes[i % SHAPES], &rng);
            bad += !agree(&h, (enum fore_txn_level)level, &t);
        }
        printf("%s: %llu hold, %llu do not, %llu of them as the weakest level\n",
               fore_txn_levels[level].name, (unsigned long long)t.holds,
               (unsigned long long)t.violated, (unsigned long long)t.only);
        /* A test in which one answer hardly occurs shows nothing. */
        bad += t.holds < n / 10 || t.violated < n / 50 || t.only * 2000 < n;
    }
    return bad != 0;
}
