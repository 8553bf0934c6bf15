/* ShiViz's log format: two lines per event, host and clock, then the text. Its parser wants
 * clocks that start at 1 and rise by exactly 1 per host, so they are counted anew here: only
 * communicating events are kept when a trace is long, and a hole would be rejected.
 * The regular expression to paste: ^(?<host>\S*) (?<clock>{.*})\n(?<event>.*)$ */
#include "report/export.h"

#include "trace/format.h"

#include <stdlib.h>

/* Sparse clocks are enough for a picture: a clock is a map from thread to count. */
static void join(struct fore_map *into, const struct fore_map *from)
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
static void host(struct fore_strbuf *out, const struct fore_tables *t, uint32_t thread)
{
    const char *s = fore_tables_label(t, thread);
    for (; *s; s++)
        fore_strbuf_putc(out, (unsigned char)*s <= ' ' || *s == '"' || *s == '\\' ? '_' : *s);
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
        host(out, t, (uint32_t)pairs.at[k]);
        fore_strbuf_printf(out, "\": %llu", (unsigned long long)pairs.at[k + 1]);
    }
    fore_strbuf_puts(out, "}\n");
    fore_vec_release(&pairs);
}

void fore_export_shiviz(const struct fore_trace *t, const struct fore_findings *f,
                        struct fore_strbuf *out)
{
    uint32_t *partner = fore_trace_partners(t);
    struct fore_map *now = fore_calloc(t->tables.threads.n, sizeof *now);
    struct fore_map *at = fore_calloc(t->events.n + 1, sizeof *at);
    uint8_t *source = fore_calloc(t->events.n + 1, 1);
    (void)f;
    for (size_t i = 0; i < t->events.n; i++)
        if (partner[i])
            source[partner[i] - 1] = 1;
    fore_strbuf_printf(out, "=== %s ===\n", t->name);
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        struct fore_map *mine = &now[e->thread];
        if (partner[i])
            join(mine, &at[partner[i] - 1]);
        ++*fore_map_put(mine, e->thread, NULL);
        if (source[i])
            join(&at[i], mine);
        host(out, &t->tables, e->thread);
        fore_strbuf_putc(out, ' ');
        clock_text(out, &t->tables, mine);
        size_t from = out->n;
        fore_event_text(&t->tables, e, t->cases.at, out);
        for (size_t k = from; k < out->n; k++)
            out->at[k] = (unsigned char)out->at[k] < 0x20 ? ' ' : out->at[k];
        fore_strbuf_putc(out, '\n');
    }
    for (size_t i = 0; i < t->tables.threads.n; i++)
        fore_map_release(&now[i]);
    for (size_t i = 0; i < t->events.n; i++)
        fore_map_release(&at[i]);
    fore_free(now);
    fore_free(at);
    fore_free(source);
    fore_free(partner);
}
