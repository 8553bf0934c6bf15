#include "node/trail.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/vec.h"
#include "node/copy.h"
#include "node/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

/* How many processes are kept where they are. */
enum { STANDING = 96 };
/* One in this many is a new process although a copy would do. */
enum { RESTARTED = 16 };
/* A node that was refused this often before its first copy is not asked again. */
enum { REFUSALS = 8 };

struct standing {
    struct fore_process process;
    uint64_t at; /* 0: nobody is here */
    uint64_t used;
    bool proven; /* a search has come back here */
};

struct fore_trails {
    pthread_mutex_t lock;
    struct fore_node_command command;
    struct fore_log log;
    struct fore_arena arena;
    struct fore_map starts;                  /* where nodes begin */
    struct fore_map by_input;                /* hash of place and input -> step + 1 */
    struct fore_map by_place;                /* place -> the step that led there + 1 */
    FORE_VEC(struct fore_node_step *) steps; /* they do not move */
    struct standing standing[STANDING];
    uint64_t clock, led, refused;
    struct fore_map left; /* places from which a step was taken */
    uint64_t taken, back; /* steps; of them, from such places */
    struct {
        uint64_t ns, n;
    } leading, copying; /* what it took so far */
    struct fore_trail_counts counts;
    const char *debugger; /* for the next step, or NULL */
};

struct fore_trails *fore_trails_new(const struct fore_node_command *c)
{
    struct fore_trails *t = fore_calloc(1, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    t->command = *c;
    t->log.fd = -1;
    return t;
}

void fore_trails_free(struct fore_trails *t)
{
    for (size_t i = 0; i < STANDING; i++)
        if (t->standing[i].at)
            fore_process_end(&t->standing[i].process);
    fore_log_close(&t->log);
    fore_map_release(&t->starts);
    fore_map_release(&t->left);
    fore_map_release(&t->by_input);
    fore_map_release(&t->by_place);
    fore_vec_release(&t->steps);
    fore_arena_release(&t->arena);
    pthread_mutex_destroy(&t->lock);
    fore_free(t);
}

uint64_t fore_trail_start(struct fore_trails *t, unsigned node)
{
    uint64_t place = fore_hash_mix(0x6e6f6465, node) | 1;
    pthread_mutex_lock(&t->lock);
    fore_map_put(&t->starts, place, NULL);
    pthread_mutex_unlock(&t->lock);
    return place;
}

void fore_trails_debug(struct fore_trails *t, const char *debugger)
{
    t->debugger = debugger;
}

struct fore_trail_counts fore_trails_count(const struct fore_trails *t)
{
    return t->counts;
}

static uint64_t input_hash(uint64_t from, const struct fore_trail_input *in)
{
    uint64_t h = fore_hash_mix(from, (uint64_t)in->kind);
    h = in->kind == FORE_INPUT_LINE ? fore_hash_more(h, in->line, strlen(in->line))
                                    : fore_hash_mix(h, (uint64_t)in->when);
    return h | 1;
}

/* A node's state is its answer, and when it wants to be woken. */
static uint64_t state_hash(const char *question, const struct fore_rest *r)
{
    uint64_t h = fore_hash(question, strlen(question)); /* it names the node */
    return fore_hash_mix(fore_hash_more(h, r->out.at, r->out.n), (uint64_t)r->timer) | 1;
}

/* Processes. */

static struct standing *who_stands(struct fore_trails *t, uint64_t at)
{
    for (size_t i = 0; i < STANDING; i++)
        if (t->standing[i].at == at && !t->standing[i].process.home->busy)
            return &t->standing[i];
    return NULL;
}

static bool take_standing(struct fore_trails *t, uint64_t at, struct fore_process *p)
{
    struct standing *s = who_stands(t, at);
    if (!s)
        return false;
    *p = s->process;
    s->at = 0;
    if (fore_home_return(p))
        return true;
    fore_process_end(p);
    return false;
}

/* Until when a process may stay where it is. A search that came back to a place will do so
 * again, and every search comes from near the start. */
static uint64_t stands_until(const struct standing *s)
{
    enum { LONGER = 4 * STANDING, NEAR = 3, FOR_EVER = 1 << 30 };
    if (!s->proven)
        return s->used;
    return s->used + (s->process.steps <= NEAR ? FOR_EVER : LONGER);
}

/* Is the place of `a` taken before that of `b` when room is needed? */
static bool goes_before(const struct standing *a, const struct standing *b)
{
    if (!a->at || !b->at)
        return !a->at && b->at;
    return stands_until(a) < stands_until(b);
}

/* Leaves the process where it is. */
static void leave_standing(struct fore_trails *t, uint64_t at, struct fore_process *p,
                           bool proven)
{
    struct standing *to = &t->standing[0];
    for (size_t i = 0; i < STANDING; i++)
        if (goes_before(&t->standing[i], to))
            to = &t->standing[i];
    if (to->at)
        fore_process_end(&to->process);
    to->at = 0;
    if (fore_home_park(p))
        *to = (struct standing){*p, at, ++t->clock, proven};
    else
        fore_process_end(p);
}

/* A process that stands at a place stays there, and its copy is taken instead; if it cannot be
 * copied, it is taken itself. False: it was lost. */
static bool take_copy(struct fore_trails *t, uint64_t at, bool proven,
                      struct fore_process *p)
{
    struct fore_process copy;
    const char *why = NULL;
    if (t->command.no_copies || (!t->counts.copies && t->refused >= REFUSALS))
        return true;
    uint64_t began = fore_now_ns();
    pthread_mutex_unlock(&t->lock);
    enum fore_copy_result r = fore_process_copy(p, &t->command, &copy, &why);
    pthread_mutex_lock(&t->lock);
    t->copying.ns += fore_now_ns() - began;
    t->copying.n++;
    if (why) {
        t->refused++;
        t->counts.no_copy = t->counts.no_copy ? t->counts.no_copy : why;
    }
    if (r == FORE_COPY_REFUSED)
        return true;
    if (r == FORE_COPY_LOST) {
        fore_process_end(p);
        return false;
    }
    t->counts.copies++;
    copy.home->users++;
    leave_standing(t, at, p, proven);
    *p = copy;
    if (fore_home_return(p))
        return true;
    fore_process_end(p);
    return false;
}

/* Does one step with a process that stands where it begins. */
static void do_step(struct fore_trails *t, struct fore_process *p,
                    const struct fore_node_step *s, struct fore_rest *r)
{
    struct fore_err e = {0};
    const char *debugger = t->debugger;
    t->debugger = NULL;
    pthread_mutex_unlock(&t->lock);
    if (debugger)
        fore_process_attach(p, debugger);
    if (s->in.kind == FORE_INPUT_TIMER)
        fore_process_wake(p, s->in.when);
    if (s->in.kind == FORE_INPUT_CRASH &&
        fore_process_restart(p, &t->command, &e) != FORE_OK) {
        *r = (struct fore_rest){.out = FORE_STRBUF_INIT,
                                .err = FORE_STRBUF_INIT,
                                .timer = FORE_NODE_NEVER,
                                .why = FORE_STRBUF_INIT};
        fore_strbuf_puts(&r->why, e.msg);
    } else {
        fore_process_feed(p, &t->command,
                          s->in.kind == FORE_INPUT_LINE ? s->in.line : NULL, r);
    }
    pthread_mutex_lock(&t->lock);
    t->counts.steps++;
    p->steps++;
}

/* Asks a process that has taken a step for its state. */
static void ask_state(struct fore_trails *t, struct fore_process *p,
                      struct fore_node_step *s, struct fore_rest *step)
{
    struct fore_rest r;
    pthread_mutex_unlock(&t->lock);
    fore_process_feed(p, &t->command, s->in.question, &r);
    pthread_mutex_lock(&t->lock);
    s->to = state_hash(s->in.question, &r);
    fore_strbuf_add(&step->why, r.why.at, r.why.n);
    fore_strbuf_add(&step->err, r.err.at, r.err.n);
    fore_rest_release(&r);
}

/* The steps from the start to a place, in order. */
struct way {
    FORE_VEC(const struct fore_node_step *) v;
};

static void find_way(const struct fore_trails *t, uint64_t to, struct way *w)
{
    for (uint64_t *i; (i = fore_map_get(&t->by_place, to));) {
        const struct fore_node_step *s = t->steps.at[*i - 1];
        fore_vec_push(&w->v, s);
        to = s->from;
    }
    for (size_t i = 0, k = w->v.n; i + 1 < k; i++) {
        const struct fore_node_step *s = w->v.at[i];
        w->v.at[i] = w->v.at[--k];
        w->v.at[k] = s;
    }
}

/* Is copying a process quicker than leading a new one? A program that starts quickly, and has
 * few messages to repeat, is faster than its copy. */
static bool do_copies_pay(const struct fore_trails *t)
{
    enum { ENOUGH = 8 };
    return t->leading.n < ENOUGH || t->copying.n < ENOUGH ||
           (double)t->copying.ns / (double)t->copying.n <
               (double)t->leading.ns / (double)t->leading.n;
}

/* Takes the process that is nearest to the end of the way, or a new one; returns where on the
 * way it is. */
static size_t begin_on_way(struct fore_trails *t, const struct way *w, uint64_t to,
                           struct fore_process *p, struct fore_strbuf *why)
{
    struct fore_err e = {0};
    bool anew = t->led++ % RESTARTED == 0;
    for (size_t i = w->v.n; !anew && t->counts.copies && i-- > 0;) {
        if (!take_standing(t, w->v.at[i]->from, p))
            continue;
        if (!do_copies_pay(t) || take_copy(t, w->v.at[i]->from, true, p))
            return i;
        break;
    }
    t->counts.processes++;
    uint64_t start = w->v.n ? w->v.at[0]->from : to; /* each node has its own */
    if (fore_process_start(p, &t->command, fore_hash_mix(t->command.seed, start), &e) !=
        FORE_OK)
        fore_strbuf_puts(why, e.msg);
    return 0;
}

/* Leads a process to a place. Not "": what went wrong. */
static void lead_to(struct fore_trails *t, uint64_t to, struct fore_process *p,
                    struct fore_strbuf *why)
{
    struct way w = {0};
    uint64_t began = fore_now_ns(), processes = t->counts.processes;
    find_way(t, to, &w);
    for (size_t i = begin_on_way(t, &w, to, p, why); !why->n && i < w.v.n; i++) {
        struct fore_rest r;
        do_step(t, p, w.v.at[i], &r);
        t->counts.again++;
        if (strcmp(r.out.at, w.v.at[i]->out) != 0 ||
            strcmp(r.why.at, w.v.at[i]->why) != 0)
            fore_strbuf_printf(why,
                               "is not deterministic: after the same messages it said\n%s"
                               "and before it had said\n%s",
                               r.out.n ? r.out.at : "nothing\n",
                               w.v.at[i]->out[0] ? w.v.at[i]->out : "nothing\n");
        fore_rest_release(&r);
    }
    if (t->counts.processes > processes && w.v.n) {
        t->leading.ns += fore_now_ns() - began;
        t->leading.n++;
    }
    fore_vec_release(&w.v);
}

/* Should a process stay at this place, and its copy go on? It should if a search has come back
 * here, or asks a question aside; otherwise if leading new processes to the share of places to
 * which searches come back takes longer than leaving copies everywhere. */
static bool is_worth_a_copy(struct fore_trails *t, uint64_t place, bool aside, bool *back)
{
    bool fresh;
    fore_map_put(&t->left, place, &fresh);
    *back = !fresh;
    t->taken++;
    t->back += *back;
    if (!do_copies_pay(t))
        return false;
    if (*back || aside)
        return true;
    return t->leading.n && t->copying.n &&
           (double)t->leading.ns / (double)t->leading.n * (double)t->back >
               (double)t->copying.ns / (double)t->copying.n * (double)t->taken;
}

static const char *keep_text(struct fore_trails *t, const struct fore_strbuf *s)
{
    return fore_arena_strndup(&t->arena, s->at, s->n);
}

/* What others did. */

static void share_step(struct fore_trails *t, uint64_t key,
                       const struct fore_node_step *s)
{
    struct fore_strbuf r = FORE_STRBUF_INIT;
    const char *const texts[] = {s->in.line ? s->in.line : "", s->out, s->err, s->why};
    const uint64_t numbers[] = {key,
                                s->from,
                                s->to,
                                (uint64_t)s->in.kind,
                                (uint64_t)s->in.when,
                                (uint64_t)s->timer};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fore_log_put_number(&r, numbers[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        fore_log_put_text(&r, texts[i], strlen(texts[i]));
    fore_log_add(&t->log, &r);
    fore_strbuf_release(&r);
}

static const struct fore_node_step *remember_step(struct fore_trails *t, uint64_t key,
                                                  const struct fore_node_step *s);

static const char *take_text(struct fore_trails *t, struct fore_log_record *r)
{
    size_t n;
    const char *s = fore_log_get_text(r, &n);
    return fore_arena_strndup(&t->arena, s, n);
}

static void take_shared(struct fore_log_record r, void *user)
{
    struct fore_trails *t = user;
    struct fore_node_step s = {0};
    uint64_t key = fore_log_get_number(&r);
    if (fore_map_get(&t->by_input, key))
        return;
    s.from = fore_log_get_number(&r);
    s.to = fore_log_get_number(&r);
    s.in.kind = (enum fore_node_input)fore_log_get_number(&r);
    s.in.when = (int64_t)fore_log_get_number(&r);
    s.timer = (int64_t)fore_log_get_number(&r);
    s.in.line = take_text(t, &r);
    s.out = take_text(t, &r);
    s.err = take_text(t, &r);
    s.why = take_text(t, &r);
    remember_step(t, key, &s);
}

enum fore_status fore_trails_share(struct fore_trails *t, const char *path,
                                   struct fore_err *e)
{
    return fore_log_open(&t->log, path, e);
}

/* Is there a way to this place? Another process may have found it. */
static bool is_known(struct fore_trails *t, uint64_t place)
{
    if (!fore_map_get(&t->starts, place) && !fore_map_get(&t->by_place, place))
        fore_log_read(&t->log, take_shared, t);
    return fore_map_get(&t->starts, place) || fore_map_get(&t->by_place, place);
}

static const struct fore_node_step *remember_step(struct fore_trails *t, uint64_t key,
                                                  const struct fore_node_step *s)
{
    bool fresh;
    uint64_t *id = fore_map_put(&t->by_input, key, &fresh);
    if (!fresh) /* another thread has done the same */
        return t->steps.at[*id - 1];
    struct fore_node_step *kept = FORE_NEW(&t->arena, struct fore_node_step);
    *kept = *s;
    fore_vec_push(&t->steps, kept);
    *id = t->steps.n;
    id = fore_map_put(&t->by_place, kept->to, &fresh);
    if (fresh) /* the first way is one that leads from earlier places to later ones */
        *id = t->steps.n;
    return kept;
}

static const struct fore_node_step *take_step(struct fore_trails *t, uint64_t key,
                                              struct fore_node_step s)
{
    struct fore_process p;
    struct fore_strbuf why = FORE_STRBUF_INIT;
    bool back, stands = take_standing(t, s.from, &p),
               known = stands || is_known(t, s.from);
    if (!known)
        fore_strbuf_puts(&why,
                         "is in a state that only a process on another machine knows: "
                         "explore nodes with the processes of one");
    else if (!stands)
        lead_to(t, s.from, &p, &why);
    if (known && !why.n && is_worth_a_copy(t, s.from, s.in.aside, &back) &&
        !take_copy(t, s.from, back, &p))
        lead_to(t, s.from, &p, &why); /* once more, and itself */
    struct fore_rest r = {.out = FORE_STRBUF_INIT,
                          .err = FORE_STRBUF_INIT,
                          .timer = FORE_NODE_NEVER,
                          .why = FORE_STRBUF_INIT};
    s.to = key;
    if (!why.n)
        do_step(t, &p, &s, &r);
    if (!why.n && !r.why.n && s.in.question)
        ask_state(t, &p, &s, &r);
    s.out = keep_text(t, &r.out);
    s.err = keep_text(t, &r.err);
    s.why = keep_text(t, why.n ? &why : &r.why);
    s.timer = r.timer;
    s.in.line = s.in.line ? fore_arena_strdup(&t->arena, s.in.line) : NULL;
    s.in.question = NULL; /* it was asked */
    if ((s.why[0] || s.in.aside) && known)
        fore_process_end(&p);
    else if (known)
        leave_standing(t, s.to, &p, false);
    fore_rest_release(&r);
    fore_strbuf_release(&why);
    share_step(t, key, &s);
    return remember_step(t, key, &s);
}

const struct fore_node_step *fore_trail_step(struct fore_trails *t, uint64_t from,
                                             const struct fore_trail_input *in)
{
    uint64_t key = input_hash(from, in);
    pthread_mutex_lock(&t->lock);
    uint64_t *known = fore_map_get(&t->by_input, key);
    const struct fore_node_step *s =
        known ? t->steps.at[*known - 1]
              : take_step(t, key, (struct fore_node_step){.from = from, .in = *in});
    pthread_mutex_unlock(&t->lock);
    return s;
}
