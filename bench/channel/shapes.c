#include "shapes.h"

#include <stdio.h>

struct maker {
    struct fore_trace *t;
    uint32_t file;
    uint64_t *sends; /* thread -> on the channel that it sends on, if that is one */
};

static uint32_t place(struct maker *m, uint32_t line)
{
    return fore_tables_where(&m->t->tables,
                             (struct fore_where){.file = m->file, .line = line});
}

static uint32_t thread(struct maker *m, uint32_t n)
{
    char label[16];
    int len = snprintf(label, sizeof label, "%u", n);
    return fore_tables_thread(&m->t->tables, label, (size_t)len);
}

static uint32_t chan(struct maker *m, uint32_t n, uint64_t capacity)
{
    char name[16];
    int len = snprintf(name, sizeof name, "c%u", n);
    uint32_t id = fore_tables_object(&m->t->tables, FORE_OBJ_CHAN, name, (size_t)len);
    m->t->tables.objects.at[id].capacity = capacity;
    return id;
}

static void put(struct maker *m, struct fore_event e)
{
    fore_vec_push(&m->t->events, e);
}

static void begin(struct maker *m, struct fore_trace *t, uint32_t threads)
{
    fore_trace_init(t, "bench");
    *m = (struct maker){.t = t,
                        .sends = fore_calloc((size_t)threads + 2, sizeof *m->sends)};
    m->file = fore_tables_string(&t->tables, "bench.go", 8);
}

static void fork_from(struct maker *m, uint32_t parent, uint32_t child)
{
    fore_tables_adopt(&m->t->tables, parent, child);
    put(m, (struct fore_event){.thread = parent, .kind = FORE_EV_SIGNAL, .a = child});
    put(m, (struct fore_event){.thread = child, .kind = FORE_EV_WAIT, .a = child});
}

static void pre(struct maker *m, uint32_t t, uint32_t c, bool send, uint32_t line)
{
    put(m, (struct fore_event){.thread = t,
                               .kind = FORE_EV_PRE,
                               .flags = send ? FORE_F_SEND : 0,
                               .object = c,
                               .where = place(m, line)});
}

static void sync(struct maker *m, uint32_t s, uint32_t r, uint32_t c, uint32_t line)
{
    pre(m, s, c, true, line);
    pre(m, r, c, false, line + 1);
    uint64_t k = ++m->sends[s];
    put(m, (struct fore_event){.thread = s, .kind = FORE_EV_SEND, .object = c, .a = k});
    put(m, (struct fore_event){
               .thread = r, .kind = FORE_EV_RECV, .object = c, .a = s, .b = k});
}

static void end(struct maker *m)
{
    fore_free(m->sends);
}

/* The paper's Collector: many threads send to main, each once, in as many rounds as it takes. */
static void collector(struct fore_trace *t, size_t events, uint32_t threads)
{
    struct maker m;
    begin(&m, t, threads);
    uint32_t main_thread = thread(&m, 1), c = chan(&m, 1, 0);
    for (uint32_t i = 2; i <= threads; i++)
        fork_from(&m, main_thread, thread(&m, i));
    for (uint32_t i = 0; t->events.n < events; i++)
        sync(&m, 2 + i % (threads - 1), main_thread, c, 10);
    end(&m);
}

/* The paper's Add-Pipe: a chain of threads, a channel between each two. */
static void pipe_line(struct fore_trace *t, size_t events, uint32_t threads)
{
    struct maker m;
    begin(&m, t, threads);
    uint32_t first = thread(&m, 1);
    for (uint32_t i = 2; i <= threads; i++)
        fork_from(&m, first, thread(&m, i));
    for (uint32_t i = 1; i <= threads; i++)
        chan(&m, i, 0);
    while (t->events.n < events)
        for (uint32_t i = 1; i <= threads && t->events.n < events; i++)
            sync(&m, i, i % threads + 1, i, 10);
    end(&m);
}

/* Threads that send jobs to a handful of workers, through a channel without buffer. */
static void workers(struct fore_trace *t, size_t events, uint32_t threads)
{
    struct maker m;
    begin(&m, t, threads);
    uint32_t main_thread = thread(&m, 1), c = chan(&m, 1, 0), few = 4;
    for (uint32_t i = 2; i <= threads; i++)
        fork_from(&m, main_thread, thread(&m, i));
    for (uint32_t i = 0; t->events.n < events; i++)
        sync(&m, 2 + few + i % (threads - 1 - few), 2 + i / 3 % few, c, 10);
    end(&m);
}

/* One producer, several consumers, a buffer between them. */
static void pool(struct fore_trace *t, size_t events, uint32_t threads)
{
    struct maker m;
    begin(&m, t, threads);
    uint32_t main_thread = thread(&m, 1), c = chan(&m, 1, 8);
    for (uint32_t i = 2; i <= threads; i++)
        fork_from(&m, main_thread, thread(&m, i));
    for (uint64_t k = 1; t->events.n < events; k++) {
        uint32_t r = 2 + (uint32_t)(k % (threads - 1));
        pre(&m, main_thread, c, true, 10);
        put(&m, (struct fore_event){
                    .thread = main_thread, .kind = FORE_EV_SEND, .object = c, .a = k});
        pre(&m, r, c, false, 11);
        put(&m,
            (struct fore_event){.thread = r, .kind = FORE_EV_RECV, .object = c, .a = k});
    }
    end(&m);
}

const struct shape shapes[] = {
    {"collector", "all send to one", collector},
    {"pipeline", "a channel between each two", pipe_line},
    {"workers", "all send to four", workers},
    {"pool", "one sends to all, buffer of 8", pool},
    {NULL, NULL, NULL},
};
