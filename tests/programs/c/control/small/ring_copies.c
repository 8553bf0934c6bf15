/* A ring for one sender and one receiver, each with a copy of how far the other one was: who waits writes the copy
 * again and again, which is no progress. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROOM = 2, MESSAGES = 12 };
static atomic_uint head, tail;
static unsigned seen_head, seen_tail;
static int slot[ROOM];

static int may_put(unsigned t)
{
    if (t - seen_head == ROOM)
        seen_head = atomic_load(&head);
    return t - seen_head < ROOM;
}

static int may_take(unsigned h)
{
    if (h == seen_tail)
        seen_tail = atomic_load(&tail);
    return h != seen_tail;
}

static void *sends(void *unused)
{
    for (unsigned i = 0; i < MESSAGES; i++) {
        while (!may_put(i))
            sched_yield();
        slot[i % ROOM] = (int)i;
        atomic_store(&tail, i + 1);
    }
    return unused;
}

int main(void)
{
    pthread_t t;
    unsigned wrong = 0;
    pthread_create(&t, NULL, sends, NULL);
    for (unsigned i = 0; i < MESSAGES; i++) {
        while (!may_take(i))
            sched_yield();
        wrong += slot[i % ROOM] != (int)i;
        atomic_store(&head, i + 1);
    }
    pthread_join(t, NULL);
    return wrong != 0;
}
