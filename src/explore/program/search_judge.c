/* Judges a run that is over: what it shows, and what else it allows. */
#include "explore/program/search_ranks.h"

#include "base/option.h"
#include "base/progress.h"
#include "capture/control/schedule.h"

#include <string.h>

/* Adds the failure if it is the first of its kind. */
static struct fore_search_failure *new_failure(struct search_state *st,
                                               const struct program_worker *w,
                                               const struct fore_failure *what)
{
    struct fore_search *s = st->s;
    bool fresh;
    if (s->only && !fore_list_has(s->only, what->rule))
        return NULL;
    st->failing++;
    uint64_t *place = fore_map_put(&st->failed, what->hash, &fresh);
    if (!fresh) {
        s->failures.at[*place - 1]->count++;
        return NULL;
    }
    struct fore_search_failure *f = fore_calloc(1, sizeof *f);
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_search_put_seeds(w, &text);
    f->seeds = fore_strdup(text.at);
    fore_strbuf_clear(&text);
    fore_strbuf_printf(&text, "%s\n%s%s", FORE_SCHEDULE_FIRST_LINE, s->options, f->seeds);
    f->switches = f->before = fore_reversal_schedule(&w->target, UINT64_MAX, &text);
    fore_strbuf_puts(&text, "then free\n");
    f->early = fore_rerun_early(&w->target);
    f->schedule = fore_strbuf_detach(&text);
    f->what = (struct fore_failure){
        .rule = what->rule, .message = FORE_STRBUF_INIT, .hash = what->hash};
    fore_strbuf_puts(&f->what.message, what->message.at);
    f->run = w->run;
    f->seed = w->seed;
    f->count = 1;
    f->strategy = fore_search_names[w->strategy];
    fore_vec_push(&s->failures, f);
    *place = s->failures.n;
    return f;
}

/* Reading and analysing the recording of a run takes about this long for each of its steps. A
 * run that spins has a million of them: if there is no time for that it is left out, so that
 * --max-time holds. */
enum { LOOK_NS_PER_STEP = 10000 };

static bool can_look_in_time(struct search_state *st, const struct program_worker *w)
{
    struct fore_search *s = st->s;
    uint64_t ends = s->budget->deadline_ns;
    if (!ends || fore_now_ns() + w->target.outcome->logged * LOOK_NS_PER_STEP < ends)
        return true;
    st->unread = true;
    return false;
}

static void draw_run(struct search_state *st, const struct program_worker *w,
                     struct fore_finding *x)
{
    if (st->s->draw && can_look_in_time(st, w))
        st->s->draw(st->s->ctx, &w->target, x, &st->s->kept);
}

static void add_failure(struct search_state *st, struct program_worker *w)
{
    struct fore_failure what = FORE_FAILURE_INIT;
    fore_failure_of(&w->target, &what);
    struct fore_search_failure *f = what.rule ? new_failure(st, w, &what) : NULL;
    if (f) {
        f->finding =
            fore_failure_finding(&w->target, &what, FORE_VERDICT_CONFIRMED, &st->s->kept);
        draw_run(st, w, f->finding);
    }
    fore_failure_release(&what);
}

/* Names the test of a Go program that ran. */
static void name_test(const struct program_worker *w, struct fore_finding *x,
                      struct fore_findings *f)
{
    struct fore_strbuf output = FORE_STRBUF_INIT, test = FORE_STRBUF_INIT;
    if (!w->target.host || !w->target.host->traced || x->test[0])
        return;
    fore_rerun_output(&w->target, &output);
    fore_failure_test_of_go(output.at, &test);
    if (test.n)
        x->test = fore_arena_strdup(&f->arena, test.at);
    fore_strbuf_release(&output);
    fore_strbuf_release(&test);
}

static void add_race(struct search_state *st, struct program_worker *w,
                     const struct fore_outcome_race *r)
{
    struct fore_failure what = FORE_FAILURE_INIT;
    const struct fore_outcome *o = w->target.outcome;
    if (r->thread[0] >= FORE_OUTCOME_THREADS || r->thread[1] >= FORE_OUTCOME_THREADS)
        return;
    fore_failure_of_race(&w->target, r, &what);
    struct fore_search_failure *f = new_failure(st, w, &what);
    if (f) {
        f->finding = fore_failure_race_finding(o, r, &what, &st->s->kept);
        name_test(w, f->finding, &st->s->kept);
        draw_run(st, w, f->finding);
    }
    fore_failure_release(&what);
}

static void add_meeting(struct search_state *st, struct program_worker *w)
{
    struct fore_failure what = FORE_FAILURE_INIT;
    const struct fore_outcome *o = w->target.outcome;
    struct fore_search_failure *f = NULL;
    if (fore_failure_of_meeting(o, &what))
        f = new_failure(st, w, &what);
    if (f) {
        f->finding = fore_failure_meeting_finding(o, &what, &st->s->kept);
        name_test(w, f->finding, &st->s->kept);
        f->asked = true;
        fore_free(f->schedule);
        f->schedule = fore_strdup(w->schedule.at);
    }
    fore_failure_release(&what);
}

/* What the program itself said about it. */
static void add_last_words(const struct fore_rerun *p, struct fore_finding *x,
                           struct fore_findings *f)
{
    struct fore_failure what = FORE_FAILURE_INIT;
    if (p->outcome->end != FORE_OUTCOME_STUCK)
        fore_failure_of(p, &what);
    if (what.rule)
        fore_finding_fact(f, x, "says", "%s", what.message.at);
    fore_failure_release(&what);
}

/* Analyses a run of a new class; true if the analyses find something. */
static bool look_at(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    struct fore_findings found;
    struct fore_wishes more = {0};
    size_t from = s->kept.list.n;
    if (!s->look || !can_look_in_time(st, w))
        return false;
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
        if (f) {
            f->finding = x;
            f->seen = true;
            name_test(w, x, &s->kept);
            add_last_words(&w->target, x, &s->kept);
        }
        fore_failure_release(&what);
    }
    for (size_t i = 0; i < more.v.n; i++)
        fore_tries_wish(&st->tries, more.v.at[i], w->seed);
    fore_vec_release(&more.v);
    return s->kept.list.n > from;
}

static void guide_search(struct search_state *st, struct program_worker *w)
{
    struct fore_beginnings b = {0};
    bool whole;
    fore_reversals(&w->target, &b, &whole);
    st->whole &= whole;
    fore_search_ranks_hand_over(st, &b, w->seed);
    st->whole &= fore_tries_add(&st->tries, &b, w->seed);
    fore_beginnings_release(&b);
}

/* Does something other than the order of steps decide in it: time, where a signal interrupts a
 * thread, what a child finds when it is forked? */
static bool has_time(const struct fore_rerun *p)
{
    const struct fore_outcome_step *s = fore_rerun_steps(p);
    if (p->outcome->signals || p->outcome->forks)
        return true;
    for (uint64_t i = 0; i < p->outcome->logged; i++)
        if (s[i].kind == FORE_OP_sleep || s[i].flags & FORE_OUTCOME_TIMEOUT)
            return true;
    return false;
}

/* A recording that describes the failure better is asked first; a class shows what it showed
 * before. */
void fore_search_judge(struct search_state *st, struct program_worker *w)
{
    struct fore_search *s = st->s;
    const struct fore_outcome *o = w->target.outcome;
    bool fresh, traced = w->target.host && w->target.host->traced;
    uint64_t *seen = fore_map_put(&st->classes, fore_reversal_class(&w->target), &fresh);
    s->classes += fresh && !s->series;
    if (fresh && traced)
        *seen = look_at(st, w);
    if (!traced || !*seen)
        add_failure(st, w);
    for (uint32_t i = 0; i < o->races && i < FORE_OUTCOME_RACES; i++)
        add_race(st, w, &o->race[i]);
    add_meeting(st, w);
    if (fresh && !traced)
        look_at(st, w);
    st->timed |= fresh && has_time(&w->target);
    if (fresh && s->uses[FORE_SEARCH_GUIDED])
        guide_search(st, w);
}
