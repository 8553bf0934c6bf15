/* Traces that an oracle's generator has written as text. */
#ifndef FORE_TESTS_ORACLE_GENERATED_H
#define FORE_TESTS_ORACLE_GENERATED_H

#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>

/* Ends the test if it is none. */
static inline void load_generated(struct fore_trace *t, const struct fore_strbuf *text)
{
    struct fore_input in;
    struct fore_trace_collector collect;
    struct fore_err e = {0};
    fore_trace_init(t, "random");
    fore_trace_collector_init(&collect, t);
    fore_input_memory(&in, "random", text->at, text->n);
    if (fore_format_named("trace")->read(&in, &t->tables, &collect.sink, &e) != FORE_OK) {
        printf("not ok the generator writes traces: %s\n%s", e.msg, text->at);
        exit(1);
    }
    fore_input_release(&in);
}

#endif
