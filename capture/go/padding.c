#include "capture/go/padding.h"

#include <string.h>

static const char sizeof_call[] = "unsafe.Sizeof(";

/* The opening bracket of the array length that `at` is in, on the same line; NULL: it is in none. */
static const char *length_begin(const char *text, const char *at)
{
    int round = 0;
    while (at-- > text && *at != '\n') {
        if (*at == ')')
            round++;
        if (*at == '(')
            round--;
        if (*at == '[' || *at == ']')
            return *at == '[' && round <= 0 ? at : NULL;
    }
    return NULL;
}

/* The closing bracket of the call; types within the call have brackets of their own. */
static const char *length_end(const char *at, const char *end)
{
    int deep = 0;
    for (; at < end && *at != '\n'; at++) {
        if (*at == '[')
            deep++;
        if (*at == ']' && deep-- == 0)
            return at;
    }
    return NULL;
}

/* The minus behind what is filled up; NULL: it is no such difference, or one that is never negative. */
static const char *difference(const char *at, const char *end)
{
    const char *minus = NULL;
    int round = 0;
    for (; at < end; at++) {
        if (*at == '%' || *at == '/' || *at == '"' || *at == '`' || *at == '<')
            return NULL;
        if (*at == '(')
            round++;
        if (*at == ')' && round-- == 0)
            return NULL;
        if (*at == '-' && !round && !minus)
            minus = at;
    }
    return round ? NULL : minus;
}

/* [A - B] becomes [((A)<<20 - B) % (A)]. */
static void put_length(struct fore_strbuf *out, const char *from, const char *minus,
                       const char *to)
{
    int n = (int)(minus - from);
    fore_strbuf_printf(out, "((%.*s)<<20 ", n, from);
    fore_strbuf_add(out, minus, (size_t)(to - minus));
    fore_strbuf_printf(out, ") %% (%.*s)", n, from);
}

bool fore_go_pad(const char *text, size_t n, struct fore_strbuf *out)
{
    const char *done = text, *end = text + n, *at = text;
    bool any = false;
    while ((at = memmem(at, (size_t)(end - at), sizeof_call, sizeof sizeof_call - 1))) {
        const char *from = length_begin(done, at);
        const char *to = from ? length_end(from + 1, end) : NULL;
        const char *minus = to ? difference(from + 1, to) : NULL;
        if (minus && minus < at && minus > from + 1) {
            fore_strbuf_add(out, done, (size_t)(from + 1 - done));
            put_length(out, from + 1, minus, to);
            done = to;
            any = true;
        }
        at = any && done > at ? done : at + 1;
    }
    if (any)
        fore_strbuf_add(out, done, (size_t)(end - done));
    return any;
}
