/* Traces from text and back, for tests. */
#ifndef FORE_TESTS_UNIT_TRACE_TRACES_H
#define FORE_TESTS_UNIT_TRACE_TRACES_H

#include "../check.h"

#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline enum fore_status load(struct fore_trace *t, const void *bytes, size_t n,
                                    struct fore_err *e)
{
    struct fore_input in;
    struct fore_trace_collector c;
    fore_trace_init(t, "t");
    fore_trace_collector_init(&c, t);
    fore_input_memory(&in, "t", bytes, n);
    enum fore_status s = fore_input_stream(&in, &t->tables, &c.sink, e);
    fore_input_release(&in);
    return s;
}

static inline void read_bytes(struct fore_trace *t, const void *bytes, size_t n)
{
    struct fore_err e = {0};
    char msg[1200];
    if (load(t, bytes, n, &e) != FORE_OK) {
        fore_err_format(&e, msg, sizeof msg);
        print_error("%s\n", msg);
        fail();
    }
}

static inline void read_text(struct fore_trace *t, const char *text)
{
    read_bytes(t, text, strlen(text));
}

/* Reading `bytes` fails with this message. */
static inline void refused_bytes(const void *bytes, size_t n, const char *expected)
{
    struct fore_trace t;
    struct fore_err e = {0};
    char msg[1200];
    assert_int_not_equal(load(&t, bytes, n, &e), FORE_OK);
    fore_err_format(&e, msg, sizeof msg);
    assert_string_equal(msg, expected);
    fore_trace_release(&t);
}

static inline void refused(const char *text, const char *expected)
{
    refused_bytes(text, strlen(text), expected);
}

/* In that format; the caller frees. */
static inline char *written(const struct fore_trace *t, const char *format, size_t *n)
{
    char *bytes = NULL;
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e;
    FILE *f = open_memstream(&bytes, n);
    struct fore_sink *s = fore_format_named(format)->write(&a, f);
    assert_int_equal(fore_trace_replay(t, s, &e), FORE_OK);
    fclose(f);
    fore_arena_release(&a);
    return bytes;
}

/* Through that format and back. */
static inline void through(const struct fore_trace *from, struct fore_trace *to,
                           const char *format)
{
    size_t n;
    char *bytes = written(from, format, &n);
    read_bytes(to, bytes, n);
    free(bytes);
}

/* The same events with the same names behind them. */
static inline void assert_same(const struct fore_trace *a, const struct fore_trace *b)
{
    size_t n, m;
    assert_int_equal(a->events.n, b->events.n);
    assert_int_equal(a->tables.threads.n, b->tables.threads.n);
    assert_int_equal(a->tables.objects.n, b->tables.objects.n);
    if (a->events.n)
        assert_memory_equal(a->events.at, b->events.at,
                            a->events.n * sizeof *a->events.at);
    assert_int_equal(a->cases.n, b->cases.n);
    if (a->cases.n)
        assert_memory_equal(a->cases.at, b->cases.at, a->cases.n * sizeof *a->cases.at);
    char *x = written(a, "text", &n), *y = written(b, "text", &m);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

/* Every act and every declaration of the notation, as foresee writes it. */
static const char every_act[] =
    "foresee 1\n"
    "sees threads channels locks atomics memory values outside\n"
    "unseen \"inline assembly\"@f.c:12\n"
    "unseen \"libfoo.so writes memory\"\n"
    "unseen member \"pool.size\"@p.go:3\n"
    "thread worker \"the worker\" in \"TestX/sub\" @\"a file.c\":9\n"
    "thread 3 goroutine 7 \"main.worker\" in \"TestX\" @main.go:3\n"
    "thread 4 goroutine 4294967295\n"
    "chan y cap=2 @m.c:1\n"
    "chan z\n"
    "lock rec recursive rw readers-first @m.c:2:3\n"
    "lock sure robust\n"
    "init w=20\n"
    "init v=1.5\n"
    "init \"odd name\"=[1, \"a\", [true, nil]]\n"
    "1: signal(2); signal(worker); pre(x!)@main.go:4; post(x!); pre(y!); post(y!#1); "
    "close(z)\n"
    "1: pre(y!, nil?, timeout); post(select); close(z)=closed; join(2)\n"
    "2: wait(2); pre(x?, y?, default); post(1#x?); pre(x?); post(worker#x?); pre(x?); "
    "post(worker/3#x?)\n"
    "2: pre(y?); post(1#y?); pre(z?); post(0#z?); pre(z!); post(z!closed); panic\n"
    "worker: wait(worker); pre(x!); post(x!); pre(x!); post(x!); pre(x!); post(x!); "
    "pre(lock(m)); lock(m)\n"
    "worker: trylock(rec)=ok; trylock(rec)=ok; trylock(rec)=busy; unlock(rec); "
    "unlock(rec)\n"
    "worker: tryrlock(rec)=ok; runlock(rec); rlock(rec); runlock(rec); cwait(c, m); "
    "pre(cwoken(c, m))\n"
    "worker: cwoken(c, m); csignal(c); csignal(c, 2); cbroadcast(c); unlock(m); "
    "acquire(s, 3)=tried\n"
    "worker: release(s); release(s, 2); pre(barrier(b, 2)); barrier(b, 2); pre(once(o)); "
    "once(o)=ran\n"
    "worker: once(o)=waited; wgadd(g, -2); wgdone(g); wgwait(g); arm(t); fire(t); "
    "read(w); read.acq(w)=20\n"
    "worker: write.rel(a.b[3].c)=-7; rmw.sc(q+8)=1->2; write(v)=true; write(v)=nil\n"
    "worker: write(v)=\"s\\n\\u0001\xc3\xa9\"; write(v)=[]; write(v)=1e+300; "
    "write(v)=0.1; write(v)=-inf\n"
    "worker: write(v)=-9223372036854775808; fence.ar; alloc(p, 64); free(p); write(p); "
    "spawn(act)\n"
    "worker: send(1->act) \"hello\"; send(2->act); invoke(q.push, 1, \"x\")#4; "
    "return()#4; invoke(q.\"odd op\")\n"
    "worker: fail; use; straight write(v)=2; in(fd0)=7; in(\"\"); straight out(\"a "
    "pipe\")=\"x\"; use; exit\n"
    "act: receive(1); invoke(q.pop)#5; info#5; receive(2); end\n"
    "expect blocked 1 2\n"
    "expect panic worker\n"
    "expect violation \"no name\"\n";

#endif
