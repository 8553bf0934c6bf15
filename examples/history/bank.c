/* A sequential object of one's own: an account that refuses to be overdrawn.
 *
 *     foresee lin examples/history/bank.jsonl --object build/examples/bank.so
 *
 * deposit N and balance answer the balance; withdraw N answers whether it worked. */
#include "foresee/model.h"

#include <stdio.h>

struct account {
    int64_t balance;
};

enum { DEPOSIT, WITHDRAW, BALANCE };

static const struct foresee_operation operations[] = {
    [DEPOSIT] = {"deposit", 1, 0},
    [WITHDRAW] = {"withdraw", 1, FORESEE_ANSWERS_BOOL},
    [BALANCE] = {"balance", 0, FORESEE_READS_ONLY},
};

static int init(void *state, const struct foresee_value *value)
{
    struct account *a = state;
    if (value && value->kind != FORESEE_INT)
        return 1;
    a->balance = value ? value->i : 0;
    return 0;
}

static int step(const void *state, unsigned op, const struct foresee_value *args,
                void *next, struct foresee_value *result)
{
    const struct account *now = state;
    struct account *then = next;
    if (op == WITHDRAW) {
        result->kind = FORESEE_BOOL;
        result->i = now->balance >= args[0].i;
        then->balance -= result->i ? args[0].i : 0;
        return 0;
    }
    if (op == DEPOSIT)
        then->balance += args[0].i;
    result->kind = FORESEE_INT;
    result->i = then->balance;
    return 0;
}

static int text(const void *state, char *out, size_t size)
{
    return snprintf(out, size, "balance %lld",
                    (long long)((const struct account *)state)->balance);
}

extern const struct foresee_model foresee_model;
const struct foresee_model foresee_model = {
    .size = sizeof(struct foresee_model),
    .abi = FORESEE_MODEL_ABI,
    .name = "bank account",
    .operations = operations,
    .n_operations = sizeof operations / sizeof *operations,
    .state_size = sizeof(struct account),
    .init = init,
    .step = step,
    .text = text,
};
