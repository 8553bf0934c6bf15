/* The worker adds itself to the group. When it comes too late, nobody waits for it. */
#include <foresee/csp.h>

#include <stdio.h>

static foresee_waitgroup group;
static int result;

static void worker(void *unused)
{
    (void)unused;
    foresee_wg_add(&group, 1); /* belongs before foresee_go */
    result = 42;
    foresee_wg_done(&group);
}

int main(void)
{
    foresee_go(worker, NULL);
    foresee_yield(); /* in this run the worker comes first */
    foresee_wg_wait(&group);
    printf("%d\n", result);
    return 0;
}
