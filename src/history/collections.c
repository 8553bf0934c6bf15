/* Built-in sequential objects that hold several values: sets, queues, stacks, logs. */
#include "history/objects.h"

#include "base/search.h"

#include <string.h>

/* Lists as states: sets and priority queues are sorted, queues are in order. */

static bool list_start(const struct fore_model *m, struct fore_vals *t, fore_val init,
                       fore_val *state)
{
    (void)m, (void)t;
    *state = init;
    return fore_val_kind(init) == FORE_VAL_LIST;
}

static size_t lower_bound(struct fore_vals *t, const fore_val *items, size_t n,
                          fore_val v)
{
    size_t lo = 0, hi = n;
    FORE_BISECT(lo, hi, mid, fore_val_compare(t, items[mid], v) < 0);
    return lo;
}

/* `list` without the `cut` items at `at`, and with the `n_new` items in their place. */
static fore_val splice(struct fore_vals *t, fore_val list, size_t at, size_t cut,
                       const fore_val *items, size_t n_new)
{
    size_t n;
    const fore_val *old = fore_val_items(t, list, &n);
    FORE_VEC(fore_val) all = {0};
    fore_vec_reserve(&all, n - cut + n_new + 1);
    for (size_t i = 0; i < at; i++)
        fore_vec_push(&all, old[i]);
    for (size_t i = 0; i < n_new; i++)
        fore_vec_push(&all, items[i]);
    for (size_t i = at + cut; i < n; i++)
        fore_vec_push(&all, old[i]);
    fore_val v = fore_val_list(t, all.at, all.n);
    fore_vec_release(&all);
    return v;
}

/* The items of a list in ascending order; `once`: each value once. */
static fore_val sorted_list(struct fore_vals *t, fore_val list, bool once)
{
    size_t n, kept = 0;
    const fore_val *items = fore_val_items(t, list, &n);
    fore_val *sorted = fore_calloc(n + 1, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = items[i];
    fore_val_sort(t, sorted, n, 1);
    for (size_t i = 0; i < n; i++)
        if (!once || !kept || !fore_val_is(sorted[i], sorted[kept - 1]))
            sorted[kept++] = sorted[i];
    fore_val v = fore_val_list(t, sorted, kept);
    fore_free(sorted);
    return v;
}

static bool sorted_start(const struct fore_model *m, struct fore_vals *t, fore_val init,
                         fore_val *state)
{
    (void)m;
    *state = sorted_list(t, init, false);
    return fore_val_kind(init) == FORE_VAL_LIST;
}

static bool set_start(const struct fore_model *m, struct fore_vals *t, fore_val init,
                      fore_val *state)
{
    (void)m;
    *state = sorted_list(t, init, true);
    return fore_val_kind(init) == FORE_VAL_LIST;
}

enum { SET_ADD, SET_REMOVE, SET_HAS, SET_READ, SET_SIZE };

static const struct fore_model_op set_ops[] = {
    [SET_ADD] = {"add insert", 1, FORE_ANSWER_BOOL, FORE_ROLE_PUT},
    [SET_REMOVE] = {"remove delete", 1, FORE_ANSWER_BOOL, FORE_ROLE_DROP},
    [SET_HAS] = {"contains has member", 1, FORE_ANSWER_BOOL, FORE_ROLE_LOOK},
    [SET_READ] = {"read", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [SET_SIZE] = {"size", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

/* A read may list the members in any order. */
static void set_normalize(const struct fore_model *m, struct fore_vals *t,
                          struct fore_op *op)
{
    if (op->f == SET_READ && fore_val_kind(op->result) == FORE_VAL_LIST)
        set_start(m, t, op->result, &op->result);
}

static bool set_step(STEP_ARGS)
{
    size_t n;
    const fore_val *items = fore_val_items(t, state, &n);
    (void)m;
    *next = state;
    if (op->f == SET_SIZE)
        *result = fore_val_int(t, (int64_t)n);
    else if (op->f == SET_READ)
        *result = state;
    if (op->f >= SET_READ)
        return true;
    size_t at = lower_bound(t, items, n, op->arg[0]);
    bool there = at < n && fore_val_is(items[at], op->arg[0]);
    *result = fore_val_bool(op->f == SET_ADD ? !there : there);
    if (op->f == SET_ADD && !there)
        *next = splice(t, state, at, 0, op->arg, 1);
    if (op->f == SET_REMOVE && there)
        *next = splice(t, state, at, 1, NULL, 0);
    return true;
}

const struct fore_model fore_object_set = {
    .name = "set",
    .aliases = "set-full",
    .summary = "add, remove, contains, read, size",
    OPS(set_ops),
    .init = "[]",
    .by_element = true,
    .shape = FORE_SHAPE_SET,
    .start = set_start,
    .step = set_step,
    .normalize = set_normalize,
};

/* A multiset holds a value several times; adding always works. */

enum { BAG_ADD, BAG_REMOVE, BAG_HAS, BAG_COUNT, BAG_READ, BAG_SIZE };

static const struct fore_model_op multiset_ops[] = {
    [BAG_ADD] = {"add insert", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
    [BAG_REMOVE] = {"remove delete", 1, FORE_ANSWER_BOOL, FORE_ROLE_DROP},
    [BAG_HAS] = {"contains has member", 1, FORE_ANSWER_BOOL, FORE_ROLE_LOOK},
    [BAG_COUNT] = {"count", 1, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [BAG_READ] = {"read", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [BAG_SIZE] = {"size", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

static void multiset_normalize(const struct fore_model *m, struct fore_vals *t,
                               struct fore_op *op)
{
    if (op->f == BAG_READ && fore_val_kind(op->result) == FORE_VAL_LIST)
        sorted_start(m, t, op->result, &op->result);
}

static bool multiset_step(STEP_ARGS)
{
    size_t n, count = 0;
    const fore_val *items = fore_val_items(t, state, &n);
    (void)m;
    *next = state;
    *result = op->f == BAG_READ   ? state
              : op->f == BAG_SIZE ? fore_val_int(t, (int64_t)n)
                                  : FORE_ANY;
    if (op->f >= BAG_READ)
        return true;
    size_t at = lower_bound(t, items, n, op->arg[0]);
    while (at + count < n && fore_val_is(items[at + count], op->arg[0]))
        count++;
    if (op->f == BAG_COUNT)
        *result = fore_val_int(t, (int64_t)count);
    else if (op->f != BAG_ADD)
        *result = fore_val_bool(count > 0);
    if (op->f == BAG_ADD)
        *next = splice(t, state, at, 0, op->arg, 1);
    if (op->f == BAG_REMOVE && count)
        *next = splice(t, state, at, 1, NULL, 0);
    return true;
}

const struct fore_model fore_object_multiset = {
    .name = "multiset",
    .summary = "add, remove, contains, count, read, size",
    .aliases = "bag",
    .by_name = true,
    OPS(multiset_ops),
    .init = "[]",
    .by_element = true,
    .start = sorted_start,
    .step = multiset_step,
    .normalize = multiset_normalize,
};

/* Containers: put, take, look at what would be taken. Empty answers nil. */

enum { PUT, TAKE, LOOK };

static const struct fore_model_op queue_ops[] = {
    [PUT] = {"enqueue enq put", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
    [TAKE] = {"dequeue deq take", 0, FORE_ANSWER_VALUE, FORE_ROLE_TAKE},
    [LOOK] = {"peek front", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

static const struct fore_model_op stack_ops[] = {
    [PUT] = {"push put", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
    [TAKE] = {"pop take", 0, FORE_ANSWER_VALUE, FORE_ROLE_TAKE},
    [LOOK] = {"peek top", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

static const struct fore_model_op pqueue_ops[] = {
    [PUT] = {"insert add put", 1, FORE_ANSWER_NONE, FORE_ROLE_PUT},
    [TAKE] = {"delete-min deletemin extract-min take", 0, FORE_ANSWER_VALUE,
              FORE_ROLE_TAKE},
    [LOOK] = {"min peek", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

static bool queue_step(STEP_ARGS)
{
    size_t n;
    const fore_val *items = fore_val_items(t, state, &n);
    bool sorted = m->shape == FORE_SHAPE_PQUEUE;
    *next = state;
    *result = FORE_ANY;
    if (op->f == PUT) {
        size_t at = sorted ? lower_bound(t, items, n, op->arg[0]) : n;
        *next = splice(t, state, at, 0, op->arg, 1);
        return true;
    }
    *result = n ? items[0] : FORE_NIL;
    if (op->f == TAKE && n)
        *next = fore_val_list(t, items + 1, n - 1);
    return true;
}

const struct fore_model fore_object_queue = {
    .name = "queue",
    .aliases = "fifo-queue",
    .summary = "enqueue, dequeue (nil when empty), peek",
    OPS(queue_ops),
    .init = "[]",
    .value_closed = true,
    .shape = FORE_SHAPE_QUEUE,
    .start = list_start,
    .step = queue_step,
};

/* Values in the queue only keep larger ones from being taken. So a value is inserted no earlier
 * than an answer needs it, and taken before its time only if another is about to be inserted, or
 * a larger one to be taken. */
static bool pqueue_helps(const struct fore_vals *t, fore_val state,
                         const struct fore_op *due, const struct fore_op *op)
{
    size_t n;
    const fore_val *items = fore_val_items(t, state, &n);
    fore_val wanted = due->f == PUT ? due->arg[0] : due->result;
    bool there = false, nil = due->f != PUT && fore_val_is(wanted, FORE_NIL);
    if (op->f == LOOK || (due->f != PUT && fore_val_is(wanted, FORE_ANY)))
        return true;
    for (size_t i = 0; i < n && !there; i++)
        there = fore_val_is(items[i], due->f == LOOK ? wanted : op->arg[0]);
    /* A look at a value that is not there has to wait for its insert, and leaves it there. */
    bool inserts = due->f == PUT || (due->f == LOOK && !nil && !there);
    if (op->f == TAKE)
        return n && (inserts || nil || fore_val_compare(t, items[0], wanted) < 0);
    if (inserts && fore_val_compare(t, op->arg[0], wanted) > 0)
        return due->f == LOOK || !there;
    return !there && due->f != PUT && fore_val_is(op->arg[0], wanted);
}

const struct fore_model fore_object_pqueue = {
    .name = "pqueue",
    .summary = "insert, delete-min (nil when empty), min",
    OPS(pqueue_ops),
    .init = "[]",
    .value_closed = true,
    .shape = FORE_SHAPE_PQUEUE,
    .start = sorted_start,
    .step = queue_step,
    .helps = pqueue_helps,
};

/* Stacks and logs only grow and shrink at the end: chains share the rest. */

static bool chain_start(const struct fore_model *m, struct fore_vals *t, fore_val init,
                        fore_val *state)
{
    size_t n;
    const fore_val *items = fore_val_items(t, init, &n);
    (void)m;
    *state = fore_val_list(t, NULL, 0);
    for (size_t i = 0; i < n; i++)
        *state = fore_val_chain(t, *state, items[i]);
    return fore_val_kind(init) == FORE_VAL_LIST;
}

static bool stack_step(STEP_ARGS)
{
    (void)m;
    *next = state;
    *result = FORE_ANY;
    if (op->f == PUT) {
        *next = fore_val_chain(t, state, op->arg[0]);
        return true;
    }
    *result = FORE_NIL;
    if (fore_val_kind(state) != FORE_VAL_CHAIN)
        return true;
    fore_val below = fore_val_unchain(t, state, result);
    if (op->f == TAKE)
        *next = below;
    return true;
}

const struct fore_model fore_object_stack = {
    .name = "stack",
    .summary = "push, pop (nil when empty), peek",
    OPS(stack_ops),
    .init = "[]",
    .value_closed = true,
    .shape = FORE_SHAPE_STACK,
    .start = chain_start,
    .step = stack_step,
};

/* Log: append answers the index, from 0. */

enum { LOG_APPEND, LOG_READ, LOG_GET, LOG_LENGTH };

static const struct fore_model_op log_ops[] = {
    [LOG_APPEND] = {"append", 1, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
    [LOG_READ] = {"read read-all", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [LOG_GET] = {"get at", 1, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
    [LOG_LENGTH] = {"length size", 0, FORE_ANSWER_VALUE, FORE_ROLE_LOOK},
};

static fore_val log_at(const struct fore_vals *t, fore_val state, int64_t index)
{
    int64_t length = (int64_t)fore_val_chain_length(t, state);
    fore_val x = FORE_NIL;
    if (index < 0)
        return x;
    for (int64_t i = length; i > index; i--)
        state = fore_val_unchain(t, state, &x);
    return x;
}

static bool log_step(STEP_ARGS)
{
    int64_t length = (int64_t)fore_val_chain_length(t, state), index;
    (void)m;
    *next = state;
    switch (op->f) {
    case LOG_APPEND:
        *next = fore_val_chain(t, state, op->arg[0]);
        *result = fore_val_int(t, length);
        return true;
    case LOG_READ:
        *result = fore_val_chain_list(t, state);
        return true;
    case LOG_GET:
        if (!fore_val_to_int(t, op->arg[0], &index))
            return false;
        *result = log_at(t, state, index);
        return true;
    default:
        *result = fore_val_int(t, length);
        return true;
    }
}

const struct fore_model fore_object_log = {
    .name = "log",
    .summary = "append (answers the index), read, get, length",
    OPS(log_ops),
    .init = "[]",
    .start = chain_start,
    .step = log_step,
};

/* Answers a value that it has never answered before, whichever it likes. */

static const struct fore_model_op ids_ops[] = {
    {"generate", 0, FORE_ANSWER_VALUE, FORE_ROLE_OTHER},
};

static bool ids_step(STEP_ARGS)
{
    size_t n;
    const fore_val *items = fore_val_items(t, state, &n);
    (void)m;
    *result = op->result;
    if (fore_val_is(op->result, FORE_ANY)) /* not chosen yet */
        return false;
    size_t at = lower_bound(t, items, n, op->result);
    if (at < n && fore_val_is(items[at], op->result))
        return false;
    *next = splice(t, state, at, 0, &op->result, 1);
    return true;
}

const struct fore_model fore_object_ids = {
    .name = "ids",
    .aliases = "unique-ids",
    .summary = "generate (answers what was never answered before)",
    OPS(ids_ops),
    .init = "[]",
    .by_name = true,
    .start = set_start,
    .step = ids_step,
};
