/* A growing text. It owns its memory, is always NUL-terminated, and may hold any byte. */
#ifndef FORE_BASE_STRBUF_H
#define FORE_BASE_STRBUF_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct fore_strbuf {
    char *at; /* "" when empty */
    size_t n, cap;
};

#define FORE_STRBUF_INIT                                                                 \
    {                                                                                    \
        (char *)"", 0, 0                                                                 \
    }

void fore_strbuf_release(struct fore_strbuf *b);
void fore_strbuf_clear(struct fore_strbuf *b);
void fore_strbuf_add(struct fore_strbuf *b, const char *s, size_t n);
/* Makes room for n more bytes and returns the first of them, not cleared. */
char *fore_strbuf_extend(struct fore_strbuf *b, size_t n);
void fore_strbuf_puts(struct fore_strbuf *b, const char *s);
void fore_strbuf_putc(struct fore_strbuf *b, char c);
void fore_strbuf_pad(struct fore_strbuf *b, char c, size_t to); /* until n == to */
void fore_strbuf_u64(struct fore_strbuf *b, uint64_t x);
void fore_strbuf_printf(struct fore_strbuf *b, const char *fmt, ...) FORE_PRINTF(2, 3);
/* As a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
void fore_strbuf_json(struct fore_strbuf *b, const char *s, size_t n);
/* Appends the first character of `s` in a form that is safe on a terminal, and returns how many
 * bytes of `s` it took. Characters that move the cursor, turn the direction of the text or are
 * invisible, and bytes that are not UTF-8, become \xNN or \uNNNN. */
size_t fore_strbuf_seen(struct fore_strbuf *b, const char *s, size_t n);
/* Appends the whole text in that form, keeping line ends. */
void fore_strbuf_lines(struct fore_strbuf *b, const char *s, size_t n);
/* Appends the whole file. */
enum fore_status fore_strbuf_read_file(struct fore_strbuf *b, const char *path,
                                       struct fore_err *e) FORE_MUST_USE;
char *fore_strbuf_detach(struct fore_strbuf *b); /* the caller frees; b is empty again */

#endif
