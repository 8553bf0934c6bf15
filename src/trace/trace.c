#include "trace/trace.h"

#include "base/budget.h"
#include "base/err.h"

#include <stdlib.h>

/* How many events a trace must have to be brief: without channels, or if only the beginning of
 * their alternatives is reported; and otherwise, when more is asked of the beginning. */
enum { BATCH = 4096, BRIEF_SOON = 1 << 15, BRIEF = 1 << 18 };

void fore_trace_init(struct fore_trace *t, const char *name)
{
    *t = (struct fore_trace){.name = fore_strdup(name)};
    fore_tables_init(&t->tables);
}

static void drop_thin(struct fore_trace *t)
{
    if (t->thin)
        fore_thin_release(t->thin);
    fore_free(t->thin);
    t->thin = NULL;
}

void fore_trace_release(struct fore_trace *t)
{
    fore_free(t->name);
    fore_tables_release(&t->tables);
    fore_vec_release(&t->events);
    fore_vec_release(&t->cases);
    fore_vec_release(&t->expects);
    fore_survey_release(&t->survey);
    fore_vec_release(&t->kept);
    drop_thin(t);
    *t = (struct fore_trace){0};
}

void fore_trace_clear(struct fore_trace *t)
{
    struct fore_trace fresh = {.name = t->name, .tables = t->tables, .budget = t->budget};
    t->name = NULL;
    fore_tables_init(&t->tables);
    fore_trace_release(t);
    *t = fresh;
}

/* Cases are copied behind those already there, so the events' indices move. */
static void move_cases(struct fore_trace *t, struct fore_event *e, size_t n,
                       const struct fore_case *from)
{
    for (size_t i = 0; i < n; i++) {
        if (!(e[i].flags & FORE_F_CASES))
            continue;
        size_t first = t->cases.n, count = (size_t)e[i].b;
        if (count)
            memcpy(fore_vec_extend(&t->cases, count), from + e[i].a,
                   count * sizeof *from);
        e[i].a = first;
    }
}

/* How many cases a trace may have: a few bytes of a file can stand for very many. */
static size_t cases_in(const struct fore_batch *b)
{
    size_t n = 0;
    for (size_t i = 0; b->cases && i < b->n; i++)
        if (b->events[i].flags & FORE_F_CASES)
            n += (size_t)b->events[i].b;
    return n;
}

/* A thin trace keeps at most one in this many events. */
enum { THIN = 8 };

/* Could a thin trace be enough, if locks are taken under locks at all? It must be much shorter. */
static bool begin_thin(struct fore_trace *t)
{
    if (!fore_survey_has(&t->survey, FORE_EV_LOCK) &&
        !fore_survey_has(&t->survey, FORE_EV_RLOCK))
        return false;
    t->thin = fore_calloc(1, sizeof *t->thin);
    fore_thin_begin(t->thin, t->end ? t->end : FORE_THIN_END, t->events.at, t->events.n);
    if (t->thin->events.n <= t->events.n / THIN)
        return true;
    drop_thin(t);
    return false;
}

static void go_on_thin(struct fore_trace *t, const struct fore_batch *b)
{
    if (!t->survey.waited_locked && !cases_in(b)) {
        fore_thin_pass(t->thin, b->events, b->n);
    } else {
        struct fore_event *to = fore_thin_add(t->thin, b->events, b->n);
        if (b->cases)
            move_cases(t, to, b->n, b->cases);
    }
    if (t->thin->spoiled || t->thin->events.n > t->survey.events / THIN ||
        (t->most && t->events.n + t->thin->events.n + t->cases.n > t->most))
        drop_thin(t);
}

/* Decided once, or a second time if more of the beginning is needed. */
static void decide_brief(struct fore_trace_collector *c, bool whole)
{
    struct fore_trace *t = c->into;
    enum fore_calm calm = whole ? fore_survey_calm(&t->survey) : FORE_NOT_CALM;
    bool thin = whole && begin_thin(t);
    bool soon = !t->survey.chans.n || calm == FORE_CALM_IN_PART || thin;
    c->decided_at = BRIEF;
    if (!soon && t->events.n < BRIEF)
        return;
    c->may_be_brief = false;
    t->brief = thin || calm != FORE_NOT_CALM;
    t->survey.logs = calm == FORE_CALM_BY_LINKS;
}

static enum fore_flow collect_batch(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_trace_collector *c = (struct fore_trace_collector *)s;
    struct fore_trace *t = c->into;
    bool whole = t->survey.events == t->events.n;
    if (fore_budget_spent_now(t->budget)) {
        t->cut += b->n;
        return FORE_STOP;
    }
    if (c->may_be_brief && t->events.n >= c->decided_at)
        decide_brief(c, whole);
    if (t->brief) {
        fore_survey_events(&t->survey, b->events, b->n, b->cases);
        if (t->thin)
            go_on_thin(t, b);
        return FORE_CONTINUE;
    }
    if (t->most && t->events.n + t->cases.n + cases_in(b) + b->n > t->most) {
        t->most = t->events.n; /* nothing after a gap */
        t->cut += b->n;
        return FORE_CONTINUE;
    }
    struct fore_event *to = fore_vec_extend(&t->events, b->n);
    memcpy(to, b->events, b->n * sizeof *to);
    if (b->cases)
        move_cases(t, to, b->n, b->cases);
    if (whole)
        fore_survey_events(&t->survey, to, b->n, t->cases.at);
    return FORE_CONTINUE;
}

static int by_position(const void *a, const void *b)
{
    const struct fore_kept_event *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void keep_event(struct fore_trace *t, uint32_t at, const struct fore_event *e)
{
    if (at >= t->events.n)
        fore_vec_push(&t->kept, (struct fore_kept_event){at, *e});
}

static void keep_surveyed(struct fore_trace *t)
{
    for (size_t i = 0; i < t->survey.threads.n; i++)
        if (t->survey.threads.at[i].count)
            keep_event(t, t->survey.threads.at[i].last, &t->survey.threads.at[i].end);
    for (size_t i = 0; i < t->survey.uses.n; i++)
        if (t->survey.uses.at[i].serves)
            keep_event(t, t->survey.uses.at[i].served_at, &t->survey.uses.at[i].done);
    if (t->kept.n)
        qsort(t->kept.at, t->kept.n, sizeof *t->kept.at, by_position);
}

const struct fore_event *fore_trace_event(const struct fore_trace *t, uint32_t at)
{
    if (at < t->events.n)
        return &t->events.at[at];
    struct fore_kept_event key = {.at = at};
    const struct fore_kept_event *x =
        t->kept.n ? bsearch(&key, t->kept.at, t->kept.n, sizeof key, by_position) : NULL;
    FORE_BUG_IF(!x);
    return &x->e;
}

static enum fore_status
end_collecting(struct fore_sink *s, const struct fore_trace_end *end, struct fore_err *e)
{
    struct fore_trace *t = ((struct fore_trace_collector *)s)->into;
    (void)e;
    t->torn = end->torn;
    t->lost = end->lost + t->cut;
    t->unknown = end->unknown;
    t->doubts = end->doubts;
    for (size_t i = 0; i < end->expect_count; i++)
        fore_vec_push(&t->expects, end->expects[i]);
    if (t->brief)
        keep_surveyed(t);
    if (t->thin)
        fore_thin_finish(t->thin);
    return FORE_OK;
}

void fore_trace_collector_init(struct fore_trace_collector *c, struct fore_trace *into)
{
    *c = (struct fore_trace_collector){
        {collect_batch, end_collecting}, into, .decided_at = BRIEF_SOON};
}

enum fore_status fore_trace_replay(const struct fore_trace *t, struct fore_sink *s,
                                   struct fore_err *e)
{
    for (size_t i = 0; i < t->events.n; i += BATCH) {
        size_t n = t->events.n - i < BATCH ? t->events.n - i : BATCH;
        struct fore_batch b = {&t->tables, t->events.at + i, n, t->cases.at, t->settled};
        if (s->events(s, &b) == FORE_STOP || fore_budget_spent_now(t->budget))
            break;
    }
    struct fore_trace_end end = {
        .torn = t->torn,
        .lost = t->lost,
        .unknown = t->unknown,
        .expects = t->expects.at,
        .expect_count = t->expects.n,
        .doubts = t->doubts,
        .tables = &t->tables,
    };
    return s->end(s, &end, e);
}

static struct fore_trace with_events(const struct fore_trace *t,
                                     const struct fore_event *e, size_t n)
{
    struct fore_trace x = *t;
    x.brief = x.settled = false;
    x.survey = (struct fore_survey){0};
    x.events.at = (struct fore_event *)(uintptr_t)e;
    x.events.n = x.events.cap = n;
    return x;
}

struct fore_trace fore_trace_thin(const struct fore_trace *t)
{
    return with_events(t, t->thin->events.at, t->thin->events.n);
}

struct fore_trace fore_trace_ending(const struct fore_trace *t)
{
    struct fore_trace x = with_events(t, t->thin->ending.at, t->thin->ending.n);
    x.fixed = t->thin->fixed;
    return x;
}

void fore_trace_reordered(struct fore_trace *t)
{
    if (t->survey.events != t->events.n)
        return; /* it was not about these events: a caller that asks makes a new one */
    fore_survey_release(&t->survey);
    t->survey = (struct fore_survey){0};
    fore_survey_events(&t->survey, t->events.at, t->events.n, t->cases.at);
}

const struct fore_survey *fore_trace_survey(const struct fore_trace *t,
                                            struct fore_survey *own)
{
    if (t->brief || t->survey.events == t->events.n)
        return &t->survey;
    fore_survey_events(own, t->events.at, t->events.n, t->cases.at);
    return own;
}

/* ---- what only a library's own thread sees ---- */

static bool is_hidden(const struct fore_trace *t, uint32_t object)
{
    return object && t->tables.objects.at[object].flags & FORE_OBJ_HIDDEN;
}

static bool is_private(const struct fore_trace *t, const struct fore_event *e)
{
    return is_hidden(t, e->object) && e->kind != FORE_EV_ASEND &&
           !(e->flags & FORE_F_CASES) && t->survey.user.at[e->object] != FORE_SHARED;
}

/* A thread's last event may be a wait that never ended, which is kept. */
static void keep_last(struct fore_trace *t)
{
    for (size_t i = 1; i < t->survey.threads.n; i++) {
        const struct fore_survey_thread *th = &t->survey.threads.at[i];
        const struct fore_event *e = th->count ? &th->end : NULL;
        if (e && e->object && e->kind != FORE_EV_ASEND)
            t->survey.user.at[e->object] = FORE_SHARED;
    }
}

bool fore_trace_has_private(const struct fore_trace *t)
{
    for (uint32_t x = 1; x < t->survey.user.n; x++)
        if (is_hidden(t, x) && t->survey.user.at[x] &&
            t->survey.user.at[x] != FORE_SHARED)
            return true;
    return false;
}

/* A library's own locks that are held only for its own work: a thread that has one unlocks
 * it before its next other event, so that it blocks no other thread for long. Other locks are
 * marked in `keep`. */
struct brief_locks {
    uint8_t *keep;  /* per object */
    uint32_t *open; /* per thread: the lock that it holds, or 0 */
};

static void hold_or_give(struct brief_locks *b, const struct fore_event *e)
{
    uint32_t *open = &b->open[e->thread];
    bool takes = e->kind == FORE_EV_LOCK || e->kind == FORE_EV_RLOCK;
    bool gives = e->kind == FORE_EV_UNLOCK || e->kind == FORE_EV_RUNLOCK;
    if (e->flags & FORE_F_PRE && !*open)
        return;
    if (takes && !*open && !(e->flags & FORE_F_PRE))
        *open = e->object;
    else if (gives && *open == e->object)
        *open = 0;
    else
        b->keep[e->object] = b->keep[*open] = 1;
}

static void find_brief(const struct fore_trace *t, struct brief_locks *b)
{
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        bool lock = e->object && e->kind != FORE_EV_ASEND &&
                    t->tables.objects.at[e->object].kind == FORE_OBJ_LOCK;
        if (lock && is_hidden(t, e->object))
            hold_or_give(b, e);
        else
            b->keep[b->open[e->thread]] = 1;
        if (e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN)
            b->keep[e->a] = 1;
    }
    for (size_t i = 1; i < t->tables.threads.n; i++) {
        const struct fore_survey_thread *th =
            i < t->survey.threads.n ? &t->survey.threads.at[i] : NULL;
        b->keep[b->open[i]] = 1;
        if (th && th->count && th->end.kind != FORE_EV_ASEND)
            b->keep[th->end.object] = 1;
    }
}

static bool is_shared_hidden_lock(const struct fore_trace *t, uint32_t x)
{
    return is_hidden(t, x) && t->survey.user.at[x] == FORE_SHARED &&
           t->tables.objects.at[x].kind == FORE_OBJ_LOCK;
}

/* Treats hidden objects as if one thread alone had used them. */
static void mark_brief(struct fore_trace *t)
{
    size_t objects = t->tables.objects.n;
    bool any = false;
    for (uint32_t x = 1; x < t->survey.user.n && x < objects && !any; x++)
        any = is_shared_hidden_lock(t, x);
    if (!any)
        return;
    struct brief_locks b = {fore_calloc(objects + 1, sizeof *b.keep),
                            fore_calloc(t->tables.threads.n + 1, sizeof *b.open)};
    find_brief(t, &b);
    for (uint32_t x = 1; x < t->survey.user.n && x < objects; x++)
        if (!b.keep[x] && is_shared_hidden_lock(t, x))
            t->survey.user.at[x] = 1;
    fore_free(b.keep);
    fore_free(b.open);
}

void fore_trace_drop_private(struct fore_trace *t)
{
    size_t kept = 0;
    FORE_BUG_IF(t->brief || t->survey.events != t->events.n);
    keep_last(t);
    mark_brief(t);
    if (!fore_trace_has_private(t))
        return;
    for (size_t i = 0; i < t->events.n; i++)
        if (!is_private(t, &t->events.at[i]))
            t->events.at[kept++] = t->events.at[i];
    t->events.n = kept;
    fore_survey_release(&t->survey);
    fore_survey_events(&t->survey, t->events.at, t->events.n, t->cases.at);
}
