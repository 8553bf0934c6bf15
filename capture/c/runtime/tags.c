#include "capture/c/runtime/tags.h"

#include <string.h>
#include <sys/mman.h>

#ifndef FORE_RT_TAGS /* fewer, in a test */
#define FORE_RT_TAGS (1 << 13)
#endif

enum {
    TAGS = FORE_RT_TAGS,
    BURIED = TAGS - 1,
    DEAD = TAGS / 8,
    PAGE = 12,   /* a page of the program's memory, as a power of 2 */
    REGION = 24, /* a region, which is looked at first, as a power of 2 */
    LINE = 64,
    /* words of the shadow of a line: those of its places of 8 bytes */
    WIDE_WORDS = LINE / 4,
    NARROW_WORDS = LINE / 2,
    WORDS = WIDE_WORDS + NARROW_WORDS,
    CACHE = 1 << 12,
};
#define GRAVES ((uint64_t)FORE_RT_POSITION + 1)
#define PAGES ((FORE_C_SHADOWED + 1) >> PAGE)
#define REGIONS ((FORE_C_SHADOWED + 1) >> REGION)

static struct {
    uint32_t lock;
    uint32_t next;  /* the first tag that was never used */
    uint32_t free;  /* the first free tag, a list by `after`; 0: there is none */
    uint32_t ended; /* how many ended threads still have their tags */
    uint32_t buried;
    uint32_t thread[TAGS]; /* by tag: the thread that writes, or wrote, words with it */
    uint16_t after[TAGS];
    bool dead[TAGS];
    struct fore_rt_noted *grave;
    uint8_t *page;   /* a bit for each page: some of its words may have tags */
    uint8_t *region; /* the same for regions */
} tags = {.next = FORE_RT_FIRST_TAG};

bool fore_rt_tags_open(void)
{
    void *graves = fore_rt_map(0, GRAVES * sizeof *tags.grave);
    void *pages = fore_rt_map(0, PAGES / 8 + REGIONS / 8);
    tags.grave = graves;
    tags.page = pages;
    tags.region = tags.page + PAGES / 8;
    return graves != MAP_FAILED && pages != MAP_FAILED;
}

void fore_rt_tags_forget(void)
{
    madvise(tags.page, PAGES / 8 + REGIONS / 8, MADV_DONTNEED);
    memset(tags.dead, 0, sizeof tags.dead);
    tags.next = FORE_RT_FIRST_TAG;
    tags.lock = tags.free = tags.ended = tags.buried = 0;
}

struct fore_rt_noted fore_rt_noted(uint64_t word)
{
    uint32_t position = (uint32_t)(word & FORE_RT_POSITION);
    if (tag_of(word) == BURIED)
        return tags.grave[position];
    return (struct fore_rt_noted){tags.thread[tag_of(word)], position};
}

/* ---- which memory has words ---- */

static bool has_bit(const uint8_t *bits, uint64_t i)
{
    return __atomic_load_n(&bits[i / 8], __ATOMIC_RELAXED) >> i % 8 & 1;
}

static void set_bit(uint8_t *bits, uint64_t i)
{
    __atomic_fetch_or(&bits[i / 8], (uint8_t)(1u << i % 8), __ATOMIC_SEQ_CST);
}

void fore_rt_tags_come(const char *p)
{
    uint64_t offset = offset_of(p);
    if (has_bit(tags.page, offset >> PAGE))
        return;
    /* first the region's bit, on which readers of the page's bit rely */
    set_bit(tags.region, offset >> REGION);
    set_bit(tags.page, offset >> PAGE);
}

/* ---- burying ---- */

/* Entries that were made last, so that one serves many words. */
struct burial {
    uint64_t key[CACHE];
    uint32_t entry[CACHE];
};

/* The number of the entry for the word; 0 if the word notes no access, so that none is needed. */
static uint32_t entry_of(struct burial *b, uint64_t word)
{
    struct fore_rt_noted noted = fore_rt_noted(word);
    uint64_t key = (uint64_t)noted.thread << 32 | noted.position;
    size_t at = key * 0x9e3779b97f4a7c15u >> 52;
    if (!(word >> FORE_C_SITE & FORE_C_SITES))
        return 0;
    if (b->key[at] != key || !b->entry[at]) {
        tags.grave[++tags.buried] = noted;
        b->key[at] = key;
        b->entry[at] = tags.buried;
    }
    return b->entry[at];
}

static bool is_dead(uint64_t word)
{
    return tag_of(word) >= FORE_RT_FIRST_TAG && tags.dead[tag_of(word)];
}

static bool has_dead(const uint64_t *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (is_dead(load(&words[i])))
            return true;
    return false;
}

/* Handles the words of these 64 bytes. Memory that begins a new life is cleared without the
 * lock. */
static void bury_line(struct burial *b, uint64_t *words, unsigned n, uint64_t offset)
{
    if (!has_dead(words, n))
        return;
    uint32_t *lock = fore_rt_shadow_lock_line(offset);
    for (unsigned i = 0; i < n; i++) {
        uint64_t word = load(&words[i]);
        uint64_t kept = word & ~TAG & ~(uint64_t)FORE_RT_POSITION;
        if (!is_dead(word))
            continue;
        kept |= (uint64_t)BURIED << FORE_C_TAG | entry_of(b, word);
        __atomic_compare_exchange_n(&words[i], &word, kept, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    fore_rt_unspin(lock);
}

/* False if there may be no more entries. */
static bool bury_page(struct burial *b, uint64_t offset)
{
    uint64_t end = offset + (1 << PAGE);
    for (; offset < end && tags.buried + WORDS < GRAVES; offset += LINE) {
        bury_line(b, (uint64_t *)(FORE_C_WIDE + offset * 2), WIDE_WORDS, offset);
        bury_line(b, (uint64_t *)(FORE_C_SHADOW + offset * 4), NARROW_WORDS, offset);
    }
    return offset == end;
}

static bool bury_region(struct burial *b, uint64_t region)
{
    enum { IN_REGION = 1 << (REGION - PAGE) };
    for (uint64_t i = region * IN_REGION; i < (region + 1) * IN_REGION; i++)
        if (has_bit(tags.page, i) && !bury_page(b, i << PAGE))
            return false;
    return true;
}

/* Gives all words of ended threads another tag, and frees the threads' tags. Call it with the
 * lock. */
static void bury_ended(void)
{
    static struct burial b;
    memset(&b, 0, sizeof b);
    for (uint64_t region = 0; region < REGIONS; region++)
        if (has_bit(tags.region, region) && !bury_region(&b, region))
            return;
    for (uint32_t tag = BURIED - 1; tag >= FORE_RT_FIRST_TAG; tag--)
        if (tags.dead[tag]) {
            tags.dead[tag] = false;
            tags.after[tag] = (uint16_t)tags.free;
            tags.free = tag;
        }
    tags.ended = 0;
}

/* ---- tags ---- */

/* A free tag; 0: there is none. Call it with the lock. */
static uint32_t free_tag(void)
{
    if (tags.next < BURIED)
        return tags.next++;
    if (!tags.free && tags.ended >= DEAD && tags.buried + WORDS < GRAVES)
        bury_ended();
    uint32_t tag = tags.free;
    tags.free = tags.after[tag];
    return tag;
}

uint64_t fore_rt_tag_take(uint32_t thread)
{
    fore_rt_spin(&tags.lock);
    uint32_t tag = free_tag();
    if (tag)
        __atomic_store_n(&tags.thread[tag], thread, __ATOMIC_RELAXED);
    fore_rt_unspin(&tags.lock);
    return (uint64_t)tag << FORE_C_TAG;
}

void fore_rt_tag_give_back(uint64_t stamp)
{
    if (!tag_of(stamp))
        return;
    fore_rt_spin(&tags.lock);
    tags.dead[tag_of(stamp)] = true;
    tags.ended++;
    fore_rt_unspin(&tags.lock);
}
