/* For each 16 bytes there is room for an entry, which costs nothing until it is used: that of a
 * block's first byte says how long it is and where it was made, and that one and those behind it
 * have the numbers of the places of each REGION bytes. An entry within a block is left from
 * another block that has ended, unless it carries this block's number. */
#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"

#include <pthread.h>
#include <sys/mman.h>

enum {
    GRANULE = 16, /* malloc's alignment */
    REGION = 256, /* bytes whose places are numbered together */
    PAGE = 16,    /* the logarithm of the size from which a block is large */
    SITE = 20,
};
#define LARGE ((uint64_t)1 << PAGE)
#define ENTRY_BASE 0x190000000000ul
#define ENTRY_SIZE (FORE_C_SHADOWED + 1)
#define PAGES ((FORE_C_SHADOWED + 1) >> PAGE)

struct block_entry {
    uint64_t
        what; /* bytes of the block << SITE | where it was made; 0: none begins here */
    uint64_t ids; /* number of the block << 32 | number of its first place */
};

static struct {
    /* for each page of LARGE bytes, the large block that it begins in */
    uint64_t *around;
    uint8_t *begun; /* does any large block begin in this page? */
    uint32_t floor; /* numbers up to here were given by a parent process */
    bool on;
    FORE_RT_APART uint32_t numbers;
} blocks;

struct block {
    const char *start;
    uint64_t size, site;
};

bool fore_rt_blocks_open(void)
{
    void *around = fore_rt_map(0, PAGES * sizeof *blocks.around);
    void *begun = fore_rt_map(0, PAGES);
    blocks.around = around;
    blocks.begun = begun;
    blocks.on = fore_rt_map(ENTRY_BASE, ENTRY_SIZE) == (void *)ENTRY_BASE &&
                around != MAP_FAILED && begun != MAP_FAILED;
    return blocks.on;
}

void fore_rt_blocks_forget(void)
{
    blocks.floor = blocks.numbers;
}

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(uint64_t *word, uint64_t to)
{
    __atomic_store_n(word, to, __ATOMIC_RELAXED);
}

static uint64_t offset_of(const char *p)
{
    return (uint64_t)(uintptr_t)p & FORE_C_SHADOWED;
}

static struct block_entry *entry_at(const char *p)
{
    return (struct block_entry *)ENTRY_BASE + offset_of(p) / GRANULE;
}

/* ---- blocks begin and end ---- */

static void enter(char *p, size_t n, uint64_t site)
{
    struct block_entry *e = entry_at(p);
    uint64_t page = offset_of(p) >> PAGE, last = offset_of(p + n - 1) >> PAGE;
    store(&e->ids, 0);
    store(&e->what, (uint64_t)n << SITE | site);
    if (!__atomic_load_n(&blocks.begun[page], __ATOMIC_RELAXED))
        __atomic_store_n(&blocks.begun[page], (uint8_t)1, __ATOMIC_RELAXED);
    if (n >= LARGE)
        while (page++ < last)
            store(&blocks.around[page], (uint64_t)(uintptr_t)p);
}

static bool can_enter(const char *p, size_t n)
{
    return blocks.on && n && !((uintptr_t)p % GRANULE) && fore_rt_shadowed(p);
}

void fore_rt_block(char *p, size_t n)
{
    if (can_enter(p, n))
        enter(p, n, 0);
}

void fore_rt_block_gone(const char *p)
{
    if (blocks.on && load(&entry_at(p)->what))
        store(&entry_at(p)->what, 0);
}

size_t fore_rt_block_size(const char *p)
{
    bool known = blocks.on && !((uintptr_t)p % GRANULE) && fore_rt_shadowed(p);
    return known ? load(&entry_at(p)->what) >> SITE : 0;
}

void foresee_rt_made(char *p, struct fore_c_site *site)
{
    struct block_entry *e = entry_at(p);
    if (!fore_rt_on() || !blocks.on || (uintptr_t)p % GRANULE || !load(&e->what))
        return;
    struct fore_rt_thread *t = fore_rt_self();
    FORE_RT_CALLED(t, site);
    uint32_t where = fore_rt_called_outside(t, site->id);
    t->at_site = 0;
    store(&e->what, load(&e->what) >> SITE << SITE | where);
}

void fore_rt_block_local(char *p, size_t n, struct fore_c_site *site)
{
    if (!can_enter(p, n))
        return;
    for (size_t i = GRANULE; i < n; i += GRANULE)
        store(&entry_at(p + i)->what, 0);
    enter(p, n, site->id);
}

void fore_rt_block_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (!blocks.on || pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &size)) {
        fore_rt_self()->stack = low;
        fore_rt_self()->stack_size = size;
        fore_rt_shadow_reset(low, size);
    }
    pthread_attr_destroy(&attributes);
}

/* Clears only whole pages of entries: both ends of a stack belong to the library. */
void fore_rt_block_stack_gone(char *low, size_t n)
{
    uint64_t page = 4096, from = (uint64_t)(uintptr_t)entry_at(low);
    uint64_t to = from + n / GRANULE * sizeof(struct block_entry);
    from = (from + page - 1) & ~(page - 1);
    to &= ~(page - 1);
    if (blocks.on && n && from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

/* ---- which one it is ---- */

static bool is_in(const char *p, const char *start, struct block *b)
{
    uint64_t what = load(&entry_at(start)->what);
    *b = (struct block){start, what >> SITE, what & (((uint64_t)1 << SITE) - 1)};
    return (uint64_t)(p - start) < b->size;
}

/* A large block is known to its pages; a small one begins less than LARGE bytes before. */
static bool search(const char *p, struct block *b)
{
    uint64_t page = offset_of(p) >> PAGE;
    const char *q = (const char *)((uintptr_t)p & ~(uintptr_t)(GRANULE - 1));
    const char *around = (const char *)(uintptr_t)load(&blocks.around[page]);
    if (around && p >= around && is_in(p, around, b))
        return true;
    for (uint64_t least = page ? page - 1 : 0;; q -= GRANULE) {
        if (!__atomic_load_n(&blocks.begun[offset_of(q) >> PAGE], __ATOMIC_RELAXED))
            q = (const char *)((uintptr_t)q & ~(uintptr_t)(LARGE - 1));
        else if (load(&entry_at(q)->what))
            return is_in(p, q, b);
        if (offset_of(q) < GRANULE || offset_of(q - GRANULE) >> PAGE < least)
            return false;
    }
}

/* The next place is mostly in the same block as the last one. */
static bool find_block(const char *p, struct block *b)
{
    static _Thread_local const char *last;
    if (last && p >= last && is_in(p, last, b))
        return true;
    last = search(p, b) ? b->start : NULL;
    return last;
}

bool fore_rt_block_find(const char *p, struct fore_rt_block_found *out)
{
    struct block b;
    if (!blocks.on || !fore_rt_shadowed(p) || !find_block(p, &b) || !b.site)
        return false;
    *out = (struct fore_rt_block_found){
        b.start, b.size, fore_rt_site_of(fore_rt_called_site((uint32_t)b.site))};
    return out->site;
}

/* ---- numbers ---- */

/* The entries lie side by side, since a page of entries costs as much as a page of the block. */
static struct block_entry *region_entry(const struct block *b, uint64_t from)
{
    return entry_at(b->start) + from / REGION;
}

static uint32_t number_of(struct block_entry *first)
{
    uint64_t ids = load(&first->ids);
    while (ids >> 32 <= blocks.floor) {
        uint64_t fresh = __atomic_add_fetch(&blocks.numbers, 1, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&first->ids, &ids, fresh << 32, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return (uint32_t)fresh;
    }
    return (uint32_t)(ids >> 32);
}

static void define(struct fore_rt_thread *t, const struct block *b, uint64_t from,
                   uint32_t block, uint32_t first, uint32_t count)
{
    uint32_t site = fore_rt_called_site((uint32_t)b->site), shape;
    uint32_t where = fore_rt_where_made(t, site, &shape);
    where = fore_rt_called_known((uint32_t)b->site, where);
    struct fore_ring_record *r = fore_rt_take(t, 1);
    uint64_t *unit = (uint64_t *)(r + 1);
    unit[0] = from | (b->size < FORE_RING_LONG ? b->size : FORE_RING_LONG)
                         << FORE_RING_SIZE;
    unit[1] = block | (uint64_t)shape << 32;
    fore_rt_put(t, r, where, first,
                FORE_RING_WORD(FORE_RING_DEF_PLACES, FORE_RING_DONE, 1, count));
}

uint32_t fore_rt_block_place(struct fore_rt_thread *t, const char *p)
{
    struct block b;
    if (!blocks.on || !find_block(p, &b) || !b.site)
        return 0;
    uint32_t block = number_of(entry_at(b.start)), first;
    uint64_t at = (uint64_t)(p - b.start), from = at / REGION * REGION;
    struct block_entry *e = region_entry(&b, from);
    uint64_t ids = load(&e->ids), left = b.size - from;
    if (ids >> 32 == block && (uint32_t)ids)
        return (uint32_t)ids + (uint32_t)(at - from);
    uint32_t count = left < REGION ? (uint32_t)left : REGION;
    first = fore_rt_new_ids(count);
    store(&e->ids, (uint64_t)block << 32 | first);
    define(t, &b, from, block, first, count);
    return first + (uint32_t)(at - from);
}

void fore_rt_block_object(struct fore_rt_thread *t, const char *p, uint32_t id)
{
    struct block b;
    if (blocks.on && find_block(p, &b) && b.site)
        define(t, &b, (uint64_t)(p - b.start), number_of(entry_at(b.start)), id, 1);
}

void fore_rt_block_renumber(const char *p)
{
    struct block b;
    if (!blocks.on || !find_block(p, &b))
        return;
    uint64_t from = (uint64_t)(p - b.start) / REGION * REGION;
    struct block_entry *e = region_entry(&b, from);
    store(&e->ids, load(&e->ids) >> 32 << 32);
}
