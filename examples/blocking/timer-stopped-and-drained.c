/* Stop says that the timer has fired, so its channel is drained; but whoever waited for the
 * timeout may have taken the message. */
#include <foresee/csp.h>

static foresee_chan *quit;

static void worker(void *timer)
{
    foresee_select(FORESEE_RECV(foresee_timer_chan(timer), NULL),
                   FORESEE_RECV(quit, NULL));
}

int main(void)
{
    quit = foresee_make_named(0, 0, "quit");
    foresee_timer *t = foresee_after(1000000);
    foresee_go(worker, t);
    foresee_yield();
    foresee_close(quit); /* in this run before the timeout */
    foresee_sleep(2000000);
    if (!foresee_timer_stop(t))
        foresee_recv(foresee_timer_chan(t), NULL);
    return 0;
}
