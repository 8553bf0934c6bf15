#include "explore/program/search.h"

#include "base/hash.h"
#include "base/option.h"
#include "capture/control/schedule.h"
#include "explore/program/frontier.h"
#include "explore/program/shorten.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const fore_search_names[FORE_SEARCH_STRATEGIES] = {"guided", "random", "pct",
                                                               "pos", "delay"};

/* One program that runs, and what it runs on. */
struct program_worker {
    struct fore_rerun target;
    bool busy;
    enum fore_search_strategy strategy;
    uint64_t run;
    struct fore_strbuf schedule;
};

struct search_state {
    struct fore_search *s;
    struct program_worker *workers;
    struct fore_tries tries;
    struct fore_map classes;      /* that came */
    struct fore_map failed;       /* hash of a failure -> its place in the list + 1 */
    uint64_t started, guided_out; /* guided runs that go on */
    unsigned turn;
    bool timed; /* some run slept, or waited for a time */
    bool whole; /* every guided run could be looked at as a whole */
    bool first; /* the first run of guided was started */
};

/* ---- the next schedule ---- */

static bool is_guided_done(const struct search_state *st)
{
    return st->first && !st->tries.heap.n;
}

/* Every class came, so nobody can find anything more; unless time decides something, whose choices
 * guided takes only as they come. */
static bool is_all_done(const struct search_state *st)
{
    return is_guided_done(st) && !st->guided_out && st->whole && !st->timed;
}

/* The strategy whose turn it is; -1 if none has anything to do now. */
static int next_strategy(struct search_state *st)
{
    if (st->s->uses[FORE_SEARCH_GUIDED] && is_all_done(st))
        return -1;
    for (unsigned i = 0; i < FORE_SEARCH_STRATEGIES; i++) {
        unsigned k = st->turn++ % FORE_SEARCH_STRATEGIES;
        if (st->s->uses[k] && !(k == FORE_SEARCH_GUIDED && is_guided_done(st)))
            return (int)k;
    }
    return -1;
}

static void put_schedule(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    unsigned long long seed = s->seed * 1000003 + w->run,
                       length = s->longest ? s->longest : 100;
    fore_strbuf_clear(&w->schedule);
    fore_strbuf_printf(&w->schedule, "%s\n%s", FORE_SCHEDULE_FIRST_LINE, s->options);
    switch (w->strategy) {
    case FORE_SEARCH_PCT:
    case FORE_SEARCH_DELAY:
        fore_strbuf_printf(&w->schedule, "then %s %u %llu %llu\n",
                           fore_search_names[w->strategy], s->depth, seed, length);
        return;
    case FORE_SEARCH_RANDOM:
    case FORE_SEARCH_POS:
        fore_strbuf_printf(&w->schedule, "then %s %llu\n", fore_search_names[w->strategy],
                           seed);
        return;
    default:
        break;
    }
    char *next = st->first ? fore_tries_take(&st->tries) : NULL;
    st->first = true;
    if (next)
        fore_strbuf_puts(&w->schedule, next);
    fore_strbuf_puts(&w->schedule, "then free\n");
    fore_free(next);
}

/* False if there is nothing to start now. */
static bool start_next(struct search_state *st, struct program_worker *w,
                       struct fore_err *e)
{
    struct fore_search *s = st->s;
    if (s->runs && st->started >= s->runs)
        return false;
    int k = next_strategy(st);
    if (k < 0)
        return false;
    w->strategy = (enum fore_search_strategy)k;
    w->run = ++st->started;
    put_schedule(st, w);
    if (fore_rerun_begin(&w->target, w->schedule.at, e) != FORE_OK)
        return false;
    st->guided_out += w->strategy == FORE_SEARCH_GUIDED;
    w->busy = true;
    return true;
}

/* ---- a run is over ---- */

/* The failure if it is the first of its kind. */
static struct fore_search_failure *new_failure(struct search_state *st,
                                               const struct program_worker *w,
                                               const struct fore_failure *what)
{
    struct fore_search *s = st->s;
    bool fresh;
    if (s->only && !fore_list_has(s->only, what->rule))
        return NULL;
    uint64_t *place = fore_map_put(&st->failed, what->hash, &fresh);
    if (!fresh) {
        s->failures.at[*place - 1]->count++;
        return NULL;
    }
    struct fore_search_failure *f = fore_calloc(1, sizeof *f);
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_strbuf_printf(&text, "%s\n%s", FORE_SCHEDULE_FIRST_LINE, s->options);
    f->switches = f->before = fore_reversal_schedule(&w->target, UINT64_MAX, &text);
    fore_strbuf_puts(&text, "then free\n");
    f->schedule = fore_strbuf_detach(&text);
    f->what = (struct fore_failure){
        .rule = what->rule, .message = FORE_STRBUF_INIT, .hash = what->hash};
    fore_strbuf_puts(&f->what.message, what->message.at);
    f->run = w->run;
    f->count = 1;
    f->strategy = fore_search_names[w->strategy];
    fore_vec_push(&s->failures, f);
    *place = s->failures.n;
    return f;
}

static void add_failure(struct search_state *st, struct program_worker *w)
{
    struct fore_failure what = FORE_FAILURE_INIT;
    fore_failure_of(&w->target, &what);
    struct fore_search_failure *f = what.rule ? new_failure(st, w, &what) : NULL;
    if (f)
        f->finding =
            fore_failure_finding(&w->target, &what, FORE_VERDICT_CONFIRMED, &st->s->kept);
    fore_failure_release(&what);
}

static void add_race(struct search_state *st, struct program_worker *w,
                     const struct fore_outcome_race *r)
{
    struct fore_failure what = FORE_FAILURE_INIT;
    const struct fore_outcome *o = w->target.outcome;
    if (r->thread[0] >= FORE_OUTCOME_THREADS || r->thread[1] >= FORE_OUTCOME_THREADS)
        return;
    fore_failure_of_race(o, r, &what);
    struct fore_search_failure *f = new_failure(st, w, &what);
    if (f)
        f->finding = fore_failure_race_finding(o, r, &what, &st->s->kept);
    fore_failure_release(&what);
}

/* What the analyses see in a run of a new class. */
static void look_at(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    struct fore_findings found;
    struct fore_wishes more = {0};
    size_t from = s->kept.list.n;
    if (!s->look)
        return;
    fore_findings_init(&found);
    s->look(s->ctx, &w->target, &found, &more);
    fore_findings_join(&s->kept, &found);
    fore_findings_release(&found);
    for (size_t i = from; i < s->kept.list.n; i++) {
        struct fore_finding *x = s->kept.list.at[i];
        struct fore_failure what = FORE_FAILURE_INIT;
        what.rule = x->rule->name;
        what.hash = x->id;
        fore_strbuf_puts(&what.message, x->message);
        struct fore_search_failure *f = new_failure(st, w, &what);
        if (f)
            f->finding = x;
        fore_failure_release(&what);
    }
    for (size_t i = 0; i < more.v.n; i++)
        fore_tries_wish(&st->tries, more.v.at[i]);
    fore_vec_release(&more.v);
}

static void guide(struct search_state *st, struct program_worker *w)
{
    struct fore_beginnings b = {0};
    bool whole;
    fore_reversals(&w->target, &b, &whole);
    st->whole &= whole;
    fore_tries_add(&st->tries, &b);
    fore_beginnings_release(&b);
}

static bool has_time(const struct fore_rerun *p)
{
    const struct fore_outcome_step *s = fore_rerun_steps(p);
    for (uint64_t i = 0; i < p->outcome->logged; i++)
        if (s[i].kind == FORE_OP_sleep || s[i].flags & FORE_OUTCOME_TIMEOUT)
            return true;
    return false;
}

static void finish_worker(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    const struct fore_outcome *o = w->target.outcome;
    bool fresh;
    w->busy = false;
    st->guided_out -= w->strategy == FORE_SEARCH_GUIDED;
    s->done++;
    s->by_strategy[w->strategy]++;
    s->timeouts += w->target.timed_out && !s->bound; /* else it was stopped */
    if (o->end == FORE_OUTCOME_SPINS && !s->spins++)
        snprintf(s->spins_at, sizeof s->spins_at, "%.90s:%u", o->file, o->line);
    s->departed += o->deviated;
    s->uncontrolled += o->uncontrolled != 0;
    s->longest = o->choices > s->longest ? o->choices : s->longest;
    fore_map_put(&st->classes, fore_reversal_class(&w->target), &fresh);
    s->classes += fresh;
    add_failure(st, w);
    for (uint32_t i = 0; i < o->races && i < FORE_OUTCOME_RACES; i++)
        add_race(st, w, &o->race[i]);
    if (w->target.timed_out || o->uncontrolled || o->end == FORE_OUTCOME_SPINS)
        st->whole = false;
    st->timed |= fresh && has_time(&w->target);
    if (fresh)
        look_at(st, w);
    if (fresh && s->uses[FORE_SEARCH_GUIDED])
        guide(st, w);
    s->progress->found = s->failures.n;
    fore_progress_step(s->progress, s->done, s->runs);
}

/* ---- all of them ---- */

static bool is_enough(struct search_state *st)
{
    struct fore_search *s = st->s;
    return (s->failures.n && !s->keep_going) ||
           (s->bound = fore_budget_spent(s->budget)) != NULL;
}

static enum fore_status run_all(struct search_state *st, struct fore_err *e)
{
    struct fore_search *s = st->s;
    for (;;) {
        unsigned busy = 0;
        for (unsigned i = 0; i < s->jobs; i++) {
            struct program_worker *w = &st->workers[i];
            if (w->busy && fore_rerun_look(&w->target, s->jobs > 1 ? 0 : 100))
                finish_worker(st, w);
            if (!w->busy && !is_enough(st))
                start_next(st, w, e);
            if (e->status != FORE_OK)
                return e->status;
            busy += w->busy;
        }
        if (!busy)
            return FORE_OK;
        s->budget->polls |= 255; /* runs are long: the clock is looked at each time */
        if (s->bound || (is_enough(st) && s->bound)) {
            for (unsigned i = 0; i < s->jobs; i++)
                if (st->workers[i].busy)
                    st->workers[i].target.until = 0;
        }
        if (s->jobs > 1) {
            struct pollfd files[64];
            nfds_t n = 0;
            for (unsigned i = 0; i < s->jobs && n < 64; i++)
                if (st->workers[i].busy && st->workers[i].target.serves)
                    files[n++] = (struct pollfd){st->workers[i].target.from, POLLIN, 0};
            poll(files, n, n ? 100 : 1);
        }
    }
}

static enum fore_status open_workers(struct search_state *st, struct fore_err *e)
{
    struct fore_search *s = st->s;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    st->workers = fore_calloc(s->jobs, sizeof *st->workers);
    for (unsigned i = 0; i < s->jobs; i++) {
        struct program_worker *w = &st->workers[i];
        struct fore_rerun_how how = s->how;
        w->schedule = (struct fore_strbuf)FORE_STRBUF_INIT;
        how.cpu = s->jobs > 1 && cpus > 0 ? (int)(i % (unsigned long)cpus) : -1;
        FORE_TRY(fore_rerun_open(&w->target, &how, e));
    }
    return FORE_OK;
}

static void close_workers(struct search_state *st)
{
    for (unsigned i = 0; i < st->s->jobs; i++) {
        if (st->workers[i].target.folder[0])
            fore_rerun_close(&st->workers[i].target);
        fore_strbuf_release(&st->workers[i].schedule);
    }
    fore_free(st->workers);
}

static enum fore_status shorten_all(struct search_state *st, struct fore_err *e)
{
    struct fore_search *s = st->s;
    for (size_t i = 0; s->minimises && i < s->failures.n; i++)
        FORE_TRY(fore_shorten(&st->workers[0].target, s->failures.at[i], s->options,
                              s->budget, e));
    return FORE_OK;
}

enum fore_status fore_search_run(struct fore_search *s, struct fore_err *e)
{
    struct search_state st = {.s = s, .whole = true};
    uint64_t began = fore_now_ns();
    s->jobs = s->jobs ? s->jobs : 1;
    fore_findings_init(&s->kept);
    enum fore_status status = open_workers(&st, e);
    if (status == FORE_OK)
        status = run_all(&st, e);
    s->seconds = (double)(fore_now_ns() - began) / 1e9;
    if (status == FORE_OK && s->done && !fore_rerun_took(&st.workers[0].target) &&
        !s->failures.n)
        status = fore_fail(e, FORE_CHILD,
                           "%s did not take a schedule: it must be built with this "
                           "version's 'foresee cc', or start a program that is",
                           s->how.argv[0]);
    bool done = s->uses[FORE_SEARCH_GUIDED] && is_guided_done(&st) && st.whole &&
                !s->bound && !(s->failures.n && !s->keep_going);
    s->complete = done && !st.timed;
    s->sampled = done && st.timed;
    if (!s->complete && !s->bound && s->runs && s->done >= s->runs)
        s->bound = "runs";
    if (status == FORE_OK)
        status = shorten_all(&st, e);
    close_workers(&st);
    fore_tries_release(&st.tries);
    fore_map_release(&st.classes);
    fore_map_release(&st.failed);
    return status;
}

void fore_search_release(struct fore_search *s)
{
    for (size_t i = 0; i < s->failures.n; i++) {
        struct fore_search_failure *f = s->failures.at[i];
        fore_failure_release(&f->what);
        fore_free(f->schedule);
        fore_free(f);
    }
    fore_vec_release(&s->failures);
    fore_findings_release(&s->kept);
}
