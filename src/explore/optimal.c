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

#include "explore/frontier.h"
#include "explore/transport.h"
#include "explore/tree.h"

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
    struct fore_wakeup_list given; /* shared nodes that may have waiting children */
    uint32_t busy;
    /* Read all the time, seldom changed: not beside the lock. */
    _Alignas(64) _Atomic uint32_t hungry,
        offered; /* how many workers wait; how many sequences are there for them */
    _Atomic bool stop;
};

/* Called when a worker plans a sequence for a shared state. */
static void plan_for_team(struct fore_tree_worker *k, uint32_t i)
{
    struct team *t = k->others;
    if (fore_tree_covers(k, i))
        return; /* nearly always; the lock would be what workers wait for */
    pthread_mutex_lock(&t->lock);
    struct fore_wakeup *grown =
        fore_tree_insert(&k->pool, k->path.at[i - 1].node, k->path.at[i].node, k->v.at,
                         k->v.n, k->s->opt->dependence);
    if (grown) {
        fore_vec_push(&t->given.v, grown);
        pthread_cond_signal(&t->work);
    }
    pthread_mutex_unlock(&t->lock);
}

/* Gives away the first private state in which a sequence waits. */
static void offer_to_team(struct fore_tree_worker *k)
{
    struct team *t = k->others;
    if (atomic_load_explicit(&t->hungry, memory_order_relaxed) <=
        atomic_load_explicit(&t->offered, memory_order_relaxed))
        return;
    uint32_t i = fore_tree_waiting(k);
    if (i == k->path.n)
        return;
    pthread_mutex_lock(&t->lock);
    k->shared = i + 1;
    t->offered++;
    fore_vec_push(&t->given.v, k->path.at[i].node);
    pthread_cond_signal(&t->work);
    pthread_mutex_unlock(&t->lock);
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
        if ((found = fore_tree_next_given(&t->given)))
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
        found = fore_tree_start_chain(&t->given, found);
    pthread_mutex_unlock(&t->lock);
    return found;
}

static void halt_team(struct team *t)
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

/* "node DEPTH STARTED LEAF ID HOW ACTOR CUT OP ANSWERS GOES-ON LINK", parents before children. */
static void save_tree(const struct fore_wakeup *n, unsigned depth,
                      struct fore_strbuf *out)
{
    for (const struct fore_wakeup *c = n->child; c; c = c->next) {
        const struct fore_recv *m = &c->move;
        fore_strbuf_printf(out,
                           "node %u %d %d %" PRIx64 " %d %" PRId64 " %" PRId64
                           " %d %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
                           depth, c->started, c->leaf, m->id, (int)m->how, m->actor,
                           m->cut, m->op, m->answers, m->goes_on, m->link);
        save_tree(c, depth + 1, out);
    }
}

/* Builds the tree again; its waiting sequences go to the first worker that comes. False if the
 * text is damaged. */
static bool load_checkpoint(struct team *t, const char *text)
{
    const char *line;
    struct fore_wakeup_pool pool = {0};
    struct fore_wakeup *last = &t->root;
    unsigned level = 0; /* of `last`'s children */
    fore_vec_push(&t->given.v, last);
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
            fore_vec_push(&t->given.v, last);
    }
    if (!t->root.child) /* nothing was begun: all of it is the first worker's */
        fore_vec_clear(&t->given.v);
    return true;
}

/* If every branch that is left were as large as those that are done. With several workers, as
 * the first one sees it. */
static uint64_t estimate_tree(const struct fore_explorer *s)
{
    const struct fore_tree_worker *k = s->search;
    struct team *t = k->others;
    double done = 0, weight = 1;
    if (pthread_mutex_trylock(&t->lock))
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
    pthread_mutex_unlock(&t->lock);
    uint64_t ended = atomic_load_explicit(s->ended, memory_order_relaxed);
    return done > 0 ? (uint64_t)((double)ended / done) : 0;
}

static void work_on_tree(struct fore_explorer *s, void *arg)
{
    struct team *t = arg;
    struct fore_tree_worker k = {
        .s = s, .plan = plan_for_team, .offer = offer_to_team, .others = t};
    struct fore_wakeup *node;
    s->halt = &t->stop;
    s->search = &k;
    s->estimate = estimate_tree;
    if (!s->watch_index && !t->root.child) {
        fore_tree_begin(&k, &t->root);
        fore_tree_explore(&k, UINT64_MAX);
    }
    while (!s->stop) {
        fore_tree_leave(&k);
        if (!(node = take_wakeup(t)))
            break;
        if (fore_tree_go_to(&k, node))
            fore_tree_explore(&k, UINT64_MAX);
        else
            wait_again(t, node);
    }
    if (s->stop) {
        halt_team(t);
        if ((node = fore_tree_step_back(&k)))
            wait_again(t, node);
    }
    s->estimate = NULL;
    fore_tree_release(&k);
}

/* Ranks are the workers. Only the first one has the counts of the search that is continued. */
static void work_as_rank(struct fore_explorer *s, struct team *t,
                         struct fore_wakeup_pool *pool)
{
    struct fore_transport *link = s->opt->transport;
    if (link->rank) {
        s->row = (struct fore_row){0};
        fore_wakeup_clear(pool, &t->root);
        fore_vec_clear(&t->given.v);
    }
    struct fore_tree_rank *r =
        fore_tree_rank_new(s, link, &t->root, &t->given, s->opt->slow ? 1 : 16);
    while (fore_tree_rank_turn(r))
        continue;
    t->stop = fore_tree_rank_free(r);
}

static void run_optimal(struct fore_explorer *s)
{
    struct team t = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .work = PTHREAD_COND_INITIALIZER,
                     .busy = s->workers};
    struct fore_wakeup_pool pool = {0};
    if (s->resume && !load_checkpoint(&t, s->resume))
        fore_explorer_report_bug(s, FORE_BUG_SYSTEM, "what was saved of it is damaged");
    else if (s->opt->transport && !s->opt->max_schedules)
        work_as_rank(s, &t, &pool);
    else
        fore_explorer_together(s, work_on_tree, &t);
    if (s->save && t.stop) {
        fore_frontier_write(s, s->save);
        save_tree(&t.root, 0, s->save);
    }
    fore_wakeup_clear(&pool, &t.root);
    fore_wakeup_pool_release(&pool);
    fore_vec_release(&t.given.v);
}

const struct fore_scheduler fore_scheduler_optimal = {
    .name = "optimal",
    .summary = "one schedule per class: optimal partial order reduction",
    .run = run_optimal,
    .parallel = true,
    .resumes = true,
    .ranks = true,
};
