/* Text from outside may hold anything: decode strictly, show harmlessly. */
#ifndef FORE_BASE_UTF8_H
#define FORE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the valid UTF-8 character at s, 0 if there is none; `*cp` gets its code point. */
size_t fore_utf8_next(const char *s, size_t n, uint32_t *cp);
size_t fore_utf8_put(char *out, uint32_t cp); /* at most 4 bytes; returns how many */
/* Columns that the text takes on a terminal, one per character. */
size_t fore_utf8_width(const char *s, size_t n);

#endif
