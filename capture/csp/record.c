#include "capture/csp/record.h"

#include "capture/ring/ring_write.h"

#include <pthread.h>
#include <stdlib.h>

/* Chunks are small, because a process that sends one message should not cost a page. */
enum { CHUNK = 512, IN_CHUNK = CHUNK / FORE_RING_RECORD };

static struct {
    struct fore_ring_file file;
    uint32_t sites, strings, objects;
    struct fore_ring_record waste[IN_CHUNK]; /* where records go if there is no room */
} ring = {.file.fd = -1};

/* A forked copy of the process would write into its parent's file. */
static void stop_in_child(void)
{
    fore_csp.mode &= ~(unsigned)FORE_CSP_TRACED;
    ring.file.header = NULL;
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!ring.file.header || fore_csp.ending)
        return;
    fore_csp.ending = true;
    fore_record(fore_csp.current, FORE_RING_EXIT, FORE_RING_DONE, NULL, 0, 0);
    /* The first process is main: did it return, or leave by exit()? */
    bool left = fore_csp.current && fore_csp.current->id == 1;
    fore_record_end(status, FORE_RING_ENDED,
                    left ? FORE_RING_BY_RETURN : FORE_RING_BY_EXIT);
}

static void say_what_is_seen(struct fore_ring_header *h)
{
    h->sees = FORE_RING_SEES_DECLARED | FORE_RING_SEES_THREADS | FORE_RING_SEES_CHANNELS |
              FORE_RING_SEES_LOCKS;
}

bool fore_record_start(const char *directory)
{
    if (!fore_ring_create(&ring.file, directory, FORE_RING_CSP, CHUNK,
                          say_what_is_seen)) {
        fprintf(stderr, "foresee-csp: cannot record in %s: %s\n", directory,
                strerror(errno));
        return false;
    }
    pthread_atfork(NULL, NULL, stop_in_child);
    on_exit(at_exit, NULL);
    return true;
}

void fore_record_end(int status, enum fore_ring_state state, enum fore_ring_ended how)
{
    if (ring.file.header)
        fore_ring_end(&ring.file, status, state, how);
}

void fore_record_steps(uint32_t steps, uint32_t done)
{
    if (!ring.file.header)
        return;
    ring.file.header->schedule_steps = steps;
    ring.file.header->schedule_done = done;
}

struct fore_ring_record *fore_record_chunk(struct fore_proc *p, size_t records)
{
    struct fore_ring_chunk *c =
        records < IN_CHUNK ? fore_ring_chunk_new(&ring.file) : NULL;
    struct fore_ring_record *r = ring.waste;
    if (c) {
        r = fore_ring_chunk_begin(&ring.file, c, p->id, p->chunk_number++,
                                  &p->end_record);
    } else {
        fore_ring_full(&ring.file);
        p->end_record = ring.waste + records; /* so that each of them is counted */
    }
    return p->next_record = r;
}

/* ---- definitions ---- */

/* Strings that do not fit into a chunk are written in pieces. */
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
