/* Errors of the world (I/O, malformed input, bad usage) travel as a must-use status plus a
 * filled `struct fore_err`. The function that detects the error fills it once; the others forward
 * it with FORE_TRY. Our own bugs abort (FORE_BUG_IF); memory that runs out aborts (mem.h).
 * A budget that runs out is not an error but a verdict. */
#ifndef FORE_BASE_ERR_H
#define FORE_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum fore_status {
    FORE_OK,
    FORE_IO,      /* input or output failed */
    FORE_SYNTAX,  /* malformed input */
    FORE_MEANING, /* well-formed input that contradicts itself */
    FORE_TORN,    /* the input ends before it is complete */
    FORE_LIMIT,   /* a size limit was exceeded */
    FORE_USAGE,   /* wrong usage */
    FORE_MISSING, /* an optional part is not available */
    FORE_CHILD,   /* a supervised program failed */
    FORE_SPENT,   /* a budget ended */
};

#define FORE_MUST_USE __attribute__((warn_unused_result))
#define FORE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* line 0: no line is known; then `offset` is shown if `has_offset`. */
struct fore_err {
    enum fore_status status;
    char file[256];
    uint64_t line, column, offset;
    bool has_offset;
    char msg[768];
};

/* Fills `e` (which may be NULL) and returns `s`, so that `return fore_fail(…)` reads well.
 * The position already in `e` is cleared. */
enum fore_status fore_fail(struct fore_err *e, enum fore_status s, const char *fmt, ...)
    FORE_PRINTF(3, 4);
enum fore_status fore_fail_at(struct fore_err *e, enum fore_status s, const char *file,
                              uint64_t line, uint64_t column, const char *fmt, ...)
    FORE_PRINTF(6, 7);
enum fore_status fore_fail_offset(struct fore_err *e, enum fore_status s,
                                  const char *file, uint64_t offset, const char *fmt, ...)
    FORE_PRINTF(5, 6);

/* "file:line:column: message", "file: offset 12: message" or the message alone. */
void fore_err_format(const struct fore_err *e, char *out, unsigned long size);

#define FORE_TRY(expr)                                                                   \
    do {                                                                                 \
        enum fore_status fore_try_ = (expr);                                             \
        if (fore_try_ != FORE_OK)                                                        \
            return fore_try_;                                                            \
    } while (0)

_Noreturn void fore_bug(const char *file, int line, const char *what);
#define FORE_BUG_IF(cond)                                                                \
    do {                                                                                 \
        if (__builtin_expect(!!(cond), 0))                                               \
            fore_bug(__FILE__, __LINE__, #cond);                                         \
    } while (0)

#endif
