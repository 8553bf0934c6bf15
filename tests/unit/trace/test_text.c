/* The text notation: what is read, what is refused, and that what is written reads back. */
#include "../check.h"

#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum fore_status load(struct fore_trace *t, const char *text, size_t n,
                             struct fore_err *e)
{
    struct fore_input in;
    struct fore_trace_collector c;
    fore_trace_init(t, "t");
    fore_trace_collector_init(&c, t);
    fore_input_memory(&in, "t", text, n);
    enum fore_status s = fore_input_stream(&in, &t->tables, &c.sink, e);
    fore_input_release(&in);
    return s;
}

static void read_ok(struct fore_trace *t, const char *text)
{
    struct fore_err e = {0};
    char msg[1200];
    if (load(t, text, strlen(text), &e) != FORE_OK) {
        fore_err_format(&e, msg, sizeof msg);
        print_error("%s\n", msg);
        fail();
    }
}

__attribute__((unused)) static void refused(const char *text, const char *expected)
{
    struct fore_trace t;
    struct fore_err e = {0};
    char msg[1200];
    assert_int_not_equal(load(&t, text, strlen(text), &e), FORE_OK);
    fore_err_format(&e, msg, sizeof msg);
    assert_string_equal(msg, expected);
    fore_trace_release(&t);
}

static char *written(const struct fore_trace *t)
{
    char *text = NULL;
    size_t n = 0;
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e;
    FILE *f = open_memstream(&text, &n);
    struct fore_sink *s = fore_format_named("text")->write(&a, f);
    assert_int_equal(fore_trace_replay(t, s, &e), FORE_OK);
    fclose(f);
    fore_arena_release(&a);
    return text;
}

static const char design[] =
    "chan y cap=2\n"
    "init w=20 v=40\n"
    "1: signal(2); signal(3); signal(4); pre(x!)@main.go:4; post(x!)\n"
    "2: wait(2); pre(x?, y?, default); post(1#x?); pre(y!); post(y!#7); close(y)\n"
    "3: wait(3); pre(y?); post(7#y?); pre(y?); post(0#y?)     # 0: closed\n"
    "4: wait(4); read(w); write(v)=50; pre(lock(m)); lock(m); unlock(m); pre(lock(n))   # n\n";

static void the_designs_example_is_read(void **state)
{
    (void)state;
    struct fore_trace t;
    read_ok(&t, design);
    assert_int_equal(t.events.n, 23);
    assert_int_equal(t.tables.threads.n - 1, 4);
    const struct fore_event *send = &t.events.at[4], *recv = &t.events.at[7];
    assert_int_equal(send->kind, FORE_EV_SEND);
    assert_int_equal(send->a, 1);
    assert_int_equal(recv->kind, FORE_EV_RECV);
    assert_int_equal(recv->a, 1);
    assert_int_equal(recv->b, 1);
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_path(&t.tables, 3, &b);
    fore_strbuf_putc(&b, ' ');
    fore_event_text(&t.tables, &t.events.at[6], t.cases.at, &b);
    fore_strbuf_putc(&b, ' ');
    fore_event_text(&t.tables, &t.events.at[22], t.cases.at, &b);
    assert_string_equal(b.at, "1.2 pre(x?, y?, default) pre(lock(n))");
    fore_strbuf_release(&b);
    fore_trace_release(&t);
}

/* Every act of the grammar, in the canonical form. */
static const char every[] =
    "foresee 1\n"
    "chan y cap=2 @m.c:1\n"
    "chan z\n"
    "lock rec recursive rw readers-first @m.c:2:3\n"
    "init w=20\n"
    "init v=1.5\n"
    "init \"odd name\"=[1, \"a\", [true, nil]]\n"
    "thread worker \"the worker\" @\"a file.c\":9\n"
    "1: signal(2); signal(worker); pre(x!)@main.go:4; post(x!); pre(y!); post(y!#1); close(z)\n"
    "1: pre(y!, nil?, timeout); post(select); close(z)=closed; join(2)\n"
    "2: wait(2); pre(x?, y?, default); post(1#x?); pre(x?); post(worker#x?); pre(x?)\n"
    "2: post(worker/3#x?); pre(y?); post(1#y?); pre(z?); post(0#z?); pre(z!); post(z!closed); "
    "panic\n"
    "worker: wait(worker); pre(x!); post(x!); pre(x!); post(x!); pre(x!); post(x!)\n"
    "worker: pre(lock(m)); lock(m); trylock(rec)=ok; trylock(rec)=ok; trylock(rec)=busy\n"
    "worker: unlock(rec); unlock(rec); tryrlock(rec)=ok; runlock(rec); rlock(rec); "
    "runlock(rec)\n"
    "worker: cwait(c, m); pre(cwoken(c, m)); cwoken(c, m); csignal(c); csignal(c, 2); "
    "cbroadcast(c)\n"
    "worker: unlock(m); acquire(s); acquire(s, 3); release(s); release(s, 2); barrier(b, 2)\n"
    "worker: pre(once(o)); once(o)=ran; once(o)=waited; wgadd(g, -2); wgdone(g); wgwait(g)\n"
    "worker: arm(t); fire(t); read(w); read.acq(w)=20; write.rel(a.b[3].c)=-7; "
    "rmw.sc(q+8)=1->2\n"
    "worker: write(v)=true; write(v)=nil; write(v)=\"s\\n\"; write(v)=[]; write(v)=1e+300\n"
    "worker: write(v)=0.1; write(v)=-inf; fence.ar; alloc(p, 64); free(p); write(p)\n"
    "worker: spawn(act); send(1->act) \"hello\"; send(2->act); invoke(q.push, 1, \"x\")#4\n"
    "worker: return()#4; invoke(q.\"odd op\"); fail; invoke(q.pop)#5; info#5; exit\n"
    "act: receive(1); receive(2); end\n"
    "expect blocked 1 2\n"
    "expect panic worker\n"
    "expect violation \"no name\"\n";

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct fore_trace t, u;
    read_ok(&t, every);
    char *text = written(&t);
    read_ok(&u, text);
    assert_int_equal(t.events.n, u.events.n);
    assert_memory_equal(t.events.at, u.events.at, t.events.n * sizeof *t.events.at);
    assert_memory_equal(t.cases.at, u.cases.at, t.cases.n * sizeof *t.cases.at);
    char *again = written(&u);
    assert_string_equal(text, again);
    free(text);
    free(again);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

RUN_CASES(CASE(the_designs_example_is_read), CASE(what_is_written_reads_back))
