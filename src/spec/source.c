#include "spec/source.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static size_t line_start(const struct fore_source *s, size_t at)
{
    while (at > 0 && s->text[at - 1] != '\n')
        at--;
    return at;
}

void fore_source_position(const struct fore_source *s, uint32_t at, uint64_t *line,
                          uint64_t *column)
{
    size_t start = line_start(s, at);
    *line = 1;
    for (size_t i = 0; i < start; i++)
        *line += s->text[i] == '\n';
    *column = 1 + fore_utf8_width(s->text + start, at - start);
}

enum { SHOWN = 100 }; /* bytes of a long line */

void fore_source_caret(const struct fore_source *s, struct fore_span at,
                       struct fore_strbuf *out)
{
    size_t from = line_start(s, at.at);
    const char *newline = memchr(s->text + from, '\n', s->n - from);
    size_t to = newline ? (size_t)(newline - s->text) : s->n;
    if (at.at - from > SHOWN / 2)
        from = at.at - SHOWN / 2;
    if (to - from > SHOWN)
        to = from + SHOWN;
    fore_strbuf_puts(out, "  ");
    for (size_t i = from; i < to; i++)
        fore_strbuf_putc(out,
                         s->text[i] == '\t' || s->text[i] == '\r' ? ' ' : s->text[i]);
    fore_strbuf_puts(out, "\n  ");
    size_t indent = fore_utf8_width(s->text + from, at.at - from);
    for (size_t i = 0; i < indent; i++)
        fore_strbuf_putc(out, ' ');
    fore_strbuf_putc(out, '^');
    size_t end = at.at + at.n < to ? at.at + at.n : to;
    for (size_t i = at.at + 1; i < end; i++)
        fore_strbuf_putc(out, '~');
}

enum fore_status fore_source_fail(const struct fore_source *s, struct fore_span at,
                                  enum fore_status status, struct fore_err *e,
                                  const char *fmt, ...)
{
    char msg[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    uint64_t line, column;
    fore_source_position(s, at.at, &line, &column);
    struct fore_strbuf caret = FORE_STRBUF_INIT;
    fore_source_caret(s, at, &caret);
    status = fore_fail_at(e, status, s->file, line, column, "%s\n%s", msg, caret.at);
    fore_strbuf_release(&caret);
    return status;
}
