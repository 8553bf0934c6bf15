/* An object that goes wrong as its operation says. */
#include "foresee/model.h"

#include <stdlib.h>

enum { FINE, CRASH, LOOP, LEAVE };

static const struct foresee_operation operations[] = {
    [FINE] = {"fine", 0, 0},
    [CRASH] = {"crash", 0, 0},
    [LOOP] = {"loop", 0, 0},
    [LEAVE] = {"leave", 0, 0},
};

static int init(void *state, const struct foresee_value *value)
{
    (void)value;
    *(char *)state = 0;
    return 0;
}

static int step(const void *state, unsigned op, const struct foresee_value *args, void *next,
                struct foresee_value *result)
{
    volatile int turns = 0;
    (void)state, (void)args, (void)next, (void)result;
    if (op == CRASH)
        abort();
    while (op == LOOP)
        turns++;
    if (op == LEAVE)
        exit(0);
    return 0;
}

extern const struct foresee_model foresee_model;
const struct foresee_model foresee_model = {
    .size = sizeof(struct foresee_model),
    .abi = FORESEE_MODEL_ABI,
    .name = "wrong",
    .operations = operations,
    .n_operations = 4,
    .state_size = 1,
    .init = init,
    .step = step,
};
