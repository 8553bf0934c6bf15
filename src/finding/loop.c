/* Does a line of a source stand in a loop that has a condition and nothing else? By its braces and
 * keywords alone, for Go and for C: enough to tell `for !ready { c.Wait() }` from a wait that asks
 * for nothing. */
#include "finding/source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEEP = 128, HEAD = 256 };

enum block { BLOCK_PLAIN, BLOCK_LOOP, BLOCK_FUNCTION };

struct scan {
    FILE *f;
    bool go;
    uint32_t line;
    unsigned depth, parens;
    unsigned char blocks[DEEP];
    char head[HEAD]; /* of the statement so far, without blanks */
    size_t n;
};

static bool begins(const struct scan *s, const char *with)
{
    return strncmp(s->head, with, strlen(with)) == 0;
}

static enum block head_is(const struct scan *s)
{
    if (s->go && strstr(s->head, "func("))
        return BLOCK_FUNCTION;
    bool counts = strchr(s->head, ';') || strstr(s->head, "range");
    bool asks = s->go ? begins(s, "for") && s->head[3] && !counts
                      : begins(s, "while(") && !begins(s, "while(1)") &&
                            !begins(s, "while(true)");
    return asks ? BLOCK_LOOP : BLOCK_PLAIN;
}

static bool in_loop(const struct scan *s)
{
    if (s->depth > DEEP)
        return false;
    for (unsigned i = s->depth; i-- && s->blocks[i] != BLOCK_FUNCTION;)
        if (s->blocks[i] == BLOCK_LOOP)
            return true;
    return false;
}

/* Behind the quotation mark or comment that `c` begins. */
static void skip(struct scan *s, int end, bool comment)
{
    int before = 0, c;
    while ((c = getc(s->f)) != EOF) {
        s->line += c == '\n';
        if (comment ? before == '*' && c == '/' : c == end && before != '\\')
            return;
        before = before == '\\' && !comment ? 0 : c;
    }
}

static void put(struct scan *s, int c)
{
    if (!isspace(c) && s->n + 1 < HEAD) {
        s->head[s->n++] = (char)c;
        s->head[s->n] = '\0';
    }
    s->parens += c == '(';
    s->parens -= c == ')' && s->parens;
}

static void end_head(struct scan *s)
{
    s->n = 0;
    s->head[0] = '\0';
    s->parens = 0;
}

/* One character of code. */
static void step(struct scan *s, int c)
{
    if (c == '{') {
        if (s->depth < DEEP)
            s->blocks[s->depth] = (unsigned char)head_is(s);
        s->depth++;
        end_head(s);
    } else if (c == '}') {
        s->depth -= s->depth > 0;
        end_head(s);
    } else if ((c == ';' && !s->parens && !(s->go && begins(s, "for"))) ||
               (c == '\n' && s->go)) {
        end_head(s);
    } else {
        put(s, c);
    }
}

enum fore_in_loop fore_source_in_loop(const char *file, uint32_t line)
{
    const char *ending = strrchr(file, '.');
    struct scan s = {.f = fore_source_open(file), .line = 1};
    bool found = false;
    s.go = ending && strcmp(ending, ".go") == 0;
    for (int c; s.f && !found && s.line <= line && (c = getc(s.f)) != EOF;) {
        int next = c == '/' ? getc(s.f) : 0;
        if (next == '/')
            skip(&s, '\n', false), step(&s, '\n');
        else if (next == '*')
            skip(&s, 0, true);
        else if (c == '"' || c == '\'' || c == '`')
            skip(&s, c, false);
        else
            step(&s, c), s.line += c == '\n';
        if (next && next != '/' && next != '*')
            ungetc(next, s.f);
        found = s.line == line && (in_loop(&s) || (!s.go && head_is(&s) == BLOCK_LOOP));
    }
    bool read = s.f && line && s.line >= line;
    if (s.f)
        fclose(s.f);
    return found ? FORE_LOOP_YES : read ? FORE_LOOP_NO : FORE_LOOP_UNREAD;
}
