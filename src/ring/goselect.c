#include "ring/goselect.h"

#include "trace/event.h"

#include <ctype.h>
#include <string.h>

struct scan {
    const char *at, *end;
    uint32_t line;
    unsigned depth; /* depth of (, [ and { since the select's own { */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void next_char(struct scan *s)
{
    if (*s->at++ == '\n')
        s->line++;
}

static bool is_next(const struct scan *s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s->end - s->at) >= n && memcmp(s->at, text, n) == 0;
}

static void skip_until(struct scan *s, const char *stop)
{
    while (s->at < s->end && !is_next(s, stop))
        next_char(s);
    for (size_t i = 0; i < strlen(stop) && s->at < s->end; i++)
        next_char(s);
}

static void skip_quoted(struct scan *s, char quote)
{
    next_char(s);
    while (s->at < s->end && *s->at != quote && *s->at != '\n') {
        if (*s->at == '\\' && s->at + 1 < s->end)
            next_char(s);
        next_char(s);
    }
    if (s->at < s->end)
        next_char(s);
}

/* Skips what is no code; true if there was some. */
static bool skip_text(struct scan *s)
{
    if (is_next(s, "//"))
        skip_until(s, "\n");
    else if (is_next(s, "/*"))
        skip_until(s, "*/");
    else if (*s->at == '`') {
        next_char(s);
        skip_until(s, "`");
    } else if (*s->at == '"' || *s->at == '\'')
        skip_quoted(s, *s->at);
    else
        return false;
    return true;
}

/* Is the word at s `word`? Moves past the word in any case. */
static bool take_word(struct scan *s, const char *word)
{
    const char *from = s->at;
    while (s->at < s->end && is_word(*s->at))
        s->at++;
    size_t n = (size_t)(s->at - from);
    return n == strlen(word) && memcmp(from, word, n) == 0;
}

/* Moves behind the { of the first select on the line. */
static bool enter_select(struct scan *s, uint32_t line)
{
    bool found = false;
    while (s->at < s->end && s->line <= line) {
        if (skip_text(s))
            continue;
        if (is_word(*s->at)) {
            found = take_word(s, "select") && s->line == line;
            continue;
        }
        bool opens = *s->at == '{', blank = isspace((unsigned char)*s->at);
        next_char(s);
        if (found && opens)
            return true;
        found = found && blank;
    }
    return false;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static void count_brackets(struct scan *s)
{
    if (is_one_of(*s->at, "([{"))
        s->depth++;
    else if (s->depth && is_one_of(*s->at, ")]}"))
        s->depth--;
}

/* Reads a communication up to its colon: a send has a channel before its arrow, a receive may
 * have an assignment there. */
static uint32_t read_communication(struct scan *s)
{
    bool arrow = false, sends = false;
    char last = '=';
    while (s->at < s->end && (s->depth || *s->at != ':' || is_next(s, ":="))) {
        if (skip_text(s)) {
            last = '"';
            continue;
        }
        if (!arrow && !s->depth && is_next(s, "<-")) {
            arrow = true;
            sends = last != '=';
        }
        if (!isspace((unsigned char)*s->at))
            last = *s->at;
        if (!s->depth && is_one_of(*s->at, ")]}"))
            break;
        count_brackets(s);
        next_char(s);
    }
    return sends ? FORE_CASE_SEND : FORE_CASE_RECV;
}

static void read_word(struct scan *s, struct fore_goselect *out)
{
    const char *from = s->at;
    uint32_t line = s->line;
    if (s->depth) {
        take_word(s, "");
        return;
    }
    if (take_word(s, "default")) {
        fore_vec_push(&out->v, ((struct fore_goselect_case){line, FORE_CASE_DEFAULT}));
        return;
    }
    if (s->at - from == 4 && memcmp(from, "case", 4) == 0) {
        uint32_t kind = read_communication(s);
        fore_vec_push(&out->v, ((struct fore_goselect_case){line, kind}));
    }
}

void fore_goselect_read(struct fore_bytes text, uint32_t line, struct fore_goselect *out)
{
    struct scan s = {.at = text.at, .end = text.at + text.n, .line = 1};
    if (!text.n || !enter_select(&s, line))
        return;
    while (s.at < s.end) {
        if (skip_text(&s))
            continue;
        if (is_word(*s.at)) {
            read_word(&s, out);
            continue;
        }
        if (!s.depth && *s.at == '}')
            return;
        count_brackets(&s);
        next_char(&s);
    }
}
