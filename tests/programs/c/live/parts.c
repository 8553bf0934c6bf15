/* Much more than there is room for, with everything that may go on from one part of the run to the next: locks
 * that are held, threads that wait for a condition, semaphores, barriers, a once, threads that come and go,
 * blocks that are handed over.
 *   parts COUNT [race | cycle] */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 3, ROUNDS = 16 };

struct block {
    struct block *next;
    int a, b[6];
};

static int count;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER,
                       long_lock = PTHREAD_MUTEX_INITIALIZER,
                       a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER, go = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t room;
static struct block *queue;
static int queued, over, started, held, made, sum, table[64], cells[WORKERS], racy;
static atomic_int flag;
static int behind_flag;

static void make(void)
{
    made = 7;
}

static void put(struct block *x)
{
    sem_wait(&room);
    pthread_mutex_lock(&queue_lock);
    x->next = queue;
    queue = x;
    queued++;
    pthread_cond_signal(&some);
    pthread_mutex_unlock(&queue_lock);
}

static void *taker(void *unused)
{
    pthread_mutex_lock(&queue_lock);
    for (;;) {
        while (!queue && !over)
            pthread_cond_wait(&some, &queue_lock);
        if (!queue)
            break;
        struct block *x = queue;
        queue = x->next;
        queued--;
        pthread_mutex_unlock(&queue_lock);
        sem_post(&room);
        int n = x->a;
        for (int i = 0; i < 6; i++)
            n += x->b[i];
        free(x);
        pthread_mutex_lock(&queue_lock);
        sum += n;
    }
    pthread_mutex_unlock(&queue_lock);
    return unused;
}

static void *worker(void *number)
{
    int me = (int)(long)number, seen = 0;
    pthread_once(&once, make);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count / ROUNDS; i++) {
            struct block *x = calloc(1, sizeof *x);
            x->a = made;
            memset(x->b, me, sizeof x->b);
            put(x);
            if (i % 16 == 0) {
                pthread_rwlock_wrlock(&rw);
                table[i % 64]++;
            } else {
                pthread_rwlock_rdlock(&rw);
                seen += table[i % 64];
            }
            pthread_rwlock_unlock(&rw);
        }
        if (round % 2 == 0)
            cells[me] = round;
        else
            seen += cells[(me + 1) % WORKERS];
        pthread_barrier_wait(&barrier);
    }
    return (void *)(long)seen;
}

/* Sleeps until everything is over. */
static void *sleeper(void *unused)
{
    pthread_mutex_lock(&long_lock);
    started = 1;
    while (!held)
        pthread_cond_wait(&go, &long_lock);
    held = 2;
    pthread_mutex_unlock(&long_lock);
    return unused;
}

/* Holds a lock until everything is over, and then says by a flag that it has written. */
static void *holder(void *unused)
{
    pthread_mutex_lock(&a);
    while (atomic_load(&flag) == 0)
        usleep(1000);
    behind_flag = 5;
    atomic_store(&flag, 2);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *nothing(void *unused)
{
    return unused;
}

static void *races(void *unused)
{
    for (int i = 0; i < 4; i++)
        racy++;
    return unused;
}

static void *takes_ab(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *takes_ba(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

/* One has done it when the other begins, but nothing says so. */
static void two(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t t, u;
    pthread_create(&t, NULL, f, NULL);
    usleep(20000);
    pthread_create(&u, NULL, g, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}

int main(int argc, char **argv)
{
    pthread_t workers[WORKERS], takers[2], sleeps, holds, early;
    count = argc > 1 ? atoi(argv[1]) : 1;
    sem_init(&room, 0, 8);
    pthread_barrier_init(&barrier, NULL, WORKERS);
    pthread_create(&early, NULL, nothing, NULL); /* has ended long before it is joined */
    pthread_create(&sleeps, NULL, sleeper, NULL);
    pthread_create(&holds, NULL, holder, NULL);
    for (long i = 0; i < 2; i++)
        pthread_create(&takers[i], NULL, taker, NULL);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, (void *)i);
    for (long i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_mutex_lock(&queue_lock);
    over = 1;
    pthread_cond_broadcast(&some);
    pthread_mutex_unlock(&queue_lock);
    for (long i = 0; i < 2; i++)
        pthread_join(takers[i], NULL);
    atomic_store(&flag, 1);
    while (atomic_load(&flag) != 2)
        usleep(1000);
    behind_flag++;
    pthread_join(holds, NULL);
    pthread_mutex_lock(&long_lock);
    held = 1;
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&long_lock);
    pthread_join(sleeps, NULL);
    pthread_join(early, NULL);
    for (int i = 0; argc > 2 && i < 5; i++) /* a part may end between the two */
        strcmp(argv[2], "race") ? two(takes_ab, takes_ba) : two(races, races);
    return made == 7 && !queued && behind_flag == 6 && held == 2 ? 0 : 1;
}
