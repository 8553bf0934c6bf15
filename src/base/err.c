#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FORE_PRINTF(4, 0)
static void fill_err(struct fore_err *e, enum fore_status s, const char *file,
                     const char *fmt, va_list ap)
{
    memset(e, 0, sizeof *e);
    e->status = s;
    snprintf(e->file, sizeof e->file, "%s", file ? file : "");
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
}

enum fore_status fore_fail(struct fore_err *e, enum fore_status s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (e)
        fill_err(e, s, NULL, fmt, ap);
    va_end(ap);
    return s;
}

enum fore_status fore_fail_at(struct fore_err *e, enum fore_status s, const char *file,
                              uint64_t line, uint64_t column, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (e) {
        fill_err(e, s, file, fmt, ap);
        e->line = line;
        e->column = column;
    }
    va_end(ap);
    return s;
}

enum fore_status fore_fail_offset(struct fore_err *e, enum fore_status s,
                                  const char *file, uint64_t offset, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (e) {
        fill_err(e, s, file, fmt, ap);
        e->offset = offset;
        e->has_offset = true;
    }
    va_end(ap);
    return s;
}

void fore_err_format(const struct fore_err *e, char *out, unsigned long size)
{
    const char *sep = e->file[0] ? ": " : "";
    if (e->line)
        snprintf(out, size, "%s:%llu:%llu: %s", e->file, (unsigned long long)e->line,
                 (unsigned long long)e->column, e->msg);
    else if (e->has_offset)
        snprintf(out, size, "%s%soffset %llu: %s", e->file, sep,
                 (unsigned long long)e->offset, e->msg);
    else
        snprintf(out, size, "%s%s%s", e->file, sep, e->msg);
}

_Noreturn void fore_bug(const char *file, int line, const char *what)
{
    fprintf(stderr, "foresee: internal error at %s:%d: %s\n", file, line, what);
    abort();
}
