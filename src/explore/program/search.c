#include "explore/program/search.h"

#include "base/hash.h"
#include "base/option.h"
#include "capture/control/schedule.h"
#include "explore/program/journal.h"
#include "explore/program/search_ranks.h"
#include "explore/program/shorten.h"
#include "explore/transport.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const fore_search_names[FORE_SEARCH_STRATEGIES] = {"guided", "random", "pct",
                                                               "pos", "delay"};

/* Guided search has more to try at the beginning than strategies that choose at random. */
const enum fore_search_strategy fore_search_turns[FORE_SEARCH_TURNS] = {
    FORE_SEARCH_GUIDED, FORE_SEARCH_RANDOM, FORE_SEARCH_GUIDED,
    FORE_SEARCH_POS,    FORE_SEARCH_PCT,    FORE_SEARCH_DELAY};

/* Was it the last one? */
bool fore_search_is_enough(struct search_state *st)
{
    struct fore_search *s = st->s;
    return fore_search_ranks_ended(st) || (s->failures.n && !s->keep_going) ||
           (s->bound = fore_budget_spent(s->budget)) != FORE_SPENT_NOTHING;
}

/* ---- the next schedule ---- */

static bool is_guided_done(const struct search_state *st)
{
    return st->first && !st->tries.heap.n;
}

/* Has every class of runs come, so that nothing more can be found? Not if time decides
 * something, because guided does not control those choices. */
static bool is_all_done(const struct search_state *st)
{
    if (st->ranks) /* messages find out whether other ranks have something left */
        return false;
    return is_guided_done(st) && !st->guided_out && st->whole && !st->timed;
}

/* The strategy whose turn it is; -1 if none has anything to do at present. */
static int next_strategy(struct search_state *st)
{
    if (st->s->uses[FORE_SEARCH_GUIDED] && is_all_done(st))
        return -1;
    for (unsigned i = 0; i < FORE_SEARCH_TURNS; i++) {
        enum fore_search_strategy k = fore_search_turns[st->turn++ % FORE_SEARCH_TURNS];
        if (st->s->uses[k] && !(k == FORE_SEARCH_GUIDED && is_guided_done(st)))
            return (int)k;
    }
    return -1;
}

/* A beginning of guided has its own seed: that of the run in which it was found. */
void fore_search_put_seeds(const struct program_worker *w, struct fore_strbuf *out)
{
    const struct fore_host *host = w->target.host;
    if (host && host->seeded)
        fore_strbuf_printf(out, "seed %llu\n", (unsigned long long)w->seed);
    if (w->suspect)
        fore_strbuf_printf(out, "starts %llu\n", (unsigned long long)w->suspect->seed);
}

static void put_guided(struct search_state *st, struct program_worker *w)
{
    w->seed = st->s->seed;
    w->now = (struct fore_try){0};
    if (st->first && fore_tries_take(&st->tries, &w->now))
        w->seed = w->now.seed;
    st->first = true;
    fore_search_put_seeds(w, &w->schedule);
    if (w->now.schedule)
        fore_strbuf_puts(&w->schedule, w->now.schedule);
    fore_strbuf_puts(&w->schedule, "then free\n");
}

static void put_schedule(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    unsigned long long seed = s->seed * 1000003 + w->run,
                       length = s->longest ? s->longest : 100;
    fore_strbuf_clear(&w->schedule);
    fore_strbuf_printf(&w->schedule, "%s\n%s", FORE_SCHEDULE_FIRST_LINE, s->options);
    if (w->strategy == FORE_SEARCH_GUIDED) {
        put_guided(st, w);
        return;
    }
    w->seed = seed;
    fore_search_put_seeds(w, &w->schedule);
    if (w->strategy == FORE_SEARCH_PCT || w->strategy == FORE_SEARCH_DELAY)
        fore_strbuf_printf(&w->schedule, "then %s %u %llu %llu\n",
                           fore_search_names[w->strategy], s->depth, seed, length);
    else
        fore_strbuf_printf(&w->schedule, "then %s %llu\n", fore_search_names[w->strategy],
                           seed);
}

/* Starts the next run; false if there is nothing to start now. */
static bool start_next(struct search_state *st, struct program_worker *w,
                       struct fore_err *e)
{
    struct fore_search *s = st->s;
    if (s->runs && fore_search_ranks_run(st) - st->before > s->runs)
        return false;
    int k = next_strategy(st);
    if (k < 0)
        return false;
    w->strategy = (enum fore_search_strategy)k;
    w->run = fore_search_ranks_run(st);
    st->started++;
    put_schedule(st, w);
    if (fore_rerun_begin(&w->target, w->schedule.at, e) != FORE_OK)
        return false;
    st->guided_out += w->strategy == FORE_SEARCH_GUIDED;
    w->busy = true;
    return true;
}

/* ---- a run is over ---- */

/* A beginning whose run was stopped is still to be tried. */
static void put_back_or_forget(struct search_state *st, struct program_worker *w)
{
    bool stopped = w->target.timed_out && st->s->bound;
    if (stopped && w->now.schedule)
        fore_tries_put(&st->tries, w->now);
    else
        fore_free(w->now.schedule);
    if (stopped && w->strategy == FORE_SEARCH_GUIDED && !w->now.schedule)
        st->first = false;
    w->now = (struct fore_try){0};
}

static void finish_worker(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    const struct fore_outcome *o = w->target.outcome;
    w->busy = false;
    if (w->target.timed_out)
        s->bound = fore_budget_spent_now(s->budget);
    st->guided_out -= w->strategy == FORE_SEARCH_GUIDED;
    s->done++;
    s->by_strategy[w->strategy]++;
    s->timeouts += w->target.timed_out && !s->bound; /* else it was stopped */
    if (o->end == FORE_OUTCOME_SPINS && !s->spins++)
        snprintf(s->spins_at, sizeof s->spins_at, "%.90s:%u", o->file, o->line);
    st->took |= fore_rerun_took(&w->target);
    s->departed += o->deviated;
    s->uncontrolled += o->uncontrolled != 0;
    if (!w->target.timed_out &&
        o->end != FORE_OUTCOME_SPINS) /* otherwise it says nothing about the others */
        s->longest = o->choices > s->longest ? o->choices : s->longest;
    if ((w->target.timed_out && !s->bound) || o->uncontrolled ||
        o->end == FORE_OUTCOME_SPINS)
        st->whole = false;
    put_back_or_forget(st, w);
    if (w->target.host && !w->target.host->complete)
        st->whole = false;
    fore_search_judge(st, w);
    s->progress->found = s->failures.n;
    fore_progress_step(s->progress, s->done, s->runs);
}

/* ---- what is left ---- */

static struct fore_journal journal_of(struct search_state *st)
{
    return (struct fore_journal){.search = st->s,
                                 .tries = &st->tries,
                                 .classes = &st->classes,
                                 .started = &st->started,
                                 .timed = &st->timed,
                                 .whole = &st->whole};
}

static enum fore_status save_rest(struct search_state *st, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_journal j = journal_of(st);
    fore_journal_write(&j, &text);
    for (unsigned i = 0; i < st->s->jobs; i++) /* a run may not come to its end */
        if (st->workers[i].busy && st->workers[i].now.schedule)
            fore_journal_try(&st->workers[i].now, &text);
    enum fore_status s = fore_journal_close(&text, st->s->save, e);
    fore_strbuf_release(&text);
    st->saved_ns = fore_now_ns();
    return s;
}

static enum fore_status save_now_and_then(struct search_state *st, struct fore_err *e)
{
    const struct fore_search *s = st->s;
    bool due = s->save && s->save_every > 0 &&
               (double)(fore_now_ns() - st->saved_ns) > s->save_every * 1e9;
    return due && st->classes.n ? save_rest(st, e) : FORE_OK;
}

static enum fore_status go_on(struct search_state *st, struct fore_strbuf *options,
                              struct fore_err *e)
{
    struct fore_journal j = journal_of(st);
    st->saved_ns = fore_now_ns();
    if (!st->s->resume)
        return FORE_OK;
    FORE_TRY(fore_journal_read(&j, st->s->resume, options, e));
    st->before = st->started;
    st->first = st->classes.n || st->tries.heap.n;
    return FORE_OK;
}

/* ---- all of them ---- */

/* When a failure ends the search, a run that is going on is left to end; a series is stopped,
 * because it would not end. */
static void stop_workers(struct search_state *st)
{
    for (unsigned i = 0; i < st->s->jobs; i++) {
        struct program_worker *w = &st->workers[i];
        if (w->busy && w->in_series)
            fore_series_stop(&w->series);
        else if (w->busy && st->s->bound)
            w->target.until = 0;
    }
}

static enum fore_status run_all(struct search_state *st, struct fore_err *e)
{
    struct fore_search *s = st->s;
    int patience = s->jobs > 1 ? 0 : st->ranks ? 10 : 100; /* milliseconds */
    for (;;) {
        unsigned busy = 0;
        for (unsigned i = 0; i < s->jobs; i++) {
            struct program_worker *w = &st->workers[i];
            if (w->busy && s->series)
                fore_search_series_look(st, w, e);
            else if (w->busy && fore_rerun_look(&w->target, patience))
                finish_worker(st, w);
            if (!w->busy && e->status == FORE_OK && !fore_search_is_enough(st)) {
                if (s->series)
                    fore_search_series_start(st, w, e);
                else
                    start_next(st, w, e);
            }
            if (e->status != FORE_OK)
                return e->status;
            busy += w->busy;
        }
        if (fore_search_ranks_talk(st, busy))
            return FORE_OK;
        FORE_TRY(save_now_and_then(st, e));
        s->budget->polls |= 255; /* runs are long, so the clock is looked at each time */
        if (fore_search_is_enough(st))
            stop_workers(st);
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
        w->next = i + 1 + (s->transport ? s->transport->rank * s->jobs : 0);
        how.argv = s->series;
        if (s->series)
            FORE_TRY(fore_series_open(&w->series, &how, e));
    }
    return FORE_OK;
}

static void close_workers(struct search_state *st)
{
    for (unsigned i = 0; i < st->s->jobs; i++) {
        if (st->workers[i].target.folder[0])
            fore_rerun_close(&st->workers[i].target);
        fore_series_close(&st->workers[i].series);
        fore_strbuf_release(&st->workers[i].schedule);
        fore_free(st->workers[i].now.schedule);
    }
    fore_free(st->workers);
}

static enum fore_status shorten_all(struct search_state *st, struct fore_err *e)
{
    struct fore_search *s = st->s;
    bool reports = !s->transport || !s->transport->rank;
    for (size_t i = 0; reports && s->minimises && i < s->failures.n; i++)
        if (!s->failures.at[i]->asked)
            FORE_TRY(fore_shorten(&st->workers[0].target, s->failures.at[i], s, e));
    return FORE_OK;
}

enum fore_status fore_search_run(struct fore_search *s, struct fore_err *e)
{
    struct search_state st = {.s = s, .whole = true, .strategies = FORE_STRBUF_INIT};
    struct fore_strbuf options =
        FORE_STRBUF_INIT; /* of the search that this one continues */
    uint64_t began = fore_now_ns();
    /* otherwise the ranks are the workers */
    s->jobs = s->jobs && !s->transport ? s->jobs : 1;
    s->left_first = (struct fore_strbuf)FORE_STRBUF_INIT;
    fore_search_series_prepare(&st);
    fore_findings_init(&s->kept);
    fore_search_ranks_join(&st);
    enum fore_status status = go_on(&st, &options, e);
    if (status == FORE_OK)
        status = open_workers(&st, e);
    if (status == FORE_OK)
        status = run_all(&st, e);
    status = fore_search_ranks_gather(&st, status, e);
    s->seconds = (double)(fore_now_ns() - began) / 1e9;
    if (st.unread && !s->bound)
        s->bound = FORE_SPENT_TIME;
    if (status == FORE_OK && s->done && !s->series && !st.took)
        status =
            fore_fail(e, FORE_CHILD,
                      "%s never read its schedule: it must be built with this version's "
                      "'foresee cc' or 'foresee go', or start a program that is",
                      s->how.argv[0]);
    bool done = s->uses[FORE_SEARCH_GUIDED] && is_guided_done(&st) && st.whole &&
                (!st.ranks || st.nothing_left) && !s->bound &&
                !(s->failures.n && !s->keep_going);
    s->complete = done && !st.timed;
    s->sampled = done && st.timed;
    if (!s->complete && !s->bound && s->runs && s->done >= s->runs)
        s->bound = FORE_SPENT_RUNS;
    if (status == FORE_OK)
        status = shorten_all(&st, e);
    if (status == FORE_OK && s->save)
        status = save_rest(&st, e);
    if (st.workers)
        close_workers(&st);
    fore_search_ranks_leave(&st);
    fore_strbuf_release(&options);
    fore_tries_release(&st.tries);
    fore_map_release(&st.classes);
    fore_map_release(&st.failed);
    fore_strbuf_release(&st.strategies);
    return status;
}

void fore_search_release(struct fore_search *s)
{
    for (size_t i = 0; i < s->failures.n; i++) {
        struct fore_search_failure *f = s->failures.at[i];
        fore_failure_release(&f->what);
        fore_free(f->schedule);
        fore_free(f->seeds);
        fore_free(f);
    }
    fore_vec_release(&s->failures);
    fore_strbuf_release(&s->left_first);
    fore_findings_release(&s->kept);
}
