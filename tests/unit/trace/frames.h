/* .fst files put together by hand, for what no writer would write. */
#ifndef FORE_TESTS_UNIT_TRACE_FRAMES_H
#define FORE_TESTS_UNIT_TRACE_FRAMES_H

#include "base/hash.h"
#include "trace/fst.h"

#include <stdlib.h>
#include <zstd.h>

static inline void add_frame(struct fore_strbuf *b, uint32_t tag, const uint64_t *fields,
                             unsigned n)
{
    uint32_t head[3] = {FORE_FST_MAGIC, 4 + 8 * n + 8, tag};
    size_t at = b->n + 8;
    fore_strbuf_add(b, (const char *)head, 12);
    fore_strbuf_add(b, (const char *)fields, 8 * (size_t)n);
    uint64_t sum = fore_hash(b->at + at, 4 + 8 * (size_t)n);
    fore_strbuf_add(b, (const char *)&sum, 8);
}

/* A whole file around one chunk, with right checksums. */
static inline void wrap_minor(struct fore_strbuf *b, const char *payload, size_t n,
                              uint64_t events, uint64_t minor)
{
    const uint64_t file[] = {FORE_FST_MAJOR, minor, events};
    const uint64_t end[] = {events, 0, 0, 0};
    char *frame = malloc(ZSTD_compressBound(n));
    size_t size = ZSTD_compress(frame, ZSTD_compressBound(n), payload, n, 1);
    const uint64_t chunk[] = {0, events, size, n, fore_hash(frame, size)};
    fore_strbuf_clear(b);
    add_frame(b, FORE_FST_FILE, file, 3);
    add_frame(b, FORE_FST_CHUNK, chunk, 5);
    fore_strbuf_add(b, frame, size);
    add_frame(b, FORE_FST_END, end, 4);
    free(frame);
}

static inline void wrap(struct fore_strbuf *b, const char *payload, size_t n,
                        uint64_t events)
{
    wrap_minor(b, payload, n, events, FORE_FST_MINOR);
}

#endif
