/* One way to be wrong for each value of WRONG. */
#include <foresee/actor.h>
#include <stdlib.h>

static const struct foresee_message messages[] = {{"Ask", ""}, {"Answer", "value"}};

static void on_ask(struct foresee *f, void *state, const struct foresee_received *m)
{
    int64_t *value = state;
#if WRONG == 1
    *(volatile int *)0 = 1;
#elif WRONG == 2
    for (volatile int i = 0;; i++)
        ;
#elif WRONG == 3
    FORESEE_SEND(f, 7, 0);
#elif WRONG == 4
    static int64_t called;
    *value = called++;
#elif WRONG == 5
    exit(3);
#elif WRONG == 6
    FORESEE_SEND(f, m->from, 1, 2, 3);
#elif WRONG == 7
    FORESEE_SEND(f, m->from, 0);
#elif WRONG == 8
    foresee_require(f, *value == 0, "a server is asked only once");
    FORESEE_SEND(f, m->from, 1, *value);
    *value = 1;
    return;
#elif WRONG == 9
    FORESEE_SEND(f, f->self, 0);
    return;
#elif WRONG == 11
    static int called; /* noticed only when all has been explored */
    *value = ++called > 260;
#endif
    FORESEE_SEND(f, m->from, 1, *value);
}

static const foresee_handler on[] = {on_ask, 0};
static const struct foresee_role roles[] = {{"server", 8, 0, on, 0}};

const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system, WRONG == 10 ? 99 : FORESEE_ACTOR_ABI, "bad", messages, 2,
    roles, 1};
