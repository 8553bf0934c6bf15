#include "spec/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fore_val arith_real(char op, double a, double b)
{
    switch (op) {
    case '+':
        return fore_val_real(a + b);
    case '-':
        return fore_val_real(a - b);
    case '*':
        return fore_val_real(a * b);
    case '/':
        return fore_val_real(b == 0 ? (double)NAN : a / b);
    default:
        return fore_val_real(b == 0 ? (double)NAN : fmod(a, b));
    }
}

struct fore_val fore_val_arith(char op, struct fore_val a, struct fore_val b)
{
    if (a.real || b.real)
        return arith_real(op, fore_val_double(a), fore_val_double(b));
    uint64_t x = (uint64_t)a.i, y = (uint64_t)b.i;
    switch (op) {
    case '+':
        return fore_val_int((int64_t)(x + y));
    case '-':
        return fore_val_int((int64_t)(x - y));
    case '*':
        return fore_val_int((int64_t)(x * y));
    }
    if (b.i == 0)
        return fore_val_real((double)NAN);
    if (b.i == -1) /* the one quotient that does not fit wraps around like the rest */
        return fore_val_int(op == '/' ? (int64_t)(0 - x) : 0);
    return fore_val_int(op == '/' ? a.i / b.i : a.i % b.i);
}

bool fore_val_same(struct fore_val a, struct fore_val b)
{
    if (!a.real && !b.real)
        return a.i == b.i;
    return fore_val_double(a) == fore_val_double(b);
}

bool fore_val_less(struct fore_val a, struct fore_val b)
{
    if (!a.real && !b.real)
        return a.i < b.i;
    return fore_val_double(a) < fore_val_double(b);
}

bool fore_val_less_equal(struct fore_val a, struct fore_val b)
{
    if (!a.real && !b.real)
        return a.i <= b.i;
    return fore_val_double(a) <= fore_val_double(b);
}

void fore_spec_val_text(struct fore_val v, struct fore_strbuf *out)
{
    if (!v.real) {
        fore_strbuf_printf(out, "%lld", (long long)v.i);
        return;
    }
    /* The shortest decimal that reads back as the same double. */
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v.r);
        if (strtod(text, NULL) == v.r)
            break;
    }
    fore_strbuf_puts(out, text);
    if (!strpbrk(text, ".en"))
        fore_strbuf_puts(out, ".0");
}

static size_t scan_word(const char *s, size_t n, struct fore_val *out)
{
    static const struct {
        const char *word;
        int64_t value;
    } words[] = {{"true", 1}, {"false", 0}, {"nil", 0}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t len = strlen(words[k].word);
        if (n >= len && !memcmp(s, words[k].word, len) &&
            (n == len || !(isalnum((unsigned char)s[len]) || s[len] == '_'))) {
            *out = fore_val_int(words[k].value);
            return len;
        }
    }
    return 0;
}

static size_t scan_char(const char *s, size_t n, struct fore_val *out)
{
    static const char escapes[] = "n\nt\tr\r0\0\\\\''";
    if (n >= 3 && s[1] != '\\' && s[1] != '\'' && s[2] == '\'') {
        *out = fore_val_int((unsigned char)s[1]);
        return 3;
    }
    if (n >= 4 && s[1] == '\\' && s[3] == '\'')
        for (size_t k = 0; k + 1 < sizeof escapes; k += 2)
            if (escapes[k] == s[2]) {
                *out = fore_val_int((unsigned char)escapes[k + 1]);
                return 4;
            }
    return 0;
}

static size_t number_end(const char *s, size_t n, bool *real)
{
    size_t i = s[0] == '-' ? 1 : 0;
    if (i + 1 < n && s[i] == '0' && (s[i + 1] | 32) == 'x') {
        for (i += 2; i < n && isxdigit((unsigned char)s[i]); i++)
            ;
        return i;
    }
    while (i < n && isdigit((unsigned char)s[i]))
        i++;
    if (i + 1 < n && s[i] == '.' && isdigit((unsigned char)s[i + 1])) {
        *real = true;
        for (i++; i < n && isdigit((unsigned char)s[i]); i++)
            ;
    }
    if (i < n && (s[i] | 32) == 'e') {
        size_t j = i + 1 + (i + 1 < n && (s[i + 1] == '-' || s[i + 1] == '+'));
        if (j < n && isdigit((unsigned char)s[j])) {
            *real = true;
            for (i = j; i < n && isdigit((unsigned char)s[i]); i++)
                ;
        }
    }
    return i;
}

size_t fore_val_scan(const char *s, size_t n, struct fore_val *out)
{
    if (n == 0)
        return 0;
    if (s[0] == '\'')
        return scan_char(s, n, out);
    bool negative = s[0] == '-';
    if (!(isdigit((unsigned char)s[0]) ||
          (negative && n > 1 && isdigit((unsigned char)s[1]))))
        return scan_word(s, n, out);
    bool real = false;
    size_t used = number_end(s, n, &real);
    char text[64];
    if (used >= sizeof text)
        return 0;
    memcpy(text, s, used);
    text[used] = '\0';
    errno = 0;
    if (!real)
        *out = fore_val_int(strtoll(text, NULL, strpbrk(text, "xX") ? 16 : 10));
    if (real || errno == ERANGE)
        *out = fore_val_real(strtod(text, NULL));
    return used;
}
