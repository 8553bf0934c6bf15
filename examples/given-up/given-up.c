/* A request that is given up after a second; its answer has no receiver then. */
#include <foresee/csp.h>

#include <stdio.h>

static foresee_chan *answer;

static void worker(void *unused)
{
    int v = 42;
    (void)unused;
    foresee_send(answer, &v); /* for ever, if nobody waits any more */
}

int main(void)
{
    answer = foresee_make_named(sizeof(int), 0, "answer"); /* room for one would do */
    foresee_go(worker, NULL);
    int v = 0;
    foresee_select(FORESEE_RECV(answer, &v), FORESEE_TIMEOUT(1000000000));
    printf("%d\n", v);
    foresee_sleep(1000000);
    return 0;
}
