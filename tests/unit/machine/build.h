/* Traces for tests, from the notation. */
#ifndef FORE_TESTS_MACHINE_BUILD_H
#define FORE_TESTS_MACHINE_BUILD_H

#include "check.h"
#include "trace/format.h"

#include <stdio.h>

static inline void trace_of(struct fore_trace *t, const char *text)
{
    struct fore_err e = {0};
    struct fore_input in;
    struct fore_trace_collector c;
    fore_trace_init(t, "test");
    fore_trace_collector_init(&c, t);
    fore_input_memory(&in, "test", text, strlen(text));
    if (fore_format_named("trace")->read(&in, &t->tables, &c.sink, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    fore_input_release(&in);
}

#endif
