/* The words of EDN and JSON, which differ little: maps, lists, strings, bare words. Nothing
 * is copied; words point into the text. */
#ifndef FORE_HISTORY_SCAN_H
#define FORE_HISTORY_SCAN_H

#include "base/err.h"
#include "history/value.h"

enum fore_word_kind {
    FORE_WORD_END,
    FORE_WORD_OPEN_MAP,
    FORE_WORD_CLOSE_MAP, /* also closes a set */
    FORE_WORD_OPEN_LIST, /* vector, list or set */
    FORE_WORD_CLOSE_LIST,
    FORE_WORD_STRING, /* quotes included */
    FORE_WORD_BARE,   /* keyword, number, symbol */
};

struct fore_word {
    enum fore_word_kind kind;
    struct fore_bytes text;
    bool escapes; /* the string has backslashes */
};

struct fore_scan {
    const char *file, *at, *end, *line_start;
    uint32_t line;
    bool json; /* a colon separates; else it begins a keyword */
};

void fore_scan_init(struct fore_scan *s, const char *file, const char *text, size_t n,
                    bool json);
enum fore_status fore_scan_word(struct fore_scan *s, struct fore_word *w,
                                struct fore_err *e) FORE_MUST_USE;
/* The value that begins with word `w`; words are read as far as needed. */
enum fore_status fore_scan_value(struct fore_scan *s, const struct fore_word *w,
                                 struct fore_vals *t, fore_val *out,
                                 struct fore_err *e) FORE_MUST_USE;
/* The same, without keeping it. */
enum fore_status fore_scan_skip(struct fore_scan *s, const struct fore_word *w,
                                struct fore_err *e) FORE_MUST_USE;
/* An error at the place that was reached. */
enum fore_status fore_scan_fail(const struct fore_scan *s, struct fore_err *e,
                                enum fore_status status, const char *fmt, ...)
    FORE_PRINTF(4, 5);

/* The text of a keyword (without colon), a string (without quotes) or a symbol. */
struct fore_bytes fore_word_name(const struct fore_word *w);

#endif
