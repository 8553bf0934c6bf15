/* A sequential object of your own, for `foresee lin --object ./object.so` and
 * `foresee check --model ./object.so`. Export one `struct foresee_model` with the name
 * `foresee_model`:
 *
 *     cc -shared -fPIC -o object.so object.c
 *
 * The object must be deterministic: in a given state an operation has one result and one
 * next state, or it is not possible there (it would wait). Functions are called from several
 * threads and must not keep anything between calls. */
#ifndef FORESEE_MODEL_H
#define FORESEE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FORESEE_MODEL_ABI 1u

enum foresee_value_kind {
    FORESEE_NIL,
    FORESEE_BOOL,   /* i is 0 or 1 */
    FORESEE_INT,    /* i */
    FORESEE_TEXT,   /* text, n bytes */
    FORESEE_LIST,   /* n items */
    FORESEE_NUMBER, /* any other number, as it was written: text */
    FORESEE_ANY,    /* as a result: whatever was observed is right */
};

struct foresee_value {
    enum foresee_value_kind kind;
    int64_t i;
    const char *text;
    size_t n;
    const struct foresee_value *items;
};

enum foresee_operation_flags {
    FORESEE_READS_ONLY = 1,      /* never changes the state */
    FORESEE_ANSWERS_NOTHING = 2, /* its answer does not matter */
    FORESEE_ANSWERS_BOOL = 4,    /* worked or not; if not, nothing has changed */
};

struct foresee_operation {
    const char *names; /* separated by blanks; the first is shown */
    unsigned args;     /* 0, 1 or 2; the key of a keyed object is not counted */
    unsigned flags;
};

struct foresee_model {
    size_t size;  /* sizeof(struct foresee_model) */
    uint32_t abi; /* FORESEE_MODEL_ABI */
    const char *name;
    const struct foresee_operation *operations;
    size_t n_operations;
    size_t state_size; /* bytes; states are plain memory, copied with memcpy */
    int keyed;         /* the first argument names one of many independent objects */

    /* Fills a cleared state; `value` is what --init says, or NULL. 0 if it can. */
    int (*init)(void *state, const struct foresee_value *value);
    /* `next` holds a copy of `state` and is made the state after operation `op`. `result`
     * is NIL; what it points to must outlive the call. 0 if the operation is possible. */
    int (*step)(const void *state, unsigned op, const struct foresee_value *args,
                void *next, struct foresee_value *result);

    /* The rest may be NULL. Without these two, states are equal if their bytes are. */
    int (*equal)(const void *a, const void *b);
    uint64_t (*hash)(const void *state);
    /* As snprintf. */
    int (*text)(const void *state, char *out, size_t size);
};

#ifdef __cplusplus
}
#endif

#endif
