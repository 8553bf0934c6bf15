/* Explores:  every state once: actors' states, the multiset of pending messages, and the
 *            states in which the sequential object may be.
 * Sound:     yes, a violation comes with the path that was executed.
 * Complete:  yes, up to collisions of 64-bit fingerprints.
 * Cost:      O(states * pending messages); eight bytes per state and a path per worker.
 *
 * A circle of states is found by the worker that closes it. If none does, workers may each have
 * gone a part of one. A circle sends every message anew that it receives, so there is none if
 * no kind of message brings itself about again; else one worker alone looks once more. */
#include "explore/walk.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define CHECK_EVERY 512 /* transitions: between looks at what the others want */
#define FIRST_SLOTS 4096
#define BIG ((size_t)1 << 18)
#define PAGE 4096

/* Fingerprints that were seen; 0 is an empty slot. The upper bits say where to look, so that
 * the order of the slots stays the same when the table grows. */
struct table {
    _Atomic uint64_t *slots;
    unsigned shift; /* 64 - log2 of their number */
};

/* Where a worker may go on: receive the messages from `msg` on (in the way `how` first) in the
 * state that the path leads to. */
struct job {
    FORE_VEC(uint32_t) path; /* message and how, in turn */
    uint32_t msg;
    enum fore_how how;
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t work;
    FORE_VEC(struct job) jobs;
    uint32_t busy;
    _Atomic uint32_t hungry;
    _Atomic bool stop;
    _Atomic bool full; /* the table is to grow: whoever is busy waits for the others */
    uint32_t parked;
    struct table seen;
    FORE_VEC(uint64_t) causes; /* what workers found, gathered */
};

struct frame {
    uint64_t hash;
    uint32_t judge; /* the judge's state */
    uint32_t msg;   /* to be received next, or 0 */
    enum fore_how how;
};

struct worker {
    struct fore_explorer *s;
    struct team *team;
    FORE_VEC(struct frame) path;
    size_t base;     /* frames below it belong to somebody else */
    uint64_t states; /* not yet added to the team's */
    /* Which kinds of messages were sent by receiving which: bit `from * kinds + to`. */
    FORE_VEC(uint64_t) causes;
};

static size_t kinds_of(const struct fore_explorer *s)
{
    return s->world.sys->def->message_count;
}

static size_t cause_words(const struct fore_explorer *s)
{
    return FORE_BITSET_WORDS(kinds_of(s) * kinds_of(s));
}

/* Faults do not count: their budgets keep them from coming back. */
static void note_causes(struct worker *k)
{
    const struct fore_actors *w = &k->s->world;
    const struct fore_receipt *r = &fore_vec_last(&w->steps);
    if (r->how != FORE_DELIVER)
        return;
    size_t row = w->msgs.at[r->msg].r.kind * kinds_of(k->s);
    for (size_t i = r->first_sent; i < w->msgs.n; i++)
        fore_bit_add(k->causes.at, row + w->msgs.at[i].r.kind);
}

/* Whether a kind of message causes, by way of others, itself. */
static bool may_repeat(const struct fore_explorer *s, uint64_t *causes)
{
    size_t n = kinds_of(s);
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

static size_t slots_of(const struct table *d)
{
    return (size_t)1 << (64 - d->shift);
}

static void make_table(struct table *d, unsigned shift)
{
    d->shift = shift;
    d->slots = fore_calloc(slots_of(d), sizeof *d->slots);
    uintptr_t from = ((uintptr_t)d->slots + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t to = (uintptr_t)(d->slots + slots_of(d)) & ~(uintptr_t)(PAGE - 1);
    if (slots_of(d) >= BIG) /* lookups are random: fewer, larger pages pay */
        madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* True if the fingerprint is new. Any number of workers may call this at once. */
static bool visit(struct table *d, uint64_t hash)
{
    hash += !hash;
    size_t mask = slots_of(d) - 1;
    for (size_t i = hash >> d->shift;; i = (i + 1) & mask) {
        uint64_t there = atomic_load_explicit(&d->slots[i], memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong_explicit(&d->slots[i], &there, hash,
                                                              memory_order_relaxed,
                                                              memory_order_relaxed))
            return true;
        if (there == hash)
            return false;
    }
}

static void grow(struct table *d)
{
    struct table old = *d;
    make_table(d, old.shift - 1);
    for (size_t i = 0; i < slots_of(&old); i++)
        if (old.slots[i])
            visit(d, old.slots[i]);
    fore_free((void *)old.slots);
}

static uint64_t fingerprint(const struct worker *k, uint32_t judge)
{
    const struct fore_actors *w = &k->s->world;
    uint64_t h = fore_hash_mix(fore_actors_hash(w),
                               fore_judge_hash(&k->s->histories.judge, judge));
    const struct fore_faults *f = &w->left;
    if (f->drop | f->duplicate | f->crash | f->partition | w->isolated.n) {
        h = fore_hash_more(h, f, sizeof *f);
        h = fore_hash_more(h, w->isolated.at, w->isolated.n * sizeof *w->isolated.at);
    }
    return h;
}

/* The judge's state after the last step. */
static uint32_t follow(const struct worker *k, uint32_t judge)
{
    struct fore_judge *j = &k->s->histories.judge;
    const struct fore_actors *w = &k->s->world;
    const struct fore_receipt *r = &fore_vec_last(&w->steps);
    if (r->op >= 0)
        judge = fore_judge_invoke(j, judge, (uint32_t)r->op);
    for (size_t i = r->first_reply; i < w->replies.n; i++)
        if (!w->replies.at[i].repeated)
            judge = fore_judge_respond(j, judge, w->replies.at[i].op,
                                       w->replies.at[i].result);
    return judge;
}

static bool on_path(const struct worker *k, uint64_t hash)
{
    for (size_t i = k->path.n; i--;)
        if (k->path.at[i].hash == hash)
            return true;
    return false;
}

/* The judge's state at the start. */
static uint32_t first_judge(const struct worker *k)
{
    return k->s->histories.nodes.at[k->s->history.at[0]].state;
}

static void enter(struct worker *k, uint64_t hash, uint32_t judge)
{
    struct fore_explorer *s = k->s;
    bool deep = s->opt->max_depth && fore_explorer_depth(s) >= s->opt->max_depth;
    uint32_t first = fore_actors_first(&s->world);
    if (deep && first)
        s->row.bound = FORE_BOUND_DEPTH;
    fore_vec_push(&k->path, (struct frame){hash, judge, deep ? 0 : first, FORE_DELIVER});
}

/* There is always room for what workers may find until they look at `full` again. */
static void count_states(struct worker *k)
{
    struct team *t = k->team;
    struct fore_explorer *s = k->s;
    uint64_t most = s->opt->max_states, slack = s->workers * 2 * CHECK_EVERY;
    uint64_t all = atomic_fetch_add_explicit(s->ended, k->states, memory_order_relaxed);
    all += k->states;
    k->states = 0;
    if ((all + slack) * 4 >= slots_of(&t->seen) * 3)
        t->full = true;
    if (most && all >= most) {
        s->row.bound = FORE_BOUND_STATES;
        s->stop = true;
    }
}

/* What has to be said of a state that is met for the first time. */
static void look_at_new(struct worker *k)
{
    struct fore_explorer *s = k->s;
    const struct fore_actors *w = &s->world;
    k->states++;
    s->row.states++;
    if (!w->pending) {
        s->row.schedules++;
        s->row.incomplete += (w->invoked & ~w->answered) != 0;
        if (w->invoked & ~w->answered)
            fore_explorer_report_bug(s, FORE_BUG_BLOCKED, "");
    }
    if (s->workers == 1 || k->states >= CHECK_EVERY)
        count_states(k);
}

/* The state that the last step led to: true if it is new and good, and is now on the path. */
static bool arrive(struct worker *k, uint32_t judge)
{
    struct fore_explorer *s = k->s;
    if (s->world.trouble == FORE_TROUBLE_REQUIRED) {
        fore_explorer_report_bug(s, FORE_BUG_REQUIRED, s->world.why.at);
        return false;
    }
    if (s->world.trouble)
        return false;
    judge = follow(k, judge);
    if (judge == FORE_JUDGE_BROKEN) {
        fore_explorer_report_bug(s, FORE_BUG_NOT_LINEARIZABLE, "");
        return false;
    }
    uint64_t hash = fingerprint(k, judge);
    if (!visit(&k->team->seen, hash)) {
        if (on_path(k, hash))
            fore_explorer_report_circle(s);
        return false;
    }
    enter(k, hash, judge);
    look_at_new(k);
    return true;
}

/* The last busy worker to come here lets the table grow. The lock is held. */
static void park(struct team *t)
{
    t->parked++;
    while (t->full) {
        if (t->parked < t->busy) {
            pthread_cond_wait(&t->work, &t->lock);
        } else {
            grow(&t->seen);
            t->full = false;
            pthread_cond_broadcast(&t->work);
        }
    }
    t->parked--;
}

/* Gives the rest of the first frame that has one to whoever waits. */
static void share(struct worker *k)
{
    struct team *t = k->team;
    size_t i = k->base;
    while (i + 1 < k->path.n && !k->path.at[i].msg)
        i++;
    if (i + 1 >= k->path.n)
        return;
    struct job j = {.msg = k->path.at[i].msg, .how = k->path.at[i].how};
    for (size_t d = 0; d < i; d++) {
        fore_vec_push(&j.path, k->s->world.steps.at[d].msg);
        fore_vec_push(&j.path, k->s->world.steps.at[d].how);
    }
    k->path.at[i].msg = 0;
    pthread_mutex_lock(&t->lock);
    fore_vec_push(&t->jobs, j);
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
}

static void look_around(struct worker *k)
{
    struct team *t = k->team;
    if (atomic_load_explicit(&t->full, memory_order_relaxed)) {
        pthread_mutex_lock(&t->lock);
        park(t);
        pthread_mutex_unlock(&t->lock);
    }
    if (atomic_load_explicit(&t->hungry, memory_order_relaxed))
        share(k);
}

static void explore(struct worker *k)
{
    struct fore_explorer *s = k->s;
    while (k->path.n > k->base && !s->stop) {
        struct frame *f = &fore_vec_last(&k->path);
        if (!f->msg) {
            k->path.n--;
            if (k->path.n > k->base)
                fore_actors_undo(&s->world);
            continue;
        }
        uint32_t msg = f->msg, judge = f->judge;
        enum fore_how how = f->how;
        f->how = fore_explorer_next_how(s, msg, how);
        if (f->how == FORE_HOWS) {
            f->how = FORE_DELIVER;
            f->msg = fore_actors_next(&s->world, msg);
        }
        s->row.transitions++;
        fore_explorer_bare_step(s, msg, how);
        if (s->workers > 1)
            note_causes(k);
        if (!arrive(k, judge) && !s->stop)
            fore_actors_undo(&s->world);
        if (s->row.transitions % CHECK_EVERY == 0)
            look_around(k);
    }
}

static bool take(struct team *t, struct job *j)
{
    bool found = false;
    pthread_mutex_lock(&t->lock);
    t->busy--;
    t->hungry++;
    pthread_cond_broadcast(&t->work); /* those who are parked wait for one less */
    while (!t->jobs.n && t->busy && !t->stop)
        pthread_cond_wait(&t->work, &t->lock);
    t->hungry--;
    if (t->jobs.n && !t->stop) {
        *j = fore_vec_pop(&t->jobs);
        found = true;
        t->busy++;
        if (t->full)
            park(t);
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

static void halt(struct team *t)
{
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    t->busy--; /* nobody waits for this one to park */
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
}

/* Executes the path of a job; the states on it are known. */
static void go_to(struct worker *k, struct job *j)
{
    struct fore_explorer *s = k->s;
    uint32_t judge = first_judge(k);
    k->path.n = 0;
    while (s->world.steps.n)
        fore_actors_undo(&s->world);
    enter(k, fingerprint(k, judge), judge);
    for (size_t i = 0; i < j->path.n && !s->stop; i += 2) {
        enum fore_how how = (enum fore_how)j->path.at[i + 1];
        if (!fore_explorer_expects(s, j->path.at[i], how))
            break;
        fore_explorer_bare_step(s, j->path.at[i], how);
        judge = follow(k, judge);
        enter(k, fingerprint(k, judge), judge);
    }
    k->base = k->path.n - 1;
    fore_vec_last(&k->path).msg = j->msg;
    fore_vec_last(&k->path).how = j->how;
    fore_vec_release(&j->path);
}

static void work(struct fore_explorer *s, void *arg)
{
    struct team *t = arg;
    struct worker k = {.s = s, .team = t};
    struct job j;
    s->halt = &t->stop;
    fore_vec_ensure(&k.causes, cause_words(s));
    if (!s->watch_index) {
        uint32_t judge = first_judge(&k);
        uint64_t hash = fingerprint(&k, judge);
        visit(&t->seen, hash);
        enter(&k, hash, judge);
        look_at_new(&k);
        explore(&k);
    }
    while (!s->stop && take(t, &j)) {
        go_to(&k, &j);
        explore(&k);
    }
    if (s->stop)
        halt(t);
    pthread_mutex_lock(&t->lock);
    fore_bits_or(t->causes.at, k.causes.at, cause_words(s));
    pthread_mutex_unlock(&t->lock);
    fore_vec_release(&k.causes);
    fore_vec_release(&k.path);
}

/* True if workers may have gone round a circle together without noticing. */
static bool search(struct fore_explorer *s)
{
    struct team t = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .work = PTHREAD_COND_INITIALIZER,
                     .busy = s->workers};
    unsigned shift = 64;
    while ((size_t)1 << (64 - shift) < FIRST_SLOTS * s->workers)
        shift--;
    make_table(&t.seen, shift);
    fore_vec_ensure(&t.causes, cause_words(s));
    fore_explorer_together(s, work, &t);
    bool unsure = !t.stop && may_repeat(s, t.causes.at);
    for (size_t i = 0; i < t.jobs.n; i++)
        fore_vec_release(&t.jobs.at[i].path);
    fore_vec_release(&t.jobs);
    fore_vec_release(&t.causes);
    fore_free((void *)t.seen.slots);
    return unsure && !s->bugs[FORE_BUG_LIVELOCK].count;
}

static void run(struct fore_explorer *s)
{
    if (!search(s))
        return;
    struct fore_row row = s->row;
    uint64_t counts[FORE_BUGS];
    for (int i = 0; i < FORE_BUGS; i++)
        counts[i] = s->bugs[i].count;
    while (s->world.steps.n)
        fore_actors_undo(&s->world);
    s->workers = 1;
    *s->ended = 0;
    search(s);
    row.bound = s->row.bound;
    row.spent = s->row.spent;
    s->row = row;
    for (int i = 0; i < FORE_BUGS; i++)
        if (i != FORE_BUG_LIVELOCK)
            s->bugs[i].count = counts[i];
}

const struct fore_scheduler fore_scheduler_stateful = {
    .name = "stateful",
    .summary = "every state once, with the object's possible states",
    .run = run,
    .parallel = true,
};
