/* The threads of C11. */
#include <threads.h>
#include <time.h>

static mtx_t m, again;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static int state;

static void start(void)
{
    state = 1;
}

static int worker(void *argument)
{
    call_once(&flag, start);
    mtx_lock(&m);
    state = 2;
    cnd_signal(&changed);
    cnd_broadcast(&changed);
    mtx_unlock(&m);
    if (argument)
        thrd_exit(4);
    return 4;
}

static int detached(void *unused)
{
    (void)unused;
    mtx_lock(&m);
    state++;
    cnd_signal(&changed);
    mtx_unlock(&m);
    for (;;)
        thrd_sleep(&(struct timespec){.tv_sec = 3600}, NULL);
    return 0;
}

static void wait_until(int wanted)
{
    struct timespec far = {.tv_sec = time(NULL) + 3600};
    while (state < wanted)
        if (wanted == 2)
            cnd_wait(&changed, &m);
        else
            cnd_timedwait(&changed, &m, &far);
}

int main(void)
{
    thrd_t t;
    int result = 0;
    struct timespec past = {1, 0};
    mtx_init(&m, mtx_timed);
    mtx_init(&again, mtx_plain | mtx_recursive);
    cnd_init(&changed);
    mtx_lock(&again);
    mtx_lock(&again);
    mtx_unlock(&again);
    mtx_unlock(&again);
    call_once(&flag, start);
    mtx_lock(&m);
    if (mtx_trylock(&m) != thrd_busy || mtx_timedlock(&m, &past) != thrd_timedout)
        return 2;
    thrd_create(&t, worker, &m);
    wait_until(2);
    mtx_unlock(&m);
    thrd_join(t, &result);
    mtx_lock(&m);
    thrd_create(&t, detached, NULL);
    thrd_detach(t);
    wait_until(3);
    mtx_unlock(&m);
    mtx_destroy(&again);
    cnd_destroy(&changed);
    return result == 4 ? 0 : 1;
}
