/* The search with many runs in one process. */
#include "explore/program/search_state.h"

#include "capture/control/schedule.h"
#include "explore/transport.h"

#include <string.h>

/* The strategy of each run is decided in the process. */
void fore_search_series_prepare(struct search_state *st)
{
    const struct fore_search *s = st->s;
    for (unsigned i = 0; i < FORE_SEARCH_TURNS; i++) {
        enum fore_search_strategy k = fore_search_turns[i];
        if (k == FORE_SEARCH_GUIDED || !s->uses[k])
            continue;
        fore_strbuf_printf(&st->strategies, "then %s ", fore_search_names[k]);
        if (k == FORE_SEARCH_PCT || k == FORE_SEARCH_DELAY)
            fore_strbuf_printf(&st->strategies, "%u ", s->depth);
        fore_strbuf_puts(&st->strategies, "0\n");
    }
}

/* The distance from one run of a process to its next: all workers of all ranks have one between. */
static uint64_t series_step(const struct fore_search *s)
{
    return (uint64_t)s->jobs * (s->transport ? s->transport->ranks : 1);
}

void fore_search_series_start(struct search_state *st, struct program_worker *w,
                              struct fore_err *e)
{
    struct fore_search *s = st->s;
    uint64_t step = series_step(s);
    struct fore_series_plan plan = {.first = w->next,
                                    .step = step,
                                    .last = s->runs ? s->runs : UINT64_MAX - step,
                                    .seed = s->seed,
                                    .options = s->options,
                                    .strategies = st->strategies.at};
    if (plan.first > plan.last || fore_series_begin(&w->series, &plan, e) != FORE_OK)
        return;
    s->processes++;
    w->busy = w->in_series = true;
}

static void count_run(void *ctx, uint64_t class)
{
    struct search_state *st = ctx;
    struct fore_search *s = st->s;
    bool fresh;
    fore_map_put(&st->classes, class, &fresh);
    s->classes += fresh;
    s->done++;
    fore_progress_step(s->progress, s->done, s->runs);
}

static enum fore_search_strategy strategy_called(const char *name)
{
    unsigned k = 0;
    while (k + 1 < FORE_SEARCH_STRATEGIES && strcmp(fore_search_names[k], name) != 0)
        k++;
    return (enum fore_search_strategy)k;
}

/* A process has ended with a run that failed or left something behind. The same run in a process
 * of its own shows whether that run itself was the cause. Things that are initialised at their
 * first use make other choices there; so other seeds are tried, too, every other time at random. */
static void repeat_alone(struct search_state *st, struct program_worker *w,
                         unsigned attempt, struct fore_err *e)
{
    struct fore_search *s = st->s;
    const struct fore_outcome_runs *told = fore_series_told(&w->series);
    static const char *const names[] = {
#define X(name, depth) #name,
        FORE_STRATEGIES(X)
#undef X
    };
    unsigned kind = attempt % 2                            ? FORE_STRATEGY_random
                    : told->strategy < FORE_STRATEGY_KINDS ? told->strategy
                                                           : FORE_STRATEGY_free;
    bool deep = kind == told->strategy && told->depth;
    const char *name = names[kind];
    unsigned long long seed = told->seed + attempt * 7919ull;
    w->attempt = attempt;
    w->suspect = told;
    w->run = told->run;
    w->seed = s->seed;
    w->strategy = strategy_called(name);
    fore_strbuf_clear(&w->schedule);
    fore_strbuf_printf(&w->schedule, "%s\n%s", FORE_SCHEDULE_FIRST_LINE, s->options);
    fore_search_put_seeds(w, &w->schedule);
    if (deep)
        fore_strbuf_printf(&w->schedule, "then %s %u %llu %llu\n", name, told->depth,
                           seed, (unsigned long long)told->length);
    else
        fore_strbuf_printf(&w->schedule, "then %s %llu\n", name, seed);
    w->busy = fore_rerun_begin(&w->target, w->schedule.at, e) == FORE_OK;
}

/* Did package testing say that there are no tests, which it does when it gives up after the
 * first time? */
static bool has_no_tests(const struct fore_series *series)
{
    struct fore_strbuf output = FORE_STRBUF_INIT;
    if (fore_series_told(series)->why == FORE_OUTCOME_DIED && !series->program.status)
        fore_rerun_output(&series->program, &output);
    bool none = output.n && strstr(output.at, "testing: warning: no tests to run");
    fore_strbuf_release(&output);
    return none;
}

static void finish_series(struct search_state *st, struct program_worker *w,
                          struct fore_err *e)
{
    struct fore_search *s = st->s;
    const struct fore_outcome_runs *told = fore_series_told(&w->series);
    bool stopped = fore_search_is_enough(st) && w->series.program.timed_out;
    w->busy = w->in_series = false;
    s->uncontrolled += told->uncontrolled;
    if (stopped && !told->run) {
        return; /* it ended before its first run was over */
    } else if (!fore_rerun_took(&w->series.program)) {
        fore_fail(e, FORE_CHILD,
                  "%s never read its schedule: it must be built with this version's "
                  "'foresee go'",
                  s->how.argv[0]);
    } else if (!told->run || has_no_tests(&w->series)) {
        fore_fail(e, FORE_USAGE,
                  "no test was run: --in-process repeats tests, and -run chooses none");
    } else {
        w->next = told->run + series_step(s);
        s->done += told->why == FORE_OUTCOME_DIED && !stopped;
        if (told->why != FORE_OUTCOME_LAST && !stopped)
            repeat_alone(st, w, 0, e);
    }
}

enum { ATTEMPTS = 40, MOST_ATTEMPTS = 400 /* for all of them */ };

/* The run did not fail alone: is another seed worth a try? */
static bool may_try_again(const struct search_state *st, const struct program_worker *w)
{
    return w->suspect->why != FORE_OUTCOME_LEFT && !w->target.timed_out &&
           w->attempt < ATTEMPTS && st->attempts < MOST_ATTEMPTS;
}

/* Finishes a run that was repeated alone. */
static void finish_suspect(struct search_state *st, struct program_worker *w,
                           struct fore_err *e)
{
    struct fore_search *s = st->s;
    const struct fore_outcome_runs *told = w->suspect;
    uint64_t failing = st->failing;
    w->busy = false;
    s->timeouts += w->target.timed_out && !s->bound;
    fore_search_judge(st, w);
    s->progress->found = s->failures.n;
    if (failing == st->failing && may_try_again(st, w) && !fore_search_is_enough(st)) {
        st->attempts++;
        repeat_alone(st, w, w->attempt + 1, e);
        return;
    }
    if (failing == st->failing && told->why == FORE_OUTCOME_LEFT && !s->left++)
        fore_strbuf_printf(&s->left_first,
                           "run %llu left %u goroutine%s and %u timer%s%s%s%s%s",
                           (unsigned long long)told->run, told->goroutines,
                           told->goroutines == 1 ? "" : "s", told->timers,
                           told->timers == 1 ? "" : "s", told->path[0] ? ": " : "",
                           told->path, told->place[0] ? " at " : "", told->place);
    if (failing == st->failing && told->why != FORE_OUTCOME_LEFT &&
        !w->target.timed_out && !s->unrepeated++)
        s->unrepeated_first = told->run;
    w->suspect = NULL;
}

void fore_search_series_look(struct search_state *st, struct program_worker *w,
                             struct fore_err *e)
{
    if (w->in_series) {
        if (fore_series_look(&w->series, st->s->jobs > 1 ? 1 : 20, count_run, st))
            finish_series(st, w, e);
    } else if (fore_rerun_look(&w->target, st->s->jobs > 1 ? 0 : 100)) {
        finish_suspect(st, w, e);
    }
}
