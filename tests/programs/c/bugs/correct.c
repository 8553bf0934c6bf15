/* Programs that synchronise correctly, each by one means: argv[1] says which. All of them share
 * a global, a part of the heap and a part of main's stack. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 20 };

static int total, *heap, *stack;

/* What has to be protected. */
static void touch(int i)
{
    total += i;
    heap[i % 4] += total;
    stack[i % 2] = heap[i % 4] + total;
}

static void look(void)
{
    volatile int sum = total + heap[1] + stack[1];
    (void)sum;
}

/* ---- locks ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static mtx_t c11;

static void *with_mutex(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3 == 0 && pthread_mutex_trylock(&mutex) != 0)
            continue;
        if (i % 3)
            pthread_mutex_lock(&mutex);
        touch(i);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *with_rwlock(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 3) {
            pthread_rwlock_rdlock(&rwlock);
            look();
        } else {
            pthread_rwlock_wrlock(&rwlock);
            touch(i);
        }
        pthread_rwlock_unlock(&rwlock);
    }
    return unused;
}

static void *with_spin(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_spin_lock(&spin);
        touch(i);
        pthread_spin_unlock(&spin);
    }
    return unused;
}

static void *with_sem(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&sem);
        touch(i);
        sem_post(&sem);
    }
    return unused;
}

static int c11_worker(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        mtx_lock(&c11);
        touch(i);
        mtx_unlock(&c11);
    }
    return 0;
}

/* ---- waiting ---- */

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;
static cnd_t c11_cond;
static int turn;

/* One after the other; outside of the lock, whose turn it is touches alone. */
static void *with_cond(void *who)
{
    int me = *(int *)who;
    pthread_mutex_lock(&mutex);
    while (turn != me)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    touch(me);
    pthread_mutex_lock(&mutex);
    turn++;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Looks again after a while, so that a signal that comes too early is not missed. */
static void *with_timed_cond(void *who)
{
    int me = *(int *)who;
    pthread_mutex_lock(&mutex);
    while (turn != me) {
        struct timespec until;
        timespec_get(&until, TIME_UTC);
        until.tv_sec += (until.tv_nsec += 1000000) / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&cond, &mutex, &until);
    }
    touch(me);
    turn++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static int c11_turns(void *who)
{
    int me = *(int *)who;
    mtx_lock(&c11);
    while (turn != me)
        cnd_wait(&c11_cond, &c11);
    mtx_unlock(&c11);
    touch(me);
    mtx_lock(&c11);
    turn++;
    cnd_broadcast(&c11_cond);
    mtx_unlock(&c11);
    return 0;
}

/* Whose round it is touches; the others wait at the barrier. */
static void *with_barrier(void *who)
{
    int me = *(int *)who;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % THREADS == me)
            touch(i);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void initialise(void)
{
    touch(1);
}

static void *with_once(void *unused)
{
    pthread_once(&once, initialise);
    look();
    return unused;
}

static int c11_once_worker(void *unused)
{
    (void)unused;
    call_once(&c11_once, initialise);
    look();
    return 0;
}

/* ---- atomics ---- */

static atomic_int flag, fenced, lock_word, counter;
static _Atomic(int *) published;
static _Atomic(struct node {
    int value;
    struct node *next;
} *) top;

static void *with_flag(void *who)
{
    int me = *(int *)who;
    while (atomic_load_explicit(&flag, memory_order_acquire) != me)
        thrd_yield();
    touch(me);
    atomic_store_explicit(&flag, me + 1, memory_order_release);
    return NULL;
}

static void *with_lock_word(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int open = 0;
        while (!atomic_compare_exchange_weak_explicit(
            &lock_word, &open, 1, memory_order_acquire, memory_order_relaxed)) {
            open = 0;
            thrd_yield();
        }
        touch(i);
        atomic_store_explicit(&lock_word, 0, memory_order_release);
    }
    return unused;
}

static void *with_fence(void *who)
{
    int me = *(int *)who;
    while (atomic_load_explicit(&fenced, memory_order_relaxed) != me)
        thrd_yield();
    atomic_thread_fence(memory_order_acquire);
    touch(me);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&fenced, me + 1, memory_order_relaxed);
    return NULL;
}

/* The last one to leave cleans up, as with a count of references. */
static void *with_count(void *who)
{
    int *mine = (int *)who;
    *mine += 1;
    if (atomic_fetch_sub_explicit(&counter, 1, memory_order_acq_rel) == 1)
        touch(*mine);
    return NULL;
}

static void *with_pointer(void *who)
{
    int *p;
    if (*(int *)who == 0) {
        p = malloc(sizeof *p);
        *p = 5;
        atomic_store(&published, p);
        return NULL;
    }
    while (!(p = atomic_load(&published)))
        thrd_yield();
    return *p == 5 ? NULL : who;
}

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    *n = (struct node){value, atomic_load_explicit(&top, memory_order_relaxed)};
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

static int take_all(void)
{
    int taken = 0;
    struct node *n = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
    for (struct node *next; n; n = next, taken++) {
        next = n->next;
        total += n->value;
        free(n);
    }
    return taken;
}

/* One takes what the others push. */
static void *with_stack(void *who)
{
    if (*(int *)who)
        for (int i = 0; i < ROUNDS; i++)
            push(i);
    for (int left = *(int *)who ? 0 : (THREADS - 1) * ROUNDS; left; thrd_yield())
        left -= take_all();
    return NULL;
}

/* ---- files: one wakes the other ---- */

static int ends[2];

static void *with_file(void *who)
{
    char c = 0;
    if (*(int *)who == 0) {
        touch(1);
        return write(ends[1], &c, 1) == 1 ? NULL : who;
    }
    if (*(int *)who == 1 && read(ends[0], &c, 1) == 1)
        touch(2);
    return NULL;
}

static void *with_pipe(void *who)
{
    pthread_mutex_lock(&mutex);
    if (!ends[1] && pipe(ends))
        abort();
    pthread_mutex_unlock(&mutex);
    return with_file(who);
}

static void *with_sockets(void *who)
{
    pthread_mutex_lock(&mutex);
    if (!ends[1] && socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        abort();
    pthread_mutex_unlock(&mutex);
    return with_file(who);
}

/* ---- creating and joining ---- */

static void *alone(void *who)
{
    touch(*(int *)who);
    return NULL;
}

static void *own_memory(void *who)
{
    char *mine = calloc(1, 64), local[64];
    memset(local, *(int *)who, sizeof local);
    memcpy(mine, local, sizeof local);
    int same = mine[63] == local[0];
    free(mine);
    return same ? NULL : who;
}

/* ---- which ---- */

static const struct {
    const char *name;
    void *(*body)(void *);
    thrd_start_t c11_body;
} kinds[] = {
    {"mutex", with_mutex, NULL},       {"rwlock", with_rwlock, NULL},
    {"spin", with_spin, NULL},         {"sem", with_sem, NULL},
    {"cond", with_cond, NULL},         {"timed-cond", with_timed_cond, NULL},
    {"barrier", with_barrier, NULL},
    {"once", with_once, NULL},         {"flag", with_flag, NULL},
    {"lock-word", with_lock_word, NULL}, {"fence", with_fence, NULL},
    {"count", with_count, NULL},       {"pointer", with_pointer, NULL},
    {"stack", with_stack, NULL},       {"pipe", with_pipe, NULL},
    {"sockets", with_sockets, NULL},
    {"memory", own_memory, NULL},      {"c11-mutex", NULL, c11_worker},
    {"c11-cond", NULL, c11_turns},     {"c11-once", NULL, c11_once_worker},
};

static void run_pthreads(void *(*body)(void *), int *who)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, &who[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

static void run_c11(thrd_start_t body, int *who)
{
    thrd_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        thrd_create(&t[i], body, &who[i]);
    for (int i = 0; i < THREADS; i++)
        thrd_join(t[i], NULL);
}

/* Each is joined before the next one is created. */
static void run_in_turn(int *who)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, alone, &who[i]);
        pthread_join(t, NULL);
        touch(i);
    }
}

int main(int argc, char **argv)
{
    int on_stack[2] = {0}, who[THREADS] = {0, 1, 2};
    const char *which = argc > 1 ? argv[1] : "";
    heap = calloc(4, sizeof *heap);
    stack = on_stack;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&sem, 0, 1);
    mtx_init(&c11, mtx_plain);
    cnd_init(&c11_cond);
    atomic_store(&counter, THREADS);
    if (!strcmp(which, "join"))
        run_in_turn(who);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(which, kinds[i].name) != 0)
            continue;
        if (kinds[i].body)
            run_pthreads(kinds[i].body, who);
        else
            run_c11(kinds[i].c11_body, who);
    }
    look();
    free(heap);
    free(published);
    return 0;
}
