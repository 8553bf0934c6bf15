/* Lines of the user's source files, for reports and for stable ids. */
#ifndef FORE_FINDING_SOURCE_H
#define FORE_FINDING_SOURCE_H

#include "base/map.h"

#include <stdio.h>

/* Opens a source file for reading, or returns NULL: only regular files below the root, which is
 * FORESEE_ROOT, the repository or project of the current folder, or that folder. */
FILE *fore_source_open(const char *file);
/* Splits "a/b.go:4:2" into file and line (0: none). */
const char *fore_source_split(struct fore_arena *a, const char *location, uint32_t *line);
/* The line without the white space around it, or NULL if it cannot be read. */
const char *fore_source_line(struct fore_arena *a, const char *file, uint32_t line);

/* Answers of both functions, remembered: thousands of findings have few places. */
struct fore_sources {
    struct fore_intern asked;
    FORE_VEC(const char *) answers; /* by the question's id; NULL: not found */
};
void fore_sources_release(struct fore_sources *s);
const char *fore_sources_line(struct fore_sources *s, struct fore_arena *a,
                              const char *file, uint32_t line);
const char *fore_sources_relative(struct fore_sources *s, struct fore_arena *a,
                                  const char *file);

#endif
