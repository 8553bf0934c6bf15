/* A message in the heap is filled in and then published by a plain pointer. The reader of this
 * run comes late and finds it whole. FIXED: by an atomic one, released and acquired. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct message {
    int from, text[4];
};

#ifdef FIXED
static _Atomic(struct message *) box;
#define PUT(m) atomic_store_explicit(&box, m, memory_order_release)
#define GET() atomic_load_explicit(&box, memory_order_acquire)
#else
static struct message *box;
#define PUT(m) (box = (m))
#define GET() box
#endif

static void *sends(void *unused)
{
    struct message *m = malloc(sizeof *m);
    if (!m)
        return unused;
    m->from = 1;
    for (int i = 0; i < 4; i++)
        m->text[i] = i;
    PUT(m);
    return unused;
}

static void *receives(void *unused)
{
    usleep(100000);
    struct message *m = GET();
    return m && m->from + m->text[3] == 4 ? NULL : unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, sends, NULL);
    pthread_create(&t[1], NULL, receives, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    free(GET());
    return 0;
}
