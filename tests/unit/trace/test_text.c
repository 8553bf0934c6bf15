/* The text notation: what is read, what is refused, and that what is written reads back. */
#include "traces.h"

static const char design[] =
    "chan y cap=2\n"
    "init w=20 v=40\n"
    "1: signal(2); signal(3); signal(4); pre(x!)@main.go:4; post(x!)\n"
    "2: wait(2); pre(x?, y?, default); post(1#x?); pre(y!); post(y!#7); close(y)\n"
    "3: wait(3); pre(y?); post(7#y?); pre(y?); post(0#y?)     # 0: closed\n"
    "4: wait(4); read(w); write(v)=50; pre(lock(m)); lock(m); unlock(m); pre(lock(n))   "
    "# n\n";

static void the_designs_example_is_read(void)
{
    struct fore_trace t;
    read_text(&t, design);
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

static void what_foresee_wrote_is_written_alike(void)
{
    struct fore_trace t, u;
    size_t n;
    read_text(&t, every_act);
    char *text = written(&t, "text", &n);
    assert_string_equal(text, every_act);
    free(text);
    through(&t, &u, "text");
    assert_same(&t, &u);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

static void a_receive_takes_the_first_send_that_nobody_took(void)
{
    struct fore_trace t;
    read_text(&t, "2: post(1/2#x?); post(1#x?); post(1#x?)\n"
                  "1: post(x!); post(x!); post(x!)\n");
    assert_int_equal(t.events.at[0].b, 2);
    assert_int_equal(t.events.at[1].b, 1);
    assert_int_equal(t.events.at[2].b, 3);
    fore_trace_release(&t);
}

static void a_buffered_send_without_a_number_gets_the_next(void)
{
    struct fore_trace t;
    read_text(&t, "chan y cap=9\n1: post(y!); post(y!#7); post(y!)\n2: post(8#y?)\n");
    assert_int_equal(t.events.at[0].a, 1);
    assert_int_equal(t.events.at[2].a, 8);
    fore_trace_release(&t);
}

static void a_select_that_timed_out_says_so(void)
{
    struct fore_trace t;
    read_text(&t, "1: pre(timeout, x?); post(select); pre(x?, default); post(select)\n");
    assert_true(t.events.at[1].flags & FORE_F_TIMEOUT);
    assert_false(t.events.at[3].flags & FORE_F_TIMEOUT);
    fore_trace_release(&t);
}

static void names_like_keywords_are_names(void)
{
    struct fore_trace t, u;
    read_text(&t, "chan: pre(lock!, default?, \"nil\"?); post(lock!)\n"
                  "init: post(chan#lock?); pre(select!); post(select!)\n"
                  "\"2\": signal(expect); pre(nil?)\n"
                  "expect : wait(expect); post(init#select?)\n");
    assert_string_equal(fore_tables_label(&t.tables, 3), "2");
    assert_int_equal(t.events.at[6].object, 0);
    through(&t, &u, "text");
    assert_same(&t, &u);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

static void lines_may_be_grouped_by_thread(void)
{
    struct fore_trace t;
    read_text(&t, "3: wait(3); pre(x?); post(2#x?); join(2); receive(5)\n"
                  "2: wait(2); pre(x!); post(x!); end\n"
                  "1: signal(2); signal(3); send(5->3)\n");
    assert_int_equal(t.events.n, 12);
    assert_int_equal(t.tables.threads.at[1].parent, 3);
    fore_trace_release(&t);
}

static void what_no_order_explains_is_refused(void)
{
    refused("1: signal(2)\n2: wait(2)\n3: wait(3)\n", "t:3:4: wait(3) without signal(3)");
    refused("1: signal(2)\n2: lock(m)\n",
            "t:2:4: thread 2 was created by signal(2): it begins with wait(2)");
    refused("1: pre(x?); post(2#x?)\n2: end\n",
            "t:1:13: thread 2 never sent this on x: its sends there are 0");
    refused("chan y cap=1\n1: post(7#y?)\n", "t:2:4: message 7 was never sent on y");
    refused("chan y cap=1\n1: post(y!#1); post(y!#1)\n",
            "t:2:16: message 1 of channel y was sent before");
    refused("1: post(x!)\n2: post(1/1#x?); post(1/1#x?)\n",
            "t:2:18: send 1 of thread 1 on x was received before");
    refused("1: lock(m)\n2: unlock(m)\n",
            "t:2:4: thread 2 does not hold m, so it cannot release it");
    refused("1: lock(m); lock(m)\n", "t:1:13: thread 1 holds m already, so this blocks: "
                                     "declare \"lock m recursive\" if it may");
    refused("1: post(0#x?)\n",
            "t:1:4: channel x was found closed, but there is no close(x)");
    refused("1: close(x); close(x)\n",
            "t:1:14: channel x was closed before: write close(x)=closed if it panicked");
    refused("1: pre(x!); post(y!)\n",
            "t:1:13: thread 1 still waits in pre(x!), so post(y!) cannot follow");
    refused("1: end; end\n", "t:1:9: thread 1 has ended, so this cannot follow");
    refused("1: signal(1)\n", "t:1:4: thread 1 cannot create thread 1, its own ancestor");
    refused("1: receive(4)\n", "t:1:4: message 4 was never sent");
    refused("1: return(3)\n",
            "t:1:4: return without an invoke(...) under way in thread 1");
    refused("1: return(3)#2\n", "t:1:4: operation #2 was never invoked");
    refused("1: join(2)\n", "t:1:4: join(2), but there is no thread 2");
    refused("1: lock(m)^2; unlock(m)^1\n",
            "t:1:15: ticket ^1 of m comes after ^2: line order is the observed order");
}

static void what_is_not_declared_is_seen(void)
{
    struct fore_trace t;
    read_text(&t, "1: end\n");
    assert_true(fore_trace_sees(&t, FORE_SEES_ALL));
    assert_int_equal(t.tables.sees, 0);
    fore_trace_release(&t);
    read_text(&t, "sees\n1: end\n");
    for (unsigned i = 0; i < FORE_SEES_BITS; i++)
        assert_false(fore_trace_sees(&t, 1u << i));
    fore_trace_release(&t);
}

static void declarations_of_what_is_seen_add_up(void)
{
    struct fore_trace t;
    read_text(&t, "sees locks memory\nunseen \"a signal handler\"@a.c:3\n1: end\n"
                  "sees values\n");
    assert_true(fore_trace_sees(&t, FORE_SEES_LOCKS));
    assert_true(fore_trace_sees(&t, FORE_SEES_MEMORY | FORE_SEES_VALUES));
    assert_false(fore_trace_sees(&t, FORE_SEES_MEMORY | FORE_SEES_OUTSIDE));
    assert_int_equal(t.tables.unseen.n, 1);
    assert_string_equal(fore_tables_text(&t.tables, t.tables.unseen.at[0].text),
                        "a signal handler");
    assert_int_equal(t.tables.wheres.at[t.tables.unseen.at[0].where].line, 3);
    fore_trace_release(&t);
}

static void what_comes_from_nowhere_known_has_no_object(void)
{
    struct fore_trace t;
    read_text(&t, "1: in(\"\")=4; straight out(p); straight use\n");
    assert_int_equal(t.events.at[0].object, 0);
    assert_int_equal(t.events.at[0].a, 4);
    assert_int_equal(t.tables.objects.at[t.events.at[1].object].kind, FORE_OBJ_OUTSIDE);
    assert_false(t.events.at[0].flags & FORE_F_STRAIGHT);
    assert_true(t.events.at[1].flags & t.events.at[2].flags & FORE_F_STRAIGHT);
    assert_int_equal(t.events.at[2].kind, FORE_EV_USE);
    fore_trace_release(&t);
}

static void a_lock_of_go_has_no_owner(void)
{
    struct fore_trace t;
    read_text(&t, "lock m writers-first\n1: lock(m)\n2: unlock(m)\n1: lock(m)\n");
    assert_int_equal(t.events.n, 3);
    fore_trace_release(&t);
}

static void the_first_problem_is_reported(void)
{
    refused("1: post(0#x?)\n1: unlock(m)\n2: wait(2)\n",
            "t:1:4: channel x was found closed, but there is no close(x)");
}

static void after_a_tear_they_are_doubts(void)
{
    struct fore_trace t;
    read_text(&t, "1: unlock(m)\n2: wait(2)\n# torn: 17 events lost\n");
    assert_true(t.torn);
    assert_int_equal(t.lost, 17);
    assert_int_equal(t.doubts, 2);
    fore_trace_release(&t);
}

static void malformed_text_is_refused_where_it_is_wrong(void)
{
    refused("", "t:1:1: the file is empty: expected a trace");
    refused("\n \n# nothing\n", "t:1:1: there is no trace in it: expected lines such as "
                                "\"1: signal(2); pre(x!)\"");
    refused("\177ELF\2\1\1", "t: offset 0: not a trace in any format that foresee reads");
    refused("1: signal(2", "t:1:12: expected ')', found the end of the file");
    refused("1: zzzzz(x)\n", "t:1:4: \"zzzzz\" is not an event");
    refused("1: unlok(x)\n",
            "t:1:4: \"unlok\" is not an event: did you mean \"unlock\"?");
    refused("1: end#7\n", "t:1:7: expected ';' or the end of the line, found '#'");
    refused("1: post(x?)\n",
            "t:1:9: from whom? write post(SENDER#x?), or post(0#x?) if it "
            "was closed");
    refused("1: write(x)=9223372036854775808\n",
            "t:1:13: a number that does not fit in 64 bits (-2^63 to 2^63-1)");
    refused("1: write(x)=1e999\n", "t:1:13: 1e999 is too large for a 64-bit float");
    refused("1: write(x)=\"a\n",
            "t:1:15: expected the closing \" of a string, found the end "
            "of the line");
    refused("1: write(x)=\"\xff\"\n", "t:1:13: a string must be UTF-8");
    refused("1: post(y!)\nchan y cap=3\n",
            "t:2:6: a declaration must come before the first use");
    refused("chan y\nchan y cap=3\n", "t:2:6: this was declared before");
    refused("foresee 2\n1: end\n",
            "t:1:9: version 2 of the notation: this program reads version 1");
    refused("foresee 1 merge\n", "t:1:11: the header is \"foresee 1\" or \"foresee 1 "
                                 "merged\"");
    refused("1: pre(y?)\ntimed y\n",
            "t:2:7: a declaration must come before the first use");
    refused("hidden wg w\nhidden wg w\n", "t:2:11: this was declared before");
    refused("hidden x\n", "t:1:8: expected a kind of objects after \"hidden\": chan, "
                          "lock, cond, sem, barrier, once, wg, timer, var, object or "
                          "outside");
    refused("sees all\n",
            "t:1:6: \"all\" cannot be seen: it is threads, channels, locks, "
            "atomics, memory, values or outside");
    refused("unseen\n1: end\n",
            "t:1:7: expected what was not seen, as a string, found the end of the line");
    refused("1: straight\n", "t:1:12: expected an event, found the end of the line");
    refused("1: in()\n", "t:1:7: expected what it came from or went to, or \"\", found "
                         "')'; it is written in(stdin)=1, or in(\"\") if nobody knows "
                         "from where");
    refused("foresee 1\n1: end", "t:2:7: the last line has no end: the file was cut");
    refused("0: end\n", "t:1:1: a thread's number must be at least 1");
    refused("1: pre(x?, default, timeout)\n",
            "t:1:21: a select has one default or one timeout");
}

static void what_would_be_right_is_said(void)
{
    refused("1: write(x,1)\n",
            "t:1:11: expected ')', found ','; it is written write(x)=1");
    refused("1: cwait(c)\n",
            "t:1:11: expected ',', found ')'; it is written cwait(c, m), "
            "with the lock that it gives back");
    refused("1: trylock(m)\n", "t:1:14: expected '=', found the end of the line; it is "
                               "written trylock(m)=ok or trylock(m)=busy");
    refused("1: x!\n", "t:1:4: \"x!\" is not an event: write pre(x!); post(x!)");
    refused("1: fork(2)\n", "t:1:4: \"fork\" is not an event: write signal(2), and begin "
                            "thread 2 with wait(2)");
    refused("1: lock(m), unlock(m)\n",
            "t:1:11: expected ';' or the end of the line, found "
            "','; events are separated by ';'");
    refused("chan x 2\n", "t:1:8: expected \"cap=\" or the end of the line, found '2'; a "
                          "buffer is written chan x cap=2");
    refused("init x 1\n", "t:1:8: expected '=', found '1'; it is written init x=1 y=2");
    refused("1: end // done\n",
            "t:1:8: expected ';' or the end of the line, found '/'; a "
            "comment begins with #");
}

/* prefix, `n` times `c`, suffix. */
static void refused_long(const char *prefix, char c, size_t n, const char *suffix,
                         const char *expected)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_puts(&b, prefix);
    fore_strbuf_pad(&b, c, b.n + n);
    fore_strbuf_puts(&b, suffix);
    refused(b.at, expected);
    fore_strbuf_release(&b);
}

static void long_names_strings_and_lists_are_refused(void)
{
    enum { MORE = (1 << 20) + 1 };
    refused_long("1: lock(", 'a', MORE, ")\n", "t:1:9: a name may have at most 1 MiB");
    refused_long("1: lock(\"", 'a', MORE, "\")\n",
                 "t:1:9: a string may have at most 1 MiB");
    refused_long("1: write(x)=", '9', MORE, "\n",
                 "t:1:13: a number that does not fit in 64 bits (-2^63 to 2^63-1)");
    refused_long("1: write(x)=", '[', 200, "\n", "t:1:77: lists may be nested 64 deep");
}

static void a_name_of_one_mebibyte_is_read(void)
{
    struct fore_trace t, u;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_puts(&b, "1: lock(\"");
    fore_strbuf_pad(&b, 'a', b.n + (1 << 20));
    fore_strbuf_puts(&b, "\"); unlock(\"a b\")\n");
    refused(b.at, "t:1:1048590: thread 1 does not hold \"a b\", so it cannot release it");
    b.n -= strlen("; unlock(\"a b\")\n");
    fore_strbuf_puts(&b, "\n");
    read_text(&t, b.at);
    through(&t, &u, "fst");
    assert_same(&t, &u);
    fore_strbuf_release(&b);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

/* A trace cut anywhere is read or refused, and never more than that. */
static void text_cut_at_any_byte_is_read_or_refused(void)
{
    for (size_t n = 0; n < sizeof every_act; n++) {
        struct fore_trace t;
        struct fore_err e = {0};
        char *copy = malloc(n + 1); /* its own allocation: overruns are caught */
        memcpy(copy, every_act, n);
        enum fore_status s = load(&t, copy, n, &e);
        assert_true(s == FORE_OK || e.line || e.has_offset);
        free(copy);
        fore_trace_release(&t);
    }
}

RUN_CASES(CASE(the_designs_example_is_read), CASE(what_foresee_wrote_is_written_alike),
          CASE(a_receive_takes_the_first_send_that_nobody_took),
          CASE(a_buffered_send_without_a_number_gets_the_next),
          CASE(a_select_that_timed_out_says_so), CASE(names_like_keywords_are_names),
          CASE(lines_may_be_grouped_by_thread), CASE(what_no_order_explains_is_refused),
          CASE(what_is_not_declared_is_seen), CASE(declarations_of_what_is_seen_add_up),
          CASE(what_comes_from_nowhere_known_has_no_object),
          CASE(a_lock_of_go_has_no_owner), CASE(the_first_problem_is_reported),
          CASE(after_a_tear_they_are_doubts),
          CASE(malformed_text_is_refused_where_it_is_wrong),
          CASE(what_would_be_right_is_said),
          CASE(long_names_strings_and_lists_are_refused),
          CASE(a_name_of_one_mebibyte_is_read),
          CASE(text_cut_at_any_byte_is_read_or_refused))
