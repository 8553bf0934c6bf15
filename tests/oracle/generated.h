/* Traces that an oracle's generator has written as text. */
#ifndef FORE_TESTS_ORACLE_GENERATED_H
#define FORE_TESTS_ORACLE_GENERATED_H

#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>

/* Ends the test if it is none. */
static inline void load_generated(struct fore_trace *t, const struct fore_strbuf *text)
{
    struct fore_err e = {0};
    fore_trace_init(t, "random");
    if (fore_trace_parse(t, text->at, text->n, &e) != FORE_OK) {
        printf("not ok the generator writes traces: %s\n%s", e.msg, text->at);
        exit(1);
    }
}

#endif
