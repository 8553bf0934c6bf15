/* A reader that reads again while a writer waits: writers go first. */
#include <foresee/csp.h>

static foresee_rwmutex m;
static foresee_waitgroup done;

static void writer(void *unused)
{
    (void)unused;
    foresee_wlock(&m);
    foresee_wunlock(&m);
    foresee_wg_done(&done);
}

int main(void)
{
    foresee_wg_add(&done, 1);
    foresee_go(writer, NULL);
    foresee_rlock(&m);
    foresee_rlock(&m);
    foresee_runlock(&m);
    foresee_runlock(&m);
    foresee_wg_wait(&done);
    return 0;
}
