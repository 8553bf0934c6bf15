/* Figure 3 of [goscout], select with default: the message may come before the question. */
#include <foresee/csp.h>
#include <stdio.h>

static void a(void *x)
{
    int one = 1;
    foresee_send(x, &one); /* A1 */
}

int main(void)
{
    foresee_chan *x = foresee_make_named(sizeof(int), 0, "x");
    int v;
    foresee_go(a, x);
    switch (foresee_select(FORESEE_RECV(x, &v), FORESEE_DEFAULT)) {
    case 0:
        puts("received from x");
        break;
    case 1:
        puts("default");
    }
    foresee_sleep(1000000); /* the message comes after the question */
    return 0;
}
