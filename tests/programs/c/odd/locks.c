/* Locks made by hand, and several of them. */
#include "odd.h"

#include <sched.h>
#include <semaphore.h>

static int counter;

/* ---- a lock by compare-and-swap ---- */

static atomic_int taken;

static void cas_body(int i)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak(&taken, &expected, 1)) {
        expected = 0;
        sched_yield();
    }
    counter += i;
    atomic_store(&taken, 0);
}

static void cas_lock(void)
{
    several(4, cas_body);
    must(counter == 6);
}

/* ---- a lock by test-and-set, with acquire and release only ---- */

static atomic_flag flag = ATOMIC_FLAG_INIT;

static void flag_body(int i)
{
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        sched_yield();
    counter += i;
    atomic_flag_clear_explicit(&flag, memory_order_release);
}

static void flag_lock(void)
{
    several(4, flag_body);
    must(counter == 6);
}

/* ---- tickets ---- */

static atomic_uint next_ticket, serving;

static void ticket_body(int i)
{
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine)
        sched_yield();
    counter += i;
    atomic_store(&serving, mine + 1);
}

static void ticket_lock(void)
{
    several(4, ticket_body);
    must(counter == 6);
}

/* ---- a queue of waiters, each with a flag of its own ---- */

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_bool waits;
};

static _Atomic(struct waiter *) tail;

static void queue_body(int i)
{
    struct waiter me = {.waits = true};
    struct waiter *before = atomic_exchange(&tail, &me);
    if (before) {
        atomic_store(&before->next, &me);
        while (atomic_load(&me.waits))
            sched_yield();
    }
    counter += i;
    struct waiter *expected = &me;
    if (atomic_compare_exchange_strong(&tail, &expected, NULL))
        return;
    struct waiter *after;
    while (!(after = atomic_load(&me.next)))
        sched_yield();
    atomic_store(&after->waits, false);
}

static void queue_lock(void)
{
    several(3, queue_body);
    must(counter == 3);
}

/* ---- Peterson's ---- */

static atomic_bool wants[2];
static atomic_int turn;

static void peterson_body(int i)
{
    atomic_store(&wants[i], true);
    atomic_store(&turn, 1 - i);
    while (atomic_load(&wants[1 - i]) && atomic_load(&turn) == 1 - i)
        sched_yield();
    counter++;
    atomic_store(&wants[i], false);
}

static void peterson(void)
{
    several(2, peterson_body);
    must(counter == 2);
}

/* ---- a semaphore as a mutex; two of them as a rendezvous ---- */

static sem_t binary, here[2];

static void sem_body(int i)
{
    sem_wait(&binary);
    counter += i;
    sem_post(&binary);
}

static void semaphore_mutex(void)
{
    sem_init(&binary, 0, 1);
    several(4, sem_body);
    must(counter == 6);
}

static int given[2];

static void meet_body(int i)
{
    given[i] = i + 1;
    sem_post(&here[i]);
    sem_wait(&here[1 - i]);
    must(given[1 - i] == 2 - i);
}

static void semaphore_rendezvous(void)
{
    sem_init(&here[0], 0, 0);
    sem_init(&here[1], 0, 0);
    several(2, meet_body);
}

/* ---- back off instead of a fixed order ---- */

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void back_off_body(int i)
{
    pthread_mutex_t *a = i ? &left : &right, *b = i ? &right : &left;
    for (;;) {
        pthread_mutex_lock(a);
        if (pthread_mutex_trylock(b) == 0)
            break;
        pthread_mutex_unlock(a);
        sched_yield();
    }
    counter++;
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}

static void back_off(void)
{
    several(2, back_off_body);
    must(counter == 2);
}

/* ---- a gate in front of two locks that are taken in either order ---- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void gate_body(int i)
{
    pthread_mutex_lock(&gate);
    if (i)
        forwards();
    else
        backwards();
    pthread_mutex_unlock(&gate);
}

static void gate_lock(void)
{
    several(2, gate_body);
}

/* ---- read locks taken in either order, and nobody writes ---- */

static pthread_rwlock_t shelf[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};

static void readers_body(int i)
{
    pthread_rwlock_rdlock(&shelf[i]);
    pthread_rwlock_rdlock(&shelf[1 - i]);
    pthread_rwlock_unlock(&shelf[1 - i]);
    pthread_rwlock_unlock(&shelf[i]);
}

static void readers_only(void)
{
    several(2, readers_body);
}

/* ---- a recursive lock ---- */

static pthread_mutex_t again;

static void again_body(int i)
{
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    counter += i;
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
}

static void recursive_lock(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &a);
    several(3, again_body);
    must(counter == 3);
}

/* ---- locks of readers and writers ---- */

enum { SHARDS = 40 };

static pthread_rwlock_t shards[SHARDS];

/* More locks than a thread usually writes under at a time. */
static void shards_body(int i)
{
    for (int k = 0; k < SHARDS; k++)
        i == 2 ? pthread_rwlock_rdlock(&shards[k]) : pthread_rwlock_wrlock(&shards[k]);
    if (i < 2)
        counter++;
    for (int k = SHARDS; k-- > 0;)
        pthread_rwlock_unlock(&shards[k]);
}

static void all_shards(void)
{
    for (int k = 0; k < SHARDS; k++)
        pthread_rwlock_init(&shards[k], NULL);
    several(3, shards_body);
    must(counter == 2);
}

/* A thread that reads reads once more, while another wants to write. */
static void nested_body(int i)
{
    if (i) {
        rest();
        pthread_rwlock_wrlock(&shards[0]);
        counter++;
    } else {
        pthread_rwlock_rdlock(&shards[0]);
        pthread_rwlock_rdlock(&shards[0]);
        must(counter >= 0);
        pthread_rwlock_unlock(&shards[0]);
    }
    pthread_rwlock_unlock(&shards[0]);
}

static void nested_readers(void)
{
    pthread_rwlock_init(&shards[0], NULL); /* a writer that waits lets readers in */
    several(2, nested_body);
}

static void bug_nested_readers(void)
{
    pthread_rwlockattr_t a;
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&shards[0], &a);
    several(2, nested_body);
}

const struct odd odd_locks[] = {
    {"cas-lock", cas_lock},
    {"flag-lock", flag_lock},
    {"ticket-lock", ticket_lock},
    {"queue-lock", queue_lock},
    {"peterson", peterson},
    {"semaphore-mutex", semaphore_mutex},
    {"semaphore-rendezvous", semaphore_rendezvous},
    {"back-off", back_off},
    {"gate-lock", gate_lock},
    {"readers-only", readers_only},
    {"recursive-lock", recursive_lock},
    {"all-shards", all_shards},
    {"nested-readers", nested_readers},
    {"bug-nested-readers", bug_nested_readers},
    {NULL, NULL},
};
