/* Accesses to bit-fields of variables: each field is a place of its own, with its own value. */
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/shadow.h"

#include <string.h>

static uint64_t granule(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, (const void *)((uintptr_t)p & ~(uintptr_t)7), sizeof bytes);
    return bytes;
}

struct fore_rt_value fore_rt_bits_value(char type, uint64_t bytes, const char *p,
                                        unsigned bit, unsigned width)
{
    unsigned first = (unsigned)((uintptr_t)p & 7) * 8 + bit;
    if (!width || width > 64 || first + width > 64)
        return (struct fore_rt_value){0};
    uint64_t v = bytes << (64 - first - width);
    v = type == 'i' ? (uint64_t)((int64_t)v >> (64 - width)) : v >> (64 - width);
    return (struct fore_rt_value){
        type == 'b' ? FORE_RING_VALUE_BOOL : FORE_RING_VALUE_INT, v};
}

static void record_bits(struct fore_rt_thread *t, const char *p, unsigned bit,
                        unsigned width, uint32_t where, unsigned kind)
{
    enum { TYPE_A = 6 };
    struct fore_rt_object *o =
        fore_rt_object(t, p, FORE_RING_OBJ_PLACE | (1 + bit) << 8, 0);
    if (!o) {
        fore_rt_dropped();
        return;
    }
    char type = o->size ? (char)o->size : 'u';
    struct fore_rt_value v = fore_rt_bits_value(type, granule(p), p, bit, width);
    uint64_t ticket = fore_rt_ticket(o);
    struct fore_ring_record *r = fore_rt_take(t, 1);
    ((uint64_t *)(r + 1))[0] = v.bits;
    ((uint64_t *)(r + 1))[1] = (uint64_t)v.type << TYPE_A;
    fore_rt_put(t, r, where, o->id,
                FORE_RING_WORD(kind, FORE_RING_DONE | FORE_RING_TYPES, 1, ticket));
}

/* The token is of foresee_rt_begin: the 8 bytes are locked. */
void foresee_rt_end_bits(uint32_t token, char *p, struct fore_c_site *site, uint32_t what)
{
    unsigned first = what >> 20 & 63, width = (what >> 26 & 63) + 1;
    if (!token)
        return;
    struct fore_rt_thread *t = fore_rt_self();
    record_bits(t, p + first / 8, first % 8, width, fore_rt_where(t, site), what & 0xff);
    fore_rt_unspin(t->place);
    fore_rt_leave(t);
}
