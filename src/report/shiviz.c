/* ShiViz's log format: two lines per event, host and clock, then the text. Its parser wants
 * clocks that start at 1 and rise by exactly 1 per host, so they are counted anew here.
 * The regular expression to paste: ^(?<host>\S*) (?<clock>{.*})\n(?<event>.*)$ */
#include "report/export.h"

#include "trace/format.h"

#include <stdlib.h>

/* Sparse clocks are enough for a picture: a clock is a map from thread to count. */
static void join_clocks(struct fore_map *into, const struct fore_map *from)
{
    size_t i = 0;
    uint64_t thread, count;
    while (fore_map_next(from, &i, &thread, &count)) {
        uint64_t *mine = fore_map_put(into, thread, NULL);
        *mine = *mine > count ? *mine : count;
    }
}

static int by_thread(const void *a, const void *b)
{
    uint64_t x = ((const uint64_t *)a)[0], y = ((const uint64_t *)b)[0];
    return x < y ? -1 : x > y;
}

/* Host names may not hold blanks. */
static void write_host(struct fore_strbuf *out, const struct fore_tables *t,
                       uint32_t thread)
{
    const char *s = fore_tables_label(t, thread);
    for (; *s; s++)
        fore_strbuf_putc(out,
                         (unsigned char)*s <= ' ' || *s == '"' || *s == '\\' ? '_' : *s);
}

static void clock_text(struct fore_strbuf *out, const struct fore_tables *t,
                       const struct fore_map *clock)
{
    FORE_VEC(uint64_t) pairs = {0};
    size_t i = 0;
    uint64_t thread, count;
    while (fore_map_next(clock, &i, &thread, &count)) {
        fore_vec_push(&pairs, thread);
        fore_vec_push(&pairs, count);
    }
    qsort(pairs.at, pairs.n / 2, 2 * sizeof *pairs.at, by_thread);
    fore_strbuf_putc(out, '{');
    for (size_t k = 0; k < pairs.n; k += 2) {
        fore_strbuf_puts(out, k ? ", \"" : "\"");
        write_host(out, t, (uint32_t)pairs.at[k]);
        fore_strbuf_printf(out, "\": %llu", (unsigned long long)pairs.at[k + 1]);
    }
    fore_strbuf_puts(out, "}\n");
    fore_vec_release(&pairs);
}

struct shiviz_writer {
    const struct fore_trace *t;
    struct fore_strbuf *out;
    uint32_t *partner;      /* event -> 1 + what must come before it */
    uint32_t *waiter;       /* event -> 1 + the one that waits for it */
    struct fore_map *now;   /* thread -> its clock */
    struct fore_map *after; /* event -> the clock that its partner takes */
    bool *done;
};

static void write_event(struct shiviz_writer *w, uint32_t i)
{
    const struct fore_event *e = &w->t->events.at[i];
    struct fore_map *mine = &w->now[e->thread];
    if (w->partner[i])
        join_clocks(mine, &w->after[w->partner[i] - 1]);
    ++*fore_map_put(mine, e->thread, NULL);
    if (w->waiter[i])
        join_clocks(&w->after[i], mine);
    write_host(w->out, &w->t->tables, e->thread);
    fore_strbuf_putc(w->out, ' ');
    clock_text(w->out, &w->t->tables, mine);
    size_t from = w->out->n;
    fore_event_text(&w->t->tables, e, w->t->cases.at, w->out);
    for (size_t k = from; k < w->out->n; k++)
        w->out->at[k] = (unsigned char)w->out->at[k] < 0x20 ? ' ' : w->out->at[k];
    fore_strbuf_putc(w->out, '\n');
    w->done[i] = true;
}

/* In the observed order, but a receive that was noted before its send comes after it, and what
 * its thread did next comes after that. */
static void write_all(struct shiviz_writer *w)
{
    size_t n = w->t->events.n;
    for (bool more = true; more;) {
        FORE_VEC(uint32_t) held = {0}; /* threads that wait, in this round */
        fore_vec_ensure(&held, w->t->tables.threads.n);
        bool wrote = false;
        more = false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t thread = w->t->events.at[i].thread;
            if (w->done[i])
                continue;
            bool ready = !w->partner[i] || w->done[w->partner[i] - 1];
            if (held.at[thread] || !ready) {
                held.at[thread] = 1;
                more = true;
                continue;
            }
            write_event(w, i);
            wrote = true;
        }
        more = more && wrote;
        fore_vec_release(&held);
    }
}

void fore_export_shiviz(const struct fore_trace *t, const struct fore_findings *f,
                        struct fore_strbuf *out)
{
    struct shiviz_writer w = {.t = t, .out = out, .partner = fore_trace_partners(t)};
    size_t n = t->events.n;
    (void)f;
    w.waiter = fore_calloc(n + 1, sizeof *w.waiter);
    w.now = fore_calloc(t->tables.threads.n, sizeof *w.now);
    w.after = fore_calloc(n + 1, sizeof *w.after);
    w.done = fore_calloc(n + 1, sizeof *w.done);
    for (uint32_t i = 0; i < n; i++)
        if (w.partner[i])
            w.waiter[w.partner[i] - 1] = i + 1;
    fore_strbuf_printf(out, "=== %s ===\n", t->name);
    write_all(&w);
    for (size_t i = 0; i < t->tables.threads.n; i++)
        fore_map_release(&w.now[i]);
    for (size_t i = 0; i < n; i++)
        fore_map_release(&w.after[i]);
    fore_free(w.now);
    fore_free(w.after);
    fore_free(w.done);
    fore_free(w.waiter);
    fore_free(w.partner);
}
