/* A send under a lock that its receiver needs first. */
#include <foresee/csp.h>

static foresee_mutex m;
static foresee_chan *c;

static void receiver(void *unused)
{
    (void)unused;
    foresee_lock(&m);
    foresee_unlock(&m);
    foresee_recv(c, NULL);
}

int main(void)
{
    c = foresee_make_named(0, 0, "c");
    foresee_go(receiver, NULL);
    foresee_yield(); /* in this run the receiver is faster */
    foresee_lock(&m);
    foresee_send(c, NULL);
    foresee_unlock(&m);
    return 0;
}
