/* Sequential objects, against which histories are checked. A model is deterministic: in a given
 * state an operation has one result and one next state, or it is not enabled (a lock that is
 * held). States are values, so equal states are equal words.
 *
 * An operation's result may be FORE_ANY: then every observed answer is right. */
#ifndef FORE_HISTORY_MODEL_H
#define FORE_HISTORY_MODEL_H

#include "history/op.h"

enum fore_answer {
    FORE_ANSWER_NONE,  /* the answer says nothing (write) */
    FORE_ANSWER_VALUE, /* the answer is a value (read) */
    FORE_ANSWER_BOOL, /* it worked, or it did not and changed nothing (compare-and-set) */
};

/* What the special algorithms and the shrinker need to know of an operation. */
enum fore_role {
    FORE_ROLE_OTHER,
    FORE_ROLE_PUT,    /* write, enqueue, push, add: brings the value arg[0] */
    FORE_ROLE_TAKE,   /* dequeue, pop: takes the value it answers; nil when empty */
    FORE_ROLE_LOOK,   /* read, contains: never changes the state */
    FORE_ROLE_APPEND, /* adds its argument at the end */
    FORE_ROLE_DROP,   /* remove: takes the value arg[0] */
};

struct fore_model_op {
    const char *names; /* separated by blanks, the first is the one that is shown */
    uint8_t nargs;     /* at most 2; the key of a keyed model not counted */
    enum fore_answer answer;
    enum fore_role role;
};

/* Which special algorithm fits, if its precondition holds. */
enum fore_shape {
    FORE_SHAPE_OTHER,
    FORE_SHAPE_REGISTER,
    FORE_SHAPE_SET,
    FORE_SHAPE_QUEUE,
    FORE_SHAPE_STACK,
    FORE_SHAPE_PQUEUE,
};

struct fore_model {
    const char *name, *summary;
    const char *aliases; /* other names, separated by blanks; NULL: none */
    const struct fore_model_op *ops;
    size_t n_ops;
    const char *init; /* the initial state in the notation of values, if none is given */
    bool by_name;     /* it is not guessed if another object fits, too */
    bool keyed;       /* the first argument names one of many independent objects */
    bool by_element;  /* operations with one argument concern only that element */
    /* leaving out every operation on a value leaves a legal run legal */
    bool value_closed;
    enum fore_shape shape;
    /* `init` as a state; false if it can be none. NULL: every value is a state. */
    bool (*start)(const struct fore_model *m, struct fore_vals *t, fore_val init,
                  fore_val *state);
    bool (*step)(const struct fore_model *m, struct fore_vals *t, fore_val state,
                 const struct fore_op *op, fore_val *next, fore_val *result);
    /* Can appends alone lead from `state` to one in which `op`, which only looks, gets its
     * recorded answer? NULL: perhaps. */
    bool (*can_grow)(const struct fore_vals *t, fore_val state, const struct fore_op *op);
    /* The next answer is that of `due`: can it help if `op` takes effect before? NULL: perhaps. */
    bool (*helps)(const struct fore_vals *t, fore_val state, const struct fore_op *due,
                  const struct fore_op *op);
    /* Brings an observed answer into the form that `step` produces. May be NULL. */
    void (*normalize)(const struct fore_model *m, struct fore_vals *t,
                      struct fore_op *op);
    /* Shows a state; NULL: states are shown as values. */
    void (*state_text)(const struct fore_model *m, const struct fore_vals *t,
                       fore_val state, struct fore_strbuf *out);
    void *user; /* of models from shared objects */
};

/* Does the operation, with its answer, leave every state unchanged in which that answer is
 * right? (`nil` from a container does, unless nil is put into containers.) */
bool fore_op_idle(const struct fore_model *m, const struct fore_op *op, bool nil_is_put);

extern const struct fore_model *const fore_models[];        /* ends with NULL */
const struct fore_model *fore_model_find(const char *name); /* or NULL */
/* The object from the shared object at `path`; fore_model_close takes it back, and leaves
 * built-in ones alone. */
enum fore_status fore_model_open(const char *path, const struct fore_model **model,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_model_close(const struct fore_model *m);
/* The index of the operation that has this name, or -1. */
int fore_model_op_find(const struct fore_model *m, const char *name, size_t n);
/* The name that is shown; lives as long as the model. */
struct fore_bytes fore_model_op_name(const struct fore_model *m, uint16_t f);
/* Fills the initial state from text (NULL: the model's own). False if it cannot be one.
 */
bool fore_model_start(const struct fore_model *m, struct fore_vals *t, const char *init,
                      fore_val *state);
/* The same from a value. */
bool fore_model_start_from(const struct fore_model *m, struct fore_vals *t, fore_val init,
                           fore_val *state);
void fore_model_state_text(const struct fore_model *m, const struct fore_vals *t,
                           fore_val state, struct fore_strbuf *out);
/* "write 3", "read=2", "cas 1 2=false"; pending operations show no answer. */
void fore_op_text(const struct fore_model *m, const struct fore_vals *t,
                  const struct fore_op *op, struct fore_strbuf *out);

/* One step, with the observed answer compared: the only way in which checkers step. */
static inline bool fore_model_step(const struct fore_model *m, struct fore_vals *t,
                                   fore_val state, const struct fore_op *op,
                                   fore_val *next)
{
    fore_val result;
    return m->step(m, t, state, op, next, &result) && fore_val_agrees(op->result, result);
}

#endif
