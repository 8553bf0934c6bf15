/* Random small actor systems, with and without faults, links that keep order, and clients with
 * several operations in turn. All schedules are enumerated; each is
 * brought into a normal form under the dependence. Then:
 *   - optimal explores as many schedules as there are normal forms, and no path in vain,
 *   - under the history dependence it finds exactly the history classes that there are,
 *   - the stateful search visits as many states as there are,
 *   - it finds a violation, a blocked operation exactly if there is one,
 *   - both find a livelock exactly if there is one; then optimal's other figures are bounded,
 * each with one worker and with several, optimal also with ranks whose messages are delayed and
 * overtake each other, with one that stops the search and a resume on another number of ranks, and with
 * ranks that are threads;
 *   - shares of EX, of SR and of PCT give together what the whole gives. */
#include "random_system.h"
#include "simulator.h"

#include "base/arena.h"
#include "base/hash.h"
#include "explore/print.h"
#include "explore/tree.h"
#include "explore/walk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct forms {
    struct fore_map set;
    enum fore_dependence dependence;
};

/* The schedule's normal form: always the smallest step that nothing left must precede. */
static void add_form(struct forms *f, const struct fore_actors *w)
{
    struct fore_recv v[64];
    size_t n = w->steps.n;
    bool used[64] = {false};
    uint32_t sent_by[64];
    uint64_t key = 0;
    for (size_t i = 0; i < n; i++) {
        const struct fore_receipt *s = &w->steps.at[i];
        v[i] = fore_recv_of(w, (uint32_t)i + 1);
        sent_by[i] = w->msgs.at[s->msg].sent_by;
    }
    for (size_t done = 0; done < n; done++) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            bool free = !used[i];
            for (size_t k = 0; free && k < i; k++)
                free = used[k] ||
                       (sent_by[i] != k + 1 &&
                        !fore_actors_same_link(w, (uint32_t)k + 1, (uint32_t)i + 1) &&
                        !fore_recvs_dependent(&v[k], &v[i], f->dependence));
            if (free && (best == n || v[i].id < v[best].id))
                best = i;
        }
        used[best] = true;
        key = fore_hash_mix(key, fore_hash_mix(v[best].id, v[best].how));
        key = fore_hash_mix(key, fore_hash_mix(v[best].answers, (uint64_t)v[best].op));
    }
    fore_map_put(&f->set, key, NULL);
}

struct totals {
    struct forms forms[2];
    struct fore_map states; /* before any violation */
    uint64_t schedules;
    bool too_many;
};

static void enumerate(struct fore_explorer *s, struct totals *t)
{
    uint32_t judge = s->histories.nodes.at[fore_explorer_node(s)].state;
    if (judge != FORE_JUDGE_BROKEN && !s->world.trouble)
        fore_map_put(&t->states, fore_print_of(s, judge).at, NULL);
    if (t->schedules > 6000 || s->world.steps.n >= 60) {
        t->too_many = true;
        return;
    }
    if (fore_explorer_next(s) == FORE_NEXT_END) {
        t->schedules++;
        for (int d = 0; d < 2; d++)
            add_form(&t->forms[d], &s->world);
        fore_explorer_end(s);
        return;
    }
    for (uint32_t m = fore_actors_first(&s->world); m; m = fore_actors_next(&s->world, m))
        for (enum fore_how how = FORE_DELIVER; how < FORE_HOWS && !t->too_many;
             how = fore_explorer_next_how(s, m, how)) {
            fore_explorer_step(s, m, how);
            enumerate(s, t);
            fore_explorer_undo(s);
        }
}

static void fail_at(uint64_t seed, const char *what, uint64_t want, uint64_t got)
{
    fprintf(stderr, "seed %d: %s: expected %d, found %d\n", (int)seed, what, (int)want,
            (int)got);
    exit(1);
}

static bool same_classes(const struct fore_explorer *a, const struct fore_explorer *b)
{
    struct fore_intern x = {0}, y = {0};
    fore_histories_class_keys(&a->histories, &x);
    fore_histories_class_keys(&b->histories, &y);
    bool same = fore_intern_count(&x) == fore_intern_count(&y);
    for (uint32_t i = 1; same && i <= fore_intern_count(&x); i++) {
        struct fore_bytes key = fore_intern_bytes(&x, i);
        same = fore_intern_find(&y, key.at, key.n) != 0;
    }
    fore_intern_release(&x);
    fore_intern_release(&y);
    return same;
}

struct subject {
    struct fore_system system;
    struct fore_harness harness;
    struct fore_faults faults;
    uint64_t seed;
};

static void open_explorer(struct fore_explorer *s, const struct subject *x,
                          const struct fore_explore_options *o)
{
    struct fore_err e = {0};
    if (fore_explorer_init(s, &x->system, &x->harness, o, &e) != FORE_OK) {
        fprintf(stderr, "%s\n", e.msg);
        exit(1);
    }
}

/* What optimal found with any number of workers, against all schedules. */
static void compare_optimal(const struct subject *x, const struct fore_explorer *s,
                            const struct totals *t, const struct fore_explorer *all)
{
    enum fore_dependence d = s->opt->dependence;
    if (s->row.schedules != t->forms[d].set.n)
        fail_at(x->seed, "schedules of optimal", t->forms[d].set.n, s->row.schedules);
    if (s->row.redundant)
        fail_at(x->seed, "redundant schedules of optimal", 0, s->row.redundant);
    if (d == FORE_DEPEND_HISTORY && !same_classes(s, all))
        fail_at(x->seed, "history classes differ", all->histories.unique,
                s->histories.unique);
}

static void compare_verdicts(const struct subject *x, const struct fore_explorer *s,
                             const struct fore_explorer *all)
{
    for (int b = 0; b <= FORE_BUG_BLOCKED; b++)
        if (!s->bugs[b].count != !all->bugs[b].count)
            fail_at(x->seed, "verdict", all->bugs[b].count, s->bugs[b].count);
}

static void check_search(const struct subject *x, const struct fore_scheduler *rule,
                         enum fore_dependence d, uint32_t jobs, const struct totals *t,
                         const struct fore_explorer *all)
{
    struct fore_explore_options o = {
        .scheduler = rule, .dependence = d, .jobs = jobs, .faults = x->faults};
    struct fore_explorer s;
    open_explorer(&s, x, &o);
    fore_explorer_run(&s);
    if (rule == &fore_scheduler_stateful && s.row.states != t->states.n)
        fail_at(x->seed, "states", t->states.n, s.row.states);
    bool circle = all->bugs[FORE_BUG_LIVELOCK].count;
    bool cut = rule == &fore_scheduler_stateful &&
               all->bugs[FORE_BUG_NOT_LINEARIZABLE].count; /* it stops at violations */
    if (circle != (s.bugs[FORE_BUG_LIVELOCK].count > 0) && !cut)
        fail_at(x->seed, "livelock", circle, !circle);
    if (rule == &fore_scheduler_optimal && !circle)
        compare_optimal(x, &s, t, all);
    bool whole =
        rule == &fore_scheduler_stateful || (!circle && d == FORE_DEPEND_HISTORY);
    if (whole)
        compare_verdicts(x, &s, all);
    fore_explorer_release(&s);
}

struct playing {
    struct fore_explorer *s[9];
    struct fore_wakeup
        root[9]; /* the first is the tree, the others what ranks know of it */
    struct fore_wakeup_list given;
};

/* What a checkpoint would hold. */
static void list_started(struct fore_wakeup *n, struct fore_wakeup_list *given)
{
    fore_vec_push(&given->v, n);
    for (struct fore_wakeup *c = n->child; c; c = c->next)
        if (c->started)
            list_started(c, given);
}

/* Turns in random order; after some of them a rank stops the search. True if it was stopped. */
static bool play_tree(struct playing *p, uint32_t ranks, struct simulator *sim,
                      uint64_t stop_at)
{
    struct fore_tree_rank *r[9];
    bool done[9] = {false}, stopped = false;
    struct fore_wakeup_list none = {0};
    for (uint32_t i = 0; i < ranks; i++)
        r[i] = fore_tree_rank_new(p->s[i], &sim->rank[i].transport, &p->root[i],
                                  i ? &none : &p->given, 1 + i % 2);
    for (uint32_t left = ranks; left;) {
        uint32_t i = (uint32_t)fore_rng_below(&sim->rng, ranks);
        if (++sim->now == stop_at)
            p->s[i]->stop = true;
        if (sim->now > 100000000)
            fail_at(0, "ranks that do not end", 0, left);
        if (done[i] || fore_tree_rank_turn(r[i]))
            continue;
        done[i] = true;
        left--;
    }
    for (uint32_t i = ranks; i--;)
        stopped = fore_tree_rank_free(r[i]);
    for (uint32_t i = 0; i < ranks; i++)
        if (sim->rank[i].in.n)
            fail_at(0, "messages under way at the end", 0, sim->rank[i].in.n);
    return stopped;
}

/* Optimal by simulated ranks, stopped once and resumed on other ranks if `stops`. */
static void check_ranks(const struct subject *x, enum fore_dependence d, uint32_t ranks,
                        bool stops, const struct totals *t,
                        const struct fore_explorer *all)
{
    struct fore_explore_options o = {
        .scheduler = &fore_scheduler_optimal, .dependence = d, .faults = x->faults};
    struct fore_explorer s;
    struct playing p = {.s = {&s}};
    struct fore_wakeup_pool pool = {0};
    struct fore_rng rng;
    bool left = true;
    fore_rng_seed(&rng, x->seed);
    open_explorer(&s, x, &o);
    for (int round = 0; left; round++) {
        struct simulator sim;
        uint32_t n = round ? 1 + (uint32_t)fore_rng_below(&rng, 8) : ranks;
        simulator_init(&sim, n, fore_rng_below(&rng, 40), x->seed + (uint64_t)round);
        for (uint32_t i = 1; i < n; i++)
            p.s[i] = fore_explorer_twin(&s, 0);
        s.stop = false;
        if (round) {
            p.given.v.n = 0;
            list_started(&p.root[0], &p.given);
        }
        left = play_tree(&p, n, &sim, stops && !round ? fore_rng_below(&rng, 400) : 0);
        for (uint32_t i = 1; i < n; i++) {
            fore_wakeup_clear(&pool, &p.root[i]);
            fore_explorer_release(p.s[i]);
            fore_free(p.s[i]);
        }
        while (fore_explorer_depth(&s))
            fore_explorer_undo(&s);
        simulator_release(&sim);
    }
    compare_optimal(x, &s, t, all);
    if (d == FORE_DEPEND_HISTORY)
        compare_verdicts(x, &s, all);
    fore_wakeup_clear(&pool, &p.root[0]);
    fore_wakeup_pool_release(&pool);
    fore_vec_release(&p.given.v);
    fore_explorer_release(&s);
}

struct rank_thread {
    struct fore_explore_options o;
    struct fore_explorer s;
    pthread_t thread;
};

static void *run_rank(void *arg)
{
    fore_explorer_run(&((struct rank_thread *)arg)->s);
    return NULL;
}

/* Ranks that are threads with mailboxes. */
static void check_mailboxes(const struct subject *x, uint32_t ranks,
                            const struct totals *t, const struct fore_explorer *all)
{
    struct fore_mailboxes *m = fore_mailboxes_new(ranks);
    struct rank_thread r[4];
    for (uint32_t i = 0; i < ranks; i++) {
        r[i].o = (struct fore_explore_options){.scheduler = &fore_scheduler_optimal,
                                               .faults = x->faults,
                                               .transport = fore_mailboxes_rank(m, i)};
        open_explorer(&r[i].s, x, &r[i].o);
        if (pthread_create(&r[i].thread, NULL, run_rank, &r[i]))
            exit(1);
    }
    for (uint32_t i = 0; i < ranks; i++)
        pthread_join(r[i].thread, NULL);
    compare_optimal(x, &r[0].s, t, all);
    compare_verdicts(x, &r[0].s, all);
    for (uint32_t i = 0; i < ranks; i++)
        fore_explorer_release(&r[i].s);
    fore_mailboxes_free(m);
}

/* The schedules that begin so or so, or every other walk, by one explorer each. */
static void check_shares(const struct subject *x, const struct fore_scheduler *rule,
                         uint64_t walks)
{
    struct fore_explore_options o = {
        .scheduler = rule, .faults = x->faults, .max_schedules = walks, .seed = x->seed};
    struct fore_explorer whole, sum, part;
    open_explorer(&whole, x, &o);
    fore_explorer_run(&whole);
    o.shares = 2 + (uint32_t)(x->seed % 6);
    open_explorer(&sum, x, &o);
    for (uint32_t i = 0; i < o.shares; i++) {
        o.share = i;
        open_explorer(&part, x, &o);
        fore_explorer_run(&part);
        fore_explorer_merge(&sum, &part);
        fore_explorer_release(&part);
    }
    if (whole.row.schedules != sum.row.schedules)
        fail_at(x->seed, rule->name, whole.row.schedules, sum.row.schedules);
    if (walks && whole.row.first_bug != sum.row.first_bug)
        fail_at(x->seed, "the first bug of shares", whole.row.first_bug,
                sum.row.first_bug);
    if (!same_classes(&whole, &sum))
        fail_at(x->seed, "history classes of shares", whole.histories.unique,
                sum.histories.unique);
    for (int b = 0; b <= FORE_BUG_BLOCKED; b++)
        if (whole.bugs[b].count != sum.bugs[b].count)
            fail_at(x->seed, "verdict of shares", whole.bugs[b].count, sum.bugs[b].count);
    fore_explorer_release(&whole);
    fore_explorer_release(&sum);
}

static bool check_one(uint64_t seed, unsigned *circles)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e = {0};
    struct fore_rng r;
    char text[1024];
    struct subject x = {.seed = seed};
    fore_rng_seed(&r, seed);
    draw_rules(&r, !fore_rng_below(&r, 3));
    draw_harness(&r, text, sizeof text);
    if (!fore_rng_below(&r, 2))
        x.faults = (struct fore_faults){
            (uint32_t)fore_rng_below(&r, 3), (uint32_t)fore_rng_below(&r, 2),
            (uint32_t)fore_rng_below(&r, 3), (uint32_t)fore_rng_below(&r, 3)};
    if (fore_system_init(&x.system, &a, &definition, &e) ||
        fore_harness_parse(&x.harness, &a, &x.system, "random", text, strlen(text), &e)) {
        fprintf(stderr, "seed %d: %s\n%s", (int)seed, e.msg, text);
        exit(1);
    }
    fprintf(stderr, "%s faults %u %u %u %u\n", text, x.faults.drop, x.faults.duplicate,
            x.faults.crash, x.faults.partition);
    struct fore_explore_options o = {.scheduler = &fore_scheduler_ex, .faults = x.faults};
    struct totals t = {.forms = {[1].dependence = FORE_DEPEND_ACTOR}};
    struct fore_explorer all;
    open_explorer(&all, &x, &o);
    enumerate(&all, &t);
    for (uint32_t jobs = 1; jobs <= 3 && !t.too_many; jobs += 2) {
        check_search(&x, &fore_scheduler_optimal, FORE_DEPEND_HISTORY, jobs, &t, &all);
        check_search(&x, &fore_scheduler_optimal, FORE_DEPEND_ACTOR, jobs, &t, &all);
        check_search(&x, &fore_scheduler_stateful, FORE_DEPEND_HISTORY, jobs, &t, &all);
    }
    if (!t.too_many && !all.bugs[FORE_BUG_LIVELOCK].count) {
        uint32_t ranks = 2 + (uint32_t)(seed % 7);
        bool stops = seed % 2;
        check_ranks(&x, FORE_DEPEND_HISTORY, ranks, stops, &t, &all);
        if (seed % 4 == 2)
            check_ranks(&x, FORE_DEPEND_ACTOR, ranks, false, &t, &all);
        if (seed % 4 == 0)
            check_mailboxes(&x, 2 + (uint32_t)(seed / 4 % 3), &t, &all);
    }
    if (!t.too_many) {
        check_shares(&x, &fore_scheduler_sr, 50);
        check_shares(&x, &fore_scheduler_pct, 50);
        check_shares(&x, &fore_scheduler_ex, 0);
    }
    *circles += !t.too_many && all.bugs[FORE_BUG_LIVELOCK].count;
    for (int d = 0; d < 2; d++)
        fore_map_release(&t.forms[d].set);
    fore_map_release(&t.states);
    fore_explorer_release(&all);
    fore_harness_release(&x.harness);
    fore_arena_release(&a);
    return !t.too_many;
}

int main(int argc, char **argv)
{
    uint64_t systems = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, checked = 0;
    unsigned circles = 0;
    for (uint64_t seed = first; seed < first + systems; seed++)
        checked += check_one(seed, &circles);
    printf("%d of %d systems checked, %u of them can go round in a circle\n",
           (int)checked, (int)systems, circles);
    return checked * 2 < systems || (systems >= 1000 && circles * 100 < systems);
}
