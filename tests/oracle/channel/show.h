/* Prints a trace that an oracle has found wrong. */
#ifndef FORE_TESTS_ORACLE_CHANNEL_SHOW_H
#define FORE_TESTS_ORACLE_CHANNEL_SHOW_H

#include "trace/format.h"

#include <stdio.h>

static inline void show_trace(const struct fore_trace *t)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e;
    struct fore_sink *s = fore_format_named("trace")->write(&a, stderr);
    if (fore_trace_replay(t, s, &e) != FORE_OK)
        fprintf(stderr, "(cannot be shown)\n");
    fore_arena_release(&a);
}

#endif
