/* Waiting for workers while holding the lock that they need. */
#include <foresee/csp.h>

static foresee_mutex m;
static foresee_waitgroup done;

static void worker(void *unused)
{
    (void)unused;
    foresee_lock(&m);
    foresee_unlock(&m);
    foresee_wg_done(&done);
}

int main(void)
{
    foresee_wg_add(&done, 1);
    foresee_go(worker, NULL);
    foresee_yield(); /* in this run the worker is faster */
    foresee_lock(&m);
    foresee_wg_wait(&done);
    foresee_unlock(&m);
    return 0;
}
