/* Figure 3 of [goscout], closed channel: the run is good if the send comes before the close,
 * and nothing makes it. */
#include <foresee/csp.h>

static void a(void *x)
{
    int one = 1;
    foresee_send(x, &one); /* A1 */
}

static void b(void *x)
{
    foresee_recv(x, NULL);
}

int main(void)
{
    foresee_chan *x = foresee_make_named(sizeof(int), 0, "x");
    foresee_go(a, x);
    foresee_go(b, x);
    foresee_sleep(1000000); /* usually long enough */
    foresee_close(x);
    return 0;
}
