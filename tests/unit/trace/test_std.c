/* RAPID's format. */
#include "traces.h"

static void every_operation_is_read(void)
{
    struct fore_trace t;
    size_t n;
    read_text(&t, "T0|fork(T1)|1\n"
                  "T0|acq(L.0)|2\n"
                  "T0|begin|2\n"
                  "T0|w(V[3])|3\r\n"
                  "T0|end|3\n"
                  "T0|rel(L.0)|Main.java:4\n"
                  "T1|r(V[3])\n"
                  "T0|join(T1)|99999999999");
    char *text = written(&t, "text", &n);
    assert_string_equal(text,
                        "foresee 1\n"
                        "sees threads channels locks atomics memory outside\n"
                        "lock \"L.0\" recursive\n"
                        "T0: signal(T1)@loc:1; lock(\"L.0\")@loc:2; write(V[3])@loc:3; "
                        "unlock(\"L.0\")@\"Main.java:4\":0\n"
                        "T1: wait(T1); read(V[3])\n"
                        "T0: join(T1)@99999999999:0\n");
    assert_int_equal(t.unknown, 2);
    free(text);
    fore_trace_release(&t);
}

static void locks_are_recursive(void)
{
    struct fore_trace t;
    read_text(&t, "T0|acq(L)|1\nT0|acq(L)|1\nT0|rel(L)|1\nT0|rel(L)|1\n");
    assert_int_equal(t.events.n, 4);
    fore_trace_release(&t);
}

static void malformed_lines_are_refused_where_they_are_wrong(void)
{
    refused("T0|w(x)|1\nT0|w|1\n", "t:2:5: expected '(' and an operand, found '|'");
    refused("T0|w(x)|1\nT0|frob(x)|1\n",
            "t:2:4: an operation is r, w, acq, rel, fork, join, "
            "begin, end or branch");
    refused("T0|w(x)|1\nT0|w(x|1\n", "t:2:7: expected ')', found '|'");
    refused("T0|w(x)|1\nT0|w(x)|1|2\n",
            "t:2:10: expected the end of the line, found '|'");
    refused("T0|w(x)|1\nT0|rel(L)|1\n",
            "t:2:2: thread T0 does not hold L, so it cannot release it");
}

RUN_CASES(CASE(every_operation_is_read), CASE(locks_are_recursive),
          CASE(malformed_lines_are_refused_where_they_are_wrong))
