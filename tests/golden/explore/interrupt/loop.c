/* A handler that never returns. */
#include "foresee/actor.h"

enum { GO, DONE };
static const struct foresee_message messages[] = {{"Go", "client"}, {"Done", ""}};

static void on_go(struct foresee *f, void *state, const struct foresee_received *m)
{
    volatile int forever = 1;
    (void)state;
    while (forever) {
    }
    FORESEE_SEND(f, m->field[0], DONE);
}

static const foresee_handler on[] = {on_go, 0};
static const struct foresee_role roles[] = {{"a", 8, 0, on, 0}};
const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system, FORESEE_ACTOR_ABI, "loop", messages, 2, roles, 1};
