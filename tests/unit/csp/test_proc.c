#include "child.h"
#include "foresee/csp.h"

enum { ABORTED = 128 + 6, DEADLOCKED = 2 };

/* ---- processes ---- */

static size_t started;

static void stay(void *c)
{
    started++;
    foresee_recv(c, NULL);
}

static void hundred_thousand_processes_live_at_once(void)
{
    enum { MANY = 100000 };
    foresee_chan *c = foresee_make(0, 0);
    size_t before = foresee_live();
    for (int i = 0; i < MANY; i++)
        foresee_go(stay, c);
    foresee_yield();
    assert_int_equal(started, MANY);
    assert_int_equal(foresee_live() - before, MANY);
    foresee_close(c);
    while (foresee_live() > before)
        foresee_yield();
    foresee_free(c);
}

struct log {
    foresee_chan *c;
    char **at; /* one text for all of them */
    char name;
};

static void note(void *arg)
{
    struct log *l = arg;
    for (int i = 0; i < 8; i++) {
        *(*l->at)++ = l->name;
        foresee_send(l->c, NULL);
    }
}

/* What three processes do, in the order in which they do it, under a seed. */
static void order_of(uint64_t seed, char out[32])
{
    struct log l[3];
    char *at = out;
    foresee_chan *c = foresee_make(0, 2);
    memset(out, 0, 32);
    foresee_seed(seed);
    for (int i = 0; i < 3; i++) {
        l[i] = (struct log){c, &at, (char)('a' + i)};
        foresee_go(note, &l[i]);
    }
    for (int i = 0; i < 24; i++)
        foresee_recv(c, NULL);
    while (foresee_live() > 1)
        foresee_yield();
    foresee_free(c);
}

static void print_orders(void)
{
    char a[32];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        order_of(seed, a);
        fprintf(stderr, "%s.", a);
    }
}

static void a_seed_fixes_the_schedule(void)
{
    char once[4096], again[4096];
    assert_int_equal(run_child(print_orders, once, sizeof once), 0);
    assert_int_equal(run_child(print_orders, again, sizeof again), 0);
    assert_string_equal(once, again);
    size_t different = 0;
    for (char *p = once, *end; (end = strchr(p, '.')) && end[1]; p = end + 1)
        different += strncmp(p, end + 1, (size_t)(end - p)) != 0;
    assert_true(different > 10);
}

static void spin(void *arg)
{
    volatile bool *stop = arg;
    foresee_chan *c = foresee_make(0, 0);
    while (!*stop)
        foresee_select(FORESEE_RECV(c, NULL), FORESEE_DEFAULT);
    foresee_free(c);
}

static void a_polling_process_starves_nobody(void)
{
    volatile bool stop = false;
    foresee_go(spin, (void *)(uintptr_t)&stop);
    foresee_sleep(100000);
    stop = true;
    while (foresee_live() > 1)
        foresee_yield();
}

static int deep(int n)
{
    volatile char room[1024];
    room[0] = (char)n;
    foresee_yield();
    return n ? deep(n - 1) + room[0] : 0;
}

static void recurse(void *arg)
{
    *(int *)arg = deep(1000);
}

static void overflow(void)
{
    int result;
    foresee_go(recurse, &result);
    foresee_sleep(1000000000);
}

static void a_stack_that_overflows_ends_the_program(void)
{
    char said[2048];
    assert_true(run_child(overflow, said, sizeof said) >= 128);
}

static int on_thread_of_its_own(void)
{
    foresee_seed(3);
    int64_t before = foresee_now();
    foresee_sleep(INT64_C(3600000000000));
    return foresee_now() - before >= INT64_C(3600000000000);
}

static void an_hour(void)
{
    exit(on_thread_of_its_own() ? 0 : 1);
}

static void time_is_virtual_under_a_seed(void)
{
    char said[256];
    assert_int_equal(run_child(an_hour, said, sizeof said), 0);
}

/* ---- locks ---- */

static foresee_mutex mutex;
static foresee_rwmutex rw;
static foresee_cond cond;
static foresee_waitgroup group;
static foresee_once only;
static int inside, most, turns;

static void in_section(void *unused)
{
    (void)unused;
    foresee_lock(&mutex);
    inside++;
    foresee_yield();
    most = inside > most ? inside : most;
    inside--;
    foresee_unlock(&mutex);
    foresee_wg_done(&group);
}

static void a_mutex_admits_one(void)
{
    foresee_wg_add(&group, 5);
    for (int i = 0; i < 5; i++)
        foresee_go(in_section, NULL);
    foresee_wg_wait(&group);
    assert_int_equal(most, 1);
    assert_true(foresee_trylock(&mutex));
    assert_false(foresee_trylock(&mutex));
    foresee_unlock(&mutex);
}

static void write_turn(void *unused)
{
    (void)unused;
    foresee_wlock(&rw);
    turns = turns * 10 + 1;
    foresee_wunlock(&rw);
    foresee_wg_done(&group);
}

static void read_turn(void *unused)
{
    (void)unused;
    foresee_rlock(&rw);
    turns = turns * 10 + 2;
    foresee_runlock(&rw);
    foresee_wg_done(&group);
}

static void a_waiting_writer_keeps_new_readers_out(void)
{
    foresee_rlock(&rw);
    foresee_wg_add(&group, 2);
    foresee_go(write_turn, NULL);
    foresee_yield();
    foresee_go(read_turn, NULL);
    foresee_yield();
    assert_int_equal(turns, 0);
    foresee_runlock(&rw);
    foresee_wg_wait(&group);
    assert_int_equal(turns, 12);
}

static int ready;

static void await(void *unused)
{
    (void)unused;
    foresee_lock(&mutex);
    while (!ready)
        foresee_cond_wait(&cond, &mutex);
    ready--;
    foresee_unlock(&mutex);
    foresee_wg_done(&group);
}

static void a_condition_wakes_one_or_all(void)
{
    size_t before = foresee_live();
    foresee_wg_add(&group, 3);
    for (int i = 0; i < 3; i++)
        foresee_go(await, NULL);
    foresee_yield();
    foresee_lock(&mutex);
    ready = 1;
    foresee_cond_signal(&cond);
    foresee_unlock(&mutex);
    foresee_yield();
    assert_int_equal(ready, 0);
    assert_int_equal(foresee_live() - before, 2);
    foresee_lock(&mutex);
    ready = 2;
    foresee_cond_broadcast(&cond);
    foresee_unlock(&mutex);
    foresee_wg_wait(&group);
    assert_int_equal(ready, 0);
}

static void run_slowly(void *times)
{
    foresee_yield();
    ++*(int *)times;
}

static void ask(void *times)
{
    foresee_once_do(&only, run_slowly, times);
    assert_int_equal(*(int *)times, 1);
    foresee_wg_done(&group);
}

static void once_runs_once_and_others_wait_for_it(void)
{
    int times = 0;
    foresee_wg_add(&group, 3);
    for (int i = 0; i < 3; i++)
        foresee_go(ask, &times);
    foresee_wg_wait(&group);
    assert_int_equal(times, 1);
}

static void unlock_unlocked(void)
{
    foresee_unlock(&mutex);
}

static void negative_group(void)
{
    foresee_wg_done(&group);
}

static void relock(void)
{
    foresee_lock(&mutex);
    foresee_lock(&mutex);
}

static void misuse_of_locks_is_told(void)
{
    char said[2048];
    assert_int_equal(run_child(unlock_unlocked, said, sizeof said), ABORTED);
    ASSERT_SAYS(said, "panic: unlock of unlocked mutex");
    assert_int_equal(run_child(negative_group, said, sizeof said), ABORTED);
    ASSERT_SAYS(said, "panic: negative wait group counter");
    assert_int_equal(run_child(relock, said, sizeof said), DEADLOCKED);
    ASSERT_SAYS(said, "process 1 (main) [lock] at ");
}

RUN_CASES(CASE(a_mutex_admits_one), CASE(a_waiting_writer_keeps_new_readers_out),
          CASE(a_condition_wakes_one_or_all), CASE(once_runs_once_and_others_wait_for_it),
          CASE(misuse_of_locks_is_told), CASE(a_polling_process_starves_nobody),
          CASE(a_stack_that_overflows_ends_the_program),
          CASE(time_is_virtual_under_a_seed), CASE(a_seed_fixes_the_schedule),
          CASE(hundred_thousand_processes_live_at_once))
