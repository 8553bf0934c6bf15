/* Explores:  every state once: actors' states, the multiset of pending messages, and the
 *            states in which the sequential object may be; nearest to the start first.
 * Sound:     yes, a violation comes with the path that was executed.
 * Complete:  yes, up to collisions of fingerprints, whose odds the report names.
 * Cost:      O(states * pending messages); eight bytes per state (sixteen with 128-bit
 *            fingerprints), and the states of one level in full, on disk if need be.
 *
 * A circle of states is not seen level by level. If some kind of message brings itself about
 * again, one worker looks for circles afterwards, in depth. */
#include "explore/stateful.h"

#include "base/mem.h"
#include "explore/checkpoint.h"
#include "explore/circle.h"
#include "explore/liveness.h"
#include "explore/walk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct rank {
    struct fore_explorer *first;
    const struct fore_levels_plan *plan;
    struct fore_transport *transport;
    void (*prepare)(struct fore_levels *k, void *user);
    void *user;
    uint32_t index;
    struct fore_levels k;
    pthread_t thread;
};

/* A rank's explorer is made by the rank's own thread, so that what it writes to all the time lies in that
 * thread's part of the heap: workers that share cache lines would wait for each other. */
static void *run_rank(void *arg)
{
    struct rank *r = arg;
    const struct fore_explore_options *o = r->first->opt;
    struct fore_explorer *s = fore_explorer_twin(r->first, r->index);
    s->budget.max_bytes += s->budget.max_bytes / 10; /* the rest goes to disk */
    fore_levels_init(&r->k, s, r->transport, r->plan);
    enum fore_status st = FORE_OK;
    if (o->resume)
        st = fore_checkpoint_read(&r->k, o->resume, &r->k.err);
    else
        fore_levels_start(&r->k);
    r->k.now.failed |= st != FORE_OK;
    if (r->prepare)
        r->prepare(&r->k, r->user);
    fore_levels_run(&r->k);
    return NULL;
}

static struct fore_levels_plan make_plan(const struct fore_explorer *s, uint32_t here)
{
    const struct fore_explore_options *o = s->opt;
    const char *folder = o->folder ? o->folder : getenv("TMPDIR");
    struct fore_levels_plan plan = {.folder = folder ? folder : "/var/tmp",
                                    .wide = o->wide,
                                    .first_only = o->first_only,
                                    .save = o->save,
                                    .save_every = o->save_every};
    size_t used = fore_budget_resident();
    if (o->budget.max_bytes) {
        size_t left = o->budget.max_bytes > used ? o->budget.max_bytes - used : 0;
        plan.bytes = left / here + 1;
    }
    return plan;
}

static void look_for_circles(struct fore_explorer *s, struct fore_levels *k)
{
    if (s->row.bound != FORE_BOUND_NONE || !fore_circles_may_be(&s->world, k->causes.at))
        return;
    struct fore_row row = s->row;
    fore_circles_find(s);
    enum fore_spent spent = s->row.spent;
    bool cut = s->row.bound == FORE_BOUND_BUDGET;
    row.steps = s->row.steps;
    s->row = row;
    if (cut && spent == FORE_SPENT_MEMORY)
        s->row.bound = FORE_BOUND_CIRCLES;
    else if (cut)
        s->row.bound = FORE_BOUND_BUDGET;
    s->row.spent = spent;
}

/* With the rest of the time and of the memory. */
static void check_liveness(struct fore_explorer *s)
{
    bool all_seen = s->row.bound == FORE_BOUND_NONE;
    if (!s->world.harness->properties.n)
        return;
    struct fore_row row = s->row;
    bool checked = all_seen && fore_liveness_check(s);
    enum fore_spent spent = s->row.spent;
    row.steps = s->row.steps;
    s->row = row;
    if (checked || !all_seen)
        return;
    s->row.bound = spent == FORE_SPENT_MEMORY ? FORE_BOUND_LIVENESS : FORE_BOUND_BUDGET;
    s->row.spent = spent;
}

void fore_stateful_run(struct fore_explorer *s,
                       void (*prepare)(struct fore_levels *k, void *user), void *user)
{
    struct fore_transport *remote = s->opt->transport;
    s->budget.max_bytes += s->budget.max_bytes / 10; /* as its ranks' */
    uint32_t here = remote ? 1 : s->workers;
    struct fore_levels_plan plan = make_plan(s, here);
    struct fore_mailboxes *boxes = remote ? NULL : fore_mailboxes_new(here);
    struct rank *ranks = fore_calloc(here, sizeof *ranks);
    for (uint32_t i = 0; i < here; i++) {
        struct fore_transport *t = remote ? remote : fore_mailboxes_rank(boxes, i);
        ranks[i] = (struct rank){.first = s,
                                 .plan = &plan,
                                 .transport = t,
                                 .prepare = prepare,
                                 .user = user,
                                 .index = i};
        if (i)
            FORE_BUG_IF(pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]));
    }
    run_rank(&ranks[0]);
    for (uint32_t i = 1; i < here; i++)
        pthread_join(ranks[i].thread, NULL);
    struct fore_levels *root = &ranks[0].k;
    s->failure = root->err;
    fore_levels_results(root, s);
    if (!root->t->rank)
        look_for_circles(s, root);
    if (!root->t->rank)
        check_liveness(s);
    for (uint32_t i = 0; i < here; i++) {
        struct fore_explorer *own = ranks[i].k.s;
        fore_levels_release(&ranks[i].k);
        fore_explorer_release(own);
        fore_free(own);
    }
    fore_free(ranks);
    if (boxes)
        fore_mailboxes_free(boxes);
}

static void run_stateful(struct fore_explorer *s)
{
    fore_stateful_run(s, NULL, NULL);
}

const struct fore_scheduler fore_scheduler_stateful = {
    .name = "stateful",
    .summary = "every state once, with the object's possible states",
    .run = run_stateful,
    .parallel = true,
    .levels = true,
};
