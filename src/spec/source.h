/* The text of a specification, and errors that point into it. */
#ifndef FORE_SPEC_SOURCE_H
#define FORE_SPEC_SOURCE_H

#include "base/err.h"
#include "spec/ast.h"

struct fore_source {
    const char *file;
    const char *text;
    size_t n;
};

/* Lines and columns count from 1; columns are characters. */
void fore_source_position(const struct fore_source *s, uint32_t at, uint64_t *line,
                          uint64_t *column);
/* Appends the line and, below it, a caret under the span. */
void fore_source_caret(const struct fore_source *s, struct fore_span at,
                       struct fore_strbuf *out);
/* The message, then the caret lines. */
enum fore_status fore_source_fail(const struct fore_source *s, struct fore_span at,
                                  enum fore_status status, struct fore_err *e,
                                  const char *fmt, ...) FORE_PRINTF(5, 6);

#endif
