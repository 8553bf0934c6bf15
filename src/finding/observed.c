/* The observed run of a finding's threads: pictures show it beside the witness. */
#include "base/map.h"
#include "base/sort.h"
#include "finding/finding.h"

#include <stdlib.h>
#include <string.h>

enum {
    BEFORE = 24,      /* events of a thread before its first place */
    AFTER = 8,        /* and after its last one */
    MOST_STEPS = 240, /* of one finding */
    MOST_IN_ALL = 1 << 15,
    SHORT = 60, /* steps of a witness that is described as a whole */
    MOST_TOLD = 1 << 18,
    MOST_THREADS = 200,
    FEW_THREADS = 32,
};

/* The positions of each thread's events: at[first[t]] … at[first[t + 1] - 1], in order. */
struct by_thread {
    const struct fore_trace *t;
    size_t *first;
    uint32_t *at;
    struct fore_intern paths;
    FORE_VEC(uint32_t) thread_of; /* by the path's id */
    const char **function; /* by thread: see first_function; NULL: not searched for yet */
};

static void index_paths(struct by_thread *b)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    const struct fore_tables *tab = &b->t->tables;
    uint32_t *numbers = fore_tables_root_numbers(tab);
    fore_vec_ensure(&b->thread_of, tab->threads.n + 1);
    for (uint32_t i = 1; i < tab->threads.n; i++) {
        fore_strbuf_clear(&path);
        fore_tables_path_with(tab, i, numbers, &path);
        uint32_t id = fore_intern(&b->paths, path.at, path.n);
        fore_vec_ensure(&b->thread_of, (size_t)id + 1);
        b->thread_of.at[id] = i;
    }
    fore_free(numbers);
    fore_strbuf_release(&path);
}

static void index_events(struct by_thread *b)
{
    const struct fore_trace *t = b->t;
    size_t n = t->tables.threads.n;
    b->first = fore_calloc(n + 2, sizeof *b->first);
    b->function = fore_calloc(n + 1, sizeof *b->function);
    b->at = fore_alloc((t->events.n + 1) * sizeof *b->at);
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(t, &own);
    for (size_t i = 1; i <= n; i++)
        b->first[i] =
            b->first[i - 1] + (i - 1 < s->threads.n ? s->threads.at[i - 1].count : 0);
    fore_survey_release(&own);
    size_t *next = fore_alloc((n + 1) * sizeof *next);
    memcpy(next, b->first, (n + 1) * sizeof *next);
    for (size_t i = 0; i < t->events.n; i++)
        b->at[next[t->events.at[i].thread]++] = (uint32_t)i;
    fore_free(next);
}

static void by_thread_release(struct by_thread *b)
{
    fore_free(b->first);
    fore_free((void *)b->function);
    fore_free(b->at);
    fore_intern_release(&b->paths);
    fore_vec_release(&b->thread_of);
}

static uint32_t thread_at(struct by_thread *b, const char *path)
{
    size_t known = fore_intern_count(&b->paths);
    uint32_t id = fore_intern(&b->paths, path, strlen(path));
    if (id > known || id >= b->thread_of.n)
        return 0;
    return b->thread_of.at[id];
}

/* The number of the thread's events, including those that are left out. */
static size_t events_of(const struct by_thread *b, uint32_t thread)
{
    size_t n = b->first[thread + 1] - b->first[thread];
    return n + (size_t)fore_trace_left_out(b->t, thread, n);
}

/* The position in the trace of the thread's event of that index; false if it is left out. */
static bool find_event(const struct by_thread *b, uint32_t thread, size_t index,
                       uint32_t *at)
{
    size_t low = 0, n = b->first[thread + 1] - b->first[thread], high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (mid + fore_trace_left_out(b->t, thread, mid) < index)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == n || low + fore_trace_left_out(b->t, thread, low) != index)
        return false;
    *at = b->at[b->first[thread] + low];
    return true;
}

/* In the observed run. */
static uint64_t position_of(const struct by_thread *b, uint32_t at)
{
    return b->t->fixed ? fore_thin_position(b->t->thin, at) : at;
}

/* The outermost function; 0: not known. */
static uint32_t function_of(const struct fore_tables *tab, uint32_t where)
{
    for (int deep = 0; deep < 64 && tab->wheres.at[where].parent; deep++)
        where = tab->wheres.at[where].parent;
    return tab->wheres.at[where].function;
}

static const char *look_for_function(const struct by_thread *b, uint32_t thread)
{
    const struct fore_trace *t = b->t;
    uint32_t found = 0;
    if (t->fixed && thread < t->thin->threads.n) /* its first event may be left out */
        found = function_of(&t->tables, t->thin->threads.at[thread].where);
    for (size_t i = b->first[thread]; i < b->first[thread + 1] && !found; i++)
        found = function_of(&t->tables, t->events.at[b->at[i]].where);
    return found ? fore_tables_text(&t->tables, found) : "";
}

/* The outermost function of the thread's first event that has one. Kept, because many findings
 * are about one thread, and none of its events may have one. */
static const char *first_function(const struct by_thread *b, uint32_t thread)
{
    if (!b->function[thread])
        b->function[thread] = look_for_function(b, thread);
    return b->function[thread];
}

static void note_thread(struct fore_findings *f, struct fore_finding *x,
                        struct by_thread *b, const char *path)
{
    for (size_t i = 0; i < x->threads.n; i++)
        if (strcmp(x->threads.at[i].path, path) == 0)
            return;
    uint32_t t = thread_at(b, path);
    if (!t || x->threads.n >= MOST_THREADS)
        return;
    const struct fore_tables *tab = &b->t->tables;
    struct fore_strbuf started = FORE_STRBUF_INIT;
    fore_tables_place(tab, tab->threads.at[t].where, &started);
    fore_vec_push(&x->threads,
                  (struct fore_thread_note){
                      .thread = fore_arena_strdup(&f->arena, fore_tables_label(tab, t)),
                      .name = fore_arena_strdup(
                          &f->arena, fore_tables_text(tab, tab->threads.at[t].name)),
                      .path = fore_arena_strdup(&f->arena, path),
                      .called = fore_findings_called(f, tab, t),
                      .first = fore_arena_strdup(&f->arena, first_function(b, t)),
                      .started = fore_arena_strndup(&f->arena, started.at, started.n),
                      .events = events_of(b, t),
                  });
    fore_strbuf_release(&started);
}

/* The facts after the witness may mention any thread. */
static void note_all_threads(struct fore_findings *f, struct fore_finding *x,
                             struct by_thread *b)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    for (uint32_t t = 1; t < b->t->tables.threads.n; t++) {
        fore_strbuf_clear(&path);
        fore_tables_path(&b->t->tables, t, &path);
        note_thread(f, x, b, path.at);
    }
    fore_strbuf_release(&path);
}

/* The events from `from` to before `to` of a thread that has places. */
struct event_range {
    uint32_t thread;
    size_t from, to;
};

struct ranges {
    FORE_VEC(struct event_range) v;
};

static void widen_range(struct ranges *r, const struct by_thread *b, uint32_t thread,
                        size_t index, bool adds)
{
    size_t n = events_of(b, thread), i = 0;
    size_t from = index > BEFORE ? index - BEFORE : 0;
    size_t to = index + AFTER < n ? index + AFTER + 1 : n;
    while (i < r->v.n && r->v.at[i].thread != thread)
        i++;
    if (i == r->v.n && adds)
        fore_vec_push(&r->v, (struct event_range){thread, from, to});
    if (i < r->v.n && from < r->v.at[i].from)
        r->v.at[i].from = from;
    if (i < r->v.n && to > r->v.at[i].to)
        r->v.at[i].to = to;
}

/* Positions of the chosen events, in order; the last ones if they are too many. */
static void add_steps(struct fore_findings *f, struct fore_finding *x,
                      const struct by_thread *b, const struct ranges *r)
{
    FORE_VEC(uint64_t) chosen = {0}; /* position << 32 | index */
    size_t share = r->v.n ? MOST_STEPS / r->v.n : 0;
    for (size_t i = 0; i < r->v.n; i++) {
        size_t from = r->v.at[i].from, to = r->v.at[i].to;
        if (to - from > share + 1)
            from = to - share - 1;
        for (size_t k = from; k < to; k++) {
            uint32_t at;
            if (find_event(b, r->v.at[i].thread, k, &at))
                fore_vec_push(&chosen, (uint64_t)at << 32 | k);
        }
    }
    if (chosen.n)
        qsort(chosen.at, chosen.n, sizeof *chosen.at, fore_compare_u64);
    for (size_t i = 0; i < chosen.n; i++) {
        uint32_t at = (uint32_t)(chosen.at[i] >> 32);
        fore_finding_observed_step(f, x, b->t, at, chosen.at[i] & UINT32_MAX);
        fore_vec_last(&x->observed).deed->at = position_of(b, at) + 1;
    }
    fore_vec_release(&chosen);
}

static void find_position(struct by_thread *b, struct fore_step *s)
{
    uint32_t t = thread_at(b, s->path), at;
    if (t && s->deed && find_event(b, t, s->index, &at))
        s->deed->at = position_of(b, at) + 1;
}

static void observe_finding(struct fore_findings *f, struct fore_finding *x,
                            struct by_thread *b, bool with_run)
{
    struct ranges r = {{0}};
    for (size_t i = 0; i < x->places.n; i++) {
        uint32_t t = thread_at(b, x->places.at[i].path);
        note_thread(f, x, b, x->places.at[i].path);
        if (t)
            widen_range(&r, b, t, (size_t)x->places.at[i].index, r.v.n < MOST_THREADS);
    }
    for (size_t i = 0; i < x->witness.n; i++) {
        uint32_t t = thread_at(b, x->witness.at[i].path);
        bool told = x->witness.n <= SHORT || !x->witness.at[i].irrelevant;
        if (told) {
            note_thread(f, x, b, x->witness.at[i].path);
            fore_finding_tell_step(f, x, b->t, b->t->cases.at, &x->witness.at[i]);
            find_position(b, &x->witness.at[i]);
            if (x->witness.at[i].deed && x->witness.at[i].deed->other)
                note_thread(f, x, b, x->witness.at[i].deed->other);
        }
        /* A run of values needs every thread that writes one. */
        bool adds = !x->places.n || x->witness.at[i].state[0];
        if (t && told)
            widen_range(&r, b, t, (size_t)x->witness.at[i].index, adds && r.v.n < 8);
    }
    if (b->t->tables.threads.n <= FEW_THREADS)
        note_all_threads(f, x, b);
    if (with_run)
        add_steps(f, x, b, &r);
    fore_vec_release(&r.v);
}

void fore_findings_observe(struct fore_findings *f, size_t from,
                           const struct fore_trace *t)
{
    struct by_thread b = {.t = t};
    size_t steps = 0, told = 0;
    if (from >= f->list.n || t->brief || t->events.n >= UINT32_MAX)
        return;
    index_paths(&b);
    index_events(&b);
    for (size_t i = from; i < f->list.n && told < MOST_TOLD; i++) {
        if (f->list.at[i]->observed.n || f->list.at[i]->threads.n)
            continue;
        observe_finding(f, f->list.at[i], &b, steps < MOST_IN_ALL);
        steps += f->list.at[i]->observed.n;
        told +=
            f->list.at[i]->witness.n < MOST_STEPS ? f->list.at[i]->witness.n : MOST_STEPS;
    }
    by_thread_release(&b);
}
