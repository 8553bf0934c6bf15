/* Writes the ring file, and one access to memory at a time into it. */
#include "c/range.h"
#include "c/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNK = 4096,
    IN_CHUNK = CHUNK / FORE_RING_RECORD - 1,
    WINDOW = 1 << 20, /* the file grows by this much, before it is written */
    STRINGS = 1024,
};
static const uint64_t room = (uint64_t)1 << 36;

static struct {
    char *base;
    struct fore_ring_header *header;
    uint64_t next, allocated;
    uint64_t taken;    /* chunks, those that were taken again included */
    uint32_t returned; /* the first chunk that can be taken again, + 1 */
    uint32_t over;     /* threads that have ended */
    bool waits, full;
    uint64_t patience_ms;
    int fd;
    bool on;
    uint32_t lock, defining; /* spin locks: chunks; sites and strings */
    uint32_t threads, sites, strings;
    struct {
        const char *text;
        uint32_t id;
    } known[STRINGS];
    struct fore_ring_record waste[IN_CHUNK]; /* where records go when there is no room */
} ring = {.fd = -1};

static _Thread_local struct fore_rt_thread self;

/* ---- the file ---- */

static bool window_add(void)
{
    if (posix_fallocate(ring.fd, (off_t)ring.allocated, WINDOW))
        return false;
    ring.allocated += WINDOW;
    return true;
}

/* FORESEE_ROOM, see ring.h. */
static void bound_room(struct fore_ring_header *h)
{
    const char *set = getenv(FORE_RING_ROOM);
    unsigned long long chunks, ms;
    unsigned reader;
    char policy[8];
    if (!set || sscanf(set, "%7[a-z]:%llu:%llu:%u", policy, &chunks, &ms, &reader) != 4)
        return;
    ring.waits = !strcmp(policy, "wait");
    ring.patience_ms = ms;
    h->limit = chunks;
    h->reader = reader;
}

static void fill_header(struct fore_ring_header *h)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    h->version = FORE_RING_VERSION;
    h->header_size = FORE_RING_HEADER;
    h->chunk_size = CHUNK;
    h->source = FORE_RING_C;
    h->chunks = (room - FORE_RING_HEADER) / CHUNK;
    h->pid = (uint32_t)getpid();
    h->parent_pid = (uint32_t)getppid();
    h->start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    h->run_id = h->start_ns ^ (uint64_t)h->pid << 40;
    ssize_t n = readlink("/proc/self/exe", h->executable, sizeof h->executable - 1);
    h->executable[n > 0 ? n : 0] = 0;
    bound_room(h);
    memcpy(h->magic, FORE_RING_MAGIC, sizeof h->magic); /* last: now it is a ring file */
}

/* The copy of a forked process would write into its parent's file. */
static void stop_in_child(void)
{
    ring.on = false;
    ring.header = NULL;
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    struct fore_rt_thread *t = ring.header ? fore_rt_enter() : NULL;
    if (!t)
        return;
    struct fore_ring_record *r = fore_rt_take(t, 0);
    fore_rt_put(r, 0, 0, FORE_RING_WORD(FORE_RING_EXIT, FORE_RING_DONE, 0, 0));
    __atomic_store_n(&ring.on, false, __ATOMIC_RELAXED);
    ring.header->exit_status = status;
    if (!ring.full)
        __atomic_store_n(&ring.header->state, (uint32_t)FORE_RING_ENDED,
                         __ATOMIC_RELEASE);
    fore_rt_leave(t);
}

/* A program that replaces itself keeps its number: its file gets a further name. */
static bool file_open(const char *directory)
{
    char path[4096];
    for (unsigned again = 1; again < 100; again++) {
        int n = again == 1
                    ? snprintf(path, sizeof path, "%s/%ld.fsr", directory, (long)getpid())
                    : snprintf(path, sizeof path, "%s/%ld.next%02u.fsr", directory,
                               (long)getpid(), again);
        if (n < 0 || (size_t)n >= sizeof path)
            return false;
        ring.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (ring.fd >= 0 || errno != EEXIST)
            break;
    }
    return ring.fd >= 0;
}

__attribute__((constructor(101))) static void start(void)
{
    const char *directory = getenv(FORE_RING_ENVIRONMENT);
    if (!directory || !*directory)
        return;
    if (!file_open(directory)) {
        fprintf(stderr, "foresee: cannot record in %s: %s\n", directory, strerror(errno));
        return;
    }
    ring.base =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ring.fd, 0);
    if (ring.base == MAP_FAILED || !window_add()) {
        fprintf(stderr, "foresee: no room to record in %s\n", directory);
        return;
    }
    ring.header = (struct fore_ring_header *)ring.base;
    fill_header(ring.header);
    fore_rt_variables_sort();
    pthread_atfork(NULL, NULL, stop_in_child);
    on_exit(at_exit, NULL);
    self.number = ++ring.threads;
    ring.on = true;
}

/* ---- threads ---- */

bool fore_rt_on(void)
{
    return __atomic_load_n(&ring.on, __ATOMIC_RELAXED);
}

uint32_t fore_rt_new_thread(void)
{
    return __atomic_add_fetch(&ring.threads, 1, __ATOMIC_RELAXED);
}

struct fore_rt_thread *fore_rt_enter(void)
{
    if (!fore_rt_on() || self.over)
        return NULL;
    if (self.inside) {
        fore_rt_dropped();
        return NULL;
    }
    self.inside = true;
    if (!self.number)
        self.number = fore_rt_new_thread();
    return &self;
}

static void wait_for_room(struct fore_rt_thread *t);

void fore_rt_leave(struct fore_rt_thread *t)
{
    if (t->crowded)
        wait_for_room(t);
    t->inside = false;
}

static void put_bare(unsigned kind)
{
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return;
    fore_rt_put(fore_rt_take(t, 0), 0, 0, FORE_RING_WORD(kind, FORE_RING_DONE, 0, 0));
    fore_rt_leave(t);
}

void fore_rt_begin_thread(uint32_t number)
{
    self.number = number;
    put_bare(FORE_RING_WAIT);
}

void fore_rt_end_thread(void)
{
    put_bare(FORE_RING_END);
    self.over = true;
    __atomic_fetch_add(&ring.over, 1, __ATOMIC_RELAXED);
}

/* ---- records ---- */

void fore_rt_dropped(void)
{
    __atomic_fetch_add(&ring.header->dropped, 1, __ATOMIC_RELAXED);
}

static struct fore_ring_chunk *chunk_at(uint64_t i)
{
    return (struct fore_ring_chunk *)(ring.base + FORE_RING_HEADER + i * CHUNK);
}

/* With ring.lock held. One that was given back, or a new one; NULL if there is no room. */
static struct fore_ring_chunk *free_chunk(void)
{
    uint64_t end = FORE_RING_HEADER + (ring.next + 1) * CHUNK;
    if (!ring.returned)
        ring.returned = __atomic_exchange_n(&ring.header->returned, 0u, __ATOMIC_ACQUIRE);
    if (ring.returned) {
        struct fore_ring_chunk *c = chunk_at(ring.returned - 1);
        ring.returned = c->after;
        c->after = 0;
        return c;
    }
    if (end + WINDOW / 2 > ring.allocated && !window_add() &&
        ring.header->limit > ring.next)
        ring.header->limit = ring.next; /* a disk that is full bounds it, too */
    if (end > room || end > ring.allocated)
        return NULL;
    __atomic_store_n(&ring.header->next_chunk, ++ring.next, __ATOMIC_RELEASE);
    return chunk_at(ring.next - 1);
}

/* Every thread may hold one chunk that is not full. */
static bool crowded(void)
{
    uint64_t back = __atomic_load_n(&ring.header->given_back, __ATOMIC_ACQUIRE);
    uint32_t threads = __atomic_load_n(&ring.threads, __ATOMIC_RELAXED) -
                       __atomic_load_n(&ring.over, __ATOMIC_RELAXED);
    return ring.header->limit &&
           !__atomic_load_n(&ring.header->has_past, __ATOMIC_RELAXED) &&
           __atomic_load_n(&ring.taken, __ATOMIC_RELAXED) - back >
               ring.header->limit + threads;
}

/* From now on nothing is recorded: a record behind one that is missing tells nothing. */
static void no_room(void)
{
    __atomic_store_n(&ring.full, true, __ATOMIC_RELAXED);
    __atomic_store_n(&ring.header->state, (uint32_t)FORE_RING_FULL, __ATOMIC_RELEASE);
}

static bool take_chunk(struct fore_rt_thread *t)
{
    fore_rt_spin(&ring.lock);
    struct fore_ring_chunk *c = NULL;
    t->crowded = crowded();
    if (!ring.full && (ring.waits || !t->crowded))
        c = free_chunk();
    if (c) {
        __atomic_store_n(&ring.taken, ring.taken + 1, __ATOMIC_RELAXED);
        c->number = t->chunks++;
        __atomic_store_n(&c->thread, t->number, __ATOMIC_RELEASE);
        t->next = (struct fore_ring_record *)(c + 1);
        t->end = t->next + IN_CHUNK;
    } else {
        no_room();
    }
    fore_rt_unspin(&ring.lock);
    return c;
}

/* Only here, between two operations, can a thread wait without keeping back what the reader
 * needs to go on. Not by nanosleep(), at which the thread could be cancelled. */
static void wait_for_room(struct fore_rt_thread *t)
{
    int before = errno;
    uint64_t seen = __atomic_load_n(&ring.header->given_back, __ATOMIC_RELAXED);
    for (uint64_t ms = 0; crowded() && !ring.full; ms++) {
        struct timespec one = {0, 1000000};
        uint64_t back = __atomic_load_n(&ring.header->given_back, __ATOMIC_RELAXED);
        ms = back == seen ? ms : 0;
        seen = back;
        if (ms > ring.patience_ms ||
            (kill((pid_t)ring.header->reader, 0) && errno == ESRCH))
            no_room();
        syscall(SYS_nanosleep, &one, NULL);
    }
    t->crowded = false;
    errno = before;
}

struct fore_ring_record *fore_rt_take(struct fore_rt_thread *t, size_t units)
{
    if ((size_t)(t->end - t->next) < units + 1 && !take_chunk(t)) {
        fore_rt_dropped();
        t->next = t->end = NULL;
        return ring.waste;
    }
    struct fore_ring_record *r = t->next;
    t->next += units + 1;
    return r;
}

void fore_rt_put(struct fore_ring_record *r, uint32_t where, uint32_t object,
                 uint64_t word)
{
    r->where = where;
    r->object = object;
    __atomic_store_n(&r->word, word, __ATOMIC_RELEASE);
}

/* Names of files and functions; few, so that those which share a slot may come again. */
static uint32_t string_of(struct fore_rt_thread *t, const char *s)
{
    enum { MOST = 2048 };
    size_t n = strnlen(s, MOST), slot = 5381;
    for (size_t i = 0; i < n; i++)
        slot = slot * 33 + (unsigned char)s[i];
    slot %= STRINGS;
    if (ring.known[slot].text && strcmp(ring.known[slot].text, s) == 0)
        return ring.known[slot].id;
    size_t units = (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
    struct fore_ring_record *r = fore_rt_take(t, units);
    memset(r + 1, 0, units * FORE_RING_RECORD);
    memcpy(r + 1, s, n);
    ring.known[slot].text = s;
    ring.known[slot].id = ++ring.strings;
    fore_rt_put(r, 0, ring.strings,
                FORE_RING_WORD(FORE_RING_DEF_STRING, FORE_RING_DONE, units, n));
    return ring.strings;
}

uint32_t fore_rt_where(struct fore_rt_thread *t, struct fore_c_site *site)
{
    uint32_t id = site ? __atomic_load_n(&site->id, __ATOMIC_ACQUIRE) : 0;
    if (!site || id)
        return id;
    fore_rt_spin(&ring.defining);
    if (!site->id) {
        uint64_t file = string_of(t, site->file), function = string_of(t, site->function);
        struct fore_ring_record *r = fore_rt_take(t, 1);
        ((uint64_t *)(r + 1))[0] = file | (uint64_t)site->column << 32;
        ((uint64_t *)(r + 1))[1] = function;
        fore_rt_put(r, ++ring.sites, site->line,
                    FORE_RING_WORD(FORE_RING_DEF_WHERE, FORE_RING_DONE, 1, 0));
        __atomic_store_n(&site->id, ring.sites, __ATOMIC_RELEASE);
    }
    id = site->id;
    fore_rt_unspin(&ring.defining);
    return id;
}

/* ---- what instrumented code calls ---- */

void foresee_rt_at(struct fore_c_site *site)
{
    self.site = site;
}

/* From here to foresee_rt_end nobody else accesses the place, so that the order of the
 * tickets is that of the accesses, and the value is theirs. */
uint32_t foresee_rt_begin(char *p)
{
    const struct fore_c_variable *v = fore_rt_on() ? fore_rt_variable(p) : NULL;
    struct fore_rt_thread *t = v ? fore_rt_enter() : NULL;
    if (!t)
        return 0;
    t->place = fore_rt_object(t, p, FORE_RING_OBJ_PLACE, 0);
    if (!t->place) {
        fore_rt_dropped();
        fore_rt_leave(t);
        return 0;
    }
    fore_rt_spin(&t->place->holder);
    size_t left = (size_t)(v->address + v->size - p);
    memcpy(t->before, p, left < sizeof t->before ? left : sizeof t->before);
    return 1;
}

static char type_of(const struct fore_rt_object *o, unsigned bits, size_t size)
{
    if (bits & FORE_C_NO_VALUE)
        return 'o';
    if (o->type && o->type != 'o' && o->size == size)
        return o->type;
    return bits & FORE_C_FLOAT ? 'f' : 'i';
}

void foresee_rt_end(uint32_t token, char *p, struct fore_c_site *site, uint32_t what)
{
    enum { TYPE_A = 6, TYPE_B = 9, ORDER = 12 };
    if (!token)
        return;
    struct fore_rt_thread *t = &self;
    struct fore_rt_object *o = t->place;
    unsigned kind = what & 0xff, bits = what >> 8 & 0xf, order = what >> 12 & 0xf;
    size_t size = what >> 16;
    char type = type_of(o, bits, size);
    struct fore_rt_value a = fore_rt_value(type, p, size), b = {0};
    if (kind == FORE_RING_RMW) {
        b = a;
        a = fore_rt_value(type, t->before, size);
        if (bits & FORE_C_COMPARED && a.bits == b.bits) { /* not exchanged */
            kind = FORE_RING_READ;
            b = (struct fore_rt_value){0};
        }
    }
    uint64_t ticket = ++o->ticket;
    uint32_t where = fore_rt_where(t, site);
    struct fore_ring_record *r = fore_rt_take(t, 2);
    uint64_t *unit = (uint64_t *)(r + 1);
    unit[0] = a.bits;
    unit[1] = b.bits;
    unit[2] = a.type << TYPE_A | b.type << TYPE_B | order << ORDER;
    unit[3] = 0;
    fore_rt_put(r, where, o->id,
                FORE_RING_WORD(kind, FORE_RING_DONE | FORE_RING_TYPES, 2, ticket));
    fore_rt_unspin(&o->holder);
    fore_rt_leave(t);
}
