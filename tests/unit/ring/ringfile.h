/* A ring file in memory, written record by record. */
#ifndef FORE_TESTS_UNIT_TRACE_RINGFILE_H
#define FORE_TESTS_UNIT_TRACE_RINGFILE_H

#include "base/vec.h"
#include "capture/ring/ring.h"

#include <stdlib.h>
#include <string.h>

enum { RINGFILE_CHUNK = 128, RINGFILE_CHUNKS = 256, RINGFILE_THREADS = 16 };

struct ringfile {
    char *base;
    size_t size;
    struct fore_ring_header *header;
    /* The current chunk of each thread, and how many records it has. */
    struct fore_ring_chunk *chunk[RINGFILE_THREADS];
    size_t used[RINGFILE_THREADS];
    uint32_t numbers[RINGFILE_THREADS]; /* chunks that each has had */
};

static inline void ringfile_init(struct ringfile *f)
{
    *f = (struct ringfile){.size = FORE_RING_HEADER + RINGFILE_CHUNK * RINGFILE_CHUNKS};
    f->base = calloc(1, f->size);
    f->header = (struct fore_ring_header *)f->base;
    memcpy(f->header->magic, FORE_RING_MAGIC, 8);
    f->header->version = FORE_RING_VERSION;
    f->header->header_size = FORE_RING_HEADER;
    f->header->chunk_size = RINGFILE_CHUNK;
    f->header->source = FORE_RING_CSP;
    f->header->chunks = RINGFILE_CHUNKS;
}

static inline void ringfile_release(struct ringfile *f)
{
    free(f->base);
}

/* One that was given back, or a new one. */
static inline struct fore_ring_chunk *ringfile_chunk(struct ringfile *f)
{
    uint64_t i = f->header->returned ? f->header->returned - 1 : f->header->next_chunk++;
    struct fore_ring_chunk *c =
        (struct fore_ring_chunk *)(f->base + FORE_RING_HEADER + i * RINGFILE_CHUNK);
    if (f->header->returned) {
        f->header->returned = c->after;
        c->after = 0;
    }
    return c;
}

/* A record with `units` behind it, the units first. Returns it for patching. */
static inline struct fore_ring_record *ringfile_put(struct ringfile *f, uint32_t thread,
                                                    uint32_t object, unsigned kind,
                                                    unsigned flags, uint64_t ticket,
                                                    const void *bytes, size_t units)
{
    size_t room = RINGFILE_CHUNK / FORE_RING_RECORD - 1;
    if (!f->chunk[thread] || f->used[thread] + 1 + units > room) {
        struct fore_ring_chunk *c = ringfile_chunk(f);
        c->number = f->numbers[thread]++;
        c->thread = thread;
        f->chunk[thread] = c;
        f->used[thread] = 0;
    }
    struct fore_ring_record *r =
        (struct fore_ring_record *)(f->chunk[thread] + 1) + f->used[thread];
    f->used[thread] += 1 + units;
    if (units)
        memcpy(r + 1, bytes, units * FORE_RING_RECORD);
    r->object = object;
    r->word = FORE_RING_WORD(kind, flags, units, ticket);
    return r;
}

static inline struct fore_ring_record *ringfile_op(struct ringfile *f, uint32_t thread,
                                                   unsigned kind, uint32_t object,
                                                   uint64_t ticket)
{
    return ringfile_put(f, thread, object, kind, FORE_RING_DONE, ticket, NULL, 0);
}

static inline void ringfile_with(struct ringfile *f, uint32_t thread, unsigned kind,
                                 uint32_t object, uint64_t ticket, uint64_t a, uint64_t b)
{
    uint64_t unit[2] = {a, b};
    ringfile_put(f, thread, object, kind, FORE_RING_DONE, ticket, unit, 1);
}

static inline void ringfile_chan(struct ringfile *f, uint32_t thread, uint32_t object,
                                 uint64_t capacity, const char *name)
{
    uint64_t units[4] = {FORE_RING_OBJ_CHAN, capacity};
    memcpy(units + 2, name, strlen(name));
    ringfile_put(f, thread, object, FORE_RING_DEF_OBJECT, FORE_RING_DONE, strlen(name),
                 units, 2);
}

/* A slot with two short words; the second may be 0. */
static inline void ringfile_short(struct ringfile *f, uint32_t thread, uint64_t first,
                                  uint64_t second)
{
    struct fore_ring_record *r = ringfile_put(f, thread, 0, 0, 0, 0, NULL, 0);
    memcpy(r, &second, sizeof second);
    r->word = first;
}

#endif
