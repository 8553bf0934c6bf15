/* The binary format .fst, as its reader and writer share it (docs/formats/fst.5).
 *
 *   file header | chunk header, chunk | chunk header, chunk | ... | end
 *
 * Headers are skippable frames of zstd, chunks are plain zstd frames. A header frame is
 *
 *   0        4        8     12                    8 + size - 8     8 + size
 *   | magic  | size   | tag | fields, 8 bytes each | xxh64 of tag and fields |
 *
 * A chunk is a series of sections: type (1 byte), length (varint), bytes. Table sections add
 * rows to the tables and come before the events that use them; a row begins with its length. A
 * template holds everything of an event but its operands. The columns of an EVENTS section hold,
 * for each event, the number of its template and how much `a` and `b` differ from the last event
 * of that template. Templates are forgotten at the end of the chunk. */
#ifndef FORE_TRACE_FST_H
#define FORE_TRACE_FST_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FORE_FST_MAGIC UINT32_C(0x184d2a5f)
#define FORE_FST_TAG(a, b, c, d)                                                         \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
/* Stands for the number of events while the file is being written. */
#define FORE_FST_UNKNOWN UINT64_MAX

enum {
    FORE_FST_MAJOR = 1, /* another one cannot be read */
    /* a file of a larger one has rows, sections or kinds that can be skipped */
    FORE_FST_MINOR = 4,
    FORE_FST_MINOR_SEES = 2, /* since this version a file says what the capture saw */
    /* since this version a file says which threads are goroutines */
    FORE_FST_MINOR_GOROUTINES = 4,
    FORE_FST_EVENTS = 65536,    /* in a chunk, at most */
    FORE_FST_PAYLOAD = 8 << 20, /* bytes of a chunk before compression, at most */
    FORE_FST_FLUSH = 1 << 20,   /* a writer ends the chunk here */
    FORE_FST_STRING = 2 << 20,  /* bytes of a string, at most */
    FORE_FST_TABLES = 1 << 30,  /* bytes of all rows of the tables, at most */
    FORE_FST_CASES = 1 << 16,   /* of a select, at most */
    FORE_FST_FIELDS = 5,        /* of a header, at most, as this version writes it */
    FORE_FST_FRAME = 12 + 8 * FORE_FST_FIELDS + 8,
};

/* The fields of the headers. */
enum fore_fst_tag {
    FORE_FST_FILE =
        FORE_FST_TAG('F', 'S', 'T', '1'), /* major, minor, events in the file, merged */
    FORE_FST_CHUNK = FORE_FST_TAG('C', 'H', 'N', 'K'), /* see struct fore_fst_chunk */
    FORE_FST_END = FORE_FST_TAG('E', 'N', 'D', '.'),   /* events, torn, lost, unknown */
};

enum fore_fst_section {
    FORE_FST_STRINGS = 1, /* a row is the string */
    FORE_FST_WHERES,      /* function, file, line, column, parent */
    FORE_FST_OBJECTS,     /* kind, flags, name, where, capacity, type of init, init */
    FORE_FST_THREADS,     /* label, name, where */
    FORE_FST_TEMPLATES,   /* kind, flags, thread, object, where, {channel << 2 | case} */
    FORE_FST_EVENTS_,     /* how many; three columns: width, bytes */
    FORE_FST_EXPECTS,     /* kind, subject */
    FORE_FST_SEES,        /* enum fore_sees; several add up */
    FORE_FST_UNSEEN,      /* text, where */
    FORE_FST_ENDED,       /* enum fore_ended, text; the last one counts */
};

struct fore_fst_chunk {
    uint64_t first;    /* event, from 0 */
    uint64_t events;   /* in it */
    uint64_t size;     /* of the frame */
    uint64_t payload;  /* bytes before compression */
    uint64_t checksum; /* xxh64 of the frame */
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is little-endian");
_Static_assert(sizeof(struct fore_fst_chunk) == 8 * FORE_FST_FIELDS, "fields are words");

static inline void fore_fst_put(struct fore_strbuf *b, uint64_t x)
{
    char bytes[10];
    size_t n = 0;
    for (; x >= 0x80; x >>= 7)
        bytes[n++] = (char)(x | 0x80);
    bytes[n++] = (char)x;
    fore_strbuf_add(b, bytes, n);
}

/* A stretch of bytes that is being read. */
struct fore_fst_bytes {
    const unsigned char *p, *end;
};

/* False if the bytes end, or the number does not fit into 64 bits. */
static inline bool fore_fst_get(struct fore_fst_bytes *b, uint64_t *x)
{
    if (b->p < b->end && *b->p < 0x80) {
        *x = *b->p++;
        return true;
    }
    *x = 0;
    for (unsigned shift = 0; shift < 64 && b->p < b->end; shift += 7) {
        uint64_t c = *b->p++;
        *x |= (c & 0x7f) << shift;
        if (c < 0x80)
            return shift < 63 || c <= 1;
    }
    return false;
}

/* Takes the next `n` bytes as a stretch of their own. */
static inline bool fore_fst_sub(struct fore_fst_bytes *b, uint64_t n,
                                struct fore_fst_bytes *out)
{
    if (n > (uint64_t)(b->end - b->p))
        return false;
    *out = (struct fore_fst_bytes){b->p, b->p + n};
    b->p += n;
    return true;
}

#endif
