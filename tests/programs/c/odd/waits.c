/* Locks and waits made of what the kernel has. */
#include "odd.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

/* ---- a lock by the futex call: 0 free, 1 held, 2 held and waited for ---- */

static atomic_int word;
static int guarded;

static void futex(atomic_int *at, int what, int value)
{
    syscall(SYS_futex, at, what, value, NULL, NULL, 0);
}

static void take_word(void)
{
    int was = 0;
    if (atomic_compare_exchange_strong(&word, &was, 1))
        return;
    if (was != 2)
        was = atomic_exchange(&word, 2);
    while (was) {
        futex(&word, FUTEX_WAIT_PRIVATE, 2);
        was = atomic_exchange(&word, 2);
    }
}

static void give_word(void)
{
    if (atomic_fetch_sub(&word, 1) == 1)
        return;
    atomic_store(&word, 0);
    futex(&word, FUTEX_WAKE_PRIVATE, 1);
}

static void futex_body(int i)
{
    for (int k = 0; k < 5; k++) {
        take_word();
        guarded++;
        if (i)
            forwards();
        else
            backwards();
        give_word();
    }
}

static void futex_lock(void)
{
    several(3, futex_body);
    must(guarded == 15);
}

/* ---- an eventcount: a change since the look ends the wait at once ---- */

static atomic_int epoch, ready;

static void event_body(int i)
{
    if (!i) {
        rest();
        forwards();
        atomic_store(&ready, 1);
        atomic_fetch_add(&epoch, 1);
        futex(&epoch, FUTEX_WAKE_PRIVATE, 8);
        return;
    }
    for (;;) {
        int seen = atomic_load(&epoch);
        if (atomic_load(&ready))
            break;
        futex(&epoch, FUTEX_WAIT_PRIVATE, seen);
    }
    if (i == 1)
        backwards();
}

static void event_count(void)
{
    several(3, event_body);
}

/* ---- a sorted list that is locked hand over hand ---- */

struct node {
    int value;
    struct node *next;
    pthread_mutex_t lock;
};

static struct node head = {.value = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* The node before the place of the value, locked; and the node there, if there is one. */
static struct node *find_place(int value, struct node **at)
{
    struct node *before = &head;
    pthread_mutex_lock(&before->lock);
    while ((*at = before->next)) {
        pthread_mutex_lock(&(*at)->lock);
        if ((*at)->value >= value)
            break;
        pthread_mutex_unlock(&before->lock);
        before = *at;
    }
    return before;
}

static void put_value(int value)
{
    struct node *n = calloc(1, sizeof *n), *at, *before;
    n->value = value;
    pthread_mutex_init(&n->lock, NULL);
    before = find_place(value, &at);
    n->next = at;
    before->next = n;
    if (at)
        pthread_mutex_unlock(&at->lock);
    pthread_mutex_unlock(&before->lock);
}

static void take_value(int value)
{
    struct node *at, *before = find_place(value, &at);
    must(at && at->value == value);
    before->next = at->next;
    pthread_mutex_unlock(&at->lock);
    pthread_mutex_unlock(&before->lock);
    pthread_mutex_destroy(&at->lock);
    free(at);
}

static void list_body(int i)
{
    for (int k = 0; k < 4; k++)
        put_value(i + 3 * k);
    for (int k = 0; k < 4; k++)
        take_value(i + 3 * k);
}

static void hand_over_hand(void)
{
    several(3, list_body);
    must(!head.next);
}

/* ---- readers count themselves in an epoch; what they may still read is not freed ---- */

static _Atomic(int *) current;
static atomic_int readers[2], age;

static void read_current(void)
{
    int mine;
    for (;;) {
        mine = atomic_load(&age);
        atomic_fetch_add(&readers[mine & 1], 1);
        if (atomic_load(&age) == mine)
            break;
        atomic_fetch_sub(&readers[mine & 1], 1);
    }
    must(*atomic_load(&current) > 0);
    atomic_fetch_sub(&readers[mine & 1], 1);
}

static void replace_current(int value)
{
    int *fresh = malloc(sizeof *fresh), *old;
    *fresh = value;
    old = atomic_exchange(&current, fresh);
    int before = atomic_fetch_add(&age, 1);
    while (atomic_load(&readers[before & 1]))
        sched_yield();
    free(old);
}

static void epoch_body(int i)
{
    for (int k = 1; k < 6; k++)
        if (i)
            read_current();
        else
            replace_current(k);
}

static void epochs(void)
{
    int *first = malloc(sizeof *first);
    *first = 9;
    atomic_store(&current, first);
    several(3, epoch_body);
    free(atomic_load(&current));
}

/* ---- a handshake by two signals that both threads wait for ---- */

static pthread_t sides[2];
static atomic_int there;

static void wait_for_signal(int number)
{
    sigset_t set;
    int came;
    sigemptyset(&set);
    sigaddset(&set, number);
    must(!sigwait(&set, &came));
}

static void shake_body(int i)
{
    sides[i] = pthread_self();
    atomic_fetch_add(&there, 1);
    while (atomic_load(&there) < 2)
        sched_yield();
    if (!i) {
        forwards();
        pthread_kill(sides[1], SIGUSR1);
        wait_for_signal(SIGUSR2);
        forwards();
    } else {
        wait_for_signal(SIGUSR1);
        backwards();
        pthread_kill(sides[0], SIGUSR2);
    }
}

static void signal_handshake(void)
{
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    several(2, shake_body);
}

/* ---- one of those who wait is cancelled: he waits for nobody ---- */

static pthread_mutex_t crew_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t crew_changed = PTHREAD_COND_INITIALIZER;
static int crew_waits, crew_jobs;

static void leave_crew(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&crew_lock);
}

static void *crew_member(void *arg)
{
    pthread_mutex_lock(&crew_lock);
    pthread_cleanup_push(leave_crew, NULL);
    crew_waits++;
    pthread_cond_broadcast(&crew_changed);
    while (!crew_jobs)
        pthread_cond_wait(&crew_changed, &crew_lock);
    crew_jobs--;
    pthread_cleanup_pop(1);
    return arg;
}

static void cancelled_member(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, crew_member, NULL);
    pthread_mutex_lock(&crew_lock);
    while (crew_waits < 3)
        pthread_cond_wait(&crew_changed, &crew_lock);
    pthread_mutex_unlock(&crew_lock);
    pthread_cancel(t[0]);
    pthread_join(t[0], NULL);
    pthread_mutex_lock(&crew_lock);
    crew_jobs = 2;
    pthread_cond_broadcast(&crew_changed);
    pthread_mutex_unlock(&crew_lock);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
}

const struct odd odd_waits[] = {{"futex-lock", futex_lock},
                                {"event-count", event_count},
                                {"hand-over-hand", hand_over_hand},
                                {"epochs", epochs},
                                {"cancelled-member", cancelled_member},
                                {"signal-handshake", signal_handshake},
                                {0}};
