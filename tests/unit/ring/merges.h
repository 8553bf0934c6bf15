/* Ring files that are merged in memory. */
#ifndef FORE_TESTS_UNIT_TRACE_MERGES_H
#define FORE_TESTS_UNIT_TRACE_MERGES_H

#include "../check.h"
#include "ring/merge.h"
#include "ringfile.h"
#include "trace/format.h"

/* The merged trace as text, without its declarations. */
static inline char *lines_of(const struct fore_trace *t)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        fore_strbuf_printf(&out, "%s%s:", i ? " " : "",
                           fore_tables_label(&t->tables, e->thread));
        fore_event_text(&t->tables, e, t->cases.at, &out);
    }
    return fore_strbuf_detach(&out);
}

/* A file that is merged while it is written. */
struct live {
    struct ringfile *f;
    struct fore_trace t;
    struct fore_trace_collector c;
    struct fore_merge m;
};

static inline void live_open(struct live *l, struct ringfile *f)
{
    struct fore_err e = {0};
    l->f = f;
    fore_trace_init(&l->t, "t.fsr");
    fore_trace_collector_init(&l->c, &l->t);
    assert_int_equal(
        fore_merge_open(&l->m, "t.fsr", f->base, f->size, &l->t.tables, &l->c.sink, &e),
        FORE_OK);
}

static inline void live_poll(struct live *l)
{
    fore_merge_poll(&l->m, l->f->size);
}

/* The trace is then the caller's to release. */
static inline void live_finish(struct live *l)
{
    struct fore_err e = {0};
    assert_int_equal(fore_merge_finish(&l->m, l->f->size, &e), FORE_OK);
    fore_merge_release(&l->m);
}

static inline void merge(struct ringfile *f, struct fore_trace *t)
{
    struct live l;
    live_open(&l, f);
    live_finish(&l);
    *t = l.t;
}

static inline void assert_merges_to(struct ringfile *f, const char *want, uint64_t lost)
{
    struct fore_trace t;
    merge(f, &t);
    char *got = lines_of(&t);
    assert_string_equal(got, want);
    assert_int_equal(t.lost, lost);
    fore_free(got);
    fore_trace_release(&t);
}

/* Thread 1 creates threads 2 and on. */
static inline void start(struct ringfile *f, uint32_t children)
{
    for (uint32_t i = 2; i < 2 + children; i++) {
        ringfile_with(f, 1, FORE_RING_SIGNAL, 0, 0, i, 0);
        ringfile_op(f, i, FORE_RING_WAIT, 0, 0);
    }
}

#define SHORT(kind, base, ticket)                                                        \
    FORE_RING_WORD(FORE_RING_SHORT + FORE_RING_##kind##_EVENT, FORE_RING_DONE, base,     \
                   ticket)

/* A stage of a pipe: receives from x, sends to y, four times and once more. */
static inline void put_stage(struct ringfile *f, bool waits)
{
    unsigned done = waits ? 0 : FORE_RING_DONE;
    struct fore_ring_record *r = ringfile_op(f, 2, FORE_RING_RECV_EVENT, 1, 1);
    r->where = 1;
    r = ringfile_op(f, 2, FORE_RING_SEND_EVENT, 2, 1);
    r->where = 2;
    ringfile_short(f, 2, SHORT(RECV, 1, 2), SHORT(SEND, 2, 2));
    ringfile_short(f, 2, FORE_RING_WORD(FORE_RING_AGAIN, done, 0, 5), 0);
}

#endif
