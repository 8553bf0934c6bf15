/* Explores:  walks from the start on which every link (from one actor to another) has a random
 *            priority: the oldest message of the highest link is received. At a few steps, chosen
 *            at random, the link that is about to deliver falls below all others.
 * Sound:     yes.   Complete: no, a sample; but a bug that needs d orders between links is met
 *            with a probability that a uniform walk does not have on long schedules.
 * Cost:      one path per schedule.
 * Source:    [pct], with links in place of threads. */
#include "base/hash.h"
#include "explore/walk.h"

#define WALKS 100000
#define LEARN 16    /* walks that show how long they are; every share takes them */
enum { FALLS = 3 }; /* bugs of this depth and less */

struct chain_link {
    int64_t from, to;
};

struct ranking {
    uint64_t salt;                /* of this walk's priorities */
    uint32_t fall[FALLS];         /* the steps at which links fall */
    struct chain_link low[FALLS]; /* those that fell, the first highest */
    unsigned fallen;
};

static struct chain_link link_of(const struct fore_actors *w, uint32_t msg)
{
    return (struct chain_link){w->msgs.at[msg].r.from, w->msgs.at[msg].r.to};
}

static uint64_t priority_of(const struct ranking *r, struct chain_link l)
{
    for (unsigned i = 0; i < r->fallen; i++)
        if (r->low[i].from == l.from && r->low[i].to == l.to)
            return r->fallen - i; /* below all that did not fall */
    uint64_t h = fore_hash_mix(fore_hash_mix(r->salt, (uint64_t)l.from), (uint64_t)l.to);
    return h | (uint64_t)1 << 63;
}

static uint32_t highest_ranked(const struct fore_actors *w, const struct ranking *r)
{
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m)) {
        uint64_t p = priority_of(r, link_of(w, m));
        if (p > most)
            most = p, best = m;
    }
    return best;
}

static uint32_t pick_ranked(const struct fore_explorer *s, struct ranking *r)
{
    uint32_t msg = highest_ranked(&s->world, r);
    for (unsigned i = 0; i < FALLS; i++)
        if (r->fall[i] == fore_explorer_depth(s) && r->fallen < FALLS) {
            r->low[r->fallen++] = link_of(&s->world, msg);
            return highest_ranked(&s->world, r);
        }
    return msg;
}

static void walk_ranked(struct fore_explorer *s, uint32_t length, bool count)
{
    struct ranking r = {.salt = fore_rng_next(&s->rng)};
    for (unsigned i = 0; i < FALLS; i++)
        r.fall[i] = (uint32_t)fore_rng_below(&s->rng, length);
    while (fore_explorer_next(s) == FORE_NEXT_GO && !s->stop) {
        uint32_t m = pick_ranked(s, &r);
        fore_explorer_step(s, m, fore_sr_how(s, m));
    }
    if (!s->stop && count)
        fore_explorer_end(s);
}

static void run_pct(struct fore_explorer *s)
{
    uint64_t walks = s->opt->max_schedules ? s->opt->max_schedules : WALKS;
    uint32_t longest = 20;
    uint32_t shares = s->opt->shares ? s->opt->shares : 1;
    for (uint64_t i = 0; i < walks && !s->stop; i++) {
        bool mine = i % shares == s->opt->share;
        if (!mine && i >= LEARN)
            continue;
        fore_walk_seed(s, i);
        walk_ranked(s, longest, mine);
        if (i < LEARN && fore_explorer_depth(s) > longest)
            longest = fore_explorer_depth(s);
        while (fore_explorer_depth(s))
            fore_explorer_undo(s);
    }
    fore_walk_finish(s);
}

const struct fore_scheduler fore_scheduler_pct = {
    .name = "PCT",
    .summary = "random priorities of links, which change at a few steps",
    .run = run_pct,
    .shares = true,
};
