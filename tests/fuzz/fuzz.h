/* What the fuzzers of the trace readers share. */
#ifndef FORE_TESTS_FUZZ_FUZZ_H
#define FORE_TESTS_FUZZ_FUZZ_H

#include "trace/format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A trace in whatever format, written in another; NULL if it is refused. The caller frees. */
static inline char *fuzz_convert(const void *bytes, size_t n, const char *to, size_t *m)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_tables tables;
    struct fore_input in;
    struct fore_err e = {0};
    char *out = NULL;
    FILE *f = open_memstream(&out, m);
    fore_tables_init(&tables);
    fore_input_memory(&in, "fuzz", bytes, n);
    struct fore_sink *s = fore_format_named(to)->write(&a, f);
    enum fore_status status = fore_input_stream(&in, &tables, s, &e);
    FORE_BUG_IF(status && !e.line && !e.has_offset);
    if (status) {
        struct fore_trace_end given_up = {.torn = true};
        (void)s->end(s, &given_up, NULL);
    }
    fclose(f);
    fore_input_release(&in);
    fore_tables_release(&tables);
    fore_arena_release(&a);
    if (status) {
        free(out);
        out = NULL;
    }
    return out;
}

#endif
