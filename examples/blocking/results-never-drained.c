/* A worker whose result nobody wants any more after a timeout. */
#include <foresee/csp.h>

static foresee_chan *result, *cancel;

static void worker(void *unused)
{
    int answer = 42;
    (void)unused;
    foresee_send(result, &answer); /* for ever, if it was cancelled */
}

static void canceller(void *unused)
{
    (void)unused;
    foresee_close(cancel);
}

int main(void)
{
    result = foresee_make_named(sizeof(int), 0, "result");
    cancel = foresee_make_named(0, 0, "cancel");
    foresee_go(worker, NULL);
    foresee_go(canceller, NULL);
    int v;
    foresee_select(FORESEE_RECV(result, &v), FORESEE_RECV(cancel, NULL));
    foresee_sleep(1000000);
    return 0;
}
