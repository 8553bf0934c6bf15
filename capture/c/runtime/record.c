/* Writes the ring file: threads, records, and the sites that they name. */
#include "capture/c/runtime/blocks.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/crash.h"
#include "capture/c/runtime/know.h"
#include "capture/c/runtime/openmp.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/server.h"
#include "capture/c/runtime/shared.h"
#include "capture/c/runtime/tags.h"
#include "capture/c/runtime/turn.h"

#include "capture/ring/ring_write.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum {
    CHUNK = 4096,
    IN_CHUNK = CHUNK / FORE_RING_RECORD - 1,
    LINGER_MS = 200,
};

static struct {
    struct fore_ring_file file;
    uint64_t taken;    /* number of chunks taken, with those that were taken again */
    uint32_t returned; /* 1 + the first chunk that can be taken again */
    uint32_t over;     /* threads that have ended */
    uint64_t most;     /* chunks if none are given back; 0: no limit */
    bool waits, full;
    bool notes;  /* there is a shadow */
    bool forked; /* the process began as a fork of another one */
    uint64_t patience_ms;
    uint32_t lock; /* of the chunks */
    uint32_t threads, strings;
    struct fore_ring_record waste[IN_CHUNK]; /* where records go if there is no room */
} ring = {.file.fd = -1};

FORE_RT_OWN struct fore_rt_thread foresee_rt_self;
_Thread_local unsigned long foresee_rt_stamp;
_Thread_local unsigned long foresee_rt_since;
_Thread_local unsigned foresee_rt_learnt;
_Thread_local uintptr_t foresee_rt_site;
_Thread_local const char *foresee_rt_starts;
unsigned foresee_rt_on, foresee_rt_telling;
/* it was on at some time: functions run in their watched versions */
unsigned foresee_rt_watched;

static void set_on(bool on)
{
    __atomic_store_n(&foresee_rt_on, on, __ATOMIC_RELAXED);
}

/* ---- the file ---- */

/* FORESEE_ROOM, see ring.h. */
static void bound_room(struct fore_ring_header *h)
{
    const char *set = getenv(FORE_RING_ROOM);
    unsigned long long chunks, ms, most;
    unsigned reader;
    char policy[8];
    if (!set || sscanf(set, "%7[a-z]:%llu:%llu:%u:%llu", policy, &chunks, &ms, &reader,
                       &most) != 5)
        return;
    ring.waits = !strcmp(policy, "wait");
    ring.patience_ms = ms;
    ring.most = most;
    h->limit = chunks;
    h->reader = reader;
}

/* Defined by modules that were compiled without a specification, and by those with one. */
extern const char foresee_rt_everything __attribute__((weak));
extern const char foresee_rt_named __attribute__((weak));

/* Variables that a specification does not name are not seen, and without a shadow no memory is. */
static void say_what_is_seen(struct fore_ring_header *h)
{
    bool all = ring.notes && &foresee_rt_everything && !&foresee_rt_named;
    h->sees = FORE_RING_SEES_DECLARED | FORE_RING_SEES_THREADS | FORE_RING_SEES_CHANNELS |
              FORE_RING_SEES_LOCKS | FORE_RING_SEES_OUTSIDE;
    if (ring.notes)
        h->sees |= FORE_RING_SEES_ATOMICS | FORE_RING_SEES_VALUES;
    if (all)
        h->sees |= FORE_RING_SEES_MEMORY | FORE_RING_MARKS_USES;
}

static void fill_header(struct fore_ring_header *h)
{
    bound_room(h);
    say_what_is_seen(h);
}

/* If main was compiled otherwise, only its end is known. */
static bool in_main;

/* Gives threads that still run when main returns a moment, because errors often happen then.
 * OpenMP's threads have nothing to do. In a controlled program that moment is the schedule's
 * time, and threads go on by turns. */
static void linger(void)
{
    const char *set = getenv(FORE_RING_LINGER);
    struct timespec ten = {0, 10000000};
    fore_turn.lingers = true;
    for (long left = set ? strtol(set, NULL, 10) : LINGER_MS; left > 0; left -= 10) {
        uint32_t over = __atomic_load_n(&ring.over, __ATOMIC_RELAXED) +
                        __atomic_load_n(&fore_rt_openmp_workers, __ATOMIC_RELAXED);
        if (__atomic_load_n(&ring.threads, __ATOMIC_RELAXED) - over <= 1)
            return;
        if (fore_turn_on())
            fore_turn_sleep(&ten);
        else
            syscall(SYS_nanosleep, &ten, NULL);
    }
}

void foresee_rt_main(unsigned inside)
{
    __atomic_store_n(&in_main, inside != 0, __ATOMIC_RELAXED);
    if (!inside && fore_rt_on())
        linger();
}

/* Waits for records that other threads have begun when no new ones may begin: their tickets are
 * drawn, so the records must come. A thread that does not go on meanwhile waits for something
 * else. */
static void wait_for_records(void)
{
    struct timespec one = {0, 1000000};
    for (int left = LINGER_MS; left && fore_rt_others_record(&foresee_rt_self); left--)
        syscall(SYS_nanosleep, &one, NULL);
}

/* Did the first thread return while there were threads that it should have waited for? The last
 * thread to end also ends the process. */
static bool is_by_return(void)
{
    uint32_t live = ring.threads - __atomic_load_n(&ring.over, __ATOMIC_RELAXED);
    return foresee_rt_self.over || (foresee_rt_self.number == 1 && !in_main &&
                                    (live <= 1 || fore_rt_threads_await()));
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!ring.file.header)
        return;
    fore_rt_abandon(); /* a handler of signals may have called exit() */
    struct fore_rt_thread *t = fore_rt_enter();
    if (t)
        fore_rt_put(t, fore_rt_take(t, 0), 0, 0,
                    FORE_RING_WORD(FORE_RING_EXIT, FORE_RING_DONE, 0, 0));
    set_on(false);
    fore_turn_finish(!is_by_return());
    wait_for_records();
    fore_ring_end(&ring.file, status, FORE_RING_ENDED,
                  is_by_return() ? FORE_RING_BY_RETURN : FORE_RING_BY_EXIT);
    if (t)
        fore_rt_leave(t);
}

void fore_rt_stuck(int status)
{
    set_on(false);
    fore_ring_end(&ring.file, status, FORE_RING_DEADLOCK, FORE_RING_BY_RETURN);
}

static bool is_watched(void)
{
    const char *directory = getenv(FORE_RING_ENVIRONMENT);
    return directory && *directory;
}

static bool open_file(void)
{
    const char *directory = getenv(FORE_RING_ENVIRONMENT);
    if (!is_watched())
        return false;
    if (fore_ring_create(&ring.file, directory, FORE_RING_C, CHUNK, fill_header))
        return true;
    fprintf(stderr, "foresee: cannot record in %s: %s\n", directory, strerror(errno));
    return false;
}

static void number_self(uint32_t number)
{
    foresee_rt_self.number = number;
    foresee_rt_self.tid = (int)syscall(SYS_gettid);
    foresee_rt_stamp = foresee_rt_self.tag =
        ring.notes && !fore_turn_on() ? fore_rt_tag_take(number) : 0;
    fore_rt_know_begin(&foresee_rt_self);
}

/* A trace without uses must not look like one in which uses are not recorded: the first thread
 * begins by using its arguments. */
static void begin_uses(void)
{
    foresee_rt_self.uses = ring.file.header->sees & FORE_RING_MARKS_USES;
}

/* A forked process begins a file of its own, with one thread. Nothing that the threads of its
 * parent did is in it, nor which of them were inside the runtime. */
static void in_child(void)
{
    if (!ring.file.header)
        return;
    fore_turn_forked();
    fore_ring_abandon(&ring.file);
    ring.lock = 0;
    ring.threads = ring.strings = ring.over = ring.returned = 0;
    ring.taken = 0;
    ring.full = false;
    foresee_rt_self = (struct fore_rt_thread){.inside = true};
    fore_rt_shadow_forget();
    fore_rt_shared_forget();
    fore_rt_objects_forget();
    fore_rt_sites_forget();
    fore_rt_know_forget();
    fore_rt_threads_forget();
    fore_rt_tables_forget();
    fore_rt_functions_forget();
    fore_rt_outside_forget();
    fore_rt_signals_forget();
    fore_rt_callers_forget();
    foresee_rt_telling = 0;
    set_on(open_file());
    if (!fore_rt_on()) {
        ring.file.header = NULL;
        fore_rt_crash_told_in(NULL);
        return;
    }
    fore_rt_crash_told_in(ring.file.header);
    number_self(++ring.threads);
    ring.forked = true;
    fore_rt_threads_begin();
    begin_uses();
    fore_rt_reader_begins(&foresee_rt_self);
    fore_rt_marks_again(&foresee_rt_self);
    foresee_rt_self.inside = false;
}

#ifdef FORE_C_ALONE /* found by libraries in programs that have no runtime: it never begins */
enum { ALONE = 1 };
#else
enum { ALONE = 0 };
#endif

__attribute__((constructor(102))) static void start(void)
{
    if (ALONE)
        return;
    fore_rt_serve();
    if (!is_watched())
        return;
    ring.notes = fore_rt_shadow_open() && fore_rt_know_open();
    if (!open_file())
        return;
    if (!ring.notes) {
        fprintf(stderr, "foresee: no room for a shadow of memory: accesses to memory are "
                        "not recorded\n");
        ring.file.header->dropped++;
    }
    fore_rt_variables_sort();
    fore_rt_functions_of_program();
    fore_rt_sites_number();
    fore_rt_alloc_stand();
    fore_turn_start();
    if (!fore_turn_on()) /* the controlling process knows where it crashed */
        fore_rt_crash_watch(ring.file.header);
    fore_rt_outside_begin();
    pthread_atfork(NULL, fore_turn_forks, in_child);
    on_exit(at_exit, NULL);
    number_self(++ring.threads);
    fore_rt_threads_begin();
    begin_uses();
    fore_rt_reader_begins(&foresee_rt_self);
    foresee_rt_watched = ring.notes; /* watched versions use the shadow */
    set_on(true);
}

/* ---- threads ---- */

bool fore_rt_is_alone_in_child(void)
{
    return ring.forked && __atomic_load_n(&ring.threads, __ATOMIC_RELAXED) == 1;
}

uint32_t fore_rt_new_thread(void)
{
    return __atomic_add_fetch(&ring.threads, 1, __ATOMIC_RELAXED);
}

struct fore_rt_thread *fore_rt_enter_slowly(void)
{
    if (foresee_rt_self.over)
        return NULL;
    if (foresee_rt_self.inside) {
        fore_rt_dropped();
        return NULL;
    }
    foresee_rt_self.inside = true;
    if (!foresee_rt_self.number) {
        number_self(fore_rt_new_thread());
        fore_rt_outside_stranger(&foresee_rt_self);
    }
    if (foresee_rt_self.pending)
        fore_rt_put_off(&foresee_rt_self);
    if (foresee_rt_self.quiet)
        fore_rt_say_lock(&foresee_rt_self);
    return &foresee_rt_self;
}

static void put_bare(unsigned kind)
{
    struct fore_rt_thread *t = fore_rt_enter();
    if (!t)
        return;
    fore_rt_put(t, fore_rt_take(t, 0), 0, 0, FORE_RING_WORD(kind, FORE_RING_DONE, 0, 0));
    fore_rt_leave(t);
}

void fore_rt_begin_thread(uint32_t number)
{
    number_self(number);
    fore_rt_reader_begins(&foresee_rt_self);
    fore_rt_block_stack();
    put_bare(FORE_RING_WAIT);
}

void fore_rt_end_thread(void)
{
    foresee_rt_self.at_site = 0;
    fore_rt_reader_ends(&foresee_rt_self);
    put_bare(FORE_RING_END);
    fore_rt_know_end(&foresee_rt_self);
    fore_rt_callers_end(&foresee_rt_self);
    foresee_rt_self.over = true;
    foresee_rt_stamp = 0;
    fore_rt_tag_give_back(foresee_rt_self.tag);
    __atomic_fetch_add(&ring.over, 1, __ATOMIC_RELAXED);
}

/* ---- records ---- */

void foresee_rt_use(void)
{
    foresee_rt_learnt = 0;
    foresee_rt_self.uses = fore_rt_on();
}

void fore_rt_dropped(void)
{
    __atomic_fetch_add(&ring.file.header->dropped, 1, __ATOMIC_RELAXED);
}

bool fore_rt_streams(void)
{
    return __atomic_load_n(&ring.file.header->streams, __ATOMIC_RELAXED);
}

void fore_rt_may_tell(void)
{
    if (fore_rt_tells())
        return;
    __atomic_store_n(&foresee_rt_telling, 1u, __ATOMIC_RELAXED);
    __atomic_store_n(&ring.file.header->has_past, 1u, __ATOMIC_RELEASE);
}

static struct fore_ring_chunk *chunk_at(uint64_t i)
{
    return (struct fore_ring_chunk *)(ring.file.base + FORE_RING_HEADER + i * CHUNK);
}

/* Gives a chunk that the reader gave back, or a new one; NULL if there is no room. Call it with
 * ring.lock held. */
static struct fore_ring_chunk *free_chunk(void)
{
    const struct fore_ring_file *f = &ring.file;
    uint64_t soon = FORE_RING_HEADER + (f->next + 1) * CHUNK + f->window / 2;
    uint64_t end = FORE_RING_HEADER + ring.most * CHUNK; /* nothing is behind it */
    if (ring.most && !f->header->limit && soon > end)
        soon = end;
    if (!ring.returned)
        ring.returned =
            __atomic_exchange_n(&ring.file.header->returned, 0u, __ATOMIC_ACQUIRE);
    if (ring.returned) {
        struct fore_ring_chunk *c = chunk_at(ring.returned - 1);
        ring.returned = c->after;
        c->after = 0;
        return c;
    }
    if (soon > f->allocated && !fore_ring_grow(&ring.file) && f->header->limit > f->next)
        f->header->limit = f->next; /* a full disk is a limit, too */
    return fore_ring_chunk_new(&ring.file);
}

/* Every thread may hold one chunk that is not full. */
static bool crowded(void)
{
    uint64_t back = __atomic_load_n(&ring.file.header->given_back, __ATOMIC_ACQUIRE);
    uint32_t threads = __atomic_load_n(&ring.threads, __ATOMIC_RELAXED) -
                       __atomic_load_n(&ring.over, __ATOMIC_RELAXED);
    const struct fore_ring_header *h = ring.file.header;
    uint64_t most =
        fore_rt_streams() ? h->limit * FORE_RING_STREAM_ROOM / 32 + 1 : h->limit;
    return h->limit &&
           __atomic_load_n(&ring.taken, __ATOMIC_RELAXED) - back > most + threads;
}

/* Is the room used up: no reader frees chunks, and the file has reached its limit? */
static bool used_up(void)
{
    return ring.most && ring.file.next >= ring.most && !ring.file.header->limit;
}

void fore_rt_nap(const uint32_t *word, uint32_t value, long ns)
{
    int before = errno;
    struct timespec most = {0, ns};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &most, NULL, 0);
    errno = before;
}

static void sleep_ms(long ms)
{
    static const uint32_t nobody_changes_this;
    fore_rt_nap(&nobody_changes_this, 0, ms * 1000000);
}

/* Stops recording: a record after a missing one tells nothing. */
static void no_room(void)
{
    __atomic_store_n(&ring.full, true, __ATOMIC_RELAXED);
    __atomic_store_n(&ring.file.header->state, (uint32_t)FORE_RING_FULL,
                     __ATOMIC_RELEASE);
}

/* Other threads may be about to finish records of operations that came before this: they get a
 * moment for that. */
void fore_rt_stop(void)
{
    sleep_ms(100);
    no_room();
    set_on(false);
}

/* Abandons the chunk; but if its header names the thread it counts. */
void fore_rt_abandon_chunk(struct fore_rt_thread *t)
{
    const struct fore_ring_chunk *c = t->chunk;
    if (ring.lock != fore_rt_mine())
        return;
    if (c && c->thread == t->number && c->number == t->chunks)
        t->chunks++;
    t->next = t->end = NULL;
}

void fore_rt_full(struct fore_rt_thread *t)
{
    t->next = t->end = NULL;
    no_room();
}

/* A signal handler may set another of its bits at any time. */
static void set_left_to_do(struct fore_rt_thread *t, unsigned what, bool is)
{
    if (is)
        __atomic_fetch_or(&t->left_to_do, (uint8_t)what, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(&t->left_to_do, (uint8_t)~what, __ATOMIC_RELAXED);
}

static bool take_chunk(struct fore_rt_thread *t)
{
    fore_rt_spin(&ring.lock);
    struct fore_ring_chunk *c = NULL;
    bool is_crowded = crowded();
    set_left_to_do(t, FORE_RT_CROWDED, is_crowded);
    if (!ring.full && !used_up() && (ring.waits || !is_crowded))
        c = free_chunk();
    if (c) {
        __atomic_store_n(&ring.taken, ring.taken + 1, __ATOMIC_RELAXED);
        t->chunk = c;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->next = fore_ring_chunk_begin(&ring.file, c, t->number, t->chunks, &t->end);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        t->chunks++;
        t->told[0].record = t->told[1].record = t->run.record = NULL;
    } else {
        no_room();
    }
    fore_rt_unspin(&ring.lock);
    return c;
}

/* Processor time that the reader has used, in ns; on a busy machine it may get little of it for
 * long. 0: not known. */
static uint64_t reader_work(void)
{
    enum { OF_PROCESS = 2 }; /* see the kernel's CPUCLOCK_SCHED */
    struct timespec used = {0, 0};
    clockid_t clock =
        (clockid_t)((~(uint32_t)ring.file.header->reader) << 3 | OF_PROCESS);
    if (syscall(SYS_clock_gettime, clock, &used))
        return 0;
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* How long the thread has waited since the reader last gave a chunk back, and since the reader
 * last worked. */
struct patience {
    uint64_t back, work, ms, idle_ms;
};

static bool is_given_up(struct patience *p)
{
    enum { AT_WORK = 60 }; /* times as long as for a reader that does nothing */
    uint64_t back = __atomic_load_n(&ring.file.header->given_back, __ATOMIC_RELAXED);
    uint64_t work = reader_work();
    if (back != p->back)
        p->ms = 0;
    if (back != p->back || work != p->work)
        p->idle_ms = 0;
    p->back = back;
    p->work = work;
    return p->idle_ms > ring.patience_ms || p->ms > ring.patience_ms * AT_WORK ||
           (kill((pid_t)ring.file.header->reader, 0) && errno == ESRCH);
}

/* Waits for room. Only here, between two operations, can a thread wait without holding back what
 * the reader needs to go on. It does not use nanosleep(), in which the thread could be
 * cancelled. Under seccomp it may not ask whether the reader exists, but it asks only if the
 * reader is slow. */
static void wait_for_room(void)
{
    enum { LOOK_MS = 100 }; /* how often to check whether the reader has gone */
    int before = errno;
    struct patience p = {0};
    for (uint64_t ms = 1; crowded() && !ring.full; ms++, p.ms++, p.idle_ms++) {
        if (ms % LOOK_MS == 0 && is_given_up(&p))
            no_room();
        sleep_ms(1);
    }
    errno = before;
}

void fore_rt_finish(struct fore_rt_thread *t)
{
    if (t->left_to_do & FORE_RT_CROWDED) {
        t->inside = true;
        wait_for_room();
        set_left_to_do(t, FORE_RT_CROWDED, false);
        t->inside = false;
    }
    if (t->left_to_do & FORE_RT_SIGNALLED)
        fore_rt_signals_run(t);
}

struct fore_ring_record *fore_rt_take_slowly(struct fore_rt_thread *t, size_t units)
{
    if (take_chunk(t))
        return fore_rt_take(t, units);
    fore_rt_dropped();
    fore_rt_count(t);
    t->next = t->end = NULL;
    return ring.waste;
}

uint32_t fore_rt_text(struct fore_rt_thread *t, const char *s, size_t n)
{
    enum { MOST = (IN_CHUNK - 1) * FORE_RING_RECORD };
    n = n < MOST ? n : MOST;
    uint32_t id = __atomic_add_fetch(&ring.strings, 1, __ATOMIC_RELAXED);
    size_t units = (n + FORE_RING_RECORD - 1) / FORE_RING_RECORD;
    struct fore_ring_record *r = fore_rt_take(t, units);
    memset(r + 1, 0, units * FORE_RING_RECORD);
    memcpy(r + 1, s, n);
    fore_rt_put(t, r, 0, id,
                FORE_RING_WORD(FORE_RING_DEF_STRING, FORE_RING_DONE, units, n));
    return id;
}

bool fore_rt_from_library(void)
{
    if (!fore_rt_on() || foresee_rt_self.inside || foresee_rt_self.over)
        return false;
    if (!(foresee_rt_site & 1))
        foresee_rt_site = 0;
    return true;
}
