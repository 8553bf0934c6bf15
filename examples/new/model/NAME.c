/* NAME: a register that only grows. `raise(v)` sets it to v if v is larger and answers what it
 * holds then; `read()` answers what it holds. Change it into your own object. */
#include <foresee/model.h>

#include <stdio.h>

enum { RAISE, READ };

static const struct foresee_operation operations[] = {
    [RAISE] = {"raise", 1, 0},
    [READ] = {"read", 0, FORESEE_READS_ONLY},
};

/* States are plain memory: no pointers. */
struct state {
    int64_t value;
};

static int init(void *state, const struct foresee_value *value)
{
    struct state *s = state;
    if (value && value->kind != FORESEE_INT)
        return -1;
    s->value = value ? value->i : 0;
    return 0;
}

static int step(const void *state, unsigned op, const struct foresee_value *args, void *next,
                struct foresee_value *result)
{
    const struct state *before = state;
    struct state *after = next;
    if (op == RAISE && args[0].kind != FORESEE_INT)
        return -1; /* not possible */
    if (op == RAISE && args[0].i > before->value)
        after->value = args[0].i;
    *result = (struct foresee_value){.kind = FORESEE_INT, .i = after->value};
    return 0;
}

static int text(const void *state, char *out, size_t size)
{
    const struct state *s = state;
    return snprintf(out, size, "%lld", (long long)s->value);
}

const struct foresee_model foresee_model = {
    .size = sizeof(struct foresee_model),
    .abi = FORESEE_MODEL_ABI,
    .name = "NAME",
    .operations = operations,
    .n_operations = sizeof operations / sizeof *operations,
    .state_size = sizeof(struct state),
    .init = init,
    .step = step,
    .text = text,
};
