/* A sends One and then Two to B, which requires that they come in this order. */
#include "foresee/actor.h"

enum { BEGIN, ONE, TWO };
static const struct foresee_message messages[] = {{"Begin", ""}, {"One", ""}, {"Two", ""}};

struct cell {
    int64_t seen;
};

static void on_begin(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)state, (void)m;
    FORESEE_SEND(f, 2, ONE);
    FORESEE_SEND(f, 2, TWO);
}

static void on_one(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)f, (void)m;
    ((struct cell *)state)->seen = 1;
}

static void on_two(struct foresee *f, void *state, const struct foresee_received *m)
{
    (void)m;
    foresee_require(f, ((struct cell *)state)->seen, "Two came before One");
}

static const foresee_handler on[] = {on_begin, on_one, on_two};
static const struct foresee_role roles[] = {{"cell", sizeof(struct cell), 0, on, 0}};
const struct foresee_actor_system foresee_actor_system = {
    sizeof foresee_actor_system, FORESEE_ACTOR_ABI, "two", messages, 3, roles, 1};
