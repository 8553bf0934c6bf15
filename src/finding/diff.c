#include "finding/diff.h"

#include "base/hash.h"
#include "trace/format.h"

#include <stdlib.h>

/* The events of each thread, as hashes of their text, in order. */
struct side {
    const struct fore_trace *t;
    uint32_t *start, *rows;  /* rows[start[k]..start[k + 1]] are thread k's events */
    struct fore_map by_path; /* hash of the path -> thread */
};

static uint64_t path_hash(const struct fore_tables *t, uint32_t thread)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_path(t, thread, &b);
    uint64_t h = fore_hash(b.at, b.n);
    fore_strbuf_release(&b);
    return h;
}

static void open_side(struct side *s, const struct fore_trace *t)
{
    size_t threads = t->tables.threads.n;
    *s = (struct side){.t = t};
    s->start = fore_calloc(threads + 2, sizeof *s->start);
    s->rows = fore_calloc(t->events.n + 1, sizeof *s->rows);
    for (size_t i = 0; i < t->events.n; i++)
        s->start[t->events.at[i].thread + 1]++;
    for (size_t k = 1; k <= threads; k++)
        s->start[k] += s->start[k - 1];
    uint32_t *next = fore_calloc(threads + 2, sizeof *next);
    memcpy(next, s->start, (threads + 1) * sizeof *next);
    for (size_t i = 0; i < t->events.n; i++)
        s->rows[next[t->events.at[i].thread]++] = (uint32_t)i;
    fore_free(next);
    for (uint32_t k = 1; k < threads; k++)
        *fore_map_put(&s->by_path, path_hash(&t->tables, k), NULL) = k;
}

static void close_side(struct side *s)
{
    fore_free(s->start);
    fore_free(s->rows);
    fore_map_release(&s->by_path);
}

static uint32_t count_of_thread(const struct side *s, uint32_t thread)
{
    return thread ? s->start[thread + 1] - s->start[thread] : 0;
}

static void text_of(const struct side *s, uint32_t row, struct fore_strbuf *out)
{
    const struct fore_event *e = &s->t->events.at[row];
    fore_event_text(&s->t->tables, e, s->t->cases.at, out);
    fore_strbuf_putc(out, ' ');
    fore_tables_place(&s->t->tables, e->where, out);
}

static uint64_t common_events(const struct side *a, uint32_t x, const struct side *b,
                              uint32_t y)
{
    struct fore_strbuf one = FORE_STRBUF_INIT, two = FORE_STRBUF_INIT;
    uint32_t n = count_of_thread(a, x) < count_of_thread(b, y) ? count_of_thread(a, x)
                                                               : count_of_thread(b, y),
             same = 0;
    for (; same < n; same++) {
        fore_strbuf_clear(&one);
        fore_strbuf_clear(&two);
        text_of(a, a->rows[a->start[x] + same], &one);
        text_of(b, b->rows[b->start[y] + same], &two);
        if (one.n != two.n || memcmp(one.at, two.at, one.n) != 0)
            break;
    }
    fore_strbuf_release(&one);
    fore_strbuf_release(&two);
    return same;
}

static void fill_next(struct fore_diff_thread *d, int which, struct fore_arena *a,
                      const struct side *s, uint32_t thread)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    d->events[which] = count_of_thread(s, thread);
    d->next[which] = d->location[which] = "";
    d->at[which] = UINT64_MAX;
    if (d->shared < d->events[which]) {
        uint32_t row = s->rows[s->start[thread] + d->shared];
        const struct fore_event *e = &s->t->events.at[row];
        fore_event_text(&s->t->tables, e, s->t->cases.at, &b);
        d->next[which] = fore_arena_strndup(a, b.at, b.n);
        fore_strbuf_clear(&b);
        fore_tables_place(&s->t->tables, e->where, &b);
        d->location[which] = fore_arena_strndup(a, b.at, b.n);
        d->at[which] = row;
    }
    fore_strbuf_release(&b);
}

static void add_thread(struct fore_diff *d, struct fore_arena *a,
                       const struct side sides[2], uint32_t x, uint32_t y)
{
    const struct side *s = x ? &sides[0] : &sides[1];
    const struct fore_tables *t = &s->t->tables;
    uint32_t thread = x ? x : y;
    struct fore_strbuf path = FORE_STRBUF_INIT;
    fore_tables_path(t, thread, &path);
    struct fore_diff_thread r = {
        .path = fore_arena_strndup(a, path.at, path.n),
        .label = fore_arena_strdup(a, fore_tables_label(t, thread)),
        .name = fore_arena_strdup(a, fore_tables_text(t, t->threads.at[thread].name)),
        .shared = x && y ? common_events(&sides[0], x, &sides[1], y) : 0,
    };
    fill_next(&r, 0, a, &sides[0], x);
    fill_next(&r, 1, a, &sides[1], y);
    d->shared += r.shared;
    d->both += x && y;
    d->only[0] += x && !y;
    d->only[1] += y && !x;
    fore_vec_push(&d->threads, r);
    fore_strbuf_release(&path);
}

/* Sorts threads by the position, in either run, at which they begin to differ. */
static int by_parting(const void *a, const void *b)
{
    const struct fore_diff_thread *x = a, *y = b;
    uint64_t p = x->at[0] < x->at[1] ? x->at[0] : x->at[1];
    uint64_t q = y->at[0] < y->at[1] ? y->at[0] : y->at[1];
    return p < q ? -1 : p > q ? 1 : strcmp(x->path, y->path);
}

void fore_diff_compute(struct fore_diff *d, struct fore_arena *a,
                       const struct fore_trace *x, const struct fore_trace *y)
{
    struct side sides[2];
    *d = (struct fore_diff){.events = {x->events.n, y->events.n}};
    open_side(&sides[0], x);
    open_side(&sides[1], y);
    for (uint32_t k = 1; k < x->tables.threads.n; k++) {
        uint64_t *other = fore_map_get(&sides[1].by_path, path_hash(&x->tables, k));
        add_thread(d, a, sides, k, other ? (uint32_t)*other : 0);
    }
    for (uint32_t k = 1; k < y->tables.threads.n; k++)
        if (!fore_map_get(&sides[0].by_path, path_hash(&y->tables, k)))
            add_thread(d, a, sides, 0, k);
    if (d->threads.n)
        qsort(d->threads.at, d->threads.n, sizeof *d->threads.at, by_parting);
    close_side(&sides[0]);
    close_side(&sides[1]);
}

void fore_diff_release(struct fore_diff *d)
{
    fore_vec_release(&d->threads);
}
