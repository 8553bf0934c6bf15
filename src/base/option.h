/* Options as tables: parsing, help, completion and man pages all come from the same rows. */
#ifndef FORE_BASE_OPTION_H
#define FORE_BASE_OPTION_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* A table ends with a row without name. */
struct fore_option {
    const char *name; /* "window": spelled --window */
    char letter;      /* 'w': also spelled -w; 0 if none */
    const char *
        arg; /* the name of its argument; NULL: a flag. "[=all]": an argument that may be left
               * out, and is given after a = */
    const char *help;
};

/* The values given. Texts belong to argv. The last of a repeated option counts. */
struct fore_param {
    const char *name, *value;
};

struct fore_params {
    FORE_VEC(struct fore_param) set;
};

enum { FORE_MAX_TABLES = 16 };

enum fore_option_rest {
    FORE_REST_MIXED, /* options and words may be mixed; everything after "--" is a word */
    FORE_REST_GO, /* the same, and everything from "go test" or "go run" on is a word */
    FORE_REST_FIRST, /* the first word ends the options: the rest belongs to another command */
    FORE_REST_ALL, /* everything belongs to another command, except a single --help */
};

/* `tables` ends with NULL. Words that are no options are pushed to `words`. */
struct fore_words {
    FORE_VEC(const char *) v;
    bool dashed; /* there was a "--", before word number `behind` */
    size_t behind;
};
enum fore_status fore_params_parse(struct fore_params *p, struct fore_words *words,
                                   const struct fore_option *const *tables,
                                   enum fore_option_rest rest, int argc, char **argv,
                                   struct fore_err *e) FORE_MUST_USE;
void fore_params_release(struct fore_params *p);
void fore_params_set(struct fore_params *p, const char *name, const char *value);

bool fore_params_has(const struct fore_params *p, const char *name);
const char *fore_params_text(const struct fore_params *p, const char *name,
                             const char *otherwise);
enum fore_status fore_params_u64(const struct fore_params *p, const char *name,
                                 uint64_t otherwise, uint64_t *out,
                                 struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_params_double(const struct fore_params *p, const char *name,
                                    double otherwise, double *out,
                                    struct fore_err *e) FORE_MUST_USE;
/* One of the words in `choices` ("auto|always|never"); `*out` is its position. */
enum fore_status fore_params_choice(const struct fore_params *p, const char *name,
                                    const char *choices, unsigned otherwise,
                                    unsigned *out, struct fore_err *e) FORE_MUST_USE;
/* Is `word` a member of the comma-separated `list`? */
bool fore_list_has(const char *list, const char *word);

/* The candidate nearest to `word`, or NULL if none is near: for "did you mean". */
const char *fore_nearest(const char *word, const char *const *candidates, size_t n);

#endif
