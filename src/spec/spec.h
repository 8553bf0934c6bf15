/* A specification: variables, propositions and named properties, as read from a file. */
#ifndef FORE_SPEC_SPEC_H
#define FORE_SPEC_SPEC_H

#include "spec/ere.h"
#include "spec/source.h"

enum fore_property_kind {
    FORE_PROP_LTL,
    FORE_PROP_ERE,     /* the bad prefixes */
    FORE_PROP_MATCH,   /* the good runs: bad when no extension is one */
    FORE_PROP_MONITOR, /* a shared object */
};

struct fore_property {
    const char *name;
    enum fore_property_kind kind;
    struct fore_span span; /* what stands after the colon */
    /* LTL, as written; to hold in every state if it has no future operator. */
    const struct fore_node *formula;
    uint32_t ere;       /* ERE, MATCH: a term of fore_spec.ere */
    const char *object; /* MONITOR: path of the shared object */
    uint32_t *atoms;    /* LTL, ERE: bit k of a letter is atom atoms[k] */
    uint32_t atom_count;
    uint64_t *vars; /* bitset over variables */
};

struct fore_spec {
    struct fore_arena arena;
    struct fore_source src;
    struct fore_symbols symbols;
    struct fore_ere ere;
    FORE_VEC(struct fore_property) props;
};

enum { FORE_SPEC_MAX_ATOMS = 24 }; /* of one property: letters have one bit for each */

/* The text is copied. Even after an error the specification must be released. */
enum fore_status fore_spec_parse(struct fore_spec *s, const char *file, const char *text,
                                 size_t n, struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_spec_load(struct fore_spec *s, const char *path,
                                struct fore_err *e) FORE_MUST_USE;
void fore_spec_release(struct fore_spec *s);

/* Fails for the first variable that `known` does not have, and names the nearest one. */
enum fore_status fore_spec_check_names(const struct fore_spec *s,
                                       const char *const *known, size_t count,
                                       struct fore_err *e) FORE_MUST_USE;
/* The id of a variable, or -1. */
int fore_spec_var(const struct fore_spec *s, const char *name);
const char *fore_property_kind_text(const struct fore_property *p);

#endif
