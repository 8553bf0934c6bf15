/* Telling a loop to stop that has ended by itself. */
#include <foresee/csp.h>

static foresee_chan *stop, *items;
static foresee_waitgroup produced;

static void loop(void *unused)
{
    bool more = true;
    (void)unused;
    while (more) {
        switch (foresee_select(FORESEE_RECV(stop, NULL),
                               FORESEE_RECV_OK(items, NULL, &more))) {
        case 0:
            return;
        default:
            break;
        }
    }
}

static void producer(void *unused)
{
    (void)unused;
    foresee_send(items, NULL);
    foresee_close(items);
    foresee_wg_done(&produced);
}

int main(void)
{
    stop = foresee_make_named(0, 0, "stop");
    items = foresee_make_named(0, 1, "items");
    foresee_wg_add(&produced, 1);
    foresee_go(loop, NULL);
    foresee_go(producer, NULL);
    foresee_send(stop, NULL); /* for ever, if the items came first */
    foresee_wg_wait(&produced);
    return 0;
}
