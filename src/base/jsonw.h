/* Writes JSON into a strbuf, minding commas and indentation. Keys and texts may hold any byte.
 * Integers above 2^53 are written as strings: readers of JSON lose them otherwise. */
#ifndef FORE_BASE_JSONW_H
#define FORE_BASE_JSONW_H

#include "base/big.h"
#include "base/strbuf.h"

#include <stdbool.h>

struct fore_jsonw {
    struct fore_strbuf *out;
    unsigned depth;
    bool comma;
};

void fore_jsonw_init(struct fore_jsonw *w, struct fore_strbuf *out);
/* key NULL: a member of an array, or the document itself. */
void fore_jsonw_open(struct fore_jsonw *w, const char *key,
                     char bracket);                        /* '{' or '[' */
void fore_jsonw_close(struct fore_jsonw *w, char bracket); /* '}' or ']' */
void fore_jsonw_text(struct fore_jsonw *w, const char *key,
                     const char *s); /* NULL: null */
void fore_jsonw_bytes(struct fore_jsonw *w, const char *key, const char *s, size_t n);
void fore_jsonw_u64(struct fore_jsonw *w, const char *key, uint64_t x);
void fore_jsonw_real(struct fore_jsonw *w, const char *key, double x);
void fore_jsonw_bool(struct fore_jsonw *w, const char *key, bool x);
void fore_jsonw_null(struct fore_jsonw *w, const char *key);
void fore_jsonw_big(struct fore_jsonw *w, const char *key, const struct fore_big *x);
void fore_jsonw_raw(struct fore_jsonw *w, const char *key, const char *json);

#endif
