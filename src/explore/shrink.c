/* Breadth first over states, each visited once: the first state that shows the bug is as near
 * to the start as any. States are reached again by executing their path, so that the queue
 * holds two words per state; neighbours in it share most of their paths. */
#include "explore/shrink.h"

#include "base/hash.h"
#include "base/map.h"

#define STATE_BYTES 100       /* that a state takes here, while tables grow */
#define SHORTEST_STATES 20000 /* for another one, if it is known to be the shortest */

struct shrink_node {
    uint32_t parent, msg;
    enum fore_how how;
};

struct shrink_search {
    struct fore_explorer *s;
    enum fore_bug bug;
    FORE_VEC(struct shrink_node) nodes;
    FORE_VEC(uint32_t) here; /* the nodes on the path to where the world is */
    FORE_VEC(uint32_t) path; /* scratch */
    struct fore_map seen;
};

static bool shows_bug(const struct fore_explorer *s, enum fore_bug bug)
{
    const struct fore_actors *w = &s->world;
    switch (bug) {
    case FORE_BUG_NOT_LINEARIZABLE:
        return fore_histories_dead(&s->histories, fore_explorer_node(s));
    case FORE_BUG_BLOCKED:
        return !w->pending && !w->trouble && w->invoked & ~w->answered;
    case FORE_BUG_REQUIRED:
        return w->trouble == FORE_TROUBLE_REQUIRED;
    case FORE_BUG_LIVELOCK:
    case FORE_BUG_SYSTEM:
    case FORE_BUGS:
        break;
    }
    return false;
}

/* All nodes are as deep as the current one, or one deeper. */
static void go_to(struct shrink_search *x, uint32_t node, size_t depth)
{
    size_t common = 0;
    fore_vec_ensure(&x->path, depth);
    x->path.n = depth;
    for (uint32_t n = node; n; n = x->nodes.at[n].parent)
        x->path.at[--depth] = n;
    while (common < x->here.n && x->here.at[common] == x->path.at[common])
        common++;
    for (; x->here.n > common; x->here.n--)
        fore_explorer_undo(x->s);
    for (; common < x->path.n; common++) {
        const struct shrink_node *n = &x->nodes.at[x->path.at[common]];
        fore_explorer_step(x->s, n->msg, n->how);
        fore_vec_push(&x->here, x->path.at[common]);
    }
}

static uint64_t fingerprint_of(const struct fore_explorer *s)
{
    const struct fore_history_node *n = &s->histories.nodes.at[fore_explorer_node(s)];
    uint64_t h = fore_hash_mix(fore_actors_hash(&s->world),
                               fore_judge_hash(&s->histories.judge, n->state));
    h = fore_hash_more(h, &s->world.left, sizeof s->world.left);
    return fore_hash_more(h, s->world.isolated.at,
                          s->world.isolated.n * sizeof *s->world.isolated.at);
}

/* What the known schedule takes from the budgets. */
static void allow_its_faults(struct fore_explorer *s, const struct fore_bug_report *b)
{
    const struct fore_faults all = s->world.left;
    if (!fore_explorer_follow(s, b->schedule.at, b->schedule.n))
        return;
    const struct fore_faults left = s->world.left;
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
    s->world.left =
        (struct fore_faults){all.drop - left.drop, all.duplicate - left.duplicate,
                             all.crash - left.crash, all.partition - left.partition};
}

/* Visits what one more step leads to. True if that is the bug; then the world is there. */
static bool expand(struct shrink_search *x, uint32_t node, size_t depth)
{
    struct fore_explorer *s = x->s;
    go_to(x, node, depth);
    for (uint32_t m = fore_actors_first(&s->world); m; m = fore_actors_next(&s->world, m))
        for (enum fore_how how = FORE_DELIVER; how < FORE_HOWS;
             how = fore_explorer_next_how(s, m, how)) {
            bool fresh;
            fore_explorer_step(s, m, how);
            if (shows_bug(s, x->bug))
                return true;
            if (!s->world.trouble) {
                fore_map_put(&x->seen, fingerprint_of(s), &fresh);
                if (fresh)
                    fore_vec_push(&x->nodes, (struct shrink_node){node, m, how});
            }
            fore_explorer_undo(s);
        }
    return false;
}

static void keep_path(struct fore_explorer *s, enum fore_bug bug)
{
    struct fore_bug_report *b = &s->bugs[bug];
    fore_vec_clear(&b->schedule);
    for (size_t i = 0; i < s->world.steps.n; i++) {
        const struct fore_receipt *r = &s->world.steps.at[i];
        fore_vec_push(&b->schedule,
                      (struct fore_schedule_choice){s->world.msgs.at[r->msg].id, r->how});
    }
}

/* Steps after the one that shows the bug say nothing. */
static void cut_schedule(struct fore_explorer *s, enum fore_bug bug)
{
    struct fore_bug_report *b = &s->bugs[bug];
    for (size_t n = 1; n < b->schedule.n; n++)
        if (fore_explorer_follow(s, b->schedule.at, n) && shows_bug(s, bug)) {
            b->schedule.n = n;
            return;
        }
}

/* True if the schedule was replaced by the first of the shortest, or is known to be as short. The
 * same one is told whichever search has found the bug. */
static bool find_shortest(struct shrink_search *x, size_t limit)
{
    struct fore_explorer *s = x->s;
    size_t depth = 0, level_end = 1, known = s->bugs[x->bug].schedule.n;
    bool found = false;
    fore_vec_push(&x->nodes, (struct shrink_node){0});
    for (uint32_t i = 0;
         depth < known && !found && !s->stop && i < x->nodes.n && x->nodes.n < limit;
         i++) {
        found = expand(x, i, depth);
        if (i + 1 == level_end) {
            level_end = x->nodes.n;
            depth++;
        }
    }
    if (found)
        keep_path(s, x->bug);
    return found || s->bugs[x->bug].shortest || depth + 1 >= known;
}

bool fore_explorer_shrink(struct fore_explorer *s, enum fore_bug bug, size_t limit)
{
    struct shrink_search x = {.s = s, .bug = bug};
    bool searchable =
        bug != FORE_BUG_LIVELOCK && bug != FORE_BUG_SYSTEM && !s->opt->compat;
    bool stopped = s->stop;
    size_t most = s->budget.max_bytes, used = most ? fore_budget_resident() : 0;
    if (most && limit > (most > used ? most - used : 0) / STATE_BYTES)
        limit = (most > used ? most - used : 0) / STATE_BYTES;
    if (s->bugs[bug].shortest && limit > SHORTEST_STATES)
        limit = SHORTEST_STATES;
    s->stop = false;
    allow_its_faults(s, &s->bugs[bug]);
    cut_schedule(s, bug);
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
    bool shortest = searchable && find_shortest(&x, limit);
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
    s->stop = stopped;
    fore_vec_release(&x.nodes);
    fore_vec_release(&x.here);
    fore_vec_release(&x.path);
    fore_map_release(&x.seen);
    return shortest;
}
