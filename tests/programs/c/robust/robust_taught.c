/* What one thread does in sections of one lock reaches another by way of a third, and of a second
 * lock whose sections say nothing but that. Turns are taken unseen: they are not recorded. */
#include <pthread.h>
#include <sched.h>

int x, y;
static volatile int turn;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;

static void await(int mine)
{
    while (turn != mine)
        sched_yield();
}

static void pass(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

static void *does(void *unused)
{
    await(20);
    for (int i = 1; i <= 50; i++) {
        pthread_mutex_lock(&l);
        x = i;
        pthread_mutex_unlock(&l);
    }
    turn++;
    return unused;
}

static void *carries(void *unused)
{
    for (int i = 0; i < 20; i += 2) {
        await(i);
        pass(&m);
        turn++;
    }
    await(21);
    pass(&l);
    pass(&m);
    turn++;
    return unused;
}

static void *learns(void *unused)
{
    for (int i = 1; i < 20; i += 2) {
        await(i);
        pass(&m);
        turn++;
    }
    await(22);
    pass(&m);
    y = 1;
    return unused;
}

int main(void)
{
    void *(*const run[])(void *) = {does, carries, learns};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
