/* Where things are in the source. The sites of a module are numbered before its code runs, since
 * the fast path notes numbers; a site is defined in the file when it is first recorded. */
#define FORE_C_RUNTIME
#include "capture/c/runtime/inline.h"
#include "capture/c/runtime/rt.h"
#include "capture/c/runtime/sections.h"

#include <string.h>

enum { MODULES = 256, STRINGS = 1024, MOST = 4000 };

static struct {
    uint32_t lock, n, modules;
    struct {
        struct fore_c_site *from; /* NULL: it is gone */
        uint32_t first, count;
    } at[MODULES];
    struct {
        const char *text;
        size_t length;
        uint32_t id;
    } known[STRINGS];
} sites;

uint32_t fore_rt_files = 1; /* forked processes begin new files */

/* A site beyond those for which the shadow has room is FORE_C_SITES: unknown. */
void foresee_rt_sites(struct fore_c_site *from, struct fore_c_site *to)
{
    uint32_t count = (uint32_t)(to - from);
    fore_rt_spin(&sites.lock);
    bool room = sites.modules < MODULES && count < FORE_C_SITES - 1 - sites.n;
    for (uint32_t i = 0; i < count; i++)
        from[i].id = room ? sites.n + 1 + i : FORE_C_SITES;
    if (room) {
        sites.at[sites.modules].from = from;
        sites.at[sites.modules].first = sites.n + 1;
        sites.at[sites.modules].count = count;
        __atomic_store_n(&sites.modules, sites.modules + 1, __ATOMIC_RELEASE);
        sites.n += count;
    }
    fore_rt_unspin(&sites.lock);
}

uint32_t fore_rt_sites_one(void)
{
    fore_rt_spin(&sites.lock);
    uint32_t id = sites.n < FORE_C_SITES - 2 ? ++sites.n : FORE_C_SITES;
    fore_rt_unspin(&sites.lock);
    return id;
}

void foresee_rt_sites_gone(const struct fore_c_site *from)
{
    fore_rt_spin(&sites.lock);
    for (uint32_t i = 0; i < sites.modules; i++)
        if (sites.at[i].from == from)
            sites.at[i].from = NULL;
    memset(sites.known, 0, sizeof sites.known);
    fore_rt_unspin(&sites.lock);
}

void fore_rt_sites_number(void)
{
    if (__start_foresee_sites)
        foresee_rt_sites(__start_foresee_sites, __stop_foresee_sites);
}

void fore_rt_sites_forget(void)
{
    sites.lock = 0;
    fore_rt_files++;
    memset(sites.known, 0, sizeof sites.known);
}

/* interpose.c */
extern bool fore_rt_library_has(const void *begin, const void *address)
    __attribute__((weak));

bool fore_rt_sites_in(const void *library)
{
    uint32_t n = __atomic_load_n(&sites.modules, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (fore_rt_library_has && sites.at[i].from &&
            fore_rt_library_has(library, sites.at[i].from))
            return true;
    return false;
}

/* ---- definitions ---- */

/* The ids of names of files and functions; there are few, so a name that shares its slot may be
 * defined again. */
static uint32_t string_of(struct fore_rt_thread *t, const char *s, size_t n)
{
    size_t slot = 5381;
    for (size_t i = 0; i < n; i++)
        slot = slot * 33 + (unsigned char)s[i];
    slot %= STRINGS;
    if (sites.known[slot].text && sites.known[slot].length == n &&
        memcmp(sites.known[slot].text, s, n) == 0)
        return sites.known[slot].id;
    sites.known[slot].text = NULL; /* until all of it is true */
    sites.known[slot].id = fore_rt_text(t, s, n);
    sites.known[slot].length = n;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    sites.known[slot].text = s;
    return sites.known[slot].id;
}

uint32_t fore_rt_name(struct fore_rt_thread *t, const char *name)
{
    fore_rt_spin(&sites.lock);
    uint32_t id = string_of(t, name, strcspn(name, "\n"));
    fore_rt_unspin(&sites.lock);
    return id;
}

static void define(struct fore_rt_thread *t, const struct fore_c_site *site)
{
    uint64_t file = string_of(t, site->file, strnlen(site->file, MOST));
    uint64_t function = string_of(t, site->function, strcspn(site->function, "\n"));
    bool straight = site->column & FORE_C_STRAIGHT;
    struct fore_ring_record *r = fore_rt_take(t, 1);
    ((uint64_t *)(r + 1))[0] = file | (uint64_t)(site->column & ~FORE_C_STRAIGHT) << 32;
    ((uint64_t *)(r + 1))[1] = function;
    fore_rt_put(t, r, site->id, site->line,
                FORE_RING_WORD(FORE_RING_DEF_WHERE,
                               FORE_RING_DONE | (straight ? FORE_RING_STRAIGHT : 0), 1,
                               0));
}

uint32_t fore_rt_where_first(struct fore_rt_thread *t, struct fore_c_site *site)
{
    if (!site)
        return 0;
    fore_rt_spin(&sites.lock);
    if (site->defined != fore_rt_files && site->id && site->id != FORE_C_SITES)
        define(t, site);
    __atomic_store_n(&site->defined, fore_rt_files, __ATOMIC_RELEASE);
    fore_rt_unspin(&sites.lock);
    return site->id;
}

struct fore_c_site *fore_rt_site_of(uint32_t id)
{
    uint32_t n = __atomic_load_n(&sites.modules, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        struct fore_c_site *from = __atomic_load_n(&sites.at[i].from, __ATOMIC_RELAXED);
        if (from && id - sites.at[i].first < sites.at[i].count)
            return &from[id - sites.at[i].first];
    }
    return NULL;
}

uint32_t fore_rt_where_again(struct fore_rt_thread *t, uint32_t id)
{
    return fore_rt_where(t, fore_rt_site_of(id));
}

uint32_t fore_rt_where_made(struct fore_rt_thread *t, uint32_t id, uint32_t *what)
{
    static FORE_RT_OWN struct {
        uint32_t id, files, what;
    } last; /* blocks mostly come from one place */
    struct fore_c_site *site = fore_rt_site_of(id);
    if (last.id != id || last.files != fore_rt_files) {
        const char *text = site ? strchr(site->function, '\n') : NULL;
        fore_rt_spin(&sites.lock);
        last.what = text ? string_of(t, text + 1, strnlen(text + 1, MOST)) : 0;
        fore_rt_unspin(&sites.lock);
        last.files = fore_rt_files;
        last.id = id;
    }
    *what = last.what;
    return fore_rt_where(t, site);
}
