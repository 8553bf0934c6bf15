/* Records events for what comes in and goes out.
 *
 * A thing is what its reader and its writer have in common: a pipe, a file or a device, known by
 * its numbers; two sockets if it is known that they belong together, all other sockets as one;
 * or the descriptor of what has no file (eventfd). Once there is a child, a pipe or a socket may
 * lead to it, and what goes in may come back from anywhere, files among them: such output and
 * input is then recorded for the children, too. */
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/descriptors.h"
#include "capture/c/runtime/mappings.h"
#include "capture/c/runtime/sync.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KIND = 56 }; /* where it is in a key */

static const char *const names[FORE_RT_THINGS] = {
    [FORE_RT_THING_PIPE] = "pipe",
    [FORE_RT_THING_FILE] = "file",
    [FORE_RT_THING_DEVICE] = "device",
    [FORE_RT_THING_SOCKETS] = "sockets",
    [FORE_RT_THING_OTHER] = "descriptor",
    [FORE_RT_THING_SYSV] = "ipc",
    [FORE_RT_THING_SIGNALS] = "signals",
    [FORE_RT_THING_CHILDREN] = "children",
    [FORE_RT_THING_CONNECTION] = "connection",
    [FORE_RT_THING_NUMBER] = "closed descriptor",
    [FORE_RT_THING_NAMES] = "names of files",
    [FORE_RT_THING_ANY] = "any",
    [FORE_RT_THING_TOLD] = "annotation",
    [FORE_RT_THING_OPENMP] = "OpenMP",
    [FORE_RT_THING_CANCELLATION] = "cancellation",
};

static struct {
    struct {
        dev_t device;
        ino_t inode;
    } at[2];
    bool has_children, is_child;
    struct fore_c_site *shares; /* memory that children will share */
} output;

void fore_rt_outside_begin(void)
{
    struct stat s;
    for (int i = 0; i < 2; i++)
        if (fstat(i + 1, &s) == 0) {
            output.at[i].device = s.st_dev;
            output.at[i].inode = s.st_ino;
        }
}

/* Is it what the program was given to write to? No thread of it reads from there. */
static bool is_output(const struct stat *s)
{
    for (int i = 0; i < 2; i++)
        if (output.at[i].inode && output.at[i].inode == s->st_ino &&
            output.at[i].device == s->st_dev)
            return true;
    return false;
}

/* The first things that were used. */
enum { MOST_KNOWN = 64, FEW = 8 };
static struct {
    uint32_t n;
    struct {
        uint32_t thing; /* 0: not yet */
        uint64_t which;
    } at[MOST_KNOWN];
} known;

static const void *key_of(enum fore_rt_thing_kind thing, uint64_t which)
{
    uint64_t key = (uint64_t)thing << KIND | (which & (((uint64_t)1 << KIND) - 1));
    return (const void *)(uintptr_t)key;
}

/* Names a thing "pipe 2", by the order in which they are used: the system's names differ from
 * run to run. */
static void name_thing(enum fore_rt_thing_kind thing, uint64_t which, char *name,
                       size_t n)
{
    static uint32_t count[FORE_RT_THINGS];
    if (which)
        snprintf(name, n, "%s %u", names[thing],
                 __atomic_add_fetch(&count[thing], 1, __ATOMIC_RELAXED));
    else
        snprintf(name, n, "%s", names[thing]);
    uint32_t i = __atomic_fetch_add(&known.n, 1, __ATOMIC_RELAXED);
    if (i < MOST_KNOWN) {
        known.at[i].which = which;
        __atomic_store_n(&known.at[i].thing, thing, __ATOMIC_RELEASE);
    }
}

static void record(enum fore_rt_thing_kind thing, uint64_t which, unsigned kind,
                   struct fore_c_site *site)
{
    char name[40];
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return;
    struct fore_rt_object *o = NULL;
    if (thing != FORE_RT_THING_UNKNOWN) {
        const void *key = key_of(thing, which);
        o = fore_rt_known(key, FORE_RING_OBJ_OUTSIDE);
        if (!o)
            name_thing(thing, which, name, sizeof name);
        if (!o)
            o = fore_rt_object_called(t, key, FORE_RING_OBJ_OUTSIDE, name);
    }
    uint32_t where = fore_rt_where(t, site);
    fore_rt_put(t, fore_rt_take(t, 0), where, o ? o->id : 0,
                FORE_RING_WORD(kind, FORE_RING_DONE, 0, o ? fore_rt_ticket(o) : 0));
    fore_rt_leave(t);
}

/* Can something come to this process through such a thing, by a descriptor of its own? */
static bool leads_here(uint32_t thing)
{
    return thing == FORE_RT_THING_PIPE || thing == FORE_RT_THING_SOCKETS ||
           thing == FORE_RT_THING_CONNECTION || thing == FORE_RT_THING_SIGNALS ||
           thing == FORE_RT_THING_OTHER || thing == FORE_RT_THING_DEVICE;
}

static bool is_on_disk(uint32_t thing)
{
    return thing == FORE_RT_THING_FILE || thing == FORE_RT_THING_NAMES;
}

/* Records the event for each of these things that was used. */
static void record_each(bool of(uint32_t thing), struct fore_c_site *site)
{
    uint32_t n = __atomic_load_n(&known.n, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n && i < MOST_KNOWN; i++) {
        uint32_t thing = __atomic_load_n(&known.at[i].thing, __ATOMIC_ACQUIRE);
        if (of(thing))
            record((enum fore_rt_thing_kind)thing, known.at[i].which, FORE_RING_IN, site);
    }
}

static bool are_many(void)
{
    return __atomic_load_n(&known.n, __ATOMIC_RELAXED) > FEW;
}

/* What epoll and similar calls report may have come from any thing used so far. Once there are
 * many, output to one of them also goes out to `any`, and a thread that has come after the
 * earlier output need only look there. */
static void record_any(unsigned kind, struct fore_c_site *site)
{
    static FORE_RT_OWN bool knows_first;
    if (kind != FORE_RING_IN)
        return;
    if (!are_many() || !knows_first)
        record_each(leads_here, site);
    if (are_many()) {
        knows_first = true;
        record(FORE_RT_THING_ANY, 0, FORE_RING_IN, site);
    }
}

static bool has_children(void)
{
    return __atomic_load_n(&output.has_children, __ATOMIC_RELAXED);
}

bool fore_rt_has_relatives(void)
{
    return has_children() || output.is_child;
}

/* May it go to a child, or have come from one? A child may have made any file, or written to it. */
static bool concerns_children(enum fore_rt_thing_kind thing, unsigned kind)
{
    switch (thing) {
    case FORE_RT_THING_PIPE:
    case FORE_RT_THING_SOCKETS:
    case FORE_RT_THING_CONNECTION:
        return true;
    case FORE_RT_THING_SIGNALS:
        return kind == FORE_RING_OUT;
    case FORE_RT_THING_FILE:
    case FORE_RT_THING_NAMES:
        return kind == FORE_RING_IN;
    default:
        return false;
    }
}

static void record_thing(enum fore_rt_thing_kind thing, uint64_t which, unsigned kind,
                         struct fore_c_site *site)
{
    record(thing, which, kind, site);
    if (kind == FORE_RING_OUT && leads_here(thing) && are_many())
        record(FORE_RT_THING_ANY, 0, kind, site);
    if (has_children() && concerns_children(thing, kind))
        record(FORE_RT_THING_CHILDREN, 0, kind, site);
}

static const char shared_memory[] = "memory that other processes share";

void fore_rt_outside(enum fore_rt_thing_kind thing, uint64_t which, unsigned kind,
                     struct fore_c_site *site)
{
    if (thing == FORE_RT_THING_UNKNOWN) {
        record_any(kind, site);
        return;
    }
    if (thing == FORE_RT_THING_CHILDREN) {
        __atomic_store_n(&output.has_children, true, __ATOMIC_RELAXED);
        if (output.shares)
            fore_rt_unseen(output.shares, shared_memory);
    }
    record_thing(thing, which, kind, site);
}

void fore_rt_outside_shares(struct fore_c_site *site)
{
    if (has_children())
        fore_rt_unseen(site, shared_memory);
    else
        output.shares = site;
}

static bool is_any_left;

void fore_rt_once_left(const void *what, struct fore_c_site *site)
{
    if (!fore_rt_on() || fore_rt_self()->inside)
        return;
    __atomic_store_n(&is_any_left, true, __ATOMIC_RELAXED);
    fore_rt_outside(FORE_RT_THING_TOLD, (uint64_t)(uintptr_t)what, FORE_RING_OUT, site);
}

void fore_rt_once_tried(const void *what, struct fore_c_site *site)
{
    if (__atomic_load_n(&is_any_left, __ATOMIC_RELAXED) && fore_rt_on() &&
        !fore_rt_self()->inside)
        fore_rt_outside(FORE_RT_THING_TOLD, (uint64_t)(uintptr_t)what, FORE_RING_IN,
                        site);
}

/* The thread has entered. */
void fore_rt_outside_stranger(struct fore_rt_thread *t)
{
    struct fore_rt_object *o =
        fore_rt_known(key_of(FORE_RT_THING_SIGNALS, 0), FORE_RING_OBJ_OUTSIDE);
    if (o)
        fore_rt_put(t, fore_rt_take(t, 0), 0, o->id,
                    FORE_RING_WORD(FORE_RING_IN, FORE_RING_DONE, 0, fore_rt_ticket(o)));
}

static enum fore_rt_thing_kind thing_of(int fd, const struct stat *s, uint64_t *which)
{
    *which = s->st_ino;
    if (S_ISFIFO(s->st_mode))
        return FORE_RT_THING_PIPE;
    if (S_ISREG(s->st_mode) || S_ISDIR(s->st_mode))
        return FORE_RT_THING_FILE;
    if (S_ISSOCK(s->st_mode)) {
        *which = fore_rt_connection(fd, s->st_ino);
        return *which ? FORE_RT_THING_CONNECTION : FORE_RT_THING_SOCKETS;
    }
    bool other = !(s->st_mode & S_IFMT);
    *which = other ? (uint64_t)fore_rt_same_descriptor(fd) + 1 : (uint64_t)s->st_rdev;
    return other ? FORE_RT_THING_OTHER : FORE_RT_THING_DEVICE;
}

/* Handles descriptors that report signals, files, children. */
static void record_source(int fd, struct fore_c_site *site)
{
    char path[40], is[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, is, sizeof is - 1);
    is[n > 0 ? n : 0] = 0;
    if (strstr(is, "signalfd"))
        record(FORE_RT_THING_SIGNALS, 0, FORE_RING_IN, site);
    else if (strstr(is, "pidfd"))
        record(FORE_RT_THING_CHILDREN, 0, FORE_RING_IN, site);
    else if (strstr(is, "notify"))
        record_each(is_on_disk, site);
}

void fore_rt_outside_file(int fd, unsigned kind, struct fore_c_site *site)
{
    struct stat s;
    int why = errno;
    if (fstat(fd, &s) < 0 || (kind == FORE_RING_OUT && is_output(&s))) {
        errno = why;
        return;
    }
    uint64_t which;
    enum fore_rt_thing_kind thing = thing_of(fd, &s, &which);
    record_thing(thing, which, kind, site);
    if (thing == FORE_RT_THING_OTHER && kind == FORE_RING_IN)
        record_source(fd, site);
    errno = why;
}

/* ---- what cannot be seen ---- */

/* The sites that recorded it, with the text; a few hundred are enough for any reader. */
static struct {
    uint32_t lock, n;
    struct {
        const struct fore_c_site *site;
        const char *what;
    } at[256];
} unseen;

static bool is_told(const struct fore_c_site *site, const char *what)
{
    for (uint32_t i = 0; i < unseen.n; i++)
        if (unseen.at[i].site == site && !strcmp(unseen.at[i].what, what))
            return true;
    return false;
}

void fore_rt_unseen(struct fore_c_site *site, const char *what)
{
    enum { MOST = sizeof unseen.at / sizeof *unseen.at };
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return;
    fore_rt_spin(&unseen.lock);
    if (unseen.n < MOST && !is_told(site, what)) {
        size_t n = strlen(what), units = (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
        uint32_t where = fore_rt_where(t, site);
        struct fore_ring_record *r = fore_rt_take(t, units);
        memset(r + 1, 0, units * FORE_RING_RECORD);
        memcpy(r + 1, what, n);
        fore_rt_put(t, r, where, 0,
                    FORE_RING_WORD(FORE_RING_DEF_UNSEEN, FORE_RING_DONE, units, n));
        unseen.at[unseen.n].site = site;
        unseen.at[unseen.n++].what = what;
    }
    fore_rt_unspin(&unseen.lock);
    fore_rt_leave(t);
}

void fore_rt_outside_forget(void)
{
    unseen.lock = unseen.n = known.n = 0;
    output.is_child = true;
    fore_rt_descriptors_forget();
    fore_rt_mappings_forget();
    memset(&known, 0, sizeof known);
}
