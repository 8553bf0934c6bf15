/* Siblings of programs that once got a wrong answer: the same traps in other programs. */
#include "odd.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER, noise = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_of_two;
static int value, other, history[4];

/* ---- a lock cycle; what is read in between decides nothing ---- */

static void cross(int i, pthread_mutex_t *first, pthread_mutex_t *second)
{
    if (i)
        rest();
    pthread_mutex_lock(first);
    int seen = value; /* only counted */
    pthread_mutex_lock(second);
    history[i] = seen;
    value = seen + 1;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void abba_body(int i)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (i)
        cross(i, &b, &a);
    else
        cross(i, &a, &b);
}

static void bug_abba(void)
{
    several(2, abba_body);
}

/* The same through a table of locks. */
static void table_body(int i)
{
    static pthread_mutex_t table[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
    cross(i, &table[i], &table[1 - i]);
}

static void bug_table(void)
{
    several(2, table_body);
}

static void ring_body(int i)
{
    static pthread_mutex_t fork_of[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
    nanosleep(&(struct timespec){.tv_nsec = i * 5000000}, NULL);
    pthread_mutex_lock(&fork_of[i]);
    pthread_mutex_lock(&fork_of[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_of[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_of[i]);
}

static void bug_ring(void)
{
    several(3, ring_body);
}

/* ---- a lock cycle behind a barrier, with much else in between ---- */

static void make_noise(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&noise);
        pthread_mutex_unlock(&noise);
    }
}

static void barrier_body(int i)
{
    if (i < 2)
        pthread_barrier_wait(&round_of_two);
    if (i == 0)
        forwards();
    if (i == 2) {
        make_noise(3000);
        rest();
        backwards();
    }
}

static void bug_barrier(void)
{
    pthread_barrier_init(&round_of_two, NULL, 2);
    several(3, barrier_body);
}

/* Two rounds of the barrier before it. */
static void rounds_body(int i)
{
    if (i < 2) {
        pthread_barrier_wait(&round_of_two);
        pthread_barrier_wait(&round_of_two);
    }
    if (i == 1)
        backwards();
    if (i == 2) {
        make_noise(3000);
        rest();
        forwards();
    }
}

static void bug_barrier_rounds(void)
{
    pthread_barrier_init(&round_of_two, NULL, 2);
    several(3, rounds_body);
}

/* The barrier keeps the two orders apart: no cycle. */
static void apart_body(int i)
{
    make_noise(1000);
    if (i == 0)
        forwards();
    pthread_barrier_wait(&round_of_two);
    if (i == 1)
        backwards();
}

static void barrier_between(void)
{
    pthread_barrier_init(&round_of_two, NULL, 2);
    several(2, apart_body);
}

/* ---- a flag that the library writes or reads ---- */

static void copied_body(int i)
{
    if (i == 0) {
        forwards();
        int done = 1;
        pthread_mutex_lock(&m);
        memcpy(&value, &done, sizeof value);
        pthread_mutex_unlock(&m);
        return;
    }
    rest();
    char text[16];
    pthread_mutex_lock(&m);
    snprintf(text, sizeof text, "%d", value);
    pthread_mutex_unlock(&m);
    if (strcmp(text, "1") == 0)
        backwards();
}

static void flag_by_memcpy(void)
{
    several(2, copied_body);
}

static void parsed_body(int i)
{
    static char note[16];
    if (i == 0) {
        forwards();
        pthread_mutex_lock(&m);
        strcpy(note, "7");
        pthread_mutex_unlock(&m);
        return;
    }
    rest();
    pthread_mutex_lock(&m);
    int n = atoi(note);
    pthread_mutex_unlock(&m);
    if (n == 7)
        backwards();
}

static void flag_by_text(void)
{
    several(2, parsed_body);
}

static int by_value(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

static void sorted_body(int i)
{
    static int list[3] = {3, 2, 1};
    if (i == 0) {
        forwards();
        pthread_mutex_lock(&m);
        qsort(list, 3, sizeof *list, by_value);
        pthread_mutex_unlock(&m);
        return;
    }
    rest();
    pthread_mutex_lock(&m);
    bool sorted = list[0] == 1;
    pthread_mutex_unlock(&m);
    if (sorted)
        backwards();
}

static void flag_by_sorting(void)
{
    several(2, sorted_body);
}

/* ---- data under a lock decides ---- */

static void decided_body(int i)
{
    if (i == 0) {
        forwards();
        pthread_mutex_lock(&m);
        value = 1;
        pthread_mutex_unlock(&m);
        return;
    }
    rest();
    pthread_mutex_lock(&m);
    other = value;
    pthread_mutex_unlock(&m);
    if (other)
        backwards();
}

static void flag_under_mutex(void)
{
    several(2, decided_body);
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void read_decided_body(int i)
{
    if (i == 0) {
        forwards();
        pthread_rwlock_wrlock(&rw);
        value = 1;
        pthread_rwlock_unlock(&rw);
        return;
    }
    rest();
    pthread_rwlock_rdlock(&rw);
    int go = value;
    pthread_rwlock_unlock(&rw);
    if (go)
        backwards();
}

static void flag_under_rwlock(void)
{
    several(2, read_decided_body);
}

static void polled_body(int i)
{
    int go = 0;
    if (i == 0) {
        forwards();
        pthread_mutex_lock(&m);
        value++;
        pthread_mutex_unlock(&m);
        return;
    }
    while (!go) {
        pthread_mutex_lock(&m);
        go = value;
        pthread_mutex_unlock(&m);
        sched_yield();
    }
    backwards();
}

static void flag_polled(void)
{
    several(2, polled_body);
}

/* ---- the process ends while others are in the middle of things ---- */

static void *hold_for_ever(void *arg)
{
    pthread_mutex_lock(&m);
    for (;;)
        rest();
    return arg;
}

static void *wait_for_it(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void exit_while_held(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, hold_for_ever, NULL);
    rest();
    pthread_create(&u, NULL, wait_for_it, NULL);
    rest();
    exit(0);
}

static void *leave_by_exit(void *arg)
{
    rest();
    exit(0);
    return arg;
}

static void exit_while_joining(void)
{
    pthread_t t;
    pthread_create(&t, NULL, hold_for_ever, NULL);
    rest();
    pthread_t u;
    pthread_create(&u, NULL, leave_by_exit, NULL);
    pthread_join(t, NULL);
}

static void exit_while_waiting(void)
{
    pthread_t u;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    pthread_create(&u, NULL, leave_by_exit, NULL);
    pthread_mutex_lock(&b);
    for (;;)
        pthread_cond_wait(&never, &b);
}

/* ---- a wait whose loop is elsewhere ---- */

static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void wait_once(void)
{
    pthread_cond_wait(&ready, &m);
}

static void helper_body(int i)
{
    if (i == 0)
        rest();
    pthread_mutex_lock(&m);
    if (i == 0) {
        value = 1;
        pthread_cond_signal(&ready);
    }
    while (!value)
        wait_once();
    pthread_mutex_unlock(&m);
}

static void wait_in_helper(void)
{
    several(2, helper_body);
}

static bool is_ready(void)
{
    return value;
}

static void wait_until(bool (*holds)(void))
{
    while (!holds())
        pthread_cond_wait(&ready, &m);
}

static void predicate_body(int i)
{
    pthread_mutex_lock(&m);
    if (i == 0) {
        value = 1;
        pthread_cond_broadcast(&ready);
    } else {
        wait_until(is_ready);
    }
    pthread_mutex_unlock(&m);
}

static void wait_by_predicate(void)
{
    several(3, predicate_body);
}

const struct odd odd_siblings[] = {
    {"bug-abba", bug_abba},
    {"bug-table", bug_table},
    {"bug-ring", bug_ring},
    {"bug-barrier", bug_barrier},
    {"bug-barrier-rounds", bug_barrier_rounds},
    {"barrier-between", barrier_between},
    {"flag-by-memcpy", flag_by_memcpy},
    {"flag-by-text", flag_by_text},
    {"flag-by-sorting", flag_by_sorting},
    {"flag-under-mutex", flag_under_mutex},
    {"flag-under-rwlock", flag_under_rwlock},
    {"flag-polled", flag_polled},
    {"exit-while-held", exit_while_held},
    {"exit-while-joining", exit_while_joining},
    {"exit-while-waiting", exit_while_waiting},
    {"wait-in-helper", wait_in_helper},
    {"wait-by-predicate", wait_by_predicate},
    {NULL, NULL},
};
