/* Explores:  as stateful, nearest to the start first, with random walks beside it: shallow bugs
 *            are found by the one, deep bugs in spaces that are too wide by the others.
 * Sound:     yes.   Complete: as stateful, unless it stops after the first violations.
 * Cost:      as stateful, and a fifth of its steps for walks until the first violation.
 * Source:    every other walk follows priorities that change at a few random points: Burckhardt,
 *            Kothari, Musuvathi, Nagarakatte, A randomized scheduler with probabilistic
 *            guarantees of finding bugs (ASPLOS 2010). */
#include "explore/stateful.h"
#include "explore/walk.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/progress.h"

#define WALK_STEPS 1000 /* no walk is longer */
#define SHARE 5         /* of the steps of the search by levels */
#define CHANGES 2       /* of priorities, in one walk */
#define MORE_STATES 10000

struct swarm {
    struct fore_explorer *x; /* at the start between walks */
    uint64_t walks, longest;
    uint64_t states; /* when the first violation was found */
};

/* Messages between the same two parties have the same priority; the party that is chosen at a
 * change falls behind all others. */
struct priorities {
    uint64_t seed, at[CHANGES], fallen[CHANGES];
};

static uint64_t link_of(const struct fore_message *m)
{
    return fore_hash_mix((uint64_t)m->r.from, (uint64_t)m->r.to);
}

static uint64_t priority_of(const struct priorities *p, uint64_t link)
{
    for (size_t i = 0; i < CHANGES; i++)
        if (p->fallen[i] == link)
            return i;
    return fore_hash_mix(p->seed, link) | 1 << 8;
}

static uint32_t pick_by_priority(struct fore_explorer *s, struct priorities *p)
{
    const struct fore_actors *w = &s->world;
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m)) {
        uint64_t here = priority_of(p, link_of(&w->msgs.at[m]));
        if (!best || here > most) {
            best = m;
            most = here;
        }
    }
    for (size_t i = 0; i < CHANGES; i++)
        if (p->at[i] == fore_explorer_depth(s))
            p->fallen[i] = link_of(&w->msgs.at[best]);
    return best;
}

static void walk_randomly(struct swarm *g)
{
    struct fore_explorer *s = g->x;
    struct priorities p = {.seed = fore_rng_next(&s->rng)};
    bool uniform = g->walks++ % 2;
    for (size_t i = 0; i < CHANGES; i++)
        p.at[i] = fore_rng_below(&s->rng, g->longest + 1);
    while (fore_explorer_next(s) == FORE_NEXT_GO && !s->stop &&
           fore_explorer_depth(s) < WALK_STEPS &&
           !fore_histories_dead(&s->histories, fore_explorer_node(s))) {
        uint32_t m = uniform ? fore_sr_pick(s) : pick_by_priority(s, &p);
        fore_explorer_step(s, m, fore_sr_how(s, m));
    }
    if (fore_explorer_depth(s) > g->longest)
        g->longest = fore_explorer_depth(s);
}

static void note_what_it_shows(struct fore_levels *k, struct swarm *g)
{
    const struct fore_explorer *s = g->x;
    const struct fore_actors *w = &s->world;
    if (w->trouble)
        fore_levels_note_walk(k, s,
                              w->trouble == FORE_TROUBLE_REQUIRED ? FORE_BUG_REQUIRED
                                                                  : FORE_BUG_SYSTEM,
                              w->why.at);
    else if (fore_histories_dead(&s->histories, fore_explorer_node(s)))
        fore_levels_note_walk(k, s, FORE_BUG_NOT_LINEARIZABLE, "");
    else if (!w->pending && w->invoked & ~w->answered)
        fore_levels_note_walk(k, s, FORE_BUG_BLOCKED, "");
}

/* An operation without an answer does not count: many protocols leave some unanswered, and worse
 * may follow. */
static bool something_is_wrong(const struct fore_levels *k)
{
    return k->bugs[FORE_BUG_NOT_LINEARIZABLE].found || k->bugs[FORE_BUG_REQUIRED].found ||
           k->bugs[FORE_BUG_SYSTEM].found;
}

/* After the first violation, violations of other kinds are looked for as long again. */
static void stop_when_enough(struct fore_levels *k, struct swarm *g)
{
    uint64_t states = k->s->row.states;
    if (!g->states)
        g->states = states + 1;
    if (!k->plan->first_only || states < 2 * g->states + MORE_STATES / k->t->ranks)
        return;
    k->s->row.bound = FORE_BOUND_FIRST;
    k->s->stop = true;
}

static void search_beside(struct fore_levels *k, void *user)
{
    struct swarm *g = (struct swarm *)user + k->s->watch_index;
    if (something_is_wrong(k)) {
        stop_when_enough(k, g);
        return;
    }
    if (g->x->row.steps * SHARE > k->s->row.steps)
        return;
    walk_randomly(g);
    note_what_it_shows(k, g);
    while (fore_explorer_depth(g->x))
        fore_explorer_undo(g->x);
    k->s->row.walks++;
}

static void prepare_search(struct fore_levels *k, void *user)
{
    struct swarm *g = (struct swarm *)user + k->s->watch_index;
    g->x = fore_explorer_twin(k->s, k->s->watch_index);
    g->x->ended = &g->x->ended_own;
    g->x->tick = NULL;
    g->x->world.watch = k->s->world.watch; /* it is the same thread */
    fore_rng_seed(&g->x->rng, fore_hash_mix(k->s->opt->seed, k->t->rank));
    k->beside = search_beside;
    k->user = user;
}

static void run_portfolio(struct fore_explorer *s)
{
    struct swarm *all = fore_calloc(s->workers, sizeof *all);
    fore_stateful_run(s, prepare_search, all);
    for (uint32_t i = 0; i < s->workers; i++) {
        if (!all[i].x)
            continue;
        fore_explorer_release(all[i].x);
        fore_free(all[i].x);
    }
    fore_free(all);
}

const struct fore_scheduler fore_scheduler_portfolio = {
    .name = "portfolio",
    .summary = "stateful, nearest first, with random walks beside it (default)",
    .run = run_portfolio,
    .parallel = true,
    .levels = true,
};
