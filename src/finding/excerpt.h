/* Lines of source files around the places that findings name. */
#ifndef FORE_FINDING_EXCERPT_H
#define FORE_FINDING_EXCERPT_H

#include "base/arena.h"
#include "base/vec.h"

struct fore_findings;

struct fore_excerpt {
    const char *file;
    uint32_t from; /* its first line */
    const char *const *lines;
    size_t n;
};

struct fore_excerpts {
    FORE_VEC(struct fore_excerpt) v;
};

void fore_excerpts_release(struct fore_excerpts *x);

/* Reads what the findings' places, steps and frames need and is not there yet. */
void fore_findings_read_excerpts(struct fore_findings *f);
/* The beginning of a file that the user has named, under the name that places have for it. */
void fore_findings_read_from(struct fore_findings *f, const char *file, const char *path);

#endif
