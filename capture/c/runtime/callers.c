#include "capture/c/runtime/callers.h"
#define FORE_C_RUNTIME
#include "capture/c/runtime/inline.h"
#include "capture/c/runtime/shadow.h"
#include "capture/c/runtime/turn.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

enum {
    FIRST = FORE_C_SITES + 1, /* numbers of sites are below */
    MOST = 1 << 16,
    BUCKETS = 1 << 14,
    KNOWN = 1 << 16,
    TRIES = 4096, /* a thread that comes by ever new paths is not unwound for ever */
    SITE_BITS = 19,
};

/* An instruction or a site, called by another node. */
struct node {
    uint64_t pc;
    uint32_t site, up, after, defined; /* 0 in `site`: it is an instruction */
};

static struct {
    uint32_t lock, n;
    struct node *at;
    uint64_t *known; /* thread and site << 32 | node, or 0: several paths */
    uint32_t bucket[BUCKETS];
} tree;

/* Names of modules, for as long as the process lives. */
static struct {
    size_t used;
    char text[1 << 14];
} names;

/* ---- the stack ---- */

struct call_stack {
    const struct fore_rt_thread *of;
    struct fore_rt_way *to;
    bool found;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *c, void *argument)
{
    struct call_stack *s = argument;
    struct fore_rt_way *w = s->to;
    const void *pc = (const void *)_Unwind_GetIP(c);
    const char *slot = (const char *)_Unwind_GetCFA(c) - sizeof pc;
    if (!s->found) {
        s->found = slot == s->of->at_frame + sizeof pc;
        if (!s->found)
            return _URC_NO_REASON;
    }
    size_t away = (size_t)(slot - w->frame);
    if (!pc || slot < w->frame || away > UINT32_MAX || *(const void *const *)slot != pc)
        return _URC_END_OF_STACK; /* a handler of signals, or what is not known */
    w->offset[w->callers] = (uint32_t)away;
    w->back[w->callers++] = pc;
    return w->callers < FORE_RT_CALLERS ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void unwind(const struct fore_rt_thread *t, struct fore_rt_way *w)
{
    struct call_stack s = {.of = t, .to = w};
    *w = (struct fore_rt_way){.frame = t->at_frame};
    _Unwind_Backtrace(add_frame, &s);
    w->pc = t->at_pc;
}

/* ---- numbers ---- */

static uint32_t intern(uint64_t pc, uint32_t site, uint32_t up)
{
    uint64_t h = (pc + site * 31ull + up * 0x10001ull) * 0x9e3779b97f4a7c15u;
    uint32_t *bucket = &tree.bucket[h >> 50];
    for (uint32_t i = *bucket; i; i = tree.at[i].after)
        if (tree.at[i].pc == pc && tree.at[i].site == site && tree.at[i].up == up)
            return i;
    uint32_t i = ++tree.n;
    tree.at[i] = (struct node){pc, site, up, *bucket, 0};
    return *bucket = i;
}

/* A copy of the name that stays when the module is gone; NULL: there is no room. */
static const char *keep_name(const char *name)
{
    size_t n = strlen(name) + 1, at = 0;
    for (; at < names.used; at += strlen(names.text + at) + 1)
        if (!strcmp(names.text + at, name))
            return names.text + at;
    if (n > sizeof names.text - names.used)
        return NULL;
    memcpy(names.text + names.used, name, n);
    names.used += n;
    return names.text + at;
}

static void put_where(struct fore_rt_thread *t, uint32_t i, uint32_t line, uint64_t file,
                      uint64_t function, unsigned flags)
{
    uint64_t up = tree.at[i].up ? FIRST + tree.at[i].up : 0;
    struct fore_ring_record *r = fore_rt_take(t, 1);
    ((uint64_t *)(r + 1))[0] = file;
    ((uint64_t *)(r + 1))[1] = function | up << 32;
    fore_rt_put(
        t, r, FIRST + i, line,
        FORE_RING_WORD(FORE_RING_DEF_WHERE, FORE_RING_DONE | flags, 1, tree.at[i].site));
}

/* Defines an instruction by its module; the last bit of the column says that it is the access
 * itself. */
static void define_instruction(struct fore_rt_thread *t, uint32_t i, bool itself)
{
    Dl_info in;
    struct link_map *of = NULL;
    const void *pc = (const void *)(uintptr_t)tree.at[i].pc;
    dladdr1(pc, &in, (void **)&of, RTLD_DL_LINKMAP); /* not in a static program */
    const char *name = of && of->l_name ? keep_name(of->l_name) : "";
    uint64_t file = name && *name ? fore_rt_name(t, name) : 0;
    uint64_t address = tree.at[i].pc - (of ? of->l_addr : 0) - 1; /* of the call */
    put_where(t, i, (uint32_t)address, file | (uint64_t)itself << 32, 0,
              FORE_RING_ADDRESS);
}

static void define_site(struct fore_rt_thread *t, uint32_t i)
{
    const struct fore_c_site *site = fore_rt_site_of(tree.at[i].site);
    if (!site)
        return;
    uint64_t file = fore_rt_name(t, site->file),
             function = fore_rt_name(t, site->function);
    bool straight = site->column & FORE_C_STRAIGHT;
    put_where(t, i, site->line, file | (uint64_t)(site->column & ~FORE_C_STRAIGHT) << 32,
              function, straight ? FORE_RING_STRAIGHT : 0);
}

/* With the lock. */
static uint32_t number_way(struct fore_rt_thread *t, const struct fore_rt_way *w,
                           uint32_t site)
{
    uint32_t up = 0;
    for (uint32_t i = w->callers; i--;) {
        up = intern((uint64_t)(uintptr_t)w->back[i], 0, up);
        if (tree.at[up].defined != fore_rt_files)
            define_instruction(t, up, !i);
        tree.at[up].defined = fore_rt_files;
    }
    uint32_t node = intern(0, site, up);
    if (tree.at[node].defined != fore_rt_files)
        define_site(t, node);
    tree.at[node].defined = fore_rt_files;
    return FIRST + node;
}

/* ---- paths that were seen of other threads ---- */

static uint64_t *known_of(uint32_t thread, uint32_t site, uint64_t *key)
{
    *key = (uint64_t)(thread << SITE_BITS | site) << 32;
    return &tree.known[(*key * 0x9e3779b97f4a7c15u) >> 48];
}

static void know_way(uint32_t thread, uint32_t site, uint32_t where)
{
    uint64_t key, *to = known_of(thread, site, &key);
    uint64_t old = __atomic_load_n(to, __ATOMIC_RELAXED);
    bool other = old >> 32 == key >> 32 && (uint32_t)old != where;
    __atomic_store_n(to, key | (other ? 0 : where), __ATOMIC_RELAXED);
}

static uint32_t known_way(uint32_t thread, uint32_t site)
{
    uint64_t key, word = __atomic_load_n(known_of(thread, site, &key), __ATOMIC_RELAXED);
    return word >> 32 == key >> 32 ? (uint32_t)word : 0;
}

/* Do the sites belong to one statement? A place that is read and written at once has two sites. */
static bool is_of_one_statement(const struct fore_c_site *a, const struct fore_c_site *b)
{
    return a && b && a->line == b->line && a->file == b->file &&
           a->function == b->function;
}

/* The path to the site beside it; 0: not known either. */
static uint32_t way_beside(struct fore_rt_thread *t, uint32_t thread, uint32_t site)
{
    const struct fore_c_site *s = fore_rt_site_of(site);
    for (uint32_t beside = site - 1; beside <= site + 1; beside += 2) {
        uint32_t way = beside ? known_way(thread, beside) : 0;
        if (!way || !is_of_one_statement(s, fore_rt_site_of(beside)))
            continue;
        fore_rt_spin(&tree.lock);
        uint32_t node = tree.n + 1 < MOST ? intern(0, site, tree.at[way - FIRST].up) : 0;
        if (node && tree.at[node].defined != fore_rt_files)
            define_site(t, node);
        if (node)
            tree.at[node].defined = fore_rt_files;
        fore_rt_unspin(&tree.lock);
        return node ? FIRST + node : 0;
    }
    return 0;
}

uint32_t fore_rt_called_told(struct fore_rt_thread *t, uint32_t thread, uint32_t site)
{
    bool may =
        __atomic_load_n(&tree.known, __ATOMIC_ACQUIRE) && site && site < FORE_C_SITES;
    uint32_t way = may ? known_way(thread, site) : 0;
    if (may && !way)
        way = way_beside(t, thread, site);
    return way ? way : fore_rt_where_again(t, site);
}

/* ---- the present path ---- */

static void *map_or_null(size_t size)
{
    void *m = fore_rt_map(0, size);
    return m == MAP_FAILED ? NULL : m;
}

/* Is there room for one more path? */
static bool has_room(struct fore_rt_thread *t)
{
    if (!t->ways)
        t->ways = map_or_null(FORE_RT_WAYS * sizeof *t->ways);
    fore_rt_spin(&tree.lock);
    if (!tree.at)
        tree.at = map_or_null(MOST * sizeof *tree.at);
    if (!tree.known)
        __atomic_store_n(&tree.known, map_or_null(KNOWN * sizeof *tree.known),
                         __ATOMIC_RELEASE);
    bool room = t->ways && tree.at && tree.known;
    fore_rt_unspin(&tree.lock);
    return room;
}

uint32_t fore_rt_called_slowly(struct fore_rt_thread *t, uint32_t where)
{
    if (fore_turn_on() || where >= FORE_C_SITES || t->tries >= TRIES || !has_room(t))
        return where;
    struct fore_rt_way *w = fore_rt_way(t);
    unwind(t, w);
    t->tries++;
    w->site = w->where = where;
    fore_rt_spin(&tree.lock);
    if (w->callers && tree.n + FORE_RT_CALLERS + 1 < MOST)
        w->where = number_way(t, w, where);
    fore_rt_unspin(&tree.lock);
    if (w->where != where)
        know_way(t->number, where, w->where);
    return w->where;
}

uint32_t fore_rt_called_outside(struct fore_rt_thread *t, uint32_t where)
{
    uint32_t site = t->at_site;
    if (t->inside || t->pending || t->quiet || !t->number || !fore_rt_enter())
        return where;
    t->at_site = site;
    fore_rt_where_again(t, where); /* who names the block does not define it */
    where = fore_rt_with_callers(t, where);
    fore_rt_leave(t);
    return where;
}

static const struct node *node_of(uint32_t where)
{
    uint32_t i = where > FIRST ? where - FIRST : 0;
    return i && i < MOST && tree.at ? &tree.at[i] : NULL;
}

uint32_t fore_rt_called_site(uint32_t where)
{
    const struct node *n = node_of(where);
    return n ? n->site : where;
}

uint32_t fore_rt_called_known(uint32_t where, uint32_t otherwise)
{
    const struct node *n = node_of(where);
    return n && n->defined == fore_rt_files ? where : otherwise;
}

void fore_rt_callers_end(struct fore_rt_thread *t)
{
    if (t->ways)
        munmap(t->ways, FORE_RT_WAYS * sizeof *t->ways);
    t->ways = NULL;
    t->at_site = 0;
}

void fore_rt_callers_forget(void)
{
    tree.lock = 0;
    if (tree.known)
        munmap(tree.known, KNOWN * sizeof *tree.known);
    tree.known = NULL;
}
