#include "capture/c/runtime/blocks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defined by a module that was compiled without a specification. */
extern const char foresee_rt_everything __attribute__((weak));

enum { BUCKETS = 1 << 14 };

static struct {
    struct fore_rt_object *buckets[BUCKETS];
    uint32_t lock;
    uint64_t ids;
} table;

/* ---- values ---- */

/* Copies case by case, because a copy whose size the compiler knows is one instruction. */
static uint64_t bits_at(const void *at, size_t size)
{
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (size) {
    case 8:
        memcpy(&eight, at, sizeof eight);
        return eight;
    case 4:
        memcpy(&four, at, sizeof four);
        return four;
    case 2:
        memcpy(&two, at, sizeof two);
        return two;
    default:
        return *(const unsigned char *)at;
    }
}

static struct fore_rt_value integer(bool is_signed, const void *at, size_t size)
{
    uint64_t bits = bits_at(at, size);
    unsigned shift = 64 - 8 * (unsigned)size;
    if (is_signed)
        bits = (uint64_t)((int64_t)(bits << shift) >> shift);
    return (struct fore_rt_value){FORE_RING_VALUE_INT, bits};
}

static struct fore_rt_value floating(const void *at, size_t size)
{
    struct fore_rt_value v = {FORE_RING_VALUE_FLOAT, 0};
    double wide;
    float narrow;
    if (size == sizeof wide) {
        memcpy(&v.bits, at, sizeof v.bits);
    } else {
        memcpy(&narrow, at, sizeof narrow);
        wide = narrow;
        memcpy(&v.bits, &wide, sizeof v.bits);
    }
    return v;
}

struct fore_rt_value fore_rt_value(char type, const void *at, size_t size)
{
    struct fore_rt_value v;
    if (!size || size > 8 || (size & (size - 1)))
        return (struct fore_rt_value){0};
    switch (type) {
    case 'f':
        return size >= 4 ? floating(at, size) : (struct fore_rt_value){0};
    case 'b':
        return (struct fore_rt_value){FORE_RING_VALUE_BOOL, *(const char *)at != 0};
    case 'i':
    case 'u':
        return integer(type == 'i', at, size);
    case 'p': /* addresses differ from run to run, so only NULL or not counts */
        v = integer(false, at, size);
        if (v.bits &&
            &foresee_rt_everything) /* the address may decide what is done next */
            return (struct fore_rt_value){0};
        v.bits = v.bits != 0;
        return v;
    default:
        return (struct fore_rt_value){0};
    }
}

/* ---- objects ---- */

static uint32_t flags_of(const void *address, unsigned kind, unsigned flags)
{
#ifdef __GLIBC__
    const pthread_mutex_t *m = address;
    if (kind == FORE_RING_OBJ_LOCK && !flags)
        flags = ((m->__data.__kind & 3) == 1 ? FORE_RING_OBJ_RECURSIVE : 0) |
                (m->__data.__kind & 16 ? FORE_RING_OBJ_ROBUST : 0);
#endif
    return flags & FORE_RING_OBJ_HIDDEN ? 0 : flags;
}

/* The units of a definition, its name last. */
static void put_definition(struct fore_rt_thread *t, uint32_t id, uint64_t kind,
                           uint32_t where, struct fore_rt_value init, const char *name)
{
    size_t n = strlen(name);
    bool brief = !init.type && !n;
    size_t units = brief ? 1 : 2 + (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
    struct fore_ring_record *r = fore_rt_take(t, units);
    uint64_t *unit = (uint64_t *)(r + 1);
    unit[0] = kind;
    unit[1] = 0;
    if (!brief) {
        unit[2] = init.bits;
        unit[3] = init.type;
        memset(r + 3, 0, (units - 2) * FORE_RING_RECORD);
        memcpy(r + 3, name, n);
    }
    fore_rt_put(t, r, where, id,
                FORE_RING_WORD(FORE_RING_DEF_OBJECT,
                               FORE_RING_DONE | (brief ? 0 : FORE_RING_INIT), units, n));
}

static bool find_bits(const char *address, unsigned bit, struct fore_leaf *leaf)
{
    const struct fore_c_variable *v = fore_rt_variable(address);
    return v && fore_leaf_bits_at(v->name, v->layout,
                                  (uint64_t)(address - v->address) * 8 + bit, leaf);
}

/* Names an object after the variable that it is part of. */
static bool find_leaf(const void *address, struct fore_leaf *leaf)
{
    const struct fore_c_variable *v = fore_rt_variable_around(address);
    *leaf = (struct fore_leaf){0};
    bool known = v && fore_leaf_at(v->name, v->layout,
                                   (uint64_t)((const char *)address - v->address), leaf);
    if (leaf->rest) {
        size_t n = strlen(leaf->name);
        snprintf(leaf->name + n, sizeof leaf->name - n, "+%llu",
                 (unsigned long long)leaf->rest);
    }
    return known && !leaf->rest;
}

static void define(struct fore_rt_thread *t, struct fore_rt_object *o, unsigned flags)
{
    struct fore_leaf leaf;
    struct fore_rt_value init = {0};
    unsigned kind = o->kind & 0xff, bit = o->kind >> 8;
    if (bit && find_bits(o->address, bit - 1, &leaf)) {
        o->size = (unsigned char)leaf.type;
        init = fore_rt_bits_value(leaf.type, t->before, o->address, bit - 1,
                                  (unsigned)leaf.size);
    } else {
        find_leaf(o->address, &leaf);
    }
    if (!leaf.name[0])
        fore_rt_block_object(t, o->address, o->id);
    put_definition(t, o->id, kind | flags_of(o->address, kind, flags) << 16,
                   fore_rt_where(t, bit ? NULL : fore_rt_site()), init, leaf.name);
}

char fore_rt_define_place(struct fore_rt_thread *t, uint32_t id, const char *p,
                          size_t size, const void *before)
{
    struct fore_leaf leaf;
    struct fore_rt_value init = {0};
    bool known = find_leaf(p, &leaf) && leaf.size == size;
    if (known && before)
        init = fore_rt_value(leaf.type, before, size);
    put_definition(t, id, FORE_RING_OBJ_PLACE, 0, init, leaf.name);
    return known ? leaf.type : 0;
}

static struct fore_rt_object *find_in_bucket(struct fore_rt_object *const *bucket,
                                             const void *address, unsigned kind)
{
    struct fore_rt_object *o = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    __builtin_prefetch(o, 1); /* the caller draws a ticket next */
    while (o &&
           (__atomic_load_n(&o->address, __ATOMIC_RELAXED) != address || o->kind != kind))
        o = o->after;
    return o;
}

static struct fore_rt_object **bucket_of(const void *address, unsigned kind)
{
    uint64_t h = ((uint64_t)(uintptr_t)address + kind) * 0x9e3779b97f4a7c15u;
    return &table.buckets[h >> 50];
}

/* `name` is NULL if the object is named after its address. */
static struct fore_rt_object *find_or_make(struct fore_rt_thread *t, const void *address,
                                           unsigned kind, unsigned flags,
                                           const char *name)
{
    struct fore_rt_object **bucket = bucket_of(address, kind);
    struct fore_rt_object *o = find_in_bucket(bucket, address, kind);
    if (o)
        return o;
    fore_rt_spin(&table.lock);
    o = find_in_bucket(bucket, address, kind);
    if (!o && (o = aligned_alloc(_Alignof(struct fore_rt_object), sizeof *o))) {
        memset(o, 0, sizeof *o);
        o->address = address;
        o->kind = kind;
        o->id = fore_rt_new_ids(1);
        o->after = *bucket;
        if (name)
            put_definition(t, o->id, kind, fore_rt_where(t, fore_rt_site()),
                           (struct fore_rt_value){0}, name);
        else
            define(t, o, flags);
        __atomic_store_n(bucket, o, __ATOMIC_RELEASE);
    }
    fore_rt_unspin(&table.lock);
    return o;
}

struct fore_rt_object *fore_rt_object(struct fore_rt_thread *t, const void *address,
                                      unsigned kind, unsigned flags)
{
    return find_or_make(t, address, kind, flags, NULL);
}

struct fore_rt_object *fore_rt_object_called(struct fore_rt_thread *t, const void *key,
                                             unsigned kind, const char *name)
{
    return find_or_make(t, key, kind, 0, name);
}

uint32_t fore_rt_new_ids(uint32_t n)
{
    uint64_t first = __atomic_fetch_add(&table.ids, n, __ATOMIC_RELAXED) + 1;
    if (first + n > UINT32_MAX)
        fore_rt_full(fore_rt_self());
    return (uint32_t)first;
}

bool fore_rt_ids_near(uint64_t most)
{
    enum { SOME = 1 << 20 };
    return __atomic_load_n(&table.ids, __ATOMIC_RELAXED) + SOME >= most;
}

/* Called in a forked process, whose file has none of the objects yet. */
void fore_rt_objects_forget(void)
{
    memset(table.buckets, 0, sizeof table.buckets);
    table.lock = 0;
}

struct fore_rt_object *fore_rt_known(const void *address, unsigned kind)
{
    return find_in_bucket(bucket_of(address, kind), address, kind);
}

/* From now on another object is at this address. */
void fore_rt_forget(const void *address, unsigned kind)
{
    struct fore_rt_object **at = bucket_of(address, kind),
                          *o = find_in_bucket(at, address, kind);
    if (!o)
        return;
    __atomic_store_n(&o->address, NULL, __ATOMIC_RELAXED);
    fore_rt_spin(&table.lock);
    while (*at && *at != o)
        at = &(*at)->after;
    if (*at) /* a thread that is looking at it goes on: the object stays valid */
        __atomic_store_n(at, o->after, __ATOMIC_RELEASE);
    fore_rt_unspin(&table.lock);
}
