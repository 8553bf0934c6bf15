#include "history/scan.h"

#include "base/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

void fore_scan_init(struct fore_scan *s, const char *file, const char *text, size_t n,
                    bool json)
{
    *s = (struct fore_scan){file, text, text + n, text, 1, json};
}

enum fore_status fore_scan_fail(const struct fore_scan *s, struct fore_err *e,
                                enum fore_status status, const char *fmt, ...)
{
    char msg[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return fore_fail_at(e, status, s->file, s->line,
                        (uint64_t)(s->at - s->line_start) + 1, "%s", msg);
}

static enum fore_status fail_torn(const struct fore_scan *s, struct fore_err *e,
                                  const char *inside)
{
    return fore_scan_fail(s, e, FORE_TORN,
                          "the file ends inside a %s; it may be truncated", inside);
}

static void skip_line(struct fore_scan *s)
{
    const char *nl = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = nl ? nl : s->end;
}

enum { BLANK = 1, ENDS_BARE = 2 };

static const unsigned char class_of[256] = {
    ['\0'] = ENDS_BARE,        [' '] = BLANK | ENDS_BARE,  ['\t'] = BLANK | ENDS_BARE,
    [','] = BLANK | ENDS_BARE, ['\r'] = BLANK | ENDS_BARE, ['\n'] = ENDS_BARE,
    ['{'] = ENDS_BARE,         ['}'] = ENDS_BARE,          ['['] = ENDS_BARE,
    [']'] = ENDS_BARE,         ['('] = ENDS_BARE,          [')'] = ENDS_BARE,
    ['"'] = ENDS_BARE,         [';'] = ENDS_BARE,
};

static void skip_blanks(struct fore_scan *s)
{
    for (; s->at < s->end; s->at++) {
        char c = *s->at;
        if (class_of[(unsigned char)c] & BLANK)
            continue;
        if (c == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        } else if (c == ';' && !s->json) {
            skip_line(s);
            s->at--;
        } else if (!(c == ':' && s->json)) {
            return;
        }
    }
}

static bool ends_bare(char c)
{
    return class_of[(unsigned char)c] & ENDS_BARE;
}

static void read_bare_word(struct fore_scan *s, struct fore_word *w)
{
    const char *from = s->at;
    /* An EDN character: the one after the backslash belongs to it, whatever it is. */
    if (*s->at == '\\' && s->end - s->at > 1)
        s->at++;
    s->at++;
    while (s->at < s->end && !ends_bare(*s->at) && !(s->json && *s->at == ':'))
        s->at++;
    *w = (struct fore_word){FORE_WORD_BARE, {from, (size_t)(s->at - from)}, false};
}

static enum fore_status read_string(struct fore_scan *s, struct fore_word *w,
                                    struct fore_err *e)
{
    const char *p = s->at + 1;
    bool escapes = false;
    while (p < s->end && *p != '"' && *p != '\n') {
        escapes = escapes || *p == '\\';
        p += *p == '\\' && s->end - p > 1 ? 2 : 1;
    }
    if (p >= s->end)
        return fail_torn(s, e, "string");
    if (*p == '\n')
        return fore_scan_fail(s, e, FORE_SYNTAX, "a string must end on its line");
    *w = (struct fore_word){FORE_WORD_STRING, {s->at, (size_t)(p + 1 - s->at)}, escapes};
    s->at = p + 1;
    return FORE_OK;
}

static enum fore_status word_at(struct fore_scan *s, struct fore_word *w, int depth,
                                struct fore_err *e);
static enum fore_status skip_value(struct fore_scan *s, const struct fore_word *w,
                                   int depth, struct fore_err *e);

/* `#{` opens a set, `#_` drops the next value, `#tag` is passed over. */
static enum fore_status dispatch(struct fore_scan *s, struct fore_word *w, int depth,
                                 struct fore_err *e)
{
    struct fore_word tag;
    s->at++;
    if (depth > MAX_DEPTH)
        return fore_scan_fail(s, e, FORE_LIMIT, "nested too deeply");
    if (s->at < s->end && *s->at == '{') {
        *w = (struct fore_word){FORE_WORD_OPEN_LIST, {s->at++, 1}, false};
        return FORE_OK;
    }
    if (s->at < s->end && *s->at == '_') {
        s->at++;
        FORE_TRY(word_at(s, &tag, depth + 1, e));
        FORE_TRY(skip_value(s, &tag, depth + 1, e));
    } else if (s->at < s->end && !ends_bare(*s->at)) {
        read_bare_word(s, &tag);
    }
    return word_at(s, w, depth + 1, e);
}

static enum fore_status word_at(struct fore_scan *s, struct fore_word *w, int depth,
                                struct fore_err *e)
{
    skip_blanks(s);
    *w = (struct fore_word){FORE_WORD_END, {s->at, 0}, false};
    if (s->at == s->end)
        return FORE_OK;
    static const unsigned char kinds[256] = {
        ['{'] = FORE_WORD_OPEN_MAP,  ['}'] = FORE_WORD_CLOSE_MAP,
        ['['] = FORE_WORD_OPEN_LIST, [']'] = FORE_WORD_CLOSE_LIST,
        ['('] = FORE_WORD_OPEN_LIST, [')'] = FORE_WORD_CLOSE_LIST};
    char c = *s->at;
    unsigned kind = kinds[(unsigned char)c];
    if (kind) {
        w->kind = (enum fore_word_kind)kind;
        w->text.n = 1;
        s->at++;
        return FORE_OK;
    }
    if (c == '"')
        return read_string(s, w, e);
    if (c == '#' && !s->json)
        return dispatch(s, w, depth, e);
    if ((unsigned char)c < ' ')
        return fore_scan_fail(s, e, FORE_SYNTAX, "a control character (%d)", c);
    read_bare_word(s, w);
    return FORE_OK;
}

enum fore_status fore_scan_word(struct fore_scan *s, struct fore_word *w,
                                struct fore_err *e)
{
    return word_at(s, w, 0, e);
}

static bool is_closing(enum fore_word_kind k)
{
    return k == FORE_WORD_CLOSE_LIST || k == FORE_WORD_CLOSE_MAP;
}

/* The next word inside brackets; `*done` if it closes them. */
static enum fore_status inside(struct fore_scan *s, int depth, struct fore_word *w,
                               bool *done, struct fore_err *e)
{
    if (depth > MAX_DEPTH)
        return fore_scan_fail(s, e, FORE_LIMIT, "nested too deeply");
    FORE_TRY(fore_scan_word(s, w, e));
    if (w->kind == FORE_WORD_END)
        return fail_torn(s, e, "list");
    *done = is_closing(w->kind);
    return FORE_OK;
}

static enum fore_status skip_value(struct fore_scan *s, const struct fore_word *w,
                                   int depth, struct fore_err *e)
{
    struct fore_word item;
    bool done = false;
    if (w->kind == FORE_WORD_END)
        return fail_torn(s, e, "record");
    if (is_closing(w->kind))
        return fore_scan_fail(s, e, FORE_SYNTAX, "a value is missing here");
    if (w->kind != FORE_WORD_OPEN_MAP && w->kind != FORE_WORD_OPEN_LIST)
        return FORE_OK;
    for (;;) {
        FORE_TRY(inside(s, depth + 1, &item, &done, e));
        if (done)
            return FORE_OK;
        FORE_TRY(skip_value(s, &item, depth + 1, e));
    }
}

enum fore_status fore_scan_skip(struct fore_scan *s, const struct fore_word *w,
                                struct fore_err *e)
{
    return skip_value(s, w, 0, e);
}

static enum fore_status string_value(struct fore_scan *s, const struct fore_word *w,
                                     struct fore_vals *t, fore_val *out,
                                     struct fore_err *e)
{
    if (!w->escapes) {
        *out = fore_val_string(t, w->text.at + 1, w->text.n - 2);
        return FORE_OK;
    }
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_bytes text;
    size_t used;
    const char *why = NULL;
    enum fore_status st = fore_json_string(&a, w->text.at, w->text.n, &used, &text, &why);
    if (st == FORE_OK)
        *out = fore_val_string(t, text.at, text.n);
    else
        st = fore_scan_fail(s, e, st, "in a string: %s", why ? why : "malformed");
    fore_arena_release(&a);
    return st;
}

static size_t digits(struct fore_bytes b, size_t at)
{
    size_t n = 0;
    while (at + n < b.n && isdigit((unsigned char)b.at[at + n]))
        n++;
    return n;
}

/* As JSON has them, with a plus sign allowed. */
static bool is_number(struct fore_bytes b)
{
    size_t at = b.n && (b.at[0] == '-' || b.at[0] == '+'), n = digits(b, at);
    if (!n)
        return false;
    at += n;
    if (at < b.n && b.at[at] == '.') {
        n = digits(b, at + 1);
        at += n ? n + 1 : 0;
    }
    if (at < b.n && (b.at[at] == 'e' || b.at[at] == 'E')) {
        size_t sign = at + 1 < b.n && (b.at[at + 1] == '-' || b.at[at + 1] == '+');
        n = digits(b, at + 1 + sign);
        at += n ? n + 1 + sign : 0;
    }
    return at == b.n;
}

static fore_val bare_value(struct fore_vals *t, struct fore_bytes b)
{
    static const struct {
        const char *name;
        fore_val v;
    } atoms[] = {{"nil", {0}}, {"null", {0}}, {"false", {2u << 3}}, {"true", {3u << 3}}};
    if (is_number(b))
        return fore_val_number(t, b.at + (b.at[0] == '+'), b.n - (b.at[0] == '+'));
    for (size_t i = 0; i < 4; i++)
        if (strlen(atoms[i].name) == b.n && !memcmp(atoms[i].name, b.at, b.n))
            return atoms[i].v;
    return fore_val_string(t, b.at, b.n);
}

/* A set, or a map's keys and values in turn: they may be written in any order, so
 * equal ones become equal here. */
static enum fore_status sort_items(const struct fore_scan *s, struct fore_vals *t,
                                   bool map, fore_val *items, size_t n,
                                   struct fore_err *e)
{
    const size_t step = map ? 2 : 1;
    if (n % step)
        return fore_scan_fail(s, e, FORE_SYNTAX, "the last key of this map has no value");
    fore_val_sort(t, items, n / step, step);
    for (size_t i = step; map && i < n; i += step)
        if (fore_val_is(items[i], items[i - step]))
            return fore_scan_fail(s, e, FORE_SYNTAX, "a key of this map is there twice");
    return FORE_OK;
}

static enum fore_status read_value(struct fore_scan *s, const struct fore_word *w,
                                   struct fore_vals *t, int depth, fore_val *out,
                                   struct fore_err *e)
{
    if (w->kind == FORE_WORD_STRING)
        return string_value(s, w, t, out, e);
    if (w->kind == FORE_WORD_BARE) {
        *out = bare_value(t, w->text);
        return FORE_OK;
    }
    if (w->kind == FORE_WORD_END || is_closing(w->kind))
        return skip_value(s, w, depth, e);
    FORE_VEC(fore_val) items = {0};
    struct fore_word word;
    enum fore_status st;
    bool done = false;
    while ((st = inside(s, depth + 1, &word, &done, e)) == FORE_OK && !done) {
        fore_val item;
        st = read_value(s, &word, t, depth + 1, &item, e);
        if (st != FORE_OK)
            break;
        fore_vec_push(&items, item);
    }
    bool map = w->kind == FORE_WORD_OPEN_MAP;
    if (st == FORE_OK && (map || w->text.at[0] == '{'))
        st = sort_items(s, t, map, items.at, items.n, e);
    if (st == FORE_OK)
        *out = fore_val_list(t, items.at, items.n);
    fore_vec_release(&items);
    return st;
}

enum fore_status fore_scan_value(struct fore_scan *s, const struct fore_word *w,
                                 struct fore_vals *t, fore_val *out, struct fore_err *e)
{
    return read_value(s, w, t, 0, out, e);
}

struct fore_bytes fore_word_name(const struct fore_word *w)
{
    struct fore_bytes b = w->text;
    if (w->kind == FORE_WORD_STRING)
        return (struct fore_bytes){b.at + 1, b.n - 2};
    if (b.n && b.at[0] == ':')
        return (struct fore_bytes){b.at + 1, b.n - 1};
    return b;
}
