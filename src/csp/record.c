#include "csp/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Chunks are small, because a process that sends one message should not cost a page. The
 * file grows by windows, which are allocated before they are written: a full disk must end
 * the recording, not the program. */
enum {
    CHUNK = 512,
    IN_CHUNK = CHUNK / FORE_RING_RECORD,
    FIRST_WINDOW = 1 << 16, /* each is twice the one before, up to the largest */
    LARGEST_WINDOW = 1 << 20,
};
static const uint64_t room = (uint64_t)1 << 36;

static struct {
    char *base;
    struct fore_ring_header *header;
    uint64_t next, allocated; /* chunks taken; bytes of the file */
    size_t window;            /* by how much it grows next */
    int fd;
    uint32_t sites, strings, objects;
    struct fore_ring_record waste[IN_CHUNK]; /* where records go when there is no room */
} ring = {.fd = -1, .window = FIRST_WINDOW};

static bool window_add(void)
{
    if (posix_fallocate(ring.fd, (off_t)ring.allocated, (off_t)ring.window))
        return false;
#ifdef MADV_POPULATE_WRITE
    madvise(ring.base + ring.allocated, ring.window, MADV_POPULATE_WRITE);
#endif
    ring.allocated += ring.window;
    if (ring.window < LARGEST_WINDOW)
        ring.window *= 2;
    return true;
}

static void fill_header(struct fore_ring_header *h)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    h->version = FORE_RING_VERSION;
    h->header_size = FORE_RING_HEADER;
    h->chunk_size = CHUNK;
    h->source = FORE_RING_CSP;
    h->chunks = (room - FORE_RING_HEADER) / CHUNK;
    h->pid = (uint32_t)getpid();
    h->parent_pid = (uint32_t)getppid();
    h->start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    h->run_id = h->start_ns ^ (uint64_t)h->pid << 40;
    ssize_t n = readlink("/proc/self/exe", h->executable, sizeof h->executable - 1);
    h->executable[n > 0 ? n : 0] = 0;
    memcpy(h->magic, FORE_RING_MAGIC, sizeof h->magic); /* last: now it is a ring file */
}

/* The copy of a forked process would write into its parent's file. */
static void stop_in_child(void)
{
    fore_csp.mode &= ~(unsigned)FORE_CSP_TRACED;
    ring.fd = -1;
    ring.header = NULL;
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!ring.header || fore_csp.ending)
        return;
    fore_csp.ending = true;
    fore_record(fore_csp.current, FORE_RING_EXIT, FORE_RING_DONE, NULL, 0, 0);
    fore_record_end(status, FORE_RING_ENDED);
}

bool fore_record_start(const char *directory)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%ld.fsr", directory, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    ring.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (ring.fd < 0) {
        fprintf(stderr, "foresee-csp: cannot record in %s: %s\n", path, strerror(errno));
        return false;
    }
    ring.base =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ring.fd, 0);
    if (ring.base == MAP_FAILED || !window_add()) {
        fprintf(stderr, "foresee-csp: no room to record in %s\n", path);
        return false;
    }
    ring.header = (struct fore_ring_header *)ring.base;
    fill_header(ring.header);
    pthread_atfork(NULL, NULL, stop_in_child);
    on_exit(at_exit, NULL);
    return true;
}

void fore_record_end(int status, enum fore_ring_state state)
{
    if (!ring.header)
        return;
    ring.header->exit_status = status;
    if (ring.header->state == FORE_RING_RECORDING)
        __atomic_store_n(&ring.header->state, (uint32_t)state, __ATOMIC_RELEASE);
}

void fore_record_steps(uint32_t steps, uint32_t done)
{
    if (!ring.header)
        return;
    ring.header->schedule_steps = steps;
    ring.header->schedule_done = done;
}

struct fore_ring_record *fore_record_chunk(struct fore_proc *p, size_t records)
{
    uint64_t end = FORE_RING_HEADER + (ring.next + 1) * CHUNK;
    if (records >= IN_CHUNK || end > room || (end > ring.allocated && !window_add())) {
        __atomic_fetch_add(&ring.header->dropped, 1, __ATOMIC_RELAXED);
        ring.header->state = FORE_RING_FULL;
        p->next_record = ring.waste;
        p->end_record = ring.waste + records; /* so that each one is counted */
        return ring.waste;
    }
    struct fore_ring_chunk *c =
        (struct fore_ring_chunk *)(ring.base + FORE_RING_HEADER + ring.next * CHUNK);
    c->number = p->chunk_number++;
    __atomic_store_n(&c->thread, p->id, __ATOMIC_RELEASE);
    __atomic_store_n(&ring.header->next_chunk, ++ring.next, __ATOMIC_RELEASE);
    p->next_record = (struct fore_ring_record *)(c + 1);
    p->end_record = p->next_record + IN_CHUNK - 1;
    return p->next_record;
}

/* ---- definitions ---- */

/* Strings that do not fit into a chunk are given in pieces. */
static uint32_t string_add(const char *s)
{
    enum { MOST = (IN_CHUNK - 2) * FORE_RING_RECORD };
    uint32_t id = ++ring.strings;
    size_t left = strlen(s);
    do {
        size_t n = left < MOST ? left : MOST;
        size_t units = (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
        struct fore_ring_record *r = fore_record_take(fore_csp.current, units);
        memset(r + 1, 0, units * FORE_RING_RECORD);
        memcpy(r + 1, s, n);
        s += n;
        left -= n;
        unsigned flags = FORE_RING_DONE | (left ? FORE_RING_MORE : 0);
        r->where = 0;
        r->object = id;
        fore_record_store(&r->word,
                          FORE_RING_WORD(FORE_RING_DEF_STRING, flags, units, n));
    } while (left);
    return id;
}

/* The few file and function names that occur are remembered by their address. */
static uint32_t string_of(const char *s)
{
    static struct {
        const char *s;
        uint32_t id;
    } known[256];
    size_t slot = ((uintptr_t)s >> 4) % 256;
    if (known[slot].s != s) {
        known[slot].id = string_add(s);
        known[slot].s = s;
    }
    return known[slot].id;
}

uint32_t fore_record_site(foresee_at at)
{
    uint64_t file = string_of(at->file), function = string_of(at->function);
    struct fore_ring_record *r = fore_record_take(fore_csp.current, 1);
    ((uint64_t *)(r + 1))[0] = file;
    ((uint64_t *)(r + 1))[1] = function;
    r->where = ++ring.sites;
    r->object = at->line;
    fore_record_store(&r->word,
                      FORE_RING_WORD(FORE_RING_DEF_WHERE, FORE_RING_DONE, 1, 0));
    return at->id = ring.sites;
}

uint32_t fore_record_text(foresee_at at)
{
    if (!at || !at->text)
        return 0;
    if (!at->text_id)
        at->text_id = string_of(at->text);
    return at->text_id;
}

uint32_t fore_record_object(unsigned kind_and_flags, uint64_t capacity, const char *name,
                            foresee_at at)
{
    enum { MOST = (IN_CHUNK - 3) * FORE_RING_RECORD };
    fore_record_where(at);
    size_t n = name ? strnlen(name, MOST) : 0;
    size_t units = 1 + (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
    struct fore_ring_record *r = fore_record_take(fore_csp.current, units);
    ((uint64_t *)(r + 1))[0] = kind_and_flags;
    ((uint64_t *)(r + 1))[1] = capacity;
    memset(r + 2, 0, (units - 1) * FORE_RING_RECORD);
    if (n)
        memcpy(r + 2, name, n);
    fore_record_put(r, at, ++ring.objects,
                    FORE_RING_WORD(FORE_RING_DEF_OBJECT, FORE_RING_DONE, units, n));
    return ring.objects;
}
