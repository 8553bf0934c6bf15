/* Two locks, taken in opposite orders. */
#include <foresee/csp.h>

static foresee_mutex a, b;
static foresee_waitgroup done;

static void other(void *unused)
{
    (void)unused;
    foresee_lock(&b);
    foresee_lock(&a);
    foresee_unlock(&a);
    foresee_unlock(&b);
    foresee_wg_done(&done);
}

int main(void)
{
    foresee_wg_add(&done, 1);
    foresee_go(other, NULL);
    foresee_lock(&a);
    foresee_lock(&b);
    foresee_unlock(&b);
    foresee_unlock(&a);
    foresee_wg_wait(&done);
    return 0;
}
