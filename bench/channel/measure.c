/* The channel analysis over generated traces, and beside it the method of the paper: clocks of
 * full width for every event, and every send compared with every receive of its channel.
 *   channel_measure JSON     writes a table and the JSON file */
#include "analysis/channel/clocks.h"
#include "base/jsonw.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of this process alone: others may keep the machine busy. */
static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct result {
    double seconds;
    uint64_t alternatives, events;
    long rss_kb;
};

/* Runs in a child of its own, so that memory is measured for each alone. */
static struct result in_child(void (*work)(const struct fore_trace *, struct result *),
                              const struct shape *s, size_t events, uint32_t threads)
{
    int fd[2];
    struct result r = {0};
    struct rusage use;
    if (pipe(fd) != 0)
        exit(2);
    pid_t pid = fork();
    if (pid == 0) {
        struct fore_trace t;
        s->make(&t, events, threads);
        r.events = t.events.n;
        work(&t, &r);
        ssize_t n = write(fd[1], &r, sizeof r);
        _exit(n == (ssize_t)sizeof r ? 0 : 2);
    }
    close(fd[1]);
    if (read(fd[0], &r, sizeof r) != (ssize_t)sizeof r)
        fprintf(stderr, "%s: failed\n", s->name);
    close(fd[0]);
    wait4(pid, NULL, 0, &use);
    r.rss_kb = use.ru_maxrss;
    return r;
}

/* Replay, clocks and a verified run for each group of alternatives: what the analysis does, but
 * for counting schedules, which has a bound of its own. */
static void near_linear(const struct fore_trace *t, struct result *r)
{
    struct fore_run o = {0};
    struct fore_comm c = {0};
    struct fore_groups g;
    struct fore_reach reach;
    struct fore_err e = {0};
    uint64_t start = cpu_ns();
    if (fore_run_replay(&o, t, &e) != FORE_OK) {
        fprintf(stderr, "%s\n", e.msg);
        return;
    }
    fore_comm_build(&c, &o);
    fore_groups_init(&g, &c, !c.simple || c.queues);
    fore_reach_init(&reach, &c);
    fore_comm_clocks(&c, &g);
    fore_groups_verify(&g, &reach, NULL, NULL);
    r->seconds = (double)(cpu_ns() - start) / 1e9;
    for (size_t i = 0; i < g.list.n; i++)
        r->alternatives += g.list.at[i].count;
}

/* Definition 17, as it stands, then all pairs. For unbuffered channels only. */
struct quadratic {
    const struct fore_trace *t;
    size_t width;
    uint32_t *now;        /* thread -> clock */
    uint32_t *pre, *post; /* operation -> clocks */
    uint32_t *at;         /* operation -> thread */
    uint32_t *chan, *partner;
    bool *send;
    size_t n;
};

static uint32_t *row(uint32_t *m, const struct quadratic *q, size_t i)
{
    return m + i * q->width;
}

static void replay(struct quadratic *q)
{
    uint32_t *open = fore_calloc(q->width, sizeof *open);
    for (size_t i = 0; i < q->t->events.n; i++) {
        const struct fore_event *e = &q->t->events.at[i];
        uint32_t *mine = row(q->now, q, e->thread);
        if (e->kind == FORE_EV_SIGNAL) {
            memcpy(row(q->now, q, e->a), mine, q->width * sizeof *mine);
            row(q->now, q, e->a)[e->a]++;
            mine[e->thread]++;
        } else if (e->kind == FORE_EV_PRE) {
            q->at[q->n] = e->thread;
            q->chan[q->n] = e->object;
            q->send[q->n] = e->flags & FORE_F_SEND;
            memcpy(row(q->pre, q, q->n), mine, q->width * sizeof *mine);
            open[e->thread] = (uint32_t)q->n++;
        } else if (e->kind == FORE_EV_RECV) {
            uint32_t *other = row(q->now, q, e->a);
            mine[e->thread]++;
            other[e->a]++;
            for (size_t k = 0; k < q->width; k++)
                mine[k] = other[k] = mine[k] > other[k] ? mine[k] : other[k];
            uint32_t r = open[e->thread], s = open[e->a];
            memcpy(row(q->post, q, r), mine, q->width * sizeof *mine);
            memcpy(row(q->post, q, s), mine, q->width * sizeof *mine);
            q->partner[r] = s;
            q->partner[s] = r;
        }
    }
    fore_free(open);
}

static void quadratic(const struct fore_trace *t, struct result *r)
{
    struct quadratic q = {.t = t, .width = t->tables.threads.n};
    uint64_t start = cpu_ns();
    q.now = fore_calloc(q.width * q.width, sizeof *q.now);
    q.pre = fore_calloc(t->events.n * q.width, sizeof *q.pre);
    q.post = fore_calloc(t->events.n * q.width, sizeof *q.post);
    q.at = fore_calloc(t->events.n, sizeof *q.at);
    q.chan = fore_calloc(t->events.n, sizeof *q.chan);
    q.partner = fore_calloc(t->events.n, sizeof *q.partner);
    q.send = fore_calloc(t->events.n, sizeof *q.send);
    replay(&q);
    for (size_t s = 0; s < q.n; s++)
        for (size_t v = 0; q.send[s] && v < q.n; v++)
            if (!q.send[v] && q.chan[s] == q.chan[v] && q.partner[s] != v &&
                row(q.pre, &q, v)[q.at[s]] < row(q.post, &q, s)[q.at[s]] &&
                row(q.pre, &q, s)[q.at[v]] < row(q.post, &q, v)[q.at[v]])
                r->alternatives++;
    r->seconds = (double)(cpu_ns() - start) / 1e9;
    fore_free(q.now);
    fore_free(q.pre);
    fore_free(q.post);
    fore_free(q.at);
    fore_free(q.chan);
    fore_free(q.partner);
    fore_free(q.send);
}

static double show(struct fore_jsonw *w, const char *method, const struct shape *s,
                   uint32_t threads, struct result r, double base)
{
    double ns = r.seconds * 1e9 / (double)r.events;
    printf("%-10s %-10s %8u %10llu %9.3f %9.1f %7.2f %8ld %14llu\n", method, s->name,
           threads, (unsigned long long)r.events, r.seconds, ns, base > 0 ? ns / base : 1,
           r.rss_kb / 1024, (unsigned long long)r.alternatives);
    fflush(stdout);
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "method", method);
    fore_jsonw_text(w, "shape", s->name);
    fore_jsonw_u64(w, "threads", threads);
    fore_jsonw_u64(w, "events", r.events);
    fore_jsonw_real(w, "seconds", r.seconds);
    fore_jsonw_real(w, "ns_per_event", ns);
    fore_jsonw_real(w, "ratio", base > 0 ? ns / base : 1);
    fore_jsonw_u64(w, "rss_mb", (uint64_t)r.rss_kb / 1024);
    fore_jsonw_u64(w, "alternatives", r.alternatives);
    fore_jsonw_close(w, '}');
    return ns;
}

static void measure(struct fore_jsonw *w, size_t most)
{
    printf("%-10s %-10s %8s %10s %9s %9s %7s %8s %14s\n", "method", "shape", "threads",
           "events", "seconds", "ns/event", "ratio", "MB", "alternatives");
    for (const struct shape *s = shapes; s->name; s++) {
        double base = 0;
        for (size_t events = 100000; events <= most; events *= 10) {
            double ns =
                show(w, "clocks", s, 10, in_child(near_linear, s, events, 10), base);
            base = base > 0 ? base : ns;
        }
        if (strcmp(s->name, "pool") != 0)
            show(w, "clocks", s, 100000,
                 in_child(near_linear, s, most < 1000000 ? 1000000 : most, 100000), base);
    }
    double base = 0;
    for (size_t events = 4000; events <= 64000; events *= 4) {
        double ns = show(w, "all pairs", shapes, 10,
                         in_child(quadratic, shapes, events, 10), base);
        base = base > 0 ? base : ns;
    }
}

int main(int argc, char **argv)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    const char *most = getenv("EVENTS");
    fore_jsonw_init(&w, &out);
    fore_jsonw_open(&w, NULL, '[');
    measure(&w, most ? strtoull(most, NULL, 10) : 10000000);
    fore_jsonw_close(&w, ']');
    FILE *f = argc > 1 ? fopen(argv[1], "we") : NULL;
    if (f) {
        fputs(out.at, f);
        fclose(f);
    }
    fore_strbuf_release(&out);
    return 0;
}
