/* Figure 3 of [goscout], buffered channel: with room for one message, whoever sends first
 * decides whether the program ends. */
#include <foresee/csp.h>

static void a(void *x)
{
    int one = 1;
    foresee_send(x, &one); /* A1 */
}

int main(void)
{
    foresee_chan *x = foresee_make_named(sizeof(int), 1, "x");
    int one = 1;
    foresee_go(a, x);
    foresee_send(x, &one); /* A2 */
    foresee_recv(x, NULL);
    return 0;
}
