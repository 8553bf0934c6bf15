/* Traces for tests, from the notation. */
#ifndef FORE_TESTS_MACHINE_BUILD_H
#define FORE_TESTS_MACHINE_BUILD_H

#include "check.h"
#include "trace/format.h"

#include <stdio.h>

static inline void trace_of(struct fore_trace *t, const char *text)
{
    struct fore_err e = {0};
    fore_trace_init(t, "test");
    if (fore_trace_parse(t, text, strlen(text), &e) != FORE_OK)
        fail_msg("%s", e.msg);
}

#endif
