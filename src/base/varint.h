/* Numbers in as few bytes as they need: seven bits per byte, the lowest first. */
#ifndef FORE_BASE_VARINT_H
#define FORE_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

enum { FORE_VARINT_MAX = 10 }; /* bytes that one number may take */

/* Returns the end of what it wrote; there must be room for FORE_VARINT_MAX bytes. */
static inline char *fore_varint_put(char *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (char)(v | 0x80);
        v >>= 7;
    }
    *at++ = (char)v;
    return at;
}

/* Maps small numbers of either sign to small unsigned ones. */
static inline uint64_t fore_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t fore_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ -(v & 1));
}

/* Bytes that are read from the front. An attempt to read beyond the end sets `bad`, and every
 * number is 0 from then on. */
struct fore_bytes_in {
    const char *at, *end;
    bool bad;
};

static inline uint64_t fore_varint_get(struct fore_bytes_in *in)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (in->bad || in->at == in->end)
            break;
        unsigned char c = (unsigned char)*in->at++;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return v;
    }
    in->bad = true;
    return 0;
}

#endif
