/* Many readers of memory that one thread replaces, and what counts them. */
#include "odd.h"

#include <sched.h>
#include <string.h>

enum { READERS = 3, ROUNDS = 25 };

struct settings {
    int x, y;
};

static _Atomic(struct settings *) current;
static atomic_ulong epoch, seen[READERS];
static atomic_int stop;

static struct settings *settings_of(int x)
{
    struct settings *s = malloc(sizeof *s);
    *s = (struct settings){x, 100 - x};
    return s;
}

/* Every thread writes the epoch that it has seen, and 0 when it reads no more. */
static void wait_for_readers(void)
{
    unsigned long now = atomic_fetch_add(&epoch, 1) + 1;
    for (int i = 0; i < READERS; i++)
        for (unsigned long s; (s = atomic_load(&seen[i])) && s < now;)
            sched_yield();
}

static void read_in_epochs(int i)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        atomic_store(&seen[i], atomic_load(&epoch));
        for (int n = 0; n < 4; n++) {
            struct settings *s = atomic_load_explicit(&current, memory_order_acquire);
            must(s->x + s->y == 100);
        }
    }
    atomic_store(&seen[i], 0);
}

static void epoch_body(int i)
{
    if (i < READERS) {
        read_in_epochs(i);
        return;
    }
    for (int n = 0; n < ROUNDS; n++) {
        struct settings *old = atomic_exchange(&current, settings_of(n));
        wait_for_readers();
        old->x = -1;
        free(old);
    }
    atomic_store(&stop, 1);
}

static void epochs(void)
{
    atomic_store(&epoch, 1);
    atomic_store(&current, settings_of(50));
    for (int i = 0; i < READERS; i++)
        atomic_store(&seen[i], 1);
    several(READERS + 1, epoch_body);
    free(atomic_load(&current));
}

/* ---- two instances; the counts of readers lie behind two numbers of four bytes ---- */

static struct both {
    struct settings instance[2];
    atomic_int to_read, to_count;
    atomic_long readers[2];
} *both;

static void read_instance(void)
{
    int count = atomic_load(&both->to_count);
    atomic_fetch_add(&both->readers[count], 1);
    const struct settings *s = &both->instance[atomic_load(&both->to_read)];
    must(s->x + s->y == 100);
    atomic_fetch_sub(&both->readers[count], 1);
}

static void await(int count)
{
    while (atomic_load(&both->readers[count]))
        sched_yield();
}

static void change_both(int x)
{
    int now = atomic_load(&both->to_read), count = atomic_load(&both->to_count);
    both->instance[1 - now] = (struct settings){x, 100 - x};
    atomic_store(&both->to_read, 1 - now);
    await(1 - count);
    atomic_store(&both->to_count, 1 - count);
    await(count);
    both->instance[now] = (struct settings){x, 100 - x};
}

static void both_body(int i)
{
    for (int n = 0; i == 0 && n < ROUNDS; n++)
        change_both(n);
    if (i == 0)
        atomic_store(&stop, 1);
    while (!atomic_load(&stop))
        read_instance();
}

static void two_instances(void)
{
    both = malloc(sizeof *both);
    for (size_t i = 0; i < sizeof *both / sizeof(int); i++) /* so the counts are of 4 bytes, too */
        ((int *)(void *)both)[i] = 0;
    both->instance[0] = both->instance[1] = (struct settings){100, 0};
    several(3, both_body);
    free(both);
}

/* ---- a sorted list, locked hand over hand; one thread has most of it for itself at first ---- */

struct node {
    pthread_mutex_t m;
    int key;
    struct node *next;
};

static struct node head = {.m = PTHREAD_MUTEX_INITIALIZER, .key = -1};

/* The node before the key, locked. */
static struct node *find_before(int key)
{
    struct node *p = &head;
    pthread_mutex_lock(&p->m);
    while (p->next && p->next->key < key) {
        struct node *q = p->next;
        pthread_mutex_lock(&q->m);
        pthread_mutex_unlock(&p->m);
        p = q;
    }
    return p;
}

static void insert(int key)
{
    struct node *p = find_before(key);
    if (!p->next || p->next->key != key) {
        struct node *q = malloc(sizeof *q);
        pthread_mutex_init(&q->m, NULL);
        q->key = key;
        q->next = p->next;
        p->next = q;
    }
    pthread_mutex_unlock(&p->m);
}

static void delete(int key)
{
    struct node *p = find_before(key), *q = p->next;
    bool found = q && q->key == key;
    if (found) {
        pthread_mutex_lock(&q->m);
        p->next = q->next;
        pthread_mutex_unlock(&q->m);
    }
    pthread_mutex_unlock(&p->m);
    if (!found)
        return;
    pthread_mutex_destroy(&q->m);
    free(q);
}

static void list_body(int i)
{
    unsigned dice = (unsigned)i + 1;
    for (int n = 0; n < 100; n++) {
        dice = dice * 1103515245 + 12345;
        (dice & 0x8000 ? insert : delete)((int)(dice >> 16) % 12);
    }
}

static void hand_over_hand(void)
{
    several(3, list_body);
}

const struct odd odd_readers[] = {{"epochs", epochs},
                                  {"two-instances", two_instances},
                                  {"hand-over-hand", hand_over_hand},
                                  {NULL, NULL}};
