/* Reads a whole JSON document into an arena. For documents (findings, baselines), not for
 * bulk data. Numbers keep their text, so that 64-bit integers are exact. */
#ifndef FORE_BASE_JSON_H
#define FORE_BASE_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum fore_json_kind {
    FORE_JSON_NULL,
    FORE_JSON_BOOL,
    FORE_JSON_NUMBER,
    FORE_JSON_STRING,
    FORE_JSON_ARRAY,
    FORE_JSON_OBJECT,
};

/* Members of arrays and objects are a list, in document order. */
struct fore_json {
    enum fore_json_kind kind;
    bool truth;
    struct fore_bytes text; /* of a string (decoded) or a number (as written) */
    struct fore_bytes key;  /* if this is a member of an object */
    struct fore_json *first, *next;
};

enum fore_status fore_json_read(struct fore_arena *a, const char *file, const char *text,
                                size_t n, const struct fore_json **out,
                                struct fore_err *e) FORE_MUST_USE;

/* All of these take NULL and then answer NULL, "" or the default. */
const struct fore_json *fore_json_get(const struct fore_json *object, const char *key);
const char *fore_json_text(const struct fore_json *v); /* of a string, else "" */
int64_t fore_json_int(const struct fore_json *v,
                      int64_t otherwise); /* number or string */
bool fore_json_true(const struct fore_json *v);
/* Appends the value as it was written, without white space; nothing for NULL. */
void fore_json_write(const struct fore_json *v, struct fore_strbuf *out);

/* Reads the string literal at s (which starts with a quote), as JSON has them; `*used` gets
 * its length in the source. Shared with the trace notation. */
enum fore_status fore_json_string(struct fore_arena *a, const char *s, size_t n,
                                  size_t *used, struct fore_bytes *out,
                                  const char **why) FORE_MUST_USE;

#endif
