/* A recorded history: operations on one object, or on many of a kind. Readers hand in raw
 * records; here they become operations, and what contradicts itself is refused. */
#ifndef FORE_HISTORY_HISTORY_H
#define FORE_HISTORY_HISTORY_H

#include "base/err.h"
#include "history/model.h"

enum fore_record_type { FORE_REC_INVOKE, FORE_REC_OK, FORE_REC_FAIL, FORE_REC_INFO };

/* One event as a format gives it. Values are of the history's table. */
struct fore_record {
    enum fore_record_type type;
    fore_val process;
    struct fore_bytes f; /* the operation's name; may be empty except for invocations */
    fore_val object;     /* nil: the only one */
    fore_val key;        /* of a keyed model */
    bool has_key;
    const fore_val *args; /* of an invocation; NULL: they are in `value` */
    size_t n_args;
    fore_val value;
    bool has_value;
    bool exact;      /* no dialect: everything means what is written */
    uint32_t number; /* tells open operations of one process apart; 0: only one */
    uint32_t line;
    fore_val init; /* the initial value of its object, if `has_init` */
    bool has_init;
    fore_val place; /* a string, if the record knows more than its line: "stack.c:20" */
};

/* What the same words mean in different logs. */
enum fore_dialect {
    FORE_DIALECT_PLAIN,   /* `fail`: it did not happen; answers are as written */
    FORE_DIALECT_JEPSEN,  /* `fail` of a compare-and-set: it compared, and did not set */
    FORE_DIALECT_KNOSSOS, /* `read nil` says nothing; the register starts at 0 */
};

struct fore_history {
    char *name; /* of the file, for messages */
    const struct fore_model *model;
    enum fore_dialect dialect;
    struct fore_vals values;
    FORE_VEC(struct fore_op) ops; /* by invocation */
    FORE_VEC(fore_val) processes; /* their names */
    FORE_VEC(fore_val) objects;   /* the object's name, or [name, key], or the key */
    uint32_t events;              /* positions of operations are below */
    struct fore_map process_ids, object_ids;
    struct fore_map open; /* process, number -> operation + 1 */
    bool independent;     /* objects are chosen by keys: see history/independent.h */
    fore_val init;        /* the initial value of every object, if the file has one */
    bool has_init;
    size_t dropped; /* operations that did not happen, until the history is finished */
};

void fore_history_init(struct fore_history *h, const char *name,
                       const struct fore_model *model);
void fore_history_release(struct fore_history *h);
/* Fails on: an unknown operation, wrong arguments, an answer without invocation, a second
 * open operation of one process. */
enum fore_status fore_history_add(struct fore_history *h, const struct fore_record *r,
                                  struct fore_err *e) FORE_MUST_USE;
/* Removes what did not happen. Must be called once, after the last record. */
void fore_history_finish(struct fore_history *h);

/* Where the operation was invoked: "file:12", or what the trace says. */
void fore_history_place_text(const struct fore_history *h, const struct fore_op *op,
                             struct fore_strbuf *out);
/* "c3", or the process' own name if it is no number. */
void fore_history_process_text(const struct fore_history *h, uint32_t process,
                               struct fore_strbuf *out);

#endif
