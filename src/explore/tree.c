/* One worker of the optimal search: it goes down one path after the other below a state that
 * was given to it, and plans what these show to be possible. What concerns states above is for
 * those that it shares them with. */
#include "explore/tree.h"

#include "base/bitset.h"

#include <string.h>

static enum fore_dependence dependence_of(const struct fore_tree_worker *k)
{
    return k->s->opt->dependence;
}

static const uint64_t *hb_of(const struct fore_tree_worker *k, uint32_t step)
{
    return k->hb.at + k->path.at[step - 1].hb;
}

/* Happens-before and races of the last step j. Going back, an earlier dependent step that is
 * not yet known to happen before j races with it, unless it sent the message or took the one
 * before it from the same link. */
static void relate_steps(struct fore_tree_worker *k)
{
    uint32_t j = (uint32_t)k->moves.n;
    const struct fore_recv *me = &k->moves.at[j - 1];
    uint32_t sender = k->s->world.msgs.at[k->s->world.steps.at[j - 1].msg].sent_by;
    size_t words = FORE_BITSET_WORDS(j + 1);
    memset(fore_vec_extend(&k->hb, words), 0, words * sizeof(uint64_t));
    uint64_t *hb = k->hb.at + k->path.at[j - 1].hb;
    for (uint32_t i = j - 1; i; i--) {
        if (fore_bit_has(hb, i))
            continue;
        bool race = fore_recvs_dependent(&k->moves.at[i - 1], me, dependence_of(k));
        bool forced = i == sender || fore_actors_same_link(&k->s->world, i, j);
        if (!race && !forced)
            continue;
        if (!forced)
            fore_vec_push(&k->races, i);
        fore_bits_or(hb, hb_of(k, i), FORE_BITSET_WORDS(i + 1));
        fore_bit_add(hb, i);
    }
}

static void enter_wakeup(struct fore_tree_worker *k, struct fore_wakeup *node,
                         size_t sleep)
{
    struct fore_tree_state at = {node, sleep, k->hb.n, k->races.n, k->s->world.left,
                                 false};
    at.circle =
        (k->path.n && fore_vec_last(&k->path).circle) || fore_explorer_in_circle(k->s);
    fore_vec_push(&k->path, at);
}

/* In which other ways the message could meet its receiver now, as bits. */
static uint8_t other_ways(const struct fore_tree_worker *k, uint32_t msg,
                          enum fore_how how)
{
    unsigned ways = 0;
    for (enum fore_how h = FORE_DELIVER; h < FORE_HOWS;
         h = fore_explorer_next_how(k->s, msg, h))
        ways |= 1u << h;
    return (uint8_t)(ways & ~(1u << how));
}

/* Executes `node`'s move from the current state, unless the search stops. What sleeps there and
 * what was started before sleeps on below, if it is independent of the move. */
static bool take_and_descend(struct fore_tree_worker *k, struct fore_wakeup *node)
{
    uint32_t msg = fore_actors_find(&k->s->world, node->move.id);
    if (k->s->stop || !fore_explorer_expects(k->s, msg, node->move.how))
        return false;
    fore_vec_push(&k->ways, other_ways(k, msg, node->move.how));
    fore_explorer_step(k->s, msg, node->move.how);
    struct fore_recv move = fore_recv_of(&k->s->world, fore_explorer_depth(k->s));
    fore_vec_push(&k->moves, move);
    relate_steps(k);
    size_t from = fore_vec_last(&k->path).sleep, to = k->sleep.n;
    for (size_t i = from; i < to; i++)
        if (!fore_recvs_dependent(&k->sleep.at[i], &move, dependence_of(k)))
            fore_vec_push(&k->sleep, k->sleep.at[i]);
    for (const struct fore_wakeup *c = node->parent->child; c != node; c = c->next)
        if (!fore_recvs_dependent(&c->move, &move, dependence_of(k)))
            fore_vec_push(&k->sleep, c->move);
    enter_wakeup(k, node, to);
    return true;
}

static void leave_wakeup(struct fore_tree_worker *k)
{
    struct fore_tree_state gone = fore_vec_pop(&k->path);
    k->sleep.n = gone.sleep;
    if (!k->path.n)
        return;
    fore_explorer_undo(k->s);
    k->moves.n--;
    k->ways.n--;
    k->hb.n = fore_vec_last(&k->path).hb;
    k->races.n = fore_vec_last(&k->path).races;
}

static bool is_asleep(const struct fore_tree_worker *k, uint64_t id, enum fore_how how)
{
    size_t from = fore_vec_last(&k->path).sleep;
    for (size_t i = from; i < k->sleep.n; i++)
        if (k->sleep.at[i].id == id && k->sleep.at[i].how == how)
            return true;
    return false;
}

bool fore_tree_covers(struct fore_tree_worker *k, uint32_t i)
{
    fore_vec_clear(&k->copy);
    memcpy(fore_vec_extend(&k->copy, k->v.n), k->v.at, k->v.n * sizeof *k->v.at);
    return fore_wakeup_covers(k->path.at[i - 1].node, k->path.at[i].node, k->copy.at,
                              k->copy.n, dependence_of(k));
}

struct fore_wakeup *fore_tree_insert(struct fore_wakeup_pool *pool,
                                     struct fore_wakeup *at,
                                     const struct fore_wakeup *current,
                                     struct fore_recv *v, size_t n,
                                     enum fore_dependence d)
{
    struct fore_wakeup *grown = fore_wakeup_insert(pool, at, current, v, n, d);
    while (grown && grown != at && !grown->started)
        grown = grown->parent; /* where the sequence that it is part of waits */
    return grown;
}

/* Adds v (in k->v) to what is to be explored from the state before step i. */
static void plan_reversals(struct fore_tree_worker *k, uint32_t i)
{
    const struct fore_tree_state *at = &k->path.at[i - 1];
    for (size_t q = at->sleep; q < k->path.at[i].sleep; q++)
        if (fore_wakeup_may_begin(&k->sleep.at[q], k->v.at, k->v.n, dependence_of(k)))
            return;
    if (i <= k->shared)
        k->plan(k, i);
    else
        fore_tree_insert(&k->pool, at->node, k->path.at[i].node, k->v.at, k->v.n,
                         dependence_of(k));
}

/* Reverses the race of steps i < j: everything after i that does not depend on it, then j. If
 * they are of one actor, j answers from the state that i found, which may differ. */
static void reverse_pair(struct fore_tree_worker *k, uint32_t i, uint32_t j)
{
    fore_vec_clear(&k->v);
    for (uint32_t b = i + 1; b <= k->moves.n; b++)
        if (!fore_bit_has(hb_of(k, b), i))
            fore_vec_push(&k->v, k->moves.at[b - 1]);
    struct fore_recv last = k->moves.at[j - 1];
    bool answers = dependence_of(k) == FORE_DEPEND_HISTORY || last.goes_on;
    if (last.actor == k->moves.at[i - 1].actor && answers)
        last.answers =
            fore_actors_peek(&k->s->world, i, k->s->world.steps.at[j - 1].msg, last.how);
    fore_vec_push(&k->v, last);
    plan_reversals(k, i);
}

static bool is_cut_off(const struct fore_recv *v, size_t n, int64_t actor)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].cut == actor)
            return true;
    return false;
}

/* What fault m takes from its budget after the first i - 1 steps and v. */
static uint32_t cost_of_step(const struct fore_tree_worker *k, uint32_t i,
                             const struct fore_recv *m)
{
    return !m->cut || (!is_cut_off(k->moves.at, i - 1, m->cut) &&
                       !is_cut_off(k->v.at, k->v.n, m->cut));
}

/* How many competing faults there may be besides m after the first i - 1 steps. */
static uint32_t room_for_step(const struct fore_tree_worker *k, uint32_t i,
                              const struct fore_recv *m)
{
    uint32_t left = fore_faults_left(&k->path.at[i - 1].left, m->how);
    return m->how == FORE_DELIVER ? 0 : left - cost_of_step(k, i, m);
}

/* Lets the message of step i meet its receiver in another way: everything after i that neither
 * depends on it nor uses up the budget, then that. */
static void replace_step(struct fore_tree_worker *k, uint32_t i, enum fore_how how)
{
    struct fore_actors *w = &k->s->world;
    uint32_t msg = w->steps.at[i - 1].msg, seen = (uint32_t)k->moves.n + 1;
    struct fore_recv other = fore_recv_else(w, msg, how);
    fore_vec_clear(&k->v);
    fore_vec_clear(&k->late);
    fore_vec_ensure(&k->late, FORE_BITSET_WORDS(k->moves.n + 1));
    uint32_t left = room_for_step(k, i, &other);
    for (uint32_t b = i; b <= k->moves.n; b++) {
        const struct fore_recv *m = &k->moves.at[b - 1];
        uint32_t takes = fore_faults_compete(m, &other) ? cost_of_step(k, i, m) : 0;
        if (b > i && takes <= left &&
            !fore_bits_meet(k->late.at, hb_of(k, b), FORE_BITSET_WORDS(b + 1))) {
            left -= takes;
            fore_vec_push(&k->v, *m);
            continue;
        }
        fore_bit_add(k->late.at, b);
        if (m->actor == other.actor && b < seen)
            seen = b;
    }
    if (other.actor)
        other.answers = fore_actors_peek(w, seen, msg, how);
    fore_vec_push(&k->v, other);
    plan_reversals(k, i);
}

/* Plans what this schedule shows to be possible: every race the other way round, and every
 * choice of the network. */
static void plan_others(struct fore_tree_worker *k)
{
    for (uint32_t j = 1; j <= k->moves.n; j++) {
        size_t end = j < k->path.n ? k->path.at[j].races : k->races.n;
        for (size_t r = k->path.at[j - 1].races; r < end; r++)
            reverse_pair(k, k->races.at[r], j);
        for (enum fore_how how = FORE_DELIVER; k->ways.at[j - 1] >> how; how++)
            if (k->ways.at[j - 1] >> how & 1)
                replace_step(k, j, how);
    }
}

/* Something to go on with where nothing is asked for in particular, or NULL if all that is
 * pending sleeps. One step will do: the schedules that begin with it show the rest. */
static struct fore_wakeup *choose_wakeup(struct fore_tree_worker *k)
{
    const struct fore_actors *w = &k->s->world;
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m))
        for (enum fore_how how = FORE_DELIVER; how < FORE_HOWS;
             how = fore_explorer_next_how(k->s, m, how)) {
            struct fore_recv move = {.id = w->msgs.at[m].id, .how = how};
            if (!is_asleep(k, move.id, how))
                return fore_wakeup_append(&k->pool, fore_vec_last(&k->path).node, &move);
        }
    return NULL;
}

uint32_t fore_tree_waiting(const struct fore_tree_worker *k)
{
    uint32_t i = k->shared;
    while (i < k->path.n && !fore_wakeup_waiting(k->path.at[i].node))
        i++;
    return i;
}

/* False if the search stops before: then it waits again, for a resume. */
static bool start_at_wakeup(struct fore_tree_worker *k, struct fore_wakeup *n)
{
    fore_wakeup_start(n);
    return n->started = take_and_descend(k, n);
}

void fore_tree_explore(struct fore_tree_worker *k, uint64_t schedules)
{
    while (schedules && k->path.n > k->shared && !k->s->stop) {
        struct fore_wakeup *node = fore_vec_last(&k->path).node;
        bool circle = fore_vec_last(&k->path).circle;
        if (circle) /* what waits here can be found without going round */
            fore_wakeup_clear(&k->pool, node);
        struct fore_wakeup *next = fore_wakeup_waiting(node);
        if (next) {
            start_at_wakeup(k, next);
        } else if (node->child) {
            fore_wakeup_clear(&k->pool, node);
            leave_wakeup(k);
        } else if (fore_explorer_next(k->s) == FORE_NEXT_END || circle) {
            if (circle && !fore_explorer_in_circle(k->s))
                fore_explorer_report_circle(k->s); /* it was closed on the way here */
            if (!fore_explorer_end(k->s))
                return; /* it is not counted, and waits for a resume */
            plan_others(k);
            k->offer(k);
            leave_wakeup(k);
            schedules--;
        } else if ((next = choose_wakeup(k))) {
            if (start_at_wakeup(k, next)) /* what it answers was not known */
                next->move = fore_vec_last(&k->moves);
            else
                fore_wakeup_clear(&k->pool, node);
        } else {
            k->s->row.redundant++;
            plan_others(k);
            leave_wakeup(k);
        }
    }
}

void fore_tree_begin(struct fore_tree_worker *k, struct fore_wakeup *root)
{
    k->shared = 0;
    enter_wakeup(k, root, 0);
}

bool fore_tree_go_to(struct fore_tree_worker *k, struct fore_wakeup *node)
{
    bool there = true;
    if (!node->parent)
        enter_wakeup(k, node, 0);
    else
        there = fore_tree_go_to(k, node->parent) && take_and_descend(k, node);
    k->shared = (uint32_t)k->path.n - 1;
    return there;
}

void fore_tree_leave(struct fore_tree_worker *k)
{
    while (k->path.n)
        leave_wakeup(k);
}

struct fore_wakeup *fore_tree_step_back(const struct fore_tree_worker *k)
{
    struct fore_wakeup *last = k->path.n ? fore_vec_last(&k->path).node : NULL;
    return last && !last->child ? last : NULL;
}

struct fore_wakeup *fore_tree_start_chain(struct fore_wakeup_list *given,
                                          struct fore_wakeup *n)
{
    for (;; n = fore_wakeup_waiting(n)) {
        fore_wakeup_start(n);
        if (n->leaf)
            return n;
        fore_vec_push(&given->v, n);
    }
}

struct fore_wakeup *fore_tree_next_given(struct fore_wakeup_list *given)
{
    struct fore_wakeup *found = NULL;
    while (given->v.n && !(found = fore_wakeup_waiting(fore_vec_last(&given->v))))
        given->v.n--;
    return found;
}

void fore_tree_release(struct fore_tree_worker *k)
{
    fore_vec_release(&k->path);
    fore_vec_release(&k->moves);
    fore_vec_release(&k->ways);
    fore_vec_release(&k->late);
    fore_vec_release(&k->sleep);
    fore_vec_release(&k->hb);
    fore_vec_release(&k->races);
    fore_vec_release(&k->v);
    fore_vec_release(&k->copy);
    fore_wakeup_pool_release(&k->pool);
}
