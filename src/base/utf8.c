#include "base/utf8.h"

/* Lead byte decides length and the smallest code point that may use it. */
static size_t lead(unsigned char c, uint32_t *cp, uint32_t *least)
{
    if (c < 0x80) {
        *cp = c;
        *least = 0;
        return 1;
    }
    if (c >= 0xc2 && c < 0xe0) {
        *cp = c & 0x1f;
        *least = 0x80;
        return 2;
    }
    if (c >= 0xe0 && c < 0xf0) {
        *cp = c & 0x0f;
        *least = 0x800;
        return 3;
    }
    if (c >= 0xf0 && c < 0xf5) {
        *cp = c & 0x07;
        *least = 0x10000;
        return 4;
    }
    return 0;
}

size_t fore_utf8_next(const char *s, size_t n, uint32_t *cp)
{
    uint32_t least, c;
    size_t len = n ? lead((unsigned char)s[0], &c, &least) : 0;
    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++) {
        unsigned char b = (unsigned char)s[i];
        if ((b & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (b & 0x3f);
    }
    if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    if (cp)
        *cp = c;
    return len;
}

size_t fore_utf8_put(char *out, uint32_t cp)
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

size_t fore_utf8_width(const char *s, size_t n)
{
    size_t w = 0;
    while (n) {
        size_t len = fore_utf8_next(s, n, NULL);
        len = len ? len : 1;
        s += len;
        n -= len;
        w++;
    }
    return w;
}
