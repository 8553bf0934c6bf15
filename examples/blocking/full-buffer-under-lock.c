/* A send into a buffer under a lock: nobody can empty the buffer once it is full. */
#include <foresee/csp.h>

static foresee_mutex m;
static foresee_chan *c;

static void consumer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        foresee_lock(&m);
        foresee_unlock(&m);
        foresee_recv(c, NULL);
    }
}

int main(void)
{
    c = foresee_make_named(0, 1, "c");
    foresee_go(consumer, NULL);
    for (int i = 0; i < 3; i++) {
        foresee_lock(&m);
        foresee_send(c, NULL);
        foresee_unlock(&m);
        foresee_yield(); /* in this run the consumer keeps up */
    }
    foresee_yield();
    return 0;
}
