#include "trace/text.h"

#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>

const char *const fore_text_kinds[FORE_OBJ_KINDS] = {
    [FORE_OBJ_NONE] = "",         [FORE_OBJ_CHAN] = "chan",
    [FORE_OBJ_LOCK] = "lock",     [FORE_OBJ_COND] = "cond",
    [FORE_OBJ_SEM] = "sem",       [FORE_OBJ_BARRIER] = "barrier",
    [FORE_OBJ_ONCE] = "once",     [FORE_OBJ_WG] = "wg",
    [FORE_OBJ_TIMER] = "timer",   [FORE_OBJ_PLACE] = "var",
    [FORE_OBJ_OBJECT] = "object", [FORE_OBJ_OUTSIDE] = "outside",
};

const char *const fore_text_orders[6] = {"", ".rlx", ".acq", ".rel", ".ar", ".sc"};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Length of the identifier at s. */
static size_t ident_length(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && (is_letter(s[i]) || (i && is_digit(s[i]))))
        i++;
    return i;
}

/* Length of a decimal number without needless zeros at s. */
static size_t number_length(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && i < 19 && is_digit(s[i]))
        i++;
    return i > 1 && s[0] == '0' ? 0 : i;
}

void fore_text_name(const char *s, size_t n, struct fore_strbuf *out)
{
    if (n && ident_length(s, n) == n)
        fore_strbuf_add(out, s, n);
    else
        fore_strbuf_json(out, s, n);
}

void fore_text_label(const struct fore_tables *t, uint32_t thread,
                     struct fore_strbuf *out)
{
    struct fore_bytes b = fore_intern_bytes(&t->strings, t->threads.at[thread].label);
    if (b.n && b.n < 19 && b.at[0] != '0' && number_length(b.at, b.n) == b.n)
        fore_strbuf_add(out, b.at, b.n);
    else
        fore_text_name(b.at, b.n, out);
}

/* Length of the string at s, if foresee itself would write it as a string: no escapes, and not
 * an identifier. */
static size_t quoted_length(const char *s, size_t n)
{
    const char *end = memchr(s + 1, '"', n - 1);
    size_t len = end ? (size_t)(end - s) - 1 : 0;
    if (!end || ident_length(s + 1, len) == len)
        return 0;
    for (size_t i = 1; i <= len;) {
        uint32_t cp;
        size_t width = fore_utf8_next(s + i, len + 1 - i, &cp);
        if (!width || cp < 0x20 || cp == '\\' || cp == 0x7f || cp == 0x2028 ||
            cp == 0x2029)
            return 0;
        i += width;
    }
    return len + 2;
}

static size_t place_name(const char *s, size_t n)
{
    return n && s[0] == '"' ? quoted_length(s, n) : ident_length(s, n);
}

static size_t place_index(const char *s, size_t n)
{
    size_t sign = n > 1 && s[1] == '-';
    size_t digits = number_length(s + 1 + sign, n - 1 - sign);
    size_t len = 1 + sign + digits;
    if (!digits || digits > 18 || (sign && s[2] == '0') || len >= n || s[len] != ']')
        return 0;
    return len + 1;
}

bool fore_text_place(const char *s, size_t n, uint64_t *bytes)
{
    size_t at = place_name(s, n), len = at;
    *bytes = 0;
    if (at == n && n && s[0] == '"')
        return false; /* one string alone stands for its content */
    while (len && at < n && s[at] != '+') {
        if (s[at] == '.')
            len = place_name(s + at + 1, n - at - 1), at += len + 1;
        else
            len = s[at] == '[' ? place_index(s + at, n - at) : 0, at += len;
    }
    if (!len || at >= n)
        return len > 0;
    size_t digits = number_length(s + at + 1, n - at - 1);
    if (!digits || digits > 18 || at + 1 + digits != n || s[at + 1] == '0')
        return false;
    *bytes = strtoull(s + at + 1, NULL, 10);
    return true;
}

static void place_text(const struct fore_tables *t, const struct fore_object *o,
                       struct fore_strbuf *out)
{
    struct fore_bytes b = fore_intern_bytes(&t->strings, o->name);
    uint64_t bytes;
    if (fore_text_place(b.at, b.n, &bytes))
        fore_strbuf_add(out, b.at, b.n);
    else
        fore_strbuf_json(out, b.at, b.n);
    if (o->capacity && !bytes)
        fore_strbuf_printf(out, "+%llu", (unsigned long long)o->capacity);
}

void fore_text_object(const struct fore_tables *t, uint32_t object,
                      struct fore_strbuf *out)
{
    const struct fore_object *o = &t->objects.at[object];
    struct fore_bytes b = fore_intern_bytes(&t->strings, o->name);
    if (!object)
        fore_strbuf_puts(out, "nil");
    else if (o->kind == FORE_OBJ_PLACE)
        place_text(t, o, out);
    else if (o->kind == FORE_OBJ_CHAN && b.n == 3 && memcmp(b.at, "nil", 3) == 0)
        fore_strbuf_puts(out, "\"nil\"");
    else
        fore_text_name(b.at, b.n, out);
}

static bool plain_file(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] <= ' ' || s[i] == ';' || s[i] == ':' || s[i] == '"' ||
            s[i] == 0x7f)
            return false;
    return n > 0;
}

void fore_text_where(const struct fore_tables *t, uint32_t where, struct fore_strbuf *out)
{
    const struct fore_where *w = &t->wheres.at[where];
    if (!w->file)
        return;
    struct fore_bytes file = fore_intern_bytes(&t->strings, w->file);
    fore_strbuf_putc(out, '@');
    if (plain_file(file.at, file.n))
        fore_strbuf_add(out, file.at, file.n);
    else
        fore_strbuf_json(out, file.at, file.n);
    fore_strbuf_putc(out, ':');
    fore_strbuf_u64(out, w->line);
    if (w->column) {
        fore_strbuf_putc(out, ':');
        fore_strbuf_u64(out, w->column);
    }
}

static void int_text(int64_t x, struct fore_strbuf *out)
{
    if (x < 0)
        fore_strbuf_putc(out, '-');
    fore_strbuf_u64(out, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

/* The shortest text that reads back as the same number and does not look like an integer. */
static void float_text(uint64_t bits, struct fore_strbuf *out)
{
    double d;
    char text[40];
    memcpy(&d, &bits, sizeof d);
    if (isnan(d) || isinf(d)) {
        fore_strbuf_puts(out, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    fore_strbuf_puts(out, text);
    if (!strpbrk(text, ".e"))
        fore_strbuf_puts(out, ".0");
}

void fore_value_text(const struct fore_tables *t, struct fore_value v,
                     struct fore_strbuf *out)
{
    struct fore_bytes b;
    switch (v.type) {
    case FORE_VALUE_NONE:
        break;
    case FORE_VALUE_INT:
        int_text((int64_t)v.bits, out);
        break;
    case FORE_VALUE_FLOAT:
        float_text(v.bits, out);
        break;
    case FORE_VALUE_BOOL:
        fore_strbuf_puts(out, v.bits ? "true" : "false");
        break;
    case FORE_VALUE_NIL:
        fore_strbuf_puts(out, "nil");
        break;
    case FORE_VALUE_STRING:
        b = fore_intern_bytes(&t->strings, (uint32_t)v.bits);
        fore_strbuf_json(out, b.at, b.n);
        break;
    case FORE_VALUE_LIST:
        b = fore_intern_bytes(&t->strings, (uint32_t)v.bits);
        fore_strbuf_add(out, b.at, b.n);
        break;
    }
}

void fore_event_text(const struct fore_tables *t, const struct fore_event *e,
                     const struct fore_case *cases, struct fore_strbuf *out)
{
    fore_text_event(t, e, cases, e->b > 1, out);
}
