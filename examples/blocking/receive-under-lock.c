/* A receive under a lock that its sender needs first. */
#include <foresee/csp.h>

static foresee_mutex m;
static foresee_chan *c;

static void sender(void *unused)
{
    (void)unused;
    foresee_lock(&m);
    foresee_unlock(&m);
    foresee_send(c, NULL);
}

int main(void)
{
    c = foresee_make_named(0, 0, "c");
    foresee_go(sender, NULL);
    foresee_yield(); /* in this run the sender is faster */
    foresee_lock(&m);
    foresee_recv(c, NULL);
    foresee_unlock(&m);
    return 0;
}
