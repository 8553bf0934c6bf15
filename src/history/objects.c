/* The built-in sequential objects. Each is a table of operations and one step function. Those that hold
 * several values are in collections.c. */
#include "history/objects.h"

#include <string.h>

/* Registers. */

enum { READ, WRITE, CAS };

static const struct fore_model_op register_ops[] = {
    [READ] = {"read r get", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [WRITE] = {"write w put set", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
};

static const struct fore_model_op cas_ops[] = {
    [READ] = {"read r get", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [WRITE] = {"write w put set", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
    [CAS] = {"cas compare-and-set", 2, FORE_ANSWER_BOOL, FORE_ROLE_OTHER},
};

static bool register_step(STEP_ARGS)
{
    (void)m, (void)t;
    *next = state;
    *result = FORE_ANY;
    if (op->f == READ) {
        *result = state;
    } else if (op->f == WRITE) {
        *next = op->arg[0];
    } else {
        bool same = fore_val_is(state, op->arg[0]);
        *result = fore_val_bool(same);
        if (same)
            *next = op->arg[1];
    }
    return true;
}

static const struct fore_model register_model = {
    .name = "register",
    .summary = "read, write",
    OPS(register_ops),
    .init = "nil",
    .value_closed = true,
    .shape = FORE_SHAPE_REGISTER,
    .step = register_step,
};

static const struct fore_model cas_model = {
    .name = "cas-register",
    .summary = "read, write, cas",
    OPS(cas_ops),
    .init = "nil",
    .shape = FORE_SHAPE_REGISTER,
    .step = register_step,
};

/* Key-value store; one of these per key. Appending makes strings. */

enum { KV_GET, KV_PUT, KV_CAS, KV_APPEND, KV_DELETE };

static const struct fore_model_op kv_ops[] = {
    [KV_GET] = {"get read", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [KV_PUT] = {"put write set", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
    [KV_CAS] = {"cas compare-and-set", 2, FORE_ANSWER_BOOL, FORE_ROLE_OTHER},
    [KV_APPEND] = {"append", 1, FORE_ANSWER_NONE, FORE_ROLE_APPEND},
    [KV_DELETE] = {"delete remove", 0, FORE_ANSWER_NONE, FORE_ROLE_OTHER},
};

/* What is appended counts as text; nothing was there if nil was. */
static fore_val as_text(struct fore_vals *t, fore_val v)
{
    if (fore_val_kind(v) == FORE_VAL_STRING || fore_val_kind(v) == FORE_VAL_ROPE)
        return v;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (!fore_val_is(v, FORE_NIL))
        fore_val_text(t, v, &b);
    fore_val text = fore_val_string(t, b.at, b.n);
    fore_strbuf_release(&b);
    return text;
}

/* A text that grows is a rope until it is read: steps do not depend on its length, and most of
 * what a search tries is never read. */
static bool kv_step(STEP_ARGS)
{
    *result = FORE_ANY;
    if (op->f == KV_APPEND) {
        *next = fore_val_rope(t, as_text(t, state), as_text(t, op->arg[0]));
        return true;
    }
    if (op->f == KV_DELETE) {
        *next = fore_val_string(t, "", 0);
        return true;
    }
    if (fore_val_kind(state) == FORE_VAL_ROPE && op->f != KV_PUT) {
        bool seen = op->f == KV_GET && fore_val_kind(op->result) == FORE_VAL_STRING;
        if (seen && !fore_val_same_text(t, state, op->result)) {
            *next = *result = state; /* a rope: agrees with no string */
            return true;
        }
        state = seen ? op->result : fore_val_flat(t, state);
    }
    return register_step(m, t, state, op, next, result);
}

static bool kv_can_grow(const struct fore_vals *t, fore_val state,
                        const struct fore_op *op)
{
    bool text =
        fore_val_kind(state) == FORE_VAL_STRING || fore_val_kind(state) == FORE_VAL_ROPE;
    return !text || fore_val_kind(op->result) != FORE_VAL_STRING ||
           fore_val_begins(t, op->result, state);
}

static const struct fore_model kv_model = {
    .name = "kv",
    .summary = "get, put, append, cas, delete; each takes the key first",
    OPS(kv_ops),
    .init = "",
    .keyed = true,
    .shape = FORE_SHAPE_REGISTER,
    .step = kv_step,
    .can_grow = kv_can_grow,
};

/* Counter. What an update answers is the value after it. */

enum { COUNT_READ, COUNT_ADD, COUNT_SUB, COUNT_INC, COUNT_DEC, COUNT_FETCH_ADD };

static const struct fore_model_op counter_ops[] = {
    [COUNT_READ] = {"read get", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [COUNT_ADD] = {"add", 1, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
    [COUNT_SUB] = {"sub", 1, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
    [COUNT_INC] = {"inc increment", 0, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
    [COUNT_DEC] = {"dec decrement", 0, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
    [COUNT_FETCH_ADD] = {"fetch-add fetch_add", 1, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
};

static bool counter_step(STEP_ARGS)
{
    (void)m;
    int64_t now, by = 1;
    if (!fore_val_to_int(t, state, &now))
        return false;
    if (op->f == COUNT_READ) {
        *next = *result = state;
        return true;
    }
    if (counter_ops[op->f].nargs && !fore_val_to_int(t, op->arg[0], &by))
        return false;
    if (op->f == COUNT_SUB || op->f == COUNT_DEC)
        by = (int64_t)(0 - (uint64_t)by);
    *next = fore_val_int(t, (int64_t)((uint64_t)now + (uint64_t)by));
    *result = op->f == COUNT_FETCH_ADD ? state : *next;
    return true;
}

static bool counter_start(const struct fore_model *m, struct fore_vals *t, fore_val init,
                          fore_val *state)
{
    int64_t i;
    (void)m;
    *state = init;
    return fore_val_to_int(t, init, &i);
}

static const struct fore_model counter_model = {
    .name = "counter",
    .summary = "read, add, sub, inc, dec, fetch-add",
    OPS(counter_ops),
    .init = "0",
    .start = counter_start,
    .step = counter_step,
};

/* Mutex. An acquire of a held mutex is not enabled: it waits. */

enum { ACQUIRE, RELEASE, TRY_ACQUIRE };

static const struct fore_model_op mutex_ops[] = {
    [ACQUIRE] = {"acquire lock", 0, FORE_ANSWER_NONE, FORE_ROLE_OTHER},
    [RELEASE] = {"release unlock", 0, FORE_ANSWER_NONE, FORE_ROLE_OTHER},
    [TRY_ACQUIRE] = {"try-acquire trylock try_lock", 0, FORE_ANSWER_BOOL,
                     FORE_ROLE_OTHER},
};

static bool mutex_start(const struct fore_model *m, struct fore_vals *t, fore_val init,
                        fore_val *state)
{
    (void)m, (void)t;
    *state = init;
    return fore_val_is(init, FORE_TRUE) || fore_val_is(init, FORE_FALSE);
}

static bool mutex_step(STEP_ARGS)
{
    bool held = fore_val_is(state, FORE_TRUE);
    (void)m, (void)t;
    *result = op->f == TRY_ACQUIRE ? fore_val_bool(!held) : FORE_ANY;
    *next = fore_val_bool(op->f != RELEASE);
    return op->f == TRY_ACQUIRE || held == (op->f == RELEASE);
}

static const struct fore_model mutex_model = {
    .name = "mutex",
    .summary = "acquire, release, try-acquire; held is true, free is false",
    OPS(mutex_ops),
    .init = "false",
    .start = mutex_start,
    .step = mutex_step,
};

/* Answers what it was asked. */

static const struct fore_model_op echo_ops[] = {
    {"echo", 1, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

static bool echo_step(STEP_ARGS)
{
    (void)m, (void)t;
    *next = state;
    *result = op->arg[0];
    return true;
}

static const struct fore_model echo_model = {
    .name = "echo",
    .summary = "echo (answers its argument)",
    OPS(echo_ops),
    .init = "nil",
    .by_name = true,
    .step = echo_step,
};

const struct fore_model *const fore_models[] = {
    &register_model,
    &cas_model,
    &kv_model,
    &counter_model,
    &fore_object_set,
    &fore_object_queue,
    &fore_object_stack,
    &fore_object_pqueue,
    &mutex_model,
    &fore_object_log,
    &fore_object_multiset,
    &echo_model,
    &fore_object_ids,
    NULL,
};
