/* Handlers of signals and cancellation that come upon the runtime at work. In each case the
 * program must end, and what it did must be told in order. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static sigjmp_buf back;
static int shared, page_is_there;
static atomic_int *page;
static sem_t stop;
static atomic_int over;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void jump(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void handle(int sig, void (*handler)(int))
{
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_NODEFER};
    sigaction(sig, &a, NULL);
}

static void *touch(void *unused)
{
    atomic_fetch_add(page, 1);
    return unused;
}

/* An access to memory that is not there, whose lock the runtime holds. */
static int segv(void)
{
    pthread_t t;
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle(SIGSEGV, jump);
    for (volatile int i = 0; i < 3; i++)
        if (!sigsetjmp(back, 1)) {
            atomic_fetch_add(page, 1);
            return 1;
        }
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    page_is_there = 1;
    pthread_create(&t, NULL, touch, NULL);
    atomic_fetch_add(page, 1);
    pthread_join(t, NULL);
    return atomic_load(page) == 2 ? 0 : 1;
}

static void *count(void *unused)
{
    while (!atomic_load(&over)) {
        pthread_mutex_lock(&m);
        shared++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

/* Out of whatever it does just now, many times. */
static int alarms(void)
{
    struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    sigset_t set;
    pthread_t t;
    static atomic_int mine;
    volatile int jumps = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, count, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    handle(SIGALRM, jump);
    if (sigsetjmp(back, 1))
        jumps++;
    if (jumps == 0)
        setitimer(ITIMER_REAL, &every, NULL);
    while (jumps < 30)
        atomic_fetch_add(&mine, 1);
    setitimer(ITIMER_REAL, &never, NULL);
    atomic_store(&over, 1);
    pthread_join(t, NULL);
    return 0;
}

static volatile sig_atomic_t ticks;

static void tick(int sig)
{
    (void)sig;
    ticks++;
}

/* As a profiler does. */
static int profile(void)
{
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    sigset_t set;
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, count, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    handle(SIGALRM, tick);
    setitimer(ITIMER_REAL, &every, NULL);
    while (ticks < 50) {
        pthread_mutex_lock(&m);
        shared++;
        pthread_mutex_unlock(&m);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    atomic_store(&over, 1);
    pthread_join(t, NULL);
    return 0;
}

static void *spin(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&stop);
    for (;;)
        atomic_fetch_add((atomic_int *)&page_is_there, 1);
    return unused;
}

static int cancel(void)
{
    for (int i = 0; i < 40; i++) {
        pthread_t t;
        pthread_create(&t, NULL, spin, NULL);
        sem_wait(&stop);
        atomic_fetch_add((atomic_int *)&page_is_there, 1);
        pthread_cancel(t);
        pthread_join(t, NULL);
    }
    return 0;
}

static void post(int sig)
{
    (void)sig;
    shared = 7;
    sem_post(&stop);
}

static void *raise_in(void *argument)
{
    struct timespec soon = {0, 20000000}; /* mostly it waits by then */
    nanosleep(&soon, NULL);
    pthread_kill(*(pthread_t *)argument, SIGUSR1);
    return NULL;
}

/* What a thread waits for its own handler does. */
static int posted(void)
{
    pthread_t t, self = pthread_self();
    handle(SIGUSR1, post);
    pthread_create(&t, NULL, raise_in, &self);
    while (sem_wait(&stop))
        ;
    pthread_join(t, NULL);
    return shared == 7 ? 0 : 1;
}

static void give_back(void *lock)
{
    pthread_mutex_unlock(lock);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(give_back, &m);
    shared = 1;
    sem_post(&stop);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return unused;
}

static int condition(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait_for_ever, NULL);
    sem_wait(&stop);
    pthread_mutex_lock(&m); /* it waits */
    pthread_cancel(t);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    pthread_mutex_lock(&m);
    shared = 2;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"segv", segv},     {"alarms", alarms},      {"cancel", cancel},
                 {"posted", posted}, {"condition", condition}, {"profile", profile}};
    sem_init(&stop, 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            return cases[i].run();
    return 2;
}
