#include "base/json.h"

#include "base/strbuf.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

struct json_reader {
    struct fore_arena *arena;
    const char *file, *start, *at, *end;
    struct fore_err *err;
    int depth;
};

static enum fore_status fail_here(struct json_reader *r, const char *what)
{
    uint64_t line = 1, column = 1;
    for (const char *p = r->start; p < r->at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return fore_fail_at(r->err, FORE_SYNTAX, r->file, line, column, "%s", what);
}

static void skip_blanks(struct json_reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static int hex4(const char *s, size_t n, uint32_t *out)
{
    uint32_t v = 0;
    if (n < 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit > 15)
            return 0;
        v = v << 4 | digit;
    }
    *out = v;
    return 1;
}

/* The escape after a backslash at s[0]; returns its source length, 0 if it is none. */
static size_t unescape(const char *s, size_t n, uint32_t *cp)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *which = n > 1 && s[1] ? strchr(names, s[1]) : NULL;
    uint32_t low;
    if (which) {
        *cp = (uint32_t)values[which - names];
        return 2;
    }
    if (n < 6 || s[1] != 'u' || !hex4(s + 2, n - 2, cp))
        return 0;
    if (*cp >= 0xd800 && *cp < 0xdc00 && n >= 12 && s[6] == '\\' && s[7] == 'u' &&
        hex4(s + 8, n - 8, &low) && low >= 0xdc00 && low < 0xe000) {
        *cp = 0x10000 + ((*cp - 0xd800) << 10) + (low - 0xdc00);
        return 12;
    }
    if (*cp >= 0xd800 && *cp < 0xe000)
        *cp = 0xfffd;
    return 6;
}

enum fore_status fore_json_string(struct fore_arena *a, const char *s, size_t n,
                                  size_t *used, struct fore_bytes *out, const char **why)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t i = 1;
    *why = NULL;
    while (i < n && s[i] != '"' && !*why) {
        uint32_t cp;
        char utf8[4];
        size_t len;
        if ((unsigned char)s[i] < 0x20) {
            *why = "a control character in a string: write it as \\u00XX";
        } else if (s[i] == '\\') {
            len = unescape(s + i, n - i, &cp);
            if (!len)
                *why = "unknown escape in a string: \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
                       "\\uXXXX are known";
            else
                fore_strbuf_add(&b, utf8, fore_utf8_put(utf8, cp));
            i += len;
        } else {
            len = fore_utf8_next(s + i, n - i, NULL);
            if (!len)
                *why = "a string must be UTF-8";
            fore_strbuf_add(&b, s + i, len);
            i += len;
        }
    }
    if (!*why && i >= n)
        *why = "a string without its closing quote";
    *used = *why ? (i < n ? i : n) : i + 1;
    *out = (struct fore_bytes){fore_arena_strndup(a, b.at, b.n), b.n};
    fore_strbuf_release(&b);
    return *why ? FORE_SYNTAX : FORE_OK;
}

static enum fore_status read_string(struct json_reader *r, struct fore_bytes *out)
{
    size_t used;
    const char *why;
    enum fore_status s =
        fore_json_string(r->arena, r->at, (size_t)(r->end - r->at), &used, out, &why);
    r->at += used;
    return s == FORE_OK ? s : fail_here(r, why);
}

static enum fore_status read_value(struct json_reader *r, struct fore_json *v);

static enum fore_status read_members(struct json_reader *r, struct fore_json *v,
                                     char close)
{
    struct fore_json **tail = &v->first;
    if (++r->depth > MAX_DEPTH)
        return fail_here(r, "nested too deeply");
    r->at++;
    skip_blanks(r);
    while (r->at < r->end && *r->at != close) {
        struct fore_json *m = *tail = FORE_NEW(r->arena, struct fore_json);
        tail = &m->next;
        if (close == '}') {
            if (*r->at != '"')
                return fail_here(r, "expected a member's name in quotes");
            FORE_TRY(read_string(r, &m->key));
            skip_blanks(r);
            if (r->at >= r->end || *r->at != ':')
                return fail_here(r, "expected ':' after a member's name");
            r->at++;
        }
        FORE_TRY(read_value(r, m));
        skip_blanks(r);
        if (r->at < r->end && *r->at == ',') {
            r->at++;
            skip_blanks(r);
            if (r->at < r->end && *r->at == close)
                return fail_here(r, "a value must follow ','");
        } else if (r->at < r->end && *r->at != close) {
            return fail_here(r, close == '}' ? "expected ',' or '}'"
                                             : "expected ',' or ']'");
        }
    }
    if (r->at >= r->end)
        return fail_here(r, "the document ends too early");
    r->at++;
    r->depth--;
    return FORE_OK;
}

static bool accept_word(struct json_reader *r, const char *w)
{
    size_t n = strlen(w);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, w, n) != 0)
        return false;
    r->at += n;
    return true;
}

static enum fore_status read_number(struct json_reader *r, struct fore_json *v)
{
    const char *from = r->at;
    bool digit = false;
    while (r->at < r->end && *r->at && strchr("+-.eE0123456789", *r->at))
        digit |= *r->at >= '0' && *r->at <= '9', r->at++;
    if (!digit) {
        r->at = from;
        return fail_here(r, "expected a value");
    }
    size_t n = (size_t)(r->at - from);
    v->kind = FORE_JSON_NUMBER;
    v->text = (struct fore_bytes){fore_arena_strndup(r->arena, from, n), n};
    return FORE_OK;
}

static enum fore_status read_value(struct json_reader *r, struct fore_json *v)
{
    skip_blanks(r);
    if (r->at >= r->end)
        return fail_here(r, "the document ends too early");
    switch (*r->at) {
    case '{':
        v->kind = FORE_JSON_OBJECT;
        return read_members(r, v, '}');
    case '[':
        v->kind = FORE_JSON_ARRAY;
        return read_members(r, v, ']');
    case '"':
        v->kind = FORE_JSON_STRING;
        return read_string(r, &v->text);
    default:
        break;
    }
    if (accept_word(r, "null"))
        return FORE_OK;
    v->kind = FORE_JSON_BOOL;
    v->truth = accept_word(r, "true");
    if (v->truth || accept_word(r, "false"))
        return FORE_OK;
    return read_number(r, v);
}

enum fore_status fore_json_read(struct fore_arena *a, const char *file, const char *text,
                                size_t n, const struct fore_json **out,
                                struct fore_err *e)
{
    struct json_reader r = {a, file, text, text, text + n, e, 0};
    struct fore_json *v = FORE_NEW(a, struct fore_json);
    FORE_TRY(read_value(&r, v));
    skip_blanks(&r);
    if (r.at != r.end)
        return fail_here(&r, "something follows the document");
    *out = v;
    return FORE_OK;
}

const struct fore_json *fore_json_get(const struct fore_json *object, const char *key)
{
    if (!object || object->kind != FORE_JSON_OBJECT)
        return NULL;
    for (const struct fore_json *m = object->first; m; m = m->next)
        if (m->key.n == strlen(key) && memcmp(m->key.at, key, m->key.n) == 0)
            return m;
    return NULL;
}

const char *fore_json_text(const struct fore_json *v)
{
    return v && v->kind == FORE_JSON_STRING ? v->text.at : "";
}

int64_t fore_json_int(const struct fore_json *v, int64_t otherwise)
{
    if (!v || (v->kind != FORE_JSON_NUMBER && v->kind != FORE_JSON_STRING))
        return otherwise;
    char *end;
    errno = 0;
    long long x = strtoll(v->text.at, &end, 10);
    return errno || *end || end == v->text.at ? otherwise : x;
}

bool fore_json_true(const struct fore_json *v)
{
    return v && v->kind == FORE_JSON_BOOL && v->truth;
}

static void write_members(const struct fore_json *v, struct fore_strbuf *out)
{
    bool object = v->kind == FORE_JSON_OBJECT;
    fore_strbuf_putc(out, object ? '{' : '[');
    for (const struct fore_json *m = v->first; m; m = m->next) {
        if (m != v->first)
            fore_strbuf_putc(out, ',');
        if (object) {
            fore_strbuf_json(out, m->key.at, m->key.n);
            fore_strbuf_putc(out, ':');
        }
        fore_json_write(m, out);
    }
    fore_strbuf_putc(out, object ? '}' : ']');
}

void fore_json_write(const struct fore_json *v, struct fore_strbuf *out)
{
    if (!v)
        return;
    switch (v->kind) {
    case FORE_JSON_NULL:
        fore_strbuf_puts(out, "null");
        break;
    case FORE_JSON_BOOL:
        fore_strbuf_puts(out, v->truth ? "true" : "false");
        break;
    case FORE_JSON_NUMBER:
        fore_strbuf_add(out, v->text.at, v->text.n);
        break;
    case FORE_JSON_STRING:
        fore_strbuf_json(out, v->text.at, v->text.n);
        break;
    default:
        write_members(v, out);
    }
}
