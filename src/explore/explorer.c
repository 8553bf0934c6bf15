#include "explore/explorer.h"

#include "base/hash.h"
#include "base/progress.h"
#include "explore/walk.h"

#include <pthread.h>
#include <string.h>

#define LOOK_STEPS 16 /* between looks at budgets, which are cheap */
#define TICK_STEPS                                                                       \
    256 /* between looks at the clock, and so at what a slow handler takes */

enum fore_status fore_explorer_init(struct fore_explorer *s,
                                    const struct fore_system *sys,
                                    const struct fore_harness *h,
                                    const struct fore_explore_options *o,
                                    struct fore_err *e)
{
    *s = (struct fore_explorer){.opt = o, .started_ns = fore_now_ns()};
    for (int i = 0; i < FORE_BUGS; i++)
        s->bugs[i].why = (struct fore_strbuf)FORE_STRBUF_INIT;
    s->ended = &s->ended_own;
    s->workers = 1;
    s->budget = o->budget;
    fore_rng_seed(&s->rng, o->seed);
    FORE_TRY(fore_histories_init(&s->histories, h, e));
    fore_actors_init(&s->world, sys, h, o->compat);
    static const struct fore_faults none;
    s->world.left = o->faults;
    s->faults = memcmp(&o->faults, &none, sizeof none) != 0;
    fore_vec_push(&s->history, 0);
    fore_vec_push(&s->hashes, fore_actors_hash(&s->world));
    fore_vec_push(&s->progress, 0);
    if (s->world.trouble)
        return fore_fail(e, FORE_MEANING, "system %s, at the start: %s", sys->name,
                         s->world.why.at);
    return FORE_OK;
}

void fore_explorer_release(struct fore_explorer *s)
{
    if (s->world.sys)
        fore_actors_release(&s->world);
    fore_histories_release(&s->histories);
    fore_vec_release(&s->history);
    fore_vec_release(&s->hashes);
    fore_vec_release(&s->progress);
    fore_vec_release(&s->prefix);
    for (size_t i = 0; i < s->lassos.n; i++)
        fore_vec_release(&s->lassos.at[i].schedule);
    fore_vec_release(&s->lassos);
    for (size_t i = 0; i < s->said.n; i++)
        fore_free(s->said.at[i].text);
    fore_vec_release(&s->said);
    for (int i = 0; i < FORE_BUGS; i++) {
        fore_vec_release(&s->bugs[i].schedule);
        fore_strbuf_release(&s->bugs[i].why);
    }
}

bool fore_explorer_in_circle(const struct fore_explorer *s)
{
    if (s->opt->compat)
        return false;
    uint64_t now = fore_vec_last(&s->hashes);
    for (size_t i = s->hashes.n - 1; i-- > fore_vec_last(&s->progress);)
        if (s->hashes.at[i] == now)
            return true;
    return false;
}

enum fore_next fore_explorer_next(struct fore_explorer *s)
{
    if (s->world.trouble)
        return FORE_NEXT_END;
    if (!s->world.pending)
        return FORE_NEXT_END;
    if (fore_explorer_in_circle(s)) {
        fore_explorer_report_circle(s);
        return FORE_NEXT_END;
    }
    if (s->opt->max_depth && fore_explorer_depth(s) >= s->opt->max_depth) {
        s->row.bound = FORE_BOUND_DEPTH;
        return FORE_NEXT_END;
    }
    return FORE_NEXT_GO;
}

void fore_explorer_poll(struct fore_explorer *s)
{
    if ((s->opt->slow && fore_budget_spent_now(&s->budget)) ||
        fore_budget_spent(&s->budget)) {
        s->row.bound = FORE_BOUND_BUDGET;
        s->row.spent = s->budget.spent;
        s->stop = true;
    }
    if (s->halt && atomic_load_explicit(s->halt, memory_order_relaxed))
        s->stop = true;
    if (s->tick && (s->opt->slow || s->ticks % TICK_STEPS == 0))
        s->tick(s, s->user);
}

bool fore_explorer_expects(struct fore_explorer *s, uint32_t msg, enum fore_how how)
{
    const struct fore_actors *w = &s->world;
    if (msg && msg < w->msgs.n && !w->msgs.at[msg].received_by &&
        fore_actors_receivable(w, msg) && fore_actors_allows(w, msg, how))
        return true;
    fore_explorer_report_bug(s, FORE_BUG_SYSTEM,
                             "does not do what it did before in the same state: its "
                             "handlers are not deterministic");
    s->stop = true;
    return false;
}

void fore_explorer_bare_step(struct fore_explorer *s, uint32_t msg, enum fore_how how)
{
    bool good = fore_actors_step(&s->world, msg, how);
    s->row.steps++;
    if (!good && s->world.trouble == FORE_TROUBLE_SYSTEM) {
        fore_explorer_report_bug(s, FORE_BUG_SYSTEM, s->world.why.at);
        s->stop = true;
    }
    if (++s->ticks % LOOK_STEPS == 0 || s->opt->slow)
        fore_explorer_poll(s);
}

void fore_explorer_step(struct fore_explorer *s, uint32_t msg, enum fore_how how)
{
    fore_explorer_bare_step(s, msg, how);
    uint32_t before = fore_explorer_node(s);
    uint32_t node = fore_histories_step(&s->histories, before, &s->world);
    fore_vec_push(&s->history, node);
    fore_vec_push(&s->hashes, fore_actors_hash(&s->world));
    uint32_t progress = fore_vec_last(&s->progress);
    if (node != before || how != FORE_DELIVER)
        progress = fore_explorer_depth(s);
    fore_vec_push(&s->progress, progress);
}

void fore_explorer_undo(struct fore_explorer *s)
{
    fore_actors_undo(&s->world);
    s->history.n--;
    s->hashes.n--;
    s->progress.n--;
}

bool fore_bug_simpler(const struct fore_bug_report *a, const struct fore_bug_report *b)
{
    return a->faults < b->faults ||
           (a->faults == b->faults && a->schedule.n < b->schedule.n);
}

static size_t count_faults(const struct fore_explorer *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->prefix.n; i++)
        n += s->prefix.at[i].how != FORE_DELIVER;
    for (size_t i = 0; i < s->world.steps.n; i++)
        n += s->world.steps.at[i].how != FORE_DELIVER;
    return n;
}

void fore_explorer_report_bug(struct fore_explorer *s, enum fore_bug bug, const char *why)
{
    struct fore_bug_report *b = &s->bugs[bug], here = {.faults = count_faults(s)};
    here.schedule.n = s->prefix.n + fore_explorer_depth(s);
    if (b->count++ && !fore_bug_simpler(&here, b))
        return;
    b->faults = here.faults;
    fore_vec_clear(&b->schedule);
    for (size_t i = 0; i < s->prefix.n; i++)
        fore_vec_push(&b->schedule, s->prefix.at[i]);
    for (size_t i = 0; i < s->world.steps.n; i++) {
        const struct fore_receipt *step = &s->world.steps.at[i];
        fore_vec_push(&b->schedule, (struct fore_schedule_choice){
                                        s->world.msgs.at[step->msg].id, step->how});
    }
    fore_strbuf_clear(&b->why);
    fore_strbuf_puts(&b->why, why);
}

void fore_explorer_report_circle(struct fore_explorer *s)
{
    s->row.bound = FORE_BOUND_LIVELOCK;
    fore_explorer_report_bug(s, FORE_BUG_LIVELOCK, "");
}

/* Whether another schedule may be counted. Workers take portions of what is left, so that
 * they seldom meet at the counter; towards the end these become small. */
static bool may_end(struct fore_explorer *s)
{
    uint64_t max = s->opt->max_schedules, before = *s->ended, portion;
    if (s->portion)
        return true;
    do {
        uint64_t left = !max ? UINT64_MAX : before < max ? max - before : 0;
        portion = left / s->workers / 4;
        portion = s->workers == 1 || !portion ? 1 : portion > 64 ? 64 : portion;
        portion = portion < left ? portion : left;
    } while (!atomic_compare_exchange_weak_explicit(
        s->ended, &before, before + portion, memory_order_relaxed, memory_order_relaxed));
    s->portion = portion;
    if (!portion) {
        s->row.bound = FORE_BOUND_SCHEDULES;
        s->stop = true;
    }
    return portion;
}

bool fore_explorer_end(struct fore_explorer *s)
{
    if (!may_end(s))
        return false;
    const struct fore_actors *w = &s->world;
    uint64_t open = w->invoked & ~w->answered;
    uint32_t node = fore_explorer_node(s);
    bool dead = fore_histories_dead(&s->histories, node) && !(s->opt->compat && open);
    s->row.schedules++;
    s->row.stateless_steps += fore_explorer_depth(s);
    s->row.incomplete += open != 0;
    fore_histories_end(&s->histories, node, open != 0);
    if (dead && !s->row.first_bug) {
        s->row.first_bug = s->workers == 1 ? s->row.schedules : *s->ended;
        s->row.first_bug_ns = fore_now_ns() - s->started_ns;
    }
    if (w->trouble == FORE_TROUBLE_REQUIRED)
        fore_explorer_report_bug(s, FORE_BUG_REQUIRED, w->why.at);
    if (dead)
        fore_explorer_report_bug(s, FORE_BUG_NOT_LINEARIZABLE, "");
    else if (open && !w->pending && !w->trouble)
        fore_explorer_report_bug(s, FORE_BUG_BLOCKED, "");
    s->portion--;
    may_end(s);
    return true;
}

enum fore_how fore_explorer_next_how(const struct fore_explorer *s, uint32_t msg,
                                     enum fore_how how)
{
    if (!s->faults)
        return FORE_HOWS;
    do
        how++;
    while (how < FORE_HOWS && !fore_actors_allows(&s->world, msg, how));
    return how;
}

static void merge_bug(struct fore_bug_report *into, const struct fore_bug_report *from)
{
    if (from->count && (!into->count || fore_bug_simpler(from, into))) {
        into->faults = from->faults;
        fore_vec_clear(&into->schedule);
        memcpy(fore_vec_extend(&into->schedule, from->schedule.n), from->schedule.at,
               from->schedule.n * sizeof *from->schedule.at);
        fore_strbuf_clear(&into->why);
        fore_strbuf_puts(&into->why, from->why.at);
    }
    into->count += from->count;
}

/* Of walks that were dealt out, the one with the smallest number; of trees, the earliest. */
static bool found_before(const struct fore_explorer *a, const struct fore_explorer *b)
{
    if (!b->row.first_bug)
        return true;
    bool walks = a->opt->shares && !a->opt->scheduler->everything;
    return walks ? a->row.first_bug < b->row.first_bug
                 : a->row.first_bug_ns < b->row.first_bug_ns;
}

void fore_explorer_merge(struct fore_explorer *into, const struct fore_explorer *from)
{
    fore_histories_merge(&into->histories, &from->histories);
    for (int i = 0; i < FORE_BUGS; i++)
        merge_bug(&into->bugs[i], &from->bugs[i]);
    into->row.schedules += from->row.schedules;
    into->row.incomplete += from->row.incomplete;
    into->row.steps += from->row.steps;
    into->row.stateless_steps += from->row.stateless_steps;
    into->row.redundant += from->row.redundant;
    into->row.states += from->row.states;
    into->row.transitions += from->row.transitions;
    if (from->row.first_bug && found_before(from, into)) {
        into->row.first_bug = from->row.first_bug;
        into->row.first_bug_ns = from->row.first_bug_ns;
    }
    if (from->row.bound) {
        into->row.bound = from->row.bound;
        into->row.spent = from->row.spent;
    }
}

void fore_explorer_rebase(struct fore_explorer *s)
{
    for (size_t i = 0; i < s->world.steps.n; i++) {
        const struct fore_receipt *r = &s->world.steps.at[i];
        fore_vec_push(&s->prefix,
                      (struct fore_schedule_choice){s->world.msgs.at[r->msg].id, r->how});
    }
    fore_actors_rebase(&s->world);
    s->history.at[0] = fore_vec_last(&s->history);
    s->hashes.at[0] = fore_vec_last(&s->hashes);
    s->history.n = s->hashes.n = s->progress.n = 1;
}

/* A worker besides the first. Its explorer is made by its own thread, so that what it writes
 * to all the time lies in that thread's part of the heap: workers that share cache lines would
 * wait for each other at every step. */
struct helper {
    struct fore_explorer *first, *s;
    uint32_t index;
    void (*work)(struct fore_explorer *s, void *team);
    void *team;
    pthread_t thread;
};

struct fore_explorer *fore_explorer_twin(const struct fore_explorer *first,
                                         uint32_t index)
{
    struct fore_explorer *s = fore_calloc(1, sizeof *s);
    struct fore_err e = {0};
    FORE_BUG_IF(
        fore_explorer_init(s, first->world.sys, first->world.harness, first->opt, &e));
    FORE_BUG_IF(!fore_explorer_follow(s, first->prefix.at, first->prefix.n));
    fore_explorer_rebase(s);
    s->ended = first->ended;
    s->started_ns = first->started_ns;
    s->workers = first->workers;
    s->tick = first->tick;
    s->user = first->user;
    s->watch_index = index;
    if (first->watch)
        s->world.watch = first->watch + index;
    return s;
}

static void *run_helper(void *arg)
{
    struct helper *h = arg;
    h->s = fore_explorer_twin(h->first, h->index);
    h->work(h->s, h->team);
    return NULL;
}

void fore_explorer_together(struct fore_explorer *s,
                            void (*work)(struct fore_explorer *s, void *team), void *team)
{
    struct helper *helpers = fore_calloc(s->workers, sizeof *helpers);
    for (uint32_t i = 1; i < s->workers; i++) {
        helpers[i] = (struct helper){.first = s, .index = i, .work = work, .team = team};
        FORE_BUG_IF(pthread_create(&helpers[i].thread, NULL, run_helper, &helpers[i]));
    }
    work(s, team);
    for (uint32_t i = 1; i < s->workers; i++) {
        pthread_join(helpers[i].thread, NULL);
        fore_explorer_merge(s, helpers[i].s);
        fore_explorer_release(helpers[i].s);
        fore_free(helpers[i].s);
    }
    fore_free(helpers);
}

uint32_t fore_explorer_split(const struct fore_explorer *s)
{
    uint32_t depth = 3;
    if (s->opt->shares < 2)
        return 0;
    for (uint32_t n = s->opt->shares; n > 1; n /= 4)
        depth++;
    return depth;
}

bool fore_explorer_is_mine(const struct fore_explorer *s)
{
    uint64_t hash = 0;
    if (fore_explorer_depth(s) < fore_explorer_split(s))
        return !s->opt->share;
    for (uint32_t i = 0; i < fore_explorer_split(s); i++) {
        const struct fore_receipt *r = &s->world.steps.at[i];
        hash = fore_hash_mix(hash, fore_hash_mix(s->world.msgs.at[r->msg].id, r->how));
    }
    return hash % s->opt->shares == s->opt->share;
}

/* Dependence by actor alone: an answer and an invocation elsewhere are taken to commute. */
static bool may_miss(const struct fore_explore_options *o)
{
    return o->scheduler->are_dependent || (o->scheduler == &fore_scheduler_optimal &&
                                           o->dependence == FORE_DEPEND_ACTOR);
}

void fore_explorer_run(struct fore_explorer *s)
{
    bool parallel = s->opt->jobs > 1 && s->opt->scheduler->parallel;
    s->workers = parallel ? s->opt->jobs : 1;
    if (s->opt->scheduler->run)
        s->opt->scheduler->run(s);
    else
        fore_walk_run(s);
    s->row.ns = fore_now_ns() - s->started_ns;
    if (s->row.bound == FORE_BOUND_NONE)
        s->row.bound = s->opt->compat     ? FORE_BOUND_COMPAT
                       : may_miss(s->opt) ? FORE_BOUND_REDUCTION
                                          : FORE_BOUND_NONE;
}

const char *fore_explorer_bound(const struct fore_explorer *s)
{
    switch (s->row.bound) {
    case FORE_BOUND_SCHEDULES:
        return "schedules";
    case FORE_BOUND_DEPTH:
        return "depth";
    case FORE_BOUND_STATES:
        return "states";
    case FORE_BOUND_BUDGET:
        return fore_spent_text(s->row.spent);
    case FORE_BOUND_RANDOM:
        return "random sample";
    case FORE_BOUND_LIVELOCK:
        return "livelock";
    case FORE_BOUND_FIRST:
        return "stopped after the first violations (--all-findings goes on)";
    case FORE_BOUND_LOST:
        return "a process of the MPI job was lost";
    case FORE_BOUND_CIRCLES:
        return "circles were not looked for: too many states for memory";
    case FORE_BOUND_LIVENESS:
        return "[properties] were not checked: too many states for memory";
    case FORE_BOUND_COMPAT:
        return "schedules share snapshots (--ds2-compat)";
    case FORE_BOUND_REDUCTION:
        return "this scheduler may miss histories";
    case FORE_BOUND_NONE:
        break;
    }
    return NULL;
}

size_t fore_explorer_said(const struct fore_explorer *s, uint32_t step, const char **text)
{
    for (size_t i = 0; i < s->said.n; i++)
        if (s->said.at[i].step == step) {
            *text = s->said.at[i].text;
            return strcspn(*text, "\n");
        }
    *text = "";
    return 0;
}

bool fore_explorer_follow(struct fore_explorer *s, const struct fore_schedule_choice *c,
                          size_t n)
{
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
    for (size_t i = 0; i < n; i++) {
        uint32_t msg = fore_actors_find(&s->world, c[i].id);
        if (!msg || !fore_actors_allows(&s->world, msg, c[i].how))
            return false;
        fore_explorer_step(s, msg, c[i].how);
    }
    return true;
}
