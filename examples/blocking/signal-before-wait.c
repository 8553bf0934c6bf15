/* A signal that comes before the wait is lost, and nobody asks whether it came. */
#include <foresee/csp.h>

static foresee_mutex m;
static foresee_cond c;

static void signaller(void *unused)
{
    (void)unused;
    foresee_lock(&m);
    foresee_cond_signal(&c);
    foresee_unlock(&m);
}

int main(void)
{
    foresee_go(signaller, NULL);
    foresee_lock(&m);
    foresee_cond_wait(&c, &m);
    foresee_unlock(&m);
    return 0;
}
