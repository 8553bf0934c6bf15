/* A lock of readers and writers: a reader announces itself, and takes that back if a writer is there. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { WRITER = 0x10000 };

static atomic_int state;
static int table[8], version;

static void lock_to_read(void)
{
    while (atomic_fetch_add_explicit(&state, 1, memory_order_acquire) & WRITER) {
        atomic_fetch_sub_explicit(&state, 1, memory_order_relaxed);
        sched_yield();
    }
}

static void lock_to_write(void)
{
    for (int none = 0; !atomic_compare_exchange_weak_explicit(
             &state, &none, WRITER, memory_order_acquire, memory_order_relaxed);
         none = 0)
        sched_yield();
}

static void *read_table(void *arg)
{
    long wrong = 0;
    for (int i = 0; i < 30; i++) {
        lock_to_read();
        for (int k = 1; k < 8; k++)
            wrong += table[k] != table[0];
        atomic_fetch_sub_explicit(&state, 1, memory_order_release);
    }
    return wrong ? NULL : arg;
}

static void *write_table(void *arg)
{
    for (int i = 0; i < 15; i++) {
        lock_to_write();
        version++;
        for (int k = 0; k < 8; k++)
            table[k] = version;
        atomic_fetch_and_explicit(&state, ~WRITER, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 3 ? read_table : write_table, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
