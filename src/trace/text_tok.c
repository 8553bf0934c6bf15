#include "trace/text_tok.h"

#include "base/json.h"
#include "trace/text.h"

#include <math.h>
#include <stdlib.h>

enum {
    WINDOW = 1 << 16,
    LITERAL = 6 * FORE_TEXT_LIMIT + 2, /* every byte written as \uXXXX */
};

void fore_tok_init(struct fore_tok *l, struct fore_input *in, struct fore_tables *t,
                   struct fore_err *e)
{
    *l = (struct fore_tok){.in = in, .tables = t, .e = e, .line = 1, .cap = WINDOW};
    l->buf = l->p = l->end = fore_alloc(WINDOW + 1);
    *l->end = '\0';
    l->text = l->value = (struct fore_strbuf)FORE_STRBUF_INIT;
}

void fore_tok_release(struct fore_tok *l)
{
    fore_free(l->buf);
    fore_strbuf_release(&l->text);
    fore_strbuf_release(&l->value);
}

bool fore_tok_more(struct fore_tok *l, char **keep)
{
    if (l->eof)
        return false;
    size_t kept = (size_t)(l->end - *keep), ahead = (size_t)(l->p - *keep);
    l->base += (uint64_t)(*keep - l->buf);
    memmove(l->buf, *keep, kept);
    if (l->cap - kept < WINDOW / 2) {
        l->cap *= 2;
        l->buf = fore_realloc(l->buf, l->cap + 1, 1);
    }
    size_t got = 0;
    l->failed = fore_input_some(l->in, l->buf + kept, l->cap - kept, &got, l->e);
    if (l->failed)
        got = 0;
    l->eof = got == 0;
    l->end = l->buf + kept + got;
    *l->end = '\0';
    l->p = l->buf + ahead;
    *keep = l->buf;
    return got > 0;
}

enum fore_status fore_tok_fail(struct fore_tok *l, enum fore_status s, const char *fmt,
                               ...)
{
    if (l->failed)
        return l->failed;
    char msg[sizeof l->e->msg];
    va_list ap;
    l->takes_hint = false;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    uint64_t column = l->token < l->line_start ? 1 : l->token - l->line_start + 1;
    return fore_fail_at(l->e, s, l->in->name, l->line, column, "%s", msg);
}

enum fore_status fore_tok_wants(struct fore_tok *l, const char *fmt, ...)
{
    char what[sizeof l->e->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    enum fore_status s = fore_tok_fail(l, FORE_SYNTAX, "expected %s", what);
    l->takes_hint = true;
    return s;
}

static void describe_token(struct fore_tok *l, char out[32])
{
    int c = fore_tok_peek(l);
    if (c < 0)
        snprintf(out, 32, "the end of the file");
    else if (c == '\n' || c == '\r')
        snprintf(out, 32, "the end of the line");
    else if (c > ' ' && c < 0x7f)
        snprintf(out, 32, "'%c'", c);
    else
        snprintf(out, 32, "byte 0x%02x", (unsigned)c);
}

enum fore_status fore_tok_expected(struct fore_tok *l, const char *what)
{
    char found[32];
    fore_tok_next(l);
    l->token = fore_tok_offset(l);
    describe_token(l, found);
    return fore_tok_wants(l, "%s, found %s", what, found);
}

enum fore_status fore_tok_expect(struct fore_tok *l, char c)
{
    if (fore_tok_accept(l, c))
        return FORE_OK;
    char what[4] = {'\'', c, '\'', 0};
    return fore_tok_expected(l, what);
}

void fore_tok_hint(struct fore_tok *l, const char *fmt, ...)
{
    va_list ap;
    size_t n = l->e ? strlen(l->e->msg) : 0;
    if (!n || !l->takes_hint || n + 3 > sizeof l->e->msg)
        return;
    memcpy(l->e->msg + n, "; ", 3);
    va_start(ap, fmt);
    vsnprintf(l->e->msg + n + 2, sizeof l->e->msg - n - 2, fmt, ap);
    va_end(ap);
}

bool fore_tok_is_ident_start(int c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$';
}

bool fore_tok_is_ident(int c)
{
    return fore_tok_is_ident_start(c) || (c >= '0' && c <= '9');
}

enum fore_status fore_tok_run(struct fore_tok *l, bool (*in)(int), char **from)
{
    fore_tok_next(l);
    l->token = fore_tok_offset(l);
    *from = l->p;
    for (;;) {
        while (in((unsigned char)*l->p))
            l->p++;
        if (l->p - *from > FORE_TEXT_LIMIT)
            return fore_tok_fail(l, FORE_LIMIT, "a name may have at most 1 MiB");
        if (l->p < l->end || !fore_tok_more(l, from))
            return FORE_OK;
    }
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

enum fore_status fore_tok_word(struct fore_tok *l, char word[16])
{
    char *from;
    word[0] = '\0';
    if (!fore_tok_is_ident_start(fore_tok_next(l)))
        return FORE_OK;
    FORE_TRY(fore_tok_run(l, fore_tok_is_ident, &from));
    size_t n = (size_t)(l->p - from) < 15 ? (size_t)(l->p - from) : 15;
    memcpy(word, from, n);
    word[n] = '\0';
    return FORE_OK;
}

enum fore_status fore_tok_name(struct fore_tok *l, const char *what, uint32_t *id)
{
    int c = fore_tok_next(l);
    if (c == '"') {
        FORE_TRY(fore_tok_string(l));
        *id = fore_tables_string(l->tables, l->text.at, l->text.n);
        return FORE_OK;
    }
    if (!fore_tok_is_ident_start(c))
        return fore_tok_expected(l, what);
    char *from;
    FORE_TRY(fore_tok_run(l, fore_tok_is_ident, &from));
    *id = fore_tables_string(l->tables, from, (size_t)(l->p - from));
    return FORE_OK;
}

static bool is_file(int c)
{
    return c > ' ' && c != ';' && c != ':' && c != '"';
}

enum fore_status fore_tok_file(struct fore_tok *l, uint32_t *id)
{
    char *from;
    if (fore_tok_peek(l) == '"')
        return fore_tok_name(l, "a file", id);
    FORE_TRY(fore_tok_run(l, is_file, &from));
    if (l->p == from)
        return fore_tok_expected(l, "a file, as in @main.go:4");
    *id = fore_tables_string(l->tables, from, (size_t)(l->p - from));
    return FORE_OK;
}

enum fore_status fore_tok_label(struct fore_tok *l, const char *what, uint32_t *id)
{
    if (!is_digit(fore_tok_next(l)))
        return fore_tok_name(l, what, id);
    char digits[24];
    uint64_t x;
    FORE_TRY(fore_tok_count(l, "a thread's number", 1, &x));
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)x);
    *id = fore_tables_string(l->tables, digits, (size_t)n);
    return FORE_OK;
}

/* The hint is about the whole, which is not what is missing here. */
static enum fore_status fail_unclosed(struct fore_tok *l)
{
    enum fore_status s = fore_tok_expected(l, "the closing \" of a string");
    l->takes_hint = false;
    return s;
}

/* Takes the literal whole into the window: *from .. l->p. */
static enum fore_status read_literal(struct fore_tok *l, char **from)
{
    *from = l->p++;
    for (;; l->p++) {
        if (l->p == l->end && !fore_tok_more(l, from))
            return fail_unclosed(l);
        if (*l->p == '"')
            break;
        if (l->p - *from > LITERAL)
            return fore_tok_fail(l, FORE_LIMIT, "a string may have at most 1 MiB");
        if (*l->p == '\n')
            return fail_unclosed(l);
        if (*l->p == '\\' && ++l->p == l->end && !fore_tok_more(l, from))
            return fail_unclosed(l);
    }
    l->p++;
    return FORE_OK;
}

enum fore_status fore_tok_string(struct fore_tok *l)
{
    char *from;
    size_t used;
    struct fore_bytes text;
    const char *why;
    if (fore_tok_next(l) != '"')
        return fore_tok_expected(l, "a string in \"\"");
    l->token = fore_tok_offset(l);
    FORE_TRY(read_literal(l, &from));
    struct fore_arena arena = FORE_ARENA_INIT;
    enum fore_status s =
        fore_json_string(&arena, from, (size_t)(l->p - from), &used, &text, &why);
    fore_strbuf_clear(&l->text);
    fore_strbuf_add(&l->text, text.at, text.n);
    fore_arena_release(&arena);
    if (s)
        return fore_tok_fail(l, s, "%s", why);
    if (l->text.n > FORE_TEXT_LIMIT)
        return fore_tok_fail(l, FORE_LIMIT, "a string may have at most 1 MiB");
    return FORE_OK;
}

static enum fore_status read_digits(struct fore_tok *l, bool negative, int64_t *x)
{
    *x = 0;
    for (int c; is_digit(c = fore_tok_peek(l)); l->p++)
        if (__builtin_mul_overflow(*x, 10, x) ||
            (negative ? __builtin_sub_overflow(*x, c - '0', x)
                      : __builtin_add_overflow(*x, c - '0', x)))
            return fore_tok_fail(
                l, FORE_LIMIT, "a number that does not fit in 64 bits (-2^63 to 2^63-1)");
    return FORE_OK;
}

enum fore_status fore_tok_int(struct fore_tok *l, int64_t *x)
{
    bool negative = fore_tok_next(l) == '-';
    l->token = fore_tok_offset(l);
    l->p += negative;
    if (!is_digit(fore_tok_peek(l)))
        return fore_tok_expected(l, "a number");
    return read_digits(l, negative, x);
}

enum fore_status fore_tok_count(struct fore_tok *l, const char *what, uint64_t least,
                                uint64_t *x)
{
    int64_t i;
    if (!is_digit(fore_tok_next(l)))
        return fore_tok_expected(l, what);
    FORE_TRY(fore_tok_int(l, &i));
    *x = (uint64_t)i;
    if (*x < least)
        return fore_tok_fail(l, FORE_SYNTAX, "%s must be at least %llu", what,
                             (unsigned long long)least);
    return FORE_OK;
}

/* Length of the number at s, which ends before the first byte that cannot be part of it. */
static size_t number_length(const char *s, bool *integer)
{
    size_t n = s[0] == '-';
    while (is_digit((unsigned char)s[n]))
        n++;
    *integer = s[n] != '.' && s[n] != 'e' && s[n] != 'E';
    if (s[n] == '.')
        for (n++; is_digit((unsigned char)s[n]);)
            n++;
    if (s[n] == 'e' || s[n] == 'E') {
        n++;
        n += s[n] == '+' || s[n] == '-';
        while (is_digit((unsigned char)s[n]))
            n++;
    }
    return n;
}

static enum fore_status number_value(struct fore_tok *l, struct fore_value *v)
{
    char text[64], *end;
    bool integer;
    fore_tok_ahead(l, sizeof text);
    size_t n = number_length(l->p, &integer);
    if (integer) {
        int64_t x;
        FORE_TRY(fore_tok_int(l, &x));
        *v = (struct fore_value){FORE_VALUE_INT, (uint64_t)x};
        return FORE_OK;
    }
    if (n >= sizeof text)
        return fore_tok_fail(l, FORE_LIMIT, "a number may have at most 63 characters");
    memcpy(text, l->p, n);
    text[n] = '\0';
    double d = strtod(text, &end);
    if (*end)
        return fore_tok_fail(l, FORE_SYNTAX, "\"%s\" is not a number", text);
    if (isinf(d))
        return fore_tok_fail(l, FORE_LIMIT, "%s is too large for a 64-bit float", text);
    l->p += n;
    v->type = FORE_VALUE_FLOAT;
    memcpy(&v->bits, &d, sizeof d);
    return FORE_OK;
}

static enum fore_status word_value(struct fore_tok *l, struct fore_value *v)
{
    static const struct {
        const char *word;
        enum fore_value_type type;
        double d;
    } words[] = {
        {"true", FORE_VALUE_BOOL, 1},
        {"false", FORE_VALUE_BOOL, 0},
        {"nil", FORE_VALUE_NIL, 0},
        {"inf", FORE_VALUE_FLOAT, (double)__builtin_inff()},
        {"nan", FORE_VALUE_FLOAT, (double)__builtin_nanf("")},
    };
    char word[16];
    FORE_TRY(fore_tok_word(l, word));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) != 0)
            continue;
        *v = (struct fore_value){words[i].type, (uint64_t)(words[i].d > 0)};
        if (v->type == FORE_VALUE_FLOAT)
            memcpy(&v->bits, &words[i].d, sizeof v->bits);
        return FORE_OK;
    }
    static const char what[] =
        "a value: a number, true, false, nil, a string or a list in []";
    return word[0] ? fore_tok_fail(l, FORE_SYNTAX, "\"%s\" is not %s", word, what)
                   : fore_tok_expected(l, what);
}

/* "-inf" begins like a number. */
static enum fore_status minus_value(struct fore_tok *l, struct fore_value *v)
{
    fore_tok_ahead(l, 2);
    if (l->p[1] != 'i')
        return number_value(l, v);
    l->p++;
    FORE_TRY(word_value(l, v));
    v->bits |= UINT64_C(1) << 63;
    return FORE_OK;
}

static enum fore_status read_scalar(struct fore_tok *l, int c, struct fore_value *v)
{
    if (c == '-')
        return minus_value(l, v);
    return is_digit(c) ? number_value(l, v) : word_value(l, v);
}

static enum fore_status list_text(struct fore_tok *l, unsigned depth)
{
    if (depth >= FORE_TEXT_DEPTH)
        return fore_tok_fail(l, FORE_LIMIT, "lists may be nested %d deep",
                             FORE_TEXT_DEPTH);
    l->p++;
    fore_strbuf_putc(&l->value, '[');
    for (bool first = true; !fore_tok_accept(l, ']'); first = false) {
        if (!first) {
            FORE_TRY(fore_tok_expect(l, ','));
            fore_strbuf_puts(&l->value, ", ");
        }
        FORE_TRY(fore_tok_value_text(l, depth + 1));
    }
    fore_strbuf_putc(&l->value, ']');
    return FORE_OK;
}

enum fore_status fore_tok_value_text(struct fore_tok *l, unsigned depth)
{
    int c = fore_tok_next(l);
    struct fore_value v;
    l->token = fore_tok_offset(l);
    if (c == '[')
        return list_text(l, depth);
    if (c == '"') {
        FORE_TRY(fore_tok_string(l));
        fore_strbuf_json(&l->value, l->text.at, l->text.n);
    } else {
        FORE_TRY(read_scalar(l, c, &v));
        fore_value_text(l->tables, v, &l->value);
    }
    if (l->value.n > FORE_TEXT_LIMIT)
        return fore_tok_fail(l, FORE_LIMIT, "a list may have at most 1 MiB");
    return FORE_OK;
}

enum fore_status fore_tok_value(struct fore_tok *l, struct fore_value *v)
{
    int c = fore_tok_next(l);
    l->token = fore_tok_offset(l);
    if (c == '[') {
        fore_strbuf_clear(&l->value);
        FORE_TRY(list_text(l, 0));
        v->type = FORE_VALUE_LIST;
        v->bits = fore_tables_string(l->tables, l->value.at, l->value.n);
        return FORE_OK;
    }
    if (c == '"') {
        FORE_TRY(fore_tok_string(l));
        v->type = FORE_VALUE_STRING;
        v->bits = fore_tables_string(l->tables, l->text.at, l->text.n);
        return FORE_OK;
    }
    return read_scalar(l, c, v);
}

/* One part of a path, as the notation writes it. */
static enum fore_status place_name(struct fore_tok *l)
{
    if (fore_tok_next(l) == '"') {
        FORE_TRY(fore_tok_string(l));
        fore_text_name(l->text.at, l->text.n, &l->value);
        return FORE_OK;
    }
    if (!fore_tok_is_ident_start(fore_tok_peek(l)))
        return fore_tok_expected(l, "a variable's name");
    char *from;
    FORE_TRY(fore_tok_run(l, fore_tok_is_ident, &from));
    fore_strbuf_add(&l->value, from, (size_t)(l->p - from));
    return FORE_OK;
}

static enum fore_status place_rest(struct fore_tok *l, uint64_t *bytes)
{
    for (;;) {
        if (fore_tok_accept(l, '.')) {
            fore_strbuf_putc(&l->value, '.');
            FORE_TRY(place_name(l));
        } else if (fore_tok_accept(l, '[')) {
            int64_t x;
            FORE_TRY(fore_tok_int(l, &x));
            FORE_TRY(fore_tok_expect(l, ']'));
            fore_strbuf_printf(&l->value, "[%lld]", (long long)x);
        } else {
            break;
        }
        if (l->value.n > FORE_TEXT_LIMIT)
            return fore_tok_fail(l, FORE_LIMIT, "a name may have at most 1 MiB");
    }
    *bytes = 0;
    if (!fore_tok_accept(l, '+'))
        return FORE_OK;
    FORE_TRY(fore_tok_count(l, "the bytes of a range", 1, bytes));
    fore_strbuf_printf(&l->value, "+%llu", (unsigned long long)*bytes);
    return FORE_OK;
}

/* A place that is one string is the place of that text: "a.b" is a.b. */
enum fore_status fore_tok_place(struct fore_tok *l, uint32_t *id, uint64_t *bytes)
{
    bool string = fore_tok_next(l) == '"';
    fore_strbuf_clear(&l->value);
    FORE_TRY(place_name(l));
    size_t name = l->value.n;
    FORE_TRY(place_rest(l, bytes));
    const struct fore_strbuf *text = string && l->value.n == name ? &l->text : &l->value;
    if (text == &l->text && !fore_text_place(text->at, text->n, bytes))
        *bytes = 0;
    *id = fore_tables_string(l->tables, text->at, text->n);
    return FORE_OK;
}
