/* Times the happens-before pass over traces:   measure OUT.json NAME=FILE...
 * Each file is read into memory first; what is timed is the pass alone, for the mask of the
 * race detector and for all edges, and once the reader with the pass behind it. The figures of
 * one line come from one process, so that their ratios mean something. */
#include "base/jsonw.h"
#include "base/progress.h"
#include "causal/pass.h"
#include "trace/format.h"

#include <stdio.h>
#include <string.h>

struct figures {
    const char *name;
    uint64_t events, threads;
    double race, all; /* ns per event */
    double stream;    /* events per second, from the file */
    uint32_t nodes;   /* of the clocks, at the end */
};

static enum fore_flow count(void *ctx, const struct fore_moment *m)
{
    *(uint64_t *)ctx += m->stamp.time;
    return FORE_CONTINUE;
}

static enum fore_flow discard(struct fore_sink *s, const struct fore_batch *b)
{
    (void)s;
    (void)b;
    return FORE_CONTINUE;
}

static enum fore_status discard_end(struct fore_sink *s, const struct fore_trace_end *end,
                                    struct fore_err *e)
{
    (void)s;
    (void)end;
    (void)e;
    return FORE_OK;
}

/* The best of several runs, so that small traces are not measured by one hiccup. */
static double time_pass(const struct fore_trace *t, unsigned mask, uint32_t *nodes,
                        struct fore_err *e)
{
    double best = 0;
    uint64_t sum = 0, spent = 0;
    for (int run = 0; run < 3 || (run < 50 && spent < 300000000); run++) {
        struct fore_clocks clocks;
        fore_clocks_init(&clocks);
        struct fore_pass_options o = {.mask = mask, .visit = count, .ctx = &sum};
        uint64_t from = fore_now_ns();
        struct fore_pass *p = fore_pass_new(&clocks, &o);
        if (fore_trace_replay(t, fore_pass_sink(p), e) != FORE_OK)
            return 0;
        uint64_t took = fore_now_ns() - from;
        *nodes = clocks.live;
        fore_pass_free(p);
        fore_clocks_release(&clocks);
        spent += took;
        double each = (double)took / (double)t->events.n;
        best = run == 0 || each < best ? each : best;
    }
    return best;
}

static enum fore_status time_stream(const char *path, struct figures *f,
                                    struct fore_err *e)
{
    struct fore_tables tables;
    struct fore_clocks clocks;
    uint64_t sum = 0;
    fore_tables_init(&tables);
    fore_clocks_init(&clocks);
    struct fore_pass_options o = {.mask = FORE_EDGES_RACE, .visit = count, .ctx = &sum};
    struct fore_pass *p = fore_pass_new(&clocks, &o);
    uint64_t from = fore_now_ns();
    enum fore_status s = fore_trace_stream(path, &tables, fore_pass_sink(p), e);
    f->stream = (double)f->events * 1e9 / (double)(fore_now_ns() - from);
    fore_pass_free(p);
    fore_clocks_release(&clocks);
    fore_tables_release(&tables);
    return s;
}

static enum fore_status measure(const char *path, struct figures *f, struct fore_err *e)
{
    struct fore_trace t;
    fore_trace_init(&t, path);
    enum fore_status s = fore_trace_load(path, &t, e);
    if (s == FORE_OK) {
        struct fore_sink warm = {discard, discard_end};
        s = fore_trace_replay(&t, &warm, e);
    }
    if (s == FORE_OK) {
        f->events = t.events.n;
        f->threads = t.tables.threads.n - 1;
        f->race = time_pass(&t, FORE_EDGES_RACE, &f->nodes, e);
        f->all = time_pass(&t, FORE_EDGES_ALL, &f->nodes, e);
    }
    fore_trace_release(&t);
    return s == FORE_OK ? time_stream(path, f, e) : s;
}

static void write_json(const char *path, const struct figures *f, size_t n)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &b);
    fore_jsonw_open(&w, NULL, '[');
    for (size_t i = 0; i < n; i++) {
        fore_jsonw_open(&w, NULL, '{');
        fore_jsonw_text(&w, "trace", f[i].name);
        fore_jsonw_u64(&w, "events", f[i].events);
        fore_jsonw_u64(&w, "threads", f[i].threads);
        fore_jsonw_real(&w, "ns_per_event_race", f[i].race);
        fore_jsonw_real(&w, "ns_per_event_all", f[i].all);
        fore_jsonw_real(&w, "events_per_second_from_file", f[i].stream);
        fore_jsonw_u64(&w, "clock_nodes", f[i].nodes);
        fore_jsonw_real(&w, "ratio_race", f[i].race / f[0].race);
        fore_jsonw_real(&w, "ratio_all", f[i].all / f[0].all);
        fore_jsonw_close(&w, '}');
    }
    fore_jsonw_close(&w, ']');
    FILE *to = fopen(path, "w");
    if (to) {
        fprintf(to, "%s\n", b.at);
        fclose(to);
    }
    fore_strbuf_release(&b);
}

int main(int argc, char **argv)
{
    FORE_VEC(struct figures) all = {0};
    struct fore_err e = {0};
    printf("%-22s %10s %8s | %9s %6s | %9s %6s | %12s %8s\n", "trace", "events",
           "threads", "race ns", "ratio", "all ns", "ratio", "from file/s", "nodes");
    for (int i = 2; i < argc; i++) {
        struct figures f = {.name = strtok(argv[i], "=")};
        if (measure(strtok(NULL, ""), &f, &e) != FORE_OK) {
            char text[1200];
            fore_err_format(&e, text, sizeof text);
            fprintf(stderr, "%s\n", text);
            return 1;
        }
        fore_vec_push(&all, f);
        printf("%-22s %10lu %8lu | %9.1f %6.2f | %9.1f %6.2f | %12.0f %8u\n", f.name,
               (unsigned long)f.events, (unsigned long)f.threads, f.race,
               f.race / all.at[0].race, f.all, f.all / all.at[0].all, f.stream, f.nodes);
        fflush(stdout);
    }
    if (argc > 1)
        write_json(argv[1], all.at, all.n);
    fore_vec_release(&all);
    return 0;
}
