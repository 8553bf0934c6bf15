/* Publication, handshakes, conditions, and what comes from outside. */
#include "odd.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

static int data, copies[4];

/* ---- a sequence lock over atomics ---- */

static atomic_uint sequence;
static atomic_int half_a, half_b;

static void sequence_body(int i)
{
    for (int n = 1; n <= 4; n++) {
        if (i == 0) {
            atomic_fetch_add(&sequence, 1);
            atomic_store(&half_a, n);
            atomic_store(&half_b, n);
            atomic_fetch_add(&sequence, 1);
            continue;
        }
        unsigned s = atomic_load(&sequence);
        int a = atomic_load(&half_a), b = atomic_load(&half_b);
        must(s % 2 || atomic_load(&sequence) != s || a == b);
    }
}

static void sequence_lock(void)
{
    several(2, sequence_body);
}

/* ---- a pointer that is published, and what it points to ---- */

struct config {
    int version, twice;
};

static _Atomic(struct config *) current;

static void publish_body(int i)
{
    if (i == 0) {
        struct config *fresh = malloc(sizeof *fresh);
        *fresh = (struct config){2, 4};
        atomic_store_explicit(&current, fresh, memory_order_release);
        return;
    }
    struct config *c = atomic_load_explicit(&current, memory_order_acquire);
    must(!c || c->twice == 2 * c->version);
}

static void published_pointer(void)
{
    several(3, publish_body);
    free(atomic_load(&current));
}

/* ---- the last one to let go frees ---- */

struct shared {
    atomic_int references;
    int value;
};

static struct shared *object;

static void reference_body(int i)
{
    struct shared *o = object;
    copies[i] = o->value;
    if (atomic_fetch_sub_explicit(&o->references, 1, memory_order_acq_rel) == 1) {
        o->value = 0;
        free(o);
    }
}

static void reference_count(void)
{
    object = malloc(sizeof *object);
    object->value = 7;
    atomic_init(&object->references, 3);
    several(3, reference_body);
}

/* ---- a handshake of two flags ---- */

static atomic_bool ready, seen;

static void handshake_body(int i)
{
    if (i == 0) {
        data = 5;
        atomic_store(&ready, true);
        while (!atomic_load(&seen))
            sched_yield();
        data = 6;
        return;
    }
    while (!atomic_load(&ready))
        sched_yield();
    must(data == 5);
    atomic_store(&seen, true);
}

static void handshake(void)
{
    several(2, handshake_body);
    must(data == 6);
}

/* ---- a handshake by fences ---- */

static atomic_bool fenced;

static void fence_body(int i)
{
    if (i == 0) {
        data = 5;
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&fenced, true, memory_order_relaxed);
        return;
    }
    while (!atomic_load_explicit(&fenced, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    must(data == 5);
}

static void fences(void)
{
    several(2, fence_body);
}

/* ---- an event counter, and a ring of one writer and one reader ---- */

enum { ROOM = 4, ITEMS = 10 };
static int ring[ROOM];
static atomic_uint written, taken_out;

static void ring_body(int i)
{
    for (unsigned n = 0; n < ITEMS; n++) {
        if (i == 0) {
            while (n - atomic_load(&taken_out) == ROOM)
                sched_yield();
            ring[n % ROOM] = (int)n;
            atomic_store(&written, n + 1);
        } else {
            while (atomic_load(&written) == n)
                sched_yield();
            must(ring[n % ROOM] == (int)n);
            atomic_store(&taken_out, n + 1);
        }
    }
}

static void ring_buffer(void)
{
    several(2, ring_body);
}

/* ---- once, and a check before it ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_data(void)
{
    data = 11;
}

static void once_body(int i)
{
    pthread_once(&once, make_data);
    copies[i] = data;
}

static void only_once(void)
{
    several(4, once_body);
    must(copies[3] == 11);
}

static atomic_bool made;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void checked_body(int i)
{
    if (!atomic_load_explicit(&made, memory_order_acquire)) {
        pthread_mutex_lock(&making);
        if (!atomic_load_explicit(&made, memory_order_relaxed)) {
            data = 11;
            atomic_store_explicit(&made, true, memory_order_release);
        }
        pthread_mutex_unlock(&making);
    }
    copies[i] = data;
}

static void double_checked(void)
{
    several(4, checked_body);
    must(copies[3] == 11);
}

/* ---- conditions: broadcast, turns, a signal after the unlock ---- */

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int stage;

static void wait_for(int wanted)
{
    while (stage < wanted)
        pthread_cond_wait(&c, &m);
}

static void broadcast_body(int i)
{
    pthread_mutex_lock(&m);
    if (i == 0)
        stage = 1;
    else
        wait_for(1);
    pthread_mutex_unlock(&m);
    if (i == 0)
        pthread_cond_broadcast(&c);
}

static void broadcast(void)
{
    several(4, broadcast_body);
}

static void turns_body(int i)
{
    for (int n = 0; n < 3; n++) {
        pthread_mutex_lock(&m);
        wait_for(2 * n + i);
        stage = 2 * n + i + 1;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
}

static void turns(void)
{
    several(2, turns_body);
    must(stage == 6);
}

static void barrier_by_hand_body(int i)
{
    static int arrived, round;
    copies[i] = i;
    pthread_mutex_lock(&m);
    int mine = round;
    if (++arrived == 3) {
        arrived = 0;
        round++;
        pthread_cond_broadcast(&c);
    }
    while (mine == round)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    must(copies[(i + 1) % 3] == (i + 1) % 3);
}

static void barrier_by_hand(void)
{
    several(3, barrier_by_hand_body);
}

/* ---- outside: a pipe, a token in a pipe, a signal, a child ---- */

static int ends[2];

static void pipe_body(int i)
{
    char x = 0;
    if (i == 0) {
        forwards();
        data = 3;
        must(write(ends[1], &x, 1) == 1);
        return;
    }
    must(read(ends[0], &x, 1) == 1);
    must(data == 3);
    backwards();
}

static void by_pipe(void)
{
    must(pipe(ends) == 0);
    several(2, pipe_body);
}

static void token_body(int i)
{
    char x = 0;
    must(read(ends[0], &x, 1) == 1);
    data += i;
    must(write(ends[1], &x, 1) == 1);
}

static void token_in_pipe(void)
{
    must(pipe(ends) == 0 && write(ends[1], "t", 1) == 1);
    several(3, token_body);
    must(data == 3);
}

static sigset_t usr;

static void signal_body(int i)
{
    int got;
    if (i == 0) {
        data = 4;
        kill(getpid(), SIGUSR1);
        return;
    }
    must(sigwait(&usr, &got) == 0);
    must(data == 4);
}

static void by_signal(void)
{
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr, NULL);
    several(2, signal_body);
}

static void by_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    must(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
}

/* ---- what a thread keeps for itself, and hands on ---- */

static _Thread_local int own;

static void own_body(int i)
{
    own = i;
    for (int n = 0; n < 5; n++)
        own++;
    copies[i] = own;
}

static void thread_local_data(void)
{
    several(4, own_body);
    must(copies[2] == 7);
}

static void parts_body(int i)
{
    static int parts[4];
    parts[i] = i;
    static char bytes[8];
    memset(bytes + 2 * i, i, 2);
    copies[i] = parts[i] + bytes[2 * i];
}

static void parts_of_an_array(void)
{
    several(4, parts_body);
    must(copies[3] == 6);
}

/* One memory at two addresses: what is written at the one is read at the other. */
static atomic_int *views[2];

static void mapped_body(int i)
{
    static int value;
    if (!i) {
        value = 1;
        atomic_store(views[0], 1);
        return;
    }
    while (!atomic_load(views[1]))
        sched_yield();
    must(value == 1);
}

static void mapped_twice(void)
{
    enum { SIZE = 4096 };
    int fd = memfd_create("twice", 0);
    must(fd >= 0 && ftruncate(fd, SIZE) == 0);
    for (int i = 0; i < 2; i++)
        views[i] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    several(2, mapped_body);
}

const struct odd odd_others[] = {
    {"sequence-lock", sequence_lock},
    {"published-pointer", published_pointer},
    {"reference-count", reference_count},
    {"handshake", handshake},
    {"fences", fences},
    {"ring-buffer", ring_buffer},
    {"only-once", only_once},
    {"double-checked", double_checked},
    {"broadcast", broadcast},
    {"turns", turns},
    {"barrier-by-hand", barrier_by_hand},
    {"by-pipe", by_pipe},
    {"token-in-pipe", token_in_pipe},
    {"by-signal", by_signal},
    {"by-child", by_child},
    {"thread-local", thread_local_data},
    {"parts-of-an-array", parts_of_an_array},
    {"mapped-twice", mapped_twice},
    {NULL, NULL},
};
