/* Values of operations and of sequential objects: nil, truth values, numbers, strings,
 * lists. A value is one word; within one table, equal values are equal words, so
 * comparison, hashing and copying cost nothing. A table serves one thread at a time. */
#ifndef FORE_HISTORY_VALUE_H
#define FORE_HISTORY_VALUE_H

#include "base/map.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum fore_val_kind {
    FORE_VAL_ATOM,   /* nil, any, false, true */
    FORE_VAL_INT,    /* in the word itself, 61 bits */
    FORE_VAL_STRING, /* any bytes */
    FORE_VAL_LIST,
    FORE_VAL_NUMBER, /* a number that is no small integer, as it was written */
    FORE_VAL_CHAIN,  /* a list that shares all but its last element with a shorter one */
    FORE_VAL_ROPE,   /* a string that shares all but its end with a shorter one */
};

typedef struct {
    uint64_t w;
} fore_val;

/* `any` is the answer that nobody knows or cares about: it agrees with every value. */
#define FORE_NIL ((fore_val){0})
#define FORE_ANY ((fore_val){1u << 3})
#define FORE_FALSE ((fore_val){2u << 3})
#define FORE_TRUE ((fore_val){3u << 3})

static inline bool fore_val_is(fore_val a, fore_val b)
{
    return a.w == b.w;
}

static inline bool fore_val_agrees(fore_val a, fore_val b)
{
    return a.w == b.w || a.w == FORE_ANY.w || b.w == FORE_ANY.w;
}

static inline fore_val fore_val_bool(bool b)
{
    return b ? FORE_TRUE : FORE_FALSE;
}

static inline enum fore_val_kind fore_val_kind(fore_val v)
{
    return (enum fore_val_kind)(v.w & 7);
}

struct fore_vals {
    struct fore_intern strings, lists, numbers, chains, ropes;
    /* For models with an equality of their own: hash -> a state, state -> the next one
     * with the same hash. */
    struct fore_map classes, next_class;
};

void fore_vals_release(struct fore_vals *t);
size_t fore_vals_bytes(const struct fore_vals *t); /* memory held, about */

fore_val fore_val_int(struct fore_vals *t, int64_t i);
fore_val fore_val_string(struct fore_vals *t, const char *s, size_t n);
fore_val fore_val_list(struct fore_vals *t, const fore_val *items, size_t n);
/* `text` must be a number as JSON writes it; "12" gives the integer 12. */
fore_val fore_val_number(struct fore_vals *t, const char *text, size_t n);
/* The chain `before` with one more element; a chain begins with the empty list. */
fore_val fore_val_chain(struct fore_vals *t, fore_val before, fore_val last);

/* `before`, a string or rope, with the string `end` behind it. A text can be made of pieces
 * in several ways: equal ropes may be different words, and differ from their string. */
fore_val fore_val_rope(struct fore_vals *t, fore_val before, fore_val end);
bool fore_val_same_text(const struct fore_vals *t, fore_val rope, fore_val string);
/* Does the string begin with the text of the rope (or string)? */
bool fore_val_begins(const struct fore_vals *t, fore_val string, fore_val rope);
fore_val fore_val_flat(struct fore_vals *t,
                       fore_val v); /* a rope's string; others as is */

bool fore_val_to_int(const struct fore_vals *t, fore_val v, int64_t *i);
/* Of a string or a number kept as text; empty for others. */
struct fore_bytes fore_val_bytes(const struct fore_vals *t, fore_val v);
/* The items of a list; they live as long as the table. NULL and 0 for others. */
const fore_val *fore_val_items(const struct fore_vals *t, fore_val v, size_t *n);
size_t fore_val_chain_length(const struct fore_vals *t, fore_val v);
/* Takes apart a chain that is not empty. */
fore_val fore_val_unchain(const struct fore_vals *t, fore_val v, fore_val *last);
fore_val fore_val_chain_list(struct fore_vals *t, fore_val chain);

/* nil < false < true < numbers < strings < lists; the same in every run. */
int fore_val_compare(const struct fore_vals *t, fore_val a, fore_val b);
/* Sorts `n` rows of `width` values each by their first ones. */
void fore_val_sort(struct fore_vals *t, fore_val *rows, size_t n, size_t width);
/* Depends on the content alone, not on the table. */
uint64_t fore_val_hash(const struct fore_vals *t, fore_val v);
/* As in the trace notation: nil, 12, "text", [1, 2]; any is `?`. */
void fore_val_text(const struct fore_vals *t, fore_val v, struct fore_strbuf *out);
/* Reads what fore_val_text writes; a bare word is a string. False if `text` is no value.
 */
bool fore_val_parse(struct fore_vals *t, const char *text, size_t n, fore_val *out);
/* The value of `v` (of table `from`) in table `into`. */
fore_val fore_val_import(struct fore_vals *into, const struct fore_vals *from,
                         fore_val v);
/* The same for states, which may be chains. */
fore_val fore_val_import_state(struct fore_vals *into, const struct fore_vals *from,
                               fore_val v);

#endif
