/* A harness: the requests to an actor system, and what its answers mean. A text file with the
 * six sections of the paper and our own; docs/formats/harness.5 describes it.
 *
 *     [specification]   register 0                 the sequential object and its first value
 *     [agents]          1 2: replica               who there is, in which role
 *     [links]           all: fifo                  which messages keep their order
 *     [start]           2 -> 1: FindSuccessor()    messages that are under way at the start
 *     [invocations]     write(5) -> 1: Write(value=5, client=me)
 *                       then read() -> 2: Read()   by the same client, after its answer
 *     [responses]       write: WriteAck            which message to a client answers what
 *     [keys]            Write(key)  Ack(*)         what LiViola may swap, and on which key
 *     [properties]      done: eventually answered(write)      what must come about */
#ifndef FORE_ACTOR_HARNESS_H
#define FORE_ACTOR_HARNESS_H

#include "actor/system.h"
#include "base/map.h"

#include <stdbool.h>

#define FORE_OP_ARGS 4
#define FORE_AGENTS_MAX 60
#define FORE_OPS_MAX 60 /* operations of one harness: they are members of 64-bit sets */

enum { FORE_ANSWER_NO = -2, FORE_ANSWER_VOID = -1 };
/* The result of an answer without a field: it says nothing. No name has this number. */
#define FORE_RESULT_VOID (INT64_MIN + 1)
enum { FORE_KEY_UNLISTED = -2, FORE_KEY_ANY = -1 };

struct fore_call {
    const char *name; /* of the operation on the specification's object */
    uint32_t nargs;
    int64_t args[FORE_OP_ARGS];
    uint64_t line; /* of the harness */
};

/* A message of the initial bag. */
struct fore_post {
    int64_t from, to;
    uint32_t kind;
    int64_t field[FORESEE_FIELDS];
};

struct fore_agent {
    uint32_t role;
    bool shared;  /* --ds2-compat never restores its state */
    bool lasting; /* it does not crash */
    int64_t args[FORESEE_FIELDS];
};

/* Something that holds in a state or does not. */
enum fore_condition_kind {
    FORE_CONDITION_INVOKED,  /* some operation of the name was invoked */
    FORE_CONDITION_ANSWERED, /* every operation of the name was answered */
    FORE_CONDITION_WAITING,  /* some operation of the name was invoked and not answered */
    FORE_CONDITION_PENDING,  /* some message of the kind is under way */
    FORE_CONDITION_SOME,     /* the proposition holds of some actor of its role */
    FORE_CONDITION_EVERY,    /* of every one */
    FORE_CONDITIONS
};

struct fore_condition {
    enum fore_condition_kind kind;
    bool negated;
    uint64_t ops;   /* as bits */
    uint32_t index; /* index of the kind of message, or of the proposition */
};

/* `eventually GOAL`, or `WHEN leads-to GOAL`. */
struct fore_promise {
    const char *name, *text;
    uint64_t line;
    bool leads_to;
    struct fore_condition when, goal;
};

enum { FORE_PROMISES_MAX = 16 };

/* Operation i is invoked by client -(i + 1): posts[i]. The start messages follow. */
struct fore_harness {
    const char *file, *name;
    struct fore_call object;
    FORE_VEC(struct fore_agent) agents; /* agent i + 1 */
    FORE_VEC(struct fore_call) ops;
    FORE_VEC(struct fore_post) posts;
    FORE_VEC(struct fore_post) start;
    FORE_VEC(int32_t) then; /* by operation: what its client invokes next, or -1 */
    uint64_t waits;         /* operations that are invoked after another one, as bits */
    bool fifo;              /* some link keeps its messages in order; all: fifo_all */
    bool fifo_all;
    uint64_t fifo_to[FORE_AGENTS_MAX + 1]; /* by sender: receivers, as bits */
    FORE_VEC(struct fore_promise) properties;
    int8_t *answers; /* [kind * ops.n + op]: field of the result, or FORE_ANSWER_* */
    int8_t *keys;    /* [kind]: field of the key, or FORE_KEY_* */
    struct fore_intern names;
};

/* Release `h` even after an error. Strings live in `a`. */
enum fore_status fore_harness_parse(struct fore_harness *h, struct fore_arena *a,
                                    const struct fore_system *s, const char *file,
                                    const char *text, size_t n,
                                    struct fore_err *e) FORE_MUST_USE;
void fore_harness_release(struct fore_harness *h);

/* Are messages from one to the other received in the order of sending? Messages of an actor to
 * itself are timers, and clients send one message at a time. */
static inline bool fore_harness_fifo(const struct fore_harness *h, int64_t from,
                                     int64_t to)
{
    if (!h->fifo || from <= 0 || to <= 0 || from == to)
        return false;
    return h->fifo_all || (from <= FORE_AGENTS_MAX && to <= FORE_AGENTS_MAX &&
                           h->fifo_to[from] >> to & 1);
}

/* A value as the harness writes it: 5, nil, k1. */
struct fore_strbuf;
void fore_harness_value_text(const struct fore_harness *h, int64_t v,
                             struct fore_strbuf *out);
/* write(5), get(k1). */
void fore_call_text(const struct fore_harness *h, const struct fore_call *c,
                    struct fore_strbuf *out);

#endif
