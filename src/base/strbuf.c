#include "base/strbuf.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void fore_strbuf_release(struct fore_strbuf *b)
{
    if (b->cap)
        fore_free(b->at);
    *b = (struct fore_strbuf)FORE_STRBUF_INIT;
}

void fore_strbuf_clear(struct fore_strbuf *b)
{
    b->n = 0;
    if (b->cap)
        b->at[0] = '\0';
}

static void reserve(struct fore_strbuf *b, size_t more)
{
    FORE_BUG_IF(more > SIZE_MAX / 2 - b->n);
    size_t want = b->n + more + 1;
    if (want <= b->cap)
        return;
    size_t cap = b->cap ? b->cap * 2 : 64;
    cap = cap < want ? want : cap;
    b->at = fore_realloc(b->cap ? b->at : NULL, cap, 1);
    b->cap = cap;
}

void fore_strbuf_add(struct fore_strbuf *b, const char *s, size_t n)
{
    reserve(b, n);
    memcpy(b->at + b->n, s, n);
    b->n += n;
    b->at[b->n] = '\0';
}

char *fore_strbuf_extend(struct fore_strbuf *b, size_t n)
{
    reserve(b, n);
    b->n += n;
    b->at[b->n] = '\0';
    return b->at + b->n - n;
}

void fore_strbuf_puts(struct fore_strbuf *b, const char *s)
{
    fore_strbuf_add(b, s, strlen(s));
}

void fore_strbuf_putc(struct fore_strbuf *b, char c)
{
    reserve(b, 1);
    b->at[b->n++] = c;
    b->at[b->n] = '\0';
}

void fore_strbuf_pad(struct fore_strbuf *b, char c, size_t to)
{
    if (b->n < to) {
        size_t more = to - b->n;
        memset(fore_strbuf_extend(b, more), c, more);
    }
}

void fore_strbuf_u64(struct fore_strbuf *b, uint64_t x)
{
    char digits[20];
    size_t i = sizeof digits;
    do {
        digits[--i] = (char)('0' + x % 10);
        x /= 10;
    } while (x);
    fore_strbuf_add(b, digits + i, sizeof digits - i);
}

void fore_strbuf_printf(struct fore_strbuf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t room = b->cap ? b->cap - b->n : 0; /* mostly enough */
    int n = vsnprintf(room ? b->at + b->n : NULL, room, fmt, ap);
    FORE_BUG_IF(n < 0);
    if ((size_t)n >= room) {
        reserve(b, (size_t)n);
        vsnprintf(b->at + b->n, (size_t)n + 1, fmt, again);
    }
    b->n += (size_t)n;
    va_end(again);
    va_end(ap);
}

static void json_char(struct fore_strbuf *b, const char *s, size_t len, uint32_t cp)
{
    static const char shorts[] = {'b', 't', 'n', 0, 'f', 'r'};
    if (cp == '"' || cp == '\\') {
        fore_strbuf_putc(b, '\\');
        fore_strbuf_putc(b, (char)cp);
    } else if (cp >= 8 && cp <= 13 && shorts[cp - 8]) {
        fore_strbuf_putc(b, '\\');
        fore_strbuf_putc(b, shorts[cp - 8]);
    } else if (cp < 0x20 || cp == 0x7f || cp == 0x2028 || cp == 0x2029) {
        fore_strbuf_printf(b, "\\u%04x", (unsigned)cp);
    } else {
        fore_strbuf_add(b, s, len);
    }
}

/* How many bytes at the beginning need no escape in a JSON string. */
static size_t plain_bytes(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
        i++;
    return i;
}

void fore_strbuf_json(struct fore_strbuf *b, const char *s, size_t n)
{
    fore_strbuf_putc(b, '"');
    while (n) {
        uint32_t cp;
        size_t len = plain_bytes(s, n);
        if (len) {
            fore_strbuf_add(b, s, len);
        } else if ((len = fore_utf8_next(s, n, &cp))) {
            json_char(b, s, len, cp);
        } else {
            len = 1;
            fore_strbuf_puts(b, "\\ufffd");
        }
        s += len;
        n -= len;
    }
    fore_strbuf_putc(b, '"');
}

static bool is_invisible(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
           (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
           (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff;
}

size_t fore_strbuf_seen(struct fore_strbuf *b, const char *s, size_t n)
{
    uint32_t cp = 0;
    size_t len = fore_utf8_next(s, n, &cp);
    if (len && !is_invisible(cp))
        fore_strbuf_add(b, s, len);
    else if (cp > 0xff)
        fore_strbuf_printf(b, "\\u%04x", (unsigned)cp);
    else
        fore_strbuf_printf(b, "\\x%02x", len ? (unsigned)cp : (unsigned char)*s);
    return len ? len : 1;
}

void fore_strbuf_lines(struct fore_strbuf *b, const char *s, size_t n)
{
    while (n) {
        size_t len = 1;
        if (*s == '\n')
            fore_strbuf_putc(b, '\n');
        else
            len = fore_strbuf_seen(b, s, n);
        s += len;
        n -= len;
    }
}

enum fore_status fore_strbuf_read_file(struct fore_strbuf *b, const char *path,
                                       struct fore_err *e)
{
    char block[16384];
    size_t n;
    FILE *f = fopen(path, "re");
    if (!f)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        fore_strbuf_add(b, block, n);
    int why = ferror(f) ? errno : 0;
    fclose(f);
    return why ? fore_fail(e, FORE_IO, "%s: %s", path, strerror(why)) : FORE_OK;
}

char *fore_strbuf_detach(struct fore_strbuf *b)
{
    reserve(b, 0);
    b->at[b->n] = '\0';
    char *s = b->at;
    *b = (struct fore_strbuf)FORE_STRBUF_INIT;
    return s;
}
