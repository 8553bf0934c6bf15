/* Depth first, each state once, with the path's states marked: a step to a marked state closes a
 * circle. */
#include "explore/circle.h"

#include "base/bitset.h"
#include "base/map.h"
#include "explore/judge.h"
#include "explore/print.h"

struct circle_frame {
    uint64_t hash;
    uint32_t judge;
    uint32_t msg; /* to be received next, or 0 */
    enum fore_how how;
};

struct circle_search {
    struct fore_explorer *s;
    struct fore_map seen; /* fingerprint -> whether it is on the path */
    FORE_VEC(struct circle_frame) path;
};

/* A kind of message at one agent; actors that were created count as one. */
static size_t sort_of(const struct fore_actors *w, const struct fore_message *m)
{
    size_t agents = w->harness->agents.n;
    return m->r.kind * (agents + 1) + (m->slot < agents ? m->slot : agents);
}

static size_t count_sorts(const struct fore_actors *w)
{
    return w->sys->def->message_count * (w->harness->agents.n + 1);
}

size_t fore_causes_words(const struct fore_actors *w)
{
    return FORE_BITSET_WORDS(count_sorts(w) * count_sorts(w));
}

void fore_causes_note(const struct fore_actors *w, uint64_t *causes)
{
    const struct fore_receipt *r = &fore_vec_last(&w->steps);
    if (r->how != FORE_DELIVER || r->first_sent == w->msgs.n)
        return;
    size_t row = sort_of(w, &w->msgs.at[r->msg]) * count_sorts(w);
    for (size_t i = r->first_sent; i < w->msgs.n; i++)
        fore_bit_add(causes, row + sort_of(w, &w->msgs.at[i]));
}

bool fore_circles_may_be(const struct fore_actors *w, uint64_t *causes)
{
    size_t n = count_sorts(w);
    bool found = false;
    for (size_t by = 0; by < n; by++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n && fore_bit_has(causes, i * n + by); j++)
                if (fore_bit_has(causes, by * n + j))
                    fore_bit_add(causes, i * n + j);
    for (size_t i = 0; i < n; i++)
        found |= fore_bit_has(causes, i * n + i);
    return found;
}

static void enter_node(struct circle_search *k, uint64_t hash, uint32_t judge)
{
    struct fore_explorer *s = k->s;
    bool deep = s->opt->max_depth && fore_explorer_depth(s) >= s->opt->max_depth;
    uint32_t first = deep ? 0 : fore_actors_first(&s->world);
    fore_vec_push(&k->path, (struct circle_frame){hash, judge, first, FORE_DELIVER});
}

/* True if the state that the last step led to is new, and is now on the path. */
static bool arrive_at_state(struct circle_search *k, uint32_t judge)
{
    struct fore_explorer *s = k->s;
    if (s->world.trouble)
        return false;
    judge = fore_judge_follow(&s->histories.judge, judge, &s->world);
    if (judge == FORE_JUDGE_BROKEN)
        return false;
    uint64_t hash = fore_print_of(s, judge).at;
    bool fresh;
    uint64_t *there = fore_map_put(&k->seen, hash, &fresh);
    if (!fresh) {
        if (*there)
            fore_explorer_report_circle(s);
        return false;
    }
    *there = 1;
    enter_node(k, hash, judge);
    return true;
}

static void leave_node(struct circle_search *k)
{
    *fore_map_get(&k->seen, fore_vec_pop(&k->path).hash) = 0;
    if (k->path.n)
        fore_actors_undo(&k->s->world);
}

void fore_circles_find(struct fore_explorer *s)
{
    struct circle_search k = {.s = s};
    uint32_t judge = s->histories.nodes.at[s->history.at[0]].state;
    uint64_t hash = fore_print_of(s, judge).at;
    *fore_map_put(&k.seen, hash, NULL) = 1;
    enter_node(&k, hash, judge);
    while (k.path.n && !s->stop) {
        struct circle_frame *f = &fore_vec_last(&k.path);
        if (!f->msg) {
            leave_node(&k);
            continue;
        }
        uint32_t msg = f->msg, before = f->judge;
        enum fore_how how = f->how;
        f->how = fore_explorer_next_how(s, msg, how);
        if (f->how == FORE_HOWS) {
            f->how = FORE_DELIVER;
            f->msg = fore_actors_next(&s->world, msg);
        }
        fore_explorer_bare_step(s, msg, how);
        if (!arrive_at_state(&k, before))
            fore_actors_undo(&s->world);
    }
    while (s->world.steps.n)
        fore_actors_undo(&s->world);
    fore_map_release(&k.seen);
    fore_vec_release(&k.path);
}
