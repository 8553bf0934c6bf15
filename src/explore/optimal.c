/* Explores:  exactly one schedule per class of schedules that differ only in the order of
 *            independent receives. Dependent are receives of the same actor, and a receive that
 *            answers an operation with one that invokes an operation: only so does every class
 *            contain the schedules of one history class.
 * Sound:     yes, a schedule is executed before it is reported.
 * Complete:  every class, so every history class of the harness within its bounds.
 * Cost:      one path per class; per path O(depth^2) for races.
 * Source:    Abdulla, Aronsson, Jonsson, Sagonas: Optimal dynamic partial order reduction
 *            (POPL 2014), wakeup trees; the history dependence is ours. */
#include "explore/walk.h"

#include "base/bitset.h"
#include "base/mem.h"
#include "explore/frontier.h"
#include "explore/wakeup.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What workers share: the top of the tree. A node is shared from the moment its owner gives
 * it away; its children are then added and started only under the lock. */
struct team {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct fore_wakeup root;
    FORE_VEC(struct fore_wakeup *)
    given; /* shared nodes that may have waiting children */
    uint32_t busy;
    /* Looked at all the time, seldom changed: not beside the lock. */
    _Alignas(64) _Atomic uint32_t hungry,
        offered; /* who waits; for them, not yet taken */
    _Atomic bool stop;
};

/* A state on the path; step i + 1 was taken in path.at[i]. */
struct wakeup_state {
    struct fore_wakeup *node;
    size_t sleep, hb, races; /* where the state's own begin in the stacks below */
    struct fore_faults left;
    bool circle; /* the path has been in the same state before */
};

struct tree_worker {
    struct fore_explorer *s;
    struct team *team;
    FORE_VEC(struct wakeup_state) path;
    FORE_VEC(struct fore_recv) moves; /* by step */
    FORE_VEC(uint8_t) ways;           /* by step: how else it could have been, as bits */
    FORE_VEC(struct fore_recv) sleep;
    FORE_VEC(uint64_t) hb;    /* per step, the steps that happen before it, as bits */
    FORE_VEC(uint32_t) races; /* per step, the steps it races with */
    FORE_VEC(struct fore_recv) v, copy;
    FORE_VEC(uint64_t) late; /* steps that would come after what is planned, as bits */
    uint32_t shared;         /* so many states at the path's beginning are shared */
    struct fore_wakeup_pool pool;
};

static enum fore_dependence dependence(const struct tree_worker *k)
{
    return k->s->opt->dependence;
}

static const uint64_t *hb_of(const struct tree_worker *k, uint32_t step)
{
    return k->hb.at + k->path.at[step - 1].hb;
}

/* Happens-before and races of the last step j. Going back, an earlier dependent step that is
 * not yet known to happen before j races with it, unless it sent the message or took the one
 * before it from the same link. */
static void relate(struct tree_worker *k)
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
        bool race = fore_recvs_dependent(&k->moves.at[i - 1], me, dependence(k));
        bool forced = i == sender || fore_actors_same_link(&k->s->world, i, j);
        if (!race && !forced)
            continue;
        if (!forced)
            fore_vec_push(&k->races, i);
        fore_bits_or(hb, hb_of(k, i), FORE_BITSET_WORDS(i + 1));
        fore_bit_add(hb, i);
    }
}

static void enter_wakeup(struct tree_worker *k, struct fore_wakeup *node, size_t sleep)
{
    struct wakeup_state at = {node, sleep, k->hb.n, k->races.n, k->s->world.left, false};
    at.circle =
        (k->path.n && fore_vec_last(&k->path).circle) || fore_explorer_in_circle(k->s);
    fore_vec_push(&k->path, at);
}

/* In which other ways the message could meet its receiver now, as bits. */
static uint8_t other_ways(const struct tree_worker *k, uint32_t msg, enum fore_how how)
{
    unsigned ways = 0;
    for (enum fore_how h = FORE_DELIVER; h < FORE_HOWS;
         h = fore_explorer_next_how(k->s, msg, h))
        ways |= 1u << h;
    return (uint8_t)(ways & ~(1u << how));
}

/* Executes `node`'s move from the current state, unless the search stops. What sleeps there and
 * what was started before sleeps on below, if it is independent of the move. */
static bool descend(struct tree_worker *k, struct fore_wakeup *node)
{
    uint32_t msg = fore_actors_find(&k->s->world, node->move.id);
    if (k->s->stop || !fore_explorer_expects(k->s, msg, node->move.how))
        return false;
    fore_vec_push(&k->ways, other_ways(k, msg, node->move.how));
    fore_explorer_step(k->s, msg, node->move.how);
    struct fore_recv move = fore_recv_of(&k->s->world, fore_explorer_depth(k->s));
    fore_vec_push(&k->moves, move);
    relate(k);
    size_t from = fore_vec_last(&k->path).sleep, to = k->sleep.n;
    for (size_t i = from; i < to; i++)
        if (!fore_recvs_dependent(&k->sleep.at[i], &move, dependence(k)))
            fore_vec_push(&k->sleep, k->sleep.at[i]);
    for (const struct fore_wakeup *c = node->parent->child; c != node; c = c->next)
        if (!fore_recvs_dependent(&c->move, &move, dependence(k)))
            fore_vec_push(&k->sleep, c->move);
    enter_wakeup(k, node, to);
    return true;
}

static void leave_wakeup(struct tree_worker *k)
{
    struct wakeup_state gone = fore_vec_pop(&k->path);
    k->sleep.n = gone.sleep;
    if (!k->path.n)
        return;
    fore_explorer_undo(k->s);
    k->moves.n--;
    k->ways.n--;
    k->hb.n = fore_vec_last(&k->path).hb;
    k->races.n = fore_vec_last(&k->path).races;
}

static bool asleep(const struct tree_worker *k, uint64_t id, enum fore_how how)
{
    size_t from = fore_vec_last(&k->path).sleep;
    for (size_t i = from; i < k->sleep.n; i++)
        if (k->sleep.at[i].id == id && k->sleep.at[i].how == how)
            return true;
    return false;
}

/* Whether the shared tree covers v from the state before step i. */
static bool known(struct tree_worker *k, uint32_t i)
{
    fore_vec_clear(&k->copy);
    memcpy(fore_vec_extend(&k->copy, k->v.n), k->v.at, k->v.n * sizeof *k->v.at);
    return fore_wakeup_covers(k->path.at[i - 1].node, k->path.at[i].node, k->copy.at,
                              k->copy.n, dependence(k));
}

/* Adds v (in k->v) to what is to be explored from the state before step i. */
static void plan(struct tree_worker *k, uint32_t i)
{
    const struct wakeup_state *at = &k->path.at[i - 1];
    for (size_t q = at->sleep; q < k->path.at[i].sleep; q++)
        if (fore_wakeup_may_begin(&k->sleep.at[q], k->v.at, k->v.n, dependence(k)))
            return;
    bool shared = i <= k->shared;
    if (shared && known(k, i))
        return; /* nearly always; the lock would be what workers wait for */
    if (shared)
        pthread_mutex_lock(&k->team->lock);
    struct fore_wakeup *grown = fore_wakeup_insert(&k->pool, at->node, k->path.at[i].node,
                                                   k->v.at, k->v.n, dependence(k));
    while (grown && grown != at->node && !grown->started)
        grown = grown->parent; /* where the sequence that it is part of waits */
    if (grown && shared) {
        fore_vec_push(&k->team->given, grown);
        pthread_cond_signal(&k->team->work);
    }
    if (shared)
        pthread_mutex_unlock(&k->team->lock);
}

/* Reverses the race of steps i < j: everything after i that does not depend on it, then j. If
 * they are of one actor, j answers from the state that i found, which may differ. */
static void reverse(struct tree_worker *k, uint32_t i, uint32_t j)
{
    fore_vec_clear(&k->v);
    for (uint32_t b = i + 1; b <= k->moves.n; b++)
        if (!fore_bit_has(hb_of(k, b), i))
            fore_vec_push(&k->v, k->moves.at[b - 1]);
    struct fore_recv last = k->moves.at[j - 1];
    bool answers = dependence(k) == FORE_DEPEND_HISTORY || last.goes_on;
    if (last.actor == k->moves.at[i - 1].actor && answers)
        last.answers =
            fore_actors_peek(&k->s->world, i, k->s->world.steps.at[j - 1].msg, last.how);
    fore_vec_push(&k->v, last);
    plan(k, i);
}

static bool isolates(const struct fore_recv *v, size_t n, int64_t actor)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].cut == actor)
            return true;
    return false;
}

/* What fault m takes from its budget after the first i - 1 steps and v. */
static uint32_t cost(const struct tree_worker *k, uint32_t i, const struct fore_recv *m)
{
    return !m->cut ||
           (!isolates(k->moves.at, i - 1, m->cut) && !isolates(k->v.at, k->v.n, m->cut));
}

/* How many competing faults there may be besides m after the first i - 1 steps. */
static uint32_t room(const struct tree_worker *k, uint32_t i, const struct fore_recv *m)
{
    uint32_t left = fore_faults_left(&k->path.at[i - 1].left, m->how);
    return m->how == FORE_DELIVER ? 0 : left - cost(k, i, m);
}

/* Lets the message of step i meet its receiver in another way: everything after i that neither
 * depends on it nor uses up the budget, then that. */
static void replace(struct tree_worker *k, uint32_t i, enum fore_how how)
{
    struct fore_actors *w = &k->s->world;
    uint32_t msg = w->steps.at[i - 1].msg, seen = (uint32_t)k->moves.n + 1;
    struct fore_recv other = fore_recv_else(w, msg, how);
    fore_vec_clear(&k->v);
    fore_vec_clear(&k->late);
    fore_vec_ensure(&k->late, FORE_BITSET_WORDS(k->moves.n + 1));
    uint32_t left = room(k, i, &other);
    for (uint32_t b = i; b <= k->moves.n; b++) {
        const struct fore_recv *m = &k->moves.at[b - 1];
        uint32_t takes = fore_faults_compete(m, &other) ? cost(k, i, m) : 0;
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
    plan(k, i);
}

/* Plans what this schedule shows to be possible: every race the other way round, and every
 * choice of the network. */
static void plan_others(struct tree_worker *k)
{
    for (uint32_t j = 1; j <= k->moves.n; j++) {
        size_t end = j < k->path.n ? k->path.at[j].races : k->races.n;
        for (size_t r = k->path.at[j - 1].races; r < end; r++)
            reverse(k, k->races.at[r], j);
        for (enum fore_how how = FORE_DELIVER; k->ways.at[j - 1] >> how; how++)
            if (k->ways.at[j - 1] >> how & 1)
                replace(k, j, how);
    }
}

/* Something to go on with where nothing is asked for in particular, or NULL if all that is
 * pending sleeps. One step will do: the schedules that begin with it show the rest. */
static struct fore_wakeup *choose_wakeup(struct tree_worker *k)
{
    const struct fore_actors *w = &k->s->world;
    for (uint32_t m = fore_actors_first(w); m; m = fore_actors_next(w, m))
        for (enum fore_how how = FORE_DELIVER; how < FORE_HOWS;
             how = fore_explorer_next_how(k->s, m, how)) {
            struct fore_recv move = {.id = w->msgs.at[m].id, .how = how};
            if (!asleep(k, move.id, how))
                return fore_wakeup_append(&k->pool, fore_vec_last(&k->path).node, &move);
        }
    return NULL;
}

/* Gives away the first private state that has something waiting. */
static void share(struct tree_worker *k)
{
    struct team *t = k->team;
    if (atomic_load_explicit(&t->hungry, memory_order_relaxed) <=
        atomic_load_explicit(&t->offered, memory_order_relaxed))
        return;
    for (uint32_t i = k->shared; i < k->path.n; i++)
        if (fore_wakeup_waiting(k->path.at[i].node)) {
            pthread_mutex_lock(&t->lock);
            k->shared = i + 1;
            t->offered++;
            fore_vec_push(&t->given, k->path.at[i].node);
            pthread_cond_signal(&t->work);
            pthread_mutex_unlock(&t->lock);
            return;
        }
}

/* False if the search stops before: then it waits again, for a resume. */
static bool start_at_wakeup(struct tree_worker *k, struct fore_wakeup *n)
{
    fore_wakeup_start(n);
    return n->started = descend(k, n);
}

/* Explores everything below the last shared state's started child. */
static void explore_wakeups(struct tree_worker *k)
{
    while (k->path.n > k->shared && !k->s->stop) {
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
            share(k);
            leave_wakeup(k);
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

/* Starts the first waiting sequence below `n`; what else waits there is given away. */
static struct fore_wakeup *start_chain(struct team *t, struct fore_wakeup *n)
{
    for (;; n = fore_wakeup_waiting(n)) {
        fore_wakeup_start(n);
        if (n->leaf)
            return n;
        fore_vec_push(&t->given, n);
    }
}

/* The end of a sequence that waited in the shared part, all of it started now, or NULL when
 * the work is done. */
static struct fore_wakeup *take_wakeup(struct team *t)
{
    struct fore_wakeup *found = NULL;
    pthread_mutex_lock(&t->lock);
    t->busy--;
    t->hungry++;
    while (!found && !t->stop) {
        t->offered = 0;
        while (t->given.n && !(found = fore_wakeup_waiting(fore_vec_last(&t->given))))
            t->given.n--;
        if (found)
            break;
        if (!t->busy) {
            pthread_cond_broadcast(&t->work);
            break;
        }
        pthread_cond_wait(&t->work, &t->lock);
    }
    t->hungry--;
    t->busy += found != NULL;
    if (found)
        found = start_chain(t, found);
    pthread_mutex_unlock(&t->lock);
    return found;
}

/* Executes what leads to `node`. Siblings may be added meanwhile, but only behind it. False if the
 * search stops before. */
static bool go_to(struct tree_worker *k, struct fore_wakeup *node)
{
    bool there = true;
    if (!node->parent)
        enter_wakeup(k, node, 0);
    else
        there = go_to(k, node->parent) && descend(k, node);
    k->shared = (uint32_t)k->path.n - 1;
    return there;
}

static void halt(struct team *t)
{
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
}

/* For a resume. */
static void wait_again(struct team *t, struct fore_wakeup *node)
{
    pthread_mutex_lock(&t->lock);
    node->started = false;
    pthread_mutex_unlock(&t->lock);
}

/* A state that was reached but not looked at yet is to be reached again after a resume. */
static void step_back(struct tree_worker *k)
{
    struct fore_wakeup *last = k->path.n ? fore_vec_last(&k->path).node : NULL;
    if (last && !last->child)
        wait_again(k->team, last);
}

static void release_worker(struct tree_worker *k)
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

/* "node DEPTH STARTED LEAF ID HOW ACTOR CUT OP ANSWERS GOES-ON LINK", parents before children. */
static void save(const struct fore_wakeup *n, unsigned depth, struct fore_strbuf *out)
{
    for (const struct fore_wakeup *c = n->child; c; c = c->next) {
        const struct fore_recv *m = &c->move;
        fore_strbuf_printf(out,
                           "node %u %d %d %" PRIx64 " %d %" PRId64 " %" PRId64
                           " %d %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
                           depth, c->started, c->leaf, m->id, (int)m->how, m->actor,
                           m->cut, m->op, m->answers, m->goes_on, m->link);
        save(c, depth + 1, out);
    }
}

/* Builds the tree again; what waits in it is given to the first worker that comes. False if the text
 * is damaged. */
static bool load_checkpoint(struct team *t, const char *text)
{
    const char *line;
    struct fore_wakeup_pool pool = {0};
    struct fore_wakeup *last = &t->root;
    unsigned level = 0; /* of `last`'s children */
    fore_vec_push(&t->given, last);
    while ((line = fore_frontier_line(&text, "node"))) {
        unsigned depth;
        int started, leaf, how;
        struct fore_recv m = {0};
        if (sscanf(line,
                   "%u %d %d %" SCNx64 " %d %" SCNd64 " %" SCNd64 " %d %" SCNx64
                   " %" SCNx64 " %" SCNx64,
                   &depth, &started, &leaf, &m.id, &how, &m.actor, &m.cut, &m.op,
                   &m.answers, &m.goes_on, &m.link) != 11 ||
            depth > level || how < 0 || how >= FORE_HOWS)
            return false;
        for (; level > depth; level--)
            last = last->parent;
        m.how = (enum fore_how)how;
        last = fore_wakeup_append(&pool, last, &m);
        last->started = started;
        last->leaf = leaf;
        level++;
        if (started)
            fore_vec_push(&t->given, last);
    }
    return true;
}

/* If every branch that is left were as large as those that are done. With several workers, as
 * the first one sees it. */
static uint64_t estimate(const struct fore_explorer *s)
{
    const struct tree_worker *k = s->search;
    double done = 0, weight = 1;
    if (pthread_mutex_trylock(&k->team->lock))
        return 0;
    for (size_t i = 0; i + 1 < k->path.n; i++) {
        size_t all = 0, before = 0;
        for (const struct fore_wakeup *c = k->path.at[i].node->child; c; c = c->next) {
            before = c == k->path.at[i + 1].node ? all : before;
            all++;
        }
        weight /= (double)(all ? all : 1);
        done += weight * (double)before;
    }
    pthread_mutex_unlock(&k->team->lock);
    uint64_t ended = atomic_load_explicit(s->ended, memory_order_relaxed);
    return done > 0 ? (uint64_t)((double)ended / done) : 0;
}

static void work(struct fore_explorer *s, void *arg)
{
    struct team *t = arg;
    struct tree_worker k = {.s = s, .team = t};
    struct fore_wakeup *node;
    s->halt = &t->stop;
    s->search = &k;
    s->estimate = estimate;
    if (!s->watch_index && !t->root.child) {
        enter_wakeup(&k, &t->root, 0);
        explore_wakeups(&k);
    }
    while (!s->stop) {
        while (k.path.n)
            leave_wakeup(&k);
        if (!(node = take_wakeup(t)))
            break;
        if (go_to(&k, node))
            explore_wakeups(&k);
        else
            wait_again(t, node);
    }
    if (s->stop) {
        halt(t);
        step_back(&k);
    }
    s->estimate = NULL;
    release_worker(&k);
}

static void run_optimal(struct fore_explorer *s)
{
    struct team t = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .work = PTHREAD_COND_INITIALIZER,
                     .busy = s->workers};
    struct fore_wakeup_pool pool = {0};
    if (s->resume && !load_checkpoint(&t, s->resume))
        fore_explorer_report_bug(s, FORE_BUG_SYSTEM, "what was saved of it is damaged");
    else
        fore_explorer_together(s, work, &t);
    if (s->save && t.stop) {
        fore_frontier_write(s, s->save);
        save(&t.root, 0, s->save);
    }
    fore_wakeup_clear(&pool, &t.root);
    fore_wakeup_pool_release(&pool);
    fore_vec_release(&t.given);
}

const struct fore_scheduler fore_scheduler_optimal = {
    .name = "optimal",
    .summary = "one schedule per class: optimal partial order reduction",
    .run = run_optimal,
    .parallel = true,
    .resumes = true,
};
