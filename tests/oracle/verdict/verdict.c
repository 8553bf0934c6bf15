/* Random small programs, run once and recorded by captures of different sight: whatever the
 * analyses claim of the trace, the program can do; and of the deadlocks that it can run into on the
 * recorded paths, they miss few.
 *
 *   oracle_verdict [--runs N] [--seed S] [--family NAME] [--show lines] [--ablate CLAUSE] [--spare KIND]
 *
 * --seed S looks at that program alone, and shows it. With a clause left out of the rules, or the needs of a
 * kind of event left out of the closure, it ends with the first thing that is wrong. */
#include "oracle/verdict/judge.h"
#include "oracle/verdict/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 20000, SHOWN = 3, WALKS = 2, CLOSURES = 4 };

struct tally {
    unsigned traces, claims, falsehoods;
    unsigned deadlocks, predicted, possible;
};

struct totals {
    unsigned programs, racy, skipped, shown, green;
    bool brief;       /* a line for each falsehood */
    uint32_t ablated; /* clauses that are left out */
    unsigned spared;  /* the kind of event whose needs are left out of closures */
    struct tally by_sees[SEES], by_family[FAMILIES];
    unsigned failed;  /* traces that could not be analysed */
    unsigned excused; /* claims about races that were not seen */
    struct walk_totals walks;
    unsigned walked_wrong, closures_wrong;
};

struct look {
    uint64_t seed;
    const struct program *p;
    const struct graph *g;
    const struct recording *r;
    const struct sees *sees;
    struct fore_strbuf text;
    struct totals *n;
    struct tally *sum[2];
    bool alone; /* it is the only program: everything is shown */
};

static void show_finding(struct look *l, const struct fore_finding *x, const char *why)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_printf(&b, "# seed %llu, %s: %s\n", (unsigned long long)l->seed,
                       l->sees->name, why);
    program_print(l->p, &b);
    fore_strbuf_puts(&b, l->text.at);
    if (x)
        finding_print(x, &b);
    fputs(b.at, stdout);
    fore_strbuf_release(&b);
}

/* Without memory, claims hold for programs without races. */
static bool is_excused(const struct look *l)
{
    return l->g->racy && !(l->sees->mask & FORE_SEES_MEMORY);
}

static void show_assertion(struct look *l, const struct assertion *a)
{
    if (!l->n->brief)
        show_finding(l, NULL, "the program cannot do what a walk predicts");
    printf("# seed %llu, %s, %s:", (unsigned long long)l->seed, l->p->family,
           l->sees->name);
    for (unsigned t = 0; t < THREADS; t++)
        if (a->at.in[t])
            printf(" thread %u at %u", t + 1, op_line(t, a->at.pc[t]));
    puts(a->stuck ? " wait for ever" : " at once");
}

static void judge_claim(struct look *l, const struct fore_finding *x)
{
    bool known;
    if (is_reachable(l->g, x, &known) && known) {
        l->sum[0]->claims++;
        l->sum[1]->claims++;
        return;
    }
    if (is_excused(l)) {
        l->n->excused++;
        return;
    }
    l->sum[0]->falsehoods++;
    l->sum[1]->falsehoods++;
    if (l->n->brief)
        printf("# seed %llu, %s, %s: %s is %s\n", (unsigned long long)l->seed,
               l->p->family, l->sees->name, x->rule->name, fore_verdict_name(x->verdict));
    else if (l->alone || l->n->shown++ < SHOWN)
        show_finding(l, x,
                     known ? "the program cannot do this" : "no rule of these programs");
}

static void judge_deadlock(struct look *l, const struct fore_findings *f,
                           const struct waits *d)
{
    bool predicted = false, possible = false;
    for (size_t i = 0; i < f->list.n; i++) {
        struct waits w;
        const struct fore_finding *x = f->list.at[i];
        if (!waits_of(x, &w) || !covers(&w, d))
            continue;
        if (x->verdict == FORE_VERDICT_OBSERVED)
            return; /* nothing to find */
        predicted |= x->verdict == FORE_VERDICT_PREDICTED && x->level != FORE_LEVEL_NOTE;
        possible |= x->verdict == FORE_VERDICT_POSSIBLE;
    }
    for (unsigned i = 0; i < 2; i++) {
        l->sum[i]->deadlocks++;
        l->sum[i]->predicted += predicted;
        l->sum[i]->possible += !predicted && possible;
    }
    if (l->n->brief && !predicted)
        printf("# seed %llu, %s, %s: a deadlock is %s\n", (unsigned long long)l->seed,
               l->p->family, l->sees->name, possible ? "possible" : "missed");
    if (!l->alone || predicted)
        return;
    show_finding(l, NULL, possible ? "this deadlock is only possible" : "missed");
    for (unsigned t = 0; t < THREADS; t++)
        if (d->in[t])
            printf("#   thread %u waits at %u\n", t + 1, op_line(t, d->pc[t]));
}

/* Does each of its operations stand in the trace, and was it not what happened? */
static bool is_to_be_found(const struct recording *r, const struct waits *d)
{
    if (memcmp(d, &r->waits, sizeof *d) == 0)
        return false;
    for (unsigned t = 0; t < THREADS; t++)
        if (d->in[t] && !r->recorded[op_id(t, d->pc[t])])
            return false;
    return true;
}

/* What is predicted of any run of the recorded operations, whether an analysis asks for it or not. */
static void judge_walks(struct look *l)
{
    struct fore_rng r;
    struct assertions said = {{0}};
    fore_rng_seed(&r, l->seed + 2);
    walk_trace(&l->text, l->n->ablated, WALKS, &r, &said, &l->n->walks);
    for (size_t i = 0; i < said.list.n && !is_excused(l); i++) {
        const struct assertion *a = &said.list.at[i];
        if (a->stuck ? graph_stuck(l->g, &a->at) : graph_meets(l->g, &a->at))
            continue;
        if (l->alone || l->n->walked_wrong++ < SHOWN)
            show_assertion(l, a);
    }
    fore_vec_release(&said.list);
    unsigned wrong = walk_closures(&l->text, l->n->spared, CLOSURES, &r);
    if (wrong && (l->alone || !l->n->closures_wrong))
        show_finding(l, NULL, "the part of the run that an operation needs is no run");
    l->n->closures_wrong += wrong;
}

static void judge_trace(struct look *l, const struct deadlocks *d)
{
    struct fore_findings f;
    record_write(l->p, l->r, l->sees, &l->text);
    struct fore_err e = {0};
    if (!analyse_text(&l->text, l->n->ablated, &f, &e)) {
        l->n->failed++;
        if (l->alone || l->n->failed <= SHOWN)
            show_finding(l, NULL, e.msg);
    }
    for (unsigned i = 0; i < 2; i++)
        l->sum[i]->traces++;
    for (size_t i = 0; i < f.list.n; i++)
        if (is_claim(f.list.at[i]))
            judge_claim(l, f.list.at[i]);
    for (size_t i = 0; i < d->list.n; i++)
        if (is_to_be_found(l->r, &d->list.at[i]))
            judge_deadlock(l, &f, &d->list.at[i]);
    judge_walks(l);
    fore_findings_release(&f);
}

static void judge_program(uint64_t seed, struct graph *g, struct totals *n, bool alone)
{
    struct program p;
    struct recording r = {.cut = false};
    struct deadlocks d = {{0}};
    struct fore_rng rng;
    program_random(&p, seed);
    if (!graph_build(g, &p, MOST_STATES)) {
        n->skipped++;
        return;
    }
    fore_rng_seed(&rng, seed + 1);
    /* A thread that nobody was seen to start cannot be known to run still. */
    bool cut = seed / FAMILIES % 4 == 3 && !p.root[1];
    record_run(&p, &rng, cut, &r);
    if (r.negative) {
        n->skipped++;
        recording_release(&r);
        return;
    }
    n->programs++;
    n->racy += g->racy;
    n->green += r.green;
    find_deadlocks(&p, &r.paths, &d);
    struct look l = {.seed = seed,
                     .p = &p,
                     .g = g,
                     .r = &r,
                     .n = n,
                     .alone = alone,
                     .text = FORE_STRBUF_INIT};
    for (unsigned i = 0; i < SEES; i++) {
        l.sees = &all_sees[i];
        l.sum[0] = &n->by_sees[i];
        l.sum[1] = &n->by_family[seed % FAMILIES];
        judge_trace(&l, &d);
    }
    fore_strbuf_release(&l.text);
    fore_vec_release(&d.list);
    recording_release(&r);
}

/* ---- figures ------------------------------------------------------------------------------- */

static unsigned percent(unsigned part, unsigned of)
{
    return of ? part * 100 / of : 100;
}

static void print_tally(const char *name, const struct tally *t)
{
    printf("# %-28s %6u traces, %6u claims true, %4u false; %5u deadlocks, %3u%% "
           "predicted, %3u%% possible, %3u%% missed\n",
           name, t->traces, t->claims, t->falsehoods, t->deadlocks,
           percent(t->predicted, t->deadlocks), percent(t->possible, t->deadlocks),
           t->deadlocks ? 100 - percent(t->predicted + t->possible, t->deadlocks) : 0);
}

static bool passed(bool good, const char *what)
{
    printf("%s %s\n", good ? "ok" : "not ok", what);
    return good;
}

static bool report(const struct totals *n)
{
    unsigned falsehoods = 0, deadlocks = 0, told = 0;
    for (unsigned i = 0; i < SEES; i++) {
        print_tally(all_sees[i].name, &n->by_sees[i]);
        falsehoods += n->by_sees[i].falsehoods;
        deadlocks += n->by_sees[i].deadlocks;
        told += n->by_sees[i].predicted + n->by_sees[i].possible;
    }
    for (unsigned i = 0; i < FAMILIES; i++)
        print_tally(family_name(i), &n->by_family[i]);
    printf("# %u programs, %u with races, %u runs in which all was well; %u skipped; %u "
           "claims are not judged: races that nobody saw\n",
           n->programs, n->racy, n->green, n->skipped, n->excused);
    printf("# %u claims about random walks, %u predicted\n", n->walks.claims,
           n->walks.predicted);
    bool good = passed(!n->failed, "every trace can be analysed");
    good &= passed(!falsehoods, "the program can do whatever is claimed");
    good &= passed(!n->walked_wrong, "the program can do whatever a walk predicts");
    good &= passed(!n->closures_wrong, "what an operation needs can be run alone");
    good &=
        passed(told * 20 >= deadlocks * 19, "one deadlock in twenty is missed at most");
    const struct tally *use = &n->by_sees[SEES_USE], *line = &n->by_sees[SEES_STRAIGHT];
    good &= passed(use->predicted * 100 >= use->deadlocks * 85,
                   "with values and use, 85 in a hundred are predicted");
    good &= passed(line->predicted * 100 >= line->deadlocks * 60,
                   "without memory, with straight, 60 in a hundred are predicted");
    return good;
}

static unsigned family_named(const char *name)
{
    for (unsigned i = 0; i < FAMILIES; i++)
        if (strcmp(family_name(i), name) == 0)
            return i;
    printf("not ok there is no family %s\n", name);
    exit(2);
}

/* Is something left out, and was that noticed? */
static bool is_settled(const struct totals *n)
{
    unsigned wrong = n->walked_wrong + n->closures_wrong;
    for (unsigned i = 0; i < SEES; i++)
        wrong += n->by_sees[i].falsehoods;
    return (n->ablated || n->spared) && wrong;
}

int main(int argc, char **argv)
{
    struct totals n = {0};
    static struct graph g;
    unsigned runs = 1500;
    uint64_t seed = 0;
    unsigned family = FAMILIES;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--runs") == 0)
            runs = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--ablate") == 0)
            n.ablated = clause_named(argv[i + 1]);
        else if (strcmp(argv[i], "--family") == 0)
            family = family_named(argv[i + 1]);
        else if (strcmp(argv[i], "--spare") == 0)
            n.spared = kind_named(argv[i + 1]);
        else if (strcmp(argv[i], "--show") == 0)
            n.brief = strcmp(argv[i + 1], "lines") == 0;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
    }
    graph_init(&g);
    if (seed)
        judge_program(seed, &g, &n, true);
    for (uint64_t s = 1; !seed && n.programs < runs && !is_settled(&n); s++)
        if (family == FAMILIES || s % FAMILIES == family)
            judge_program(s, &g, &n, false);
    graph_release(&g);
    return report(&n) ? 0 : 1;
}
