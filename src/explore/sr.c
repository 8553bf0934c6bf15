/* Explores:  uniform random walks from the start.
 * Sound:     yes.   Complete: no, a sample.
 * Cost:      one path per schedule.
 * Source:    [ds2], section 2.2.1. */
#include "base/hash.h"
#include "explore/walk.h"

#define WALKS 100000 /* the paper's number, if none is given */

uint32_t fore_sr_pick(struct fore_explorer *s)
{
    const struct fore_actors *w = &s->world;
    uint64_t n = 0;
    for (uint32_t i = fore_actors_first(w); i; i = fore_actors_next(w, i))
        n++;
    uint32_t m = fore_actors_first(w);
    for (uint64_t skip = fore_rng_below(&s->rng, n); skip; skip--)
        m = fore_actors_next(w, m);
    return m;
}

enum fore_how fore_sr_how(struct fore_explorer *s, uint32_t msg)
{
    enum fore_how how = FORE_DELIVER;
    for (enum fore_how other = how; other < FORE_HOWS;) {
        other = fore_explorer_next_how(s, msg, other);
        if (other < FORE_HOWS && !fore_rng_below(&s->rng, 8))
            how = other;
    }
    return how;
}

void fore_walk_seed(struct fore_explorer *s, uint64_t walk)
{
    fore_rng_seed(&s->rng, fore_hash_mix(s->opt->seed, walk));
}

void fore_walk_finish(struct fore_explorer *s)
{
    if (s->opt->shares && s->row.first_bug)
        s->row.first_bug = (s->row.first_bug - 1) * s->opt->shares + s->opt->share + 1;
    if (s->row.bound == FORE_BOUND_NONE || s->row.bound == FORE_BOUND_SCHEDULES)
        s->row.bound = FORE_BOUND_RANDOM;
}

static void walk_once(struct fore_explorer *s)
{
    while (fore_explorer_next(s) == FORE_NEXT_GO && !s->stop) {
        uint32_t m = fore_sr_pick(s);
        fore_explorer_step(s, m, fore_sr_how(s, m));
    }
    if (!s->stop)
        fore_explorer_end(s);
}

static void run_sr(struct fore_explorer *s)
{
    s->world.compat =
        false; /* every walk begins at the start, whatever snapshots share */
    uint64_t walks = s->opt->max_schedules ? s->opt->max_schedules : WALKS;
    uint32_t shares = s->opt->shares ? s->opt->shares : 1;
    for (uint64_t i = s->opt->share; i < walks && !s->stop; i += shares) {
        fore_walk_seed(s, i);
        walk_once(s);
        while (fore_explorer_depth(s))
            fore_explorer_undo(s);
    }
    fore_walk_finish(s);
}

const struct fore_scheduler fore_scheduler_sr = {
    .name = "SR",
    .summary = "systematic random: walks from the start",
    .paper = true,
    .run = run_sr,
    .shares = true,
};
