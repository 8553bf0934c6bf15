/* Traces of message-passing programs of any length, made in memory. */
#ifndef FORE_BENCH_CHANNEL_SHAPES_H
#define FORE_BENCH_CHANNEL_SHAPES_H

#include "trace/trace.h"

struct shape {
    const char *name, *summary;
    /* About `events` events of `threads` threads. */
    void (*make)(struct fore_trace *t, size_t events, uint32_t threads);
};

extern const struct shape shapes[]; /* ends with a row without name */

#endif
