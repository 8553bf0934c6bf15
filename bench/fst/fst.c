/* Makes a large message-passing trace as .fst, and reads one: how fast, in how much memory.
 *     fst-bench make EVENTS FILE      fst-bench read FILE
 *
 * The trace is a pipeline under a random scheduler: producers send over one unbuffered channel
 * to workers that select between work and a stop signal; workers pass results on over a buffered
 * channel to a collector. A lock guards a counter now and then. */
#include "base/rng.h"
#include "trace/format.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { PRODUCERS = 16, WORKERS = 8, CAPACITY = 64, BATCH = 4096 };

struct model {
    struct fore_tables tables;
    struct fore_sink *sink;
    struct fore_rng rng;
    FORE_VEC(struct fore_event) events;
    FORE_VEC(struct fore_case) cases;
    uint32_t producer[PRODUCERS], worker[WORKERS], collector;
    uint32_t work, stop, results, lock, place;
    uint32_t where[12];
    uint64_t sends[PRODUCERS], sent, received, written;
};

static void flush(struct model *m)
{
    struct fore_batch b = {&m->tables, m->events.at, m->events.n, m->cases.at, false};
    m->sink->events(m->sink, &b);
    m->written += m->events.n;
    fore_vec_clear(&m->events);
    fore_vec_clear(&m->cases);
}

static void add(struct model *m, uint32_t thread, unsigned kind, unsigned flags,
                uint32_t object, unsigned site, uint64_t a, uint64_t b)
{
    fore_vec_push(&m->events, (struct fore_event){thread, (uint16_t)kind, (uint16_t)flags,
                                                  object, m->where[site], a, b});
}

static uint32_t object(struct model *m, enum fore_object_kind kind, const char *name)
{
    return fore_tables_object(&m->tables, kind, name, strlen(name));
}

static void create(struct model *m, uint32_t *thread, uint32_t by, const char *name,
                   int i)
{
    char label[32];
    int n = snprintf(label, sizeof label, "%s%d", name, i);
    *thread = fore_tables_thread(&m->tables, label, (size_t)n);
    if (!by)
        return;
    fore_tables_adopt(&m->tables, by, *thread);
    add(m, by, FORE_EV_SIGNAL, 0, 0, 0, *thread, 0);
    add(m, *thread, FORE_EV_WAIT, 0, 0, 1, *thread, 0);
}

static void set_up(struct model *m)
{
    uint32_t file = fore_tables_string(&m->tables, "pipeline.go", 11);
    for (uint32_t i = 0; i < 12; i++)
        m->where[i] = fore_tables_where(
            &m->tables, (struct fore_where){.file = file, .line = 10 + 3 * i});
    m->work = object(m, FORE_OBJ_CHAN, "work");
    m->stop = object(m, FORE_OBJ_CHAN, "stop");
    m->results = object(m, FORE_OBJ_CHAN, "results");
    m->tables.objects.at[m->results].capacity = CAPACITY;
    m->lock = object(m, FORE_OBJ_LOCK, "m");
    m->place = object(m, FORE_OBJ_PLACE, "counter");
    create(m, &m->collector, 0, "main", 0);
    for (int i = 0; i < PRODUCERS; i++)
        create(m, &m->producer[i], m->collector, "producer", i);
    for (int i = 0; i < WORKERS; i++)
        create(m, &m->worker[i], m->collector, "worker", i);
}

/* A producer meets a worker, which passes the work on. */
static void rendezvous(struct model *m)
{
    uint32_t p = (uint32_t)fore_rng_below(&m->rng, PRODUCERS);
    uint32_t w = m->worker[fore_rng_below(&m->rng, WORKERS)];
    size_t first = m->cases.n;
    fore_vec_push(&m->cases, (struct fore_case){m->work, FORE_CASE_RECV});
    fore_vec_push(&m->cases, (struct fore_case){m->stop, FORE_CASE_RECV});
    if (fore_rng_below(&m->rng, 2))
        add(m, m->producer[p], FORE_EV_PRE, FORE_F_SEND, m->work, 2, 0, 0);
    add(m, w, FORE_EV_PRE, FORE_F_CASES, 0, 3, first, 2);
    add(m, m->producer[p], FORE_EV_SEND, 0, m->work, 2, ++m->sends[p], 0);
    add(m, w, FORE_EV_RECV, 0, m->work, 3, m->producer[p], m->sends[p]);
    add(m, w, FORE_EV_PRE, FORE_F_SEND, m->results, 4, 0, 0);
    add(m, w, FORE_EV_SEND, 0, m->results, 4, ++m->sent, 0);
}

static void collect(struct model *m)
{
    add(m, m->collector, FORE_EV_PRE, 0, m->results, 5, 0, 0);
    add(m, m->collector, FORE_EV_RECV, 0, m->results, 5, ++m->received, 0);
}

static void count(struct model *m)
{
    unsigned value = FORE_VALUE_INT << FORE_F_VALUE_SHIFT;
    uint32_t w = m->worker[fore_rng_below(&m->rng, WORKERS)];
    add(m, w, FORE_EV_LOCK, FORE_F_PRE, m->lock, 6, 0, 0);
    add(m, w, FORE_EV_LOCK, 0, m->lock, 6, 0, 0);
    add(m, w, FORE_EV_READ, value, m->place, 7, m->received, 0);
    add(m, w, FORE_EV_WRITE, value, m->place, 7, m->received + 1, 0);
    add(m, w, FORE_EV_UNLOCK, 0, m->lock, 8, 0, 0);
}

static int make(uint64_t events, const char *path)
{
    struct model m = {0};
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_err e;
    FILE *to = fopen(path, "wb");
    if (!to)
        return 1;
    fore_tables_init(&m.tables);
    fore_rng_seed(&m.rng, 1);
    m.sink = fore_format_named("fst")->write(&arena, to);
    set_up(&m);
    while (m.written + m.events.n < events) {
        if (m.sent - m.received < CAPACITY &&
            (m.sent == m.received || fore_rng_below(&m.rng, 2)))
            rendezvous(&m);
        else
            collect(&m);
        if (!fore_rng_below(&m.rng, 16))
            count(&m);
        if (m.events.n >= BATCH)
            flush(&m);
    }
    flush(&m);
    struct fore_trace_end end = {.tables = &m.tables};
    enum fore_status s = m.sink->end(m.sink, &end, &e);
    fclose(to);
    fore_vec_release(&m.events);
    fore_vec_release(&m.cases);
    fore_tables_release(&m.tables);
    fore_arena_release(&arena);
    return s != FORE_OK;
}

/* Looks at every event, so that none of the work can be left out. */
struct tally {
    struct fore_sink sink;
    uint64_t events, sum;
};

static enum fore_flow tally_events(struct fore_sink *s, const struct fore_batch *b)
{
    struct tally *t = (struct tally *)s;
    t->events += b->n;
    for (size_t i = 0; i < b->n; i++)
        t->sum += b->events[i].kind + b->events[i].a;
    return FORE_CONTINUE;
}

static enum fore_status tally_end(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    (void)s;
    (void)end;
    (void)e;
    return FORE_OK;
}

static int read_file(const char *path)
{
    struct tally t = {.sink = {tally_events, tally_end}};
    struct fore_tables tables;
    struct fore_err e;
    char msg[1200];
    struct rusage use;
    fore_tables_init(&tables);
    if (fore_trace_stream(path, &tables, &t.sink, &e) != FORE_OK) {
        fore_err_format(&e, msg, sizeof msg);
        fprintf(stderr, "%s\n", msg);
        return 1;
    }
    fore_tables_release(&tables);
    getrusage(RUSAGE_SELF, &use);
    printf("%llu %ld %llx\n", (unsigned long long)t.events, use.ru_maxrss,
           (unsigned long long)t.sum);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "make") == 0)
        return make(strtoull(argv[2], NULL, 10), argv[3]);
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return read_file(argv[2]);
    fprintf(stderr, "fst-bench make EVENTS FILE | fst-bench read FILE\n");
    return 2;
}
