/* Text for people: colours, columns, lines that are broken at blanks. */
#include "report/pen.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

void fore_pen_color(struct fore_pen *p, const char *sgr)
{
    if (p->o->color)
        fore_strbuf_printf(p->out, "\033[%sm", sgr);
}

void fore_pen_text(struct fore_pen *p, const char *s, size_t limit)
{
    size_t n = strlen(s), width = 0, kept = p->out->n;
    while (n && width < limit) {
        size_t from = p->out->n, len = fore_strbuf_seen(p->out, s, n);
        width += fore_utf8_width(p->out->at + from, p->out->n - from);
        s += len;
        n -= len;
        kept = width < limit ? p->out->n : kept;
    }
    if (n || width > limit) {
        p->out->at[p->out->n = kept] = '\0';
        fore_strbuf_puts(p->out, "…");
    }
}

void fore_pen_plain(struct fore_pen *p, const char *s)
{
    fore_pen_text(p, s, SIZE_MAX);
}

void fore_pen_colored(struct fore_pen *p, const char *sgr, const char *s)
{
    fore_pen_color(p, sgr);
    fore_pen_plain(p, s);
    fore_pen_color(p, "0");
}

void fore_pen_pad(struct fore_pen *p, size_t from, size_t columns)
{
    size_t have = fore_utf8_width(p->out->at + from, p->out->n - from);
    for (; have < columns; have++)
        fore_strbuf_putc(p->out, ' ');
}

void fore_pen_label(struct fore_pen *p, const char *s)
{
    fore_strbuf_puts(p->out, "  ");
    size_t from = p->out->n;
    fore_pen_plain(p, s);
    fore_strbuf_putc(p->out, ' ');
    fore_pen_pad(p, from, FORE_PEN_LABEL);
}

void fore_pen_end_line(struct fore_pen *p)
{
    while (p->out->n && p->out->at[p->out->n - 1] == ' ')
        p->out->at[--p->out->n] = '\0';
    fore_strbuf_putc(p->out, '\n');
}

static size_t character_start(const char *s, size_t at)
{
    while (at && ((unsigned char)s[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/* A word, whole; of one that would fill a screen the two ends, and how long it is. */
static void copy_word(const char *s, size_t n, char out[512])
{
    enum { MOST = 200, TAIL = 40 };
    if (n <= MOST) {
        snprintf(out, 512, "%.*s", (int)n, s);
        return;
    }
    size_t head = character_start(s, MOST - TAIL), tail = character_start(s, n - TAIL);
    snprintf(out, 512, "%.*s…%.*s(%zu_bytes)", (int)head, s, (int)(n - tail), s + tail,
             n);
}

void fore_pen_wrapped(struct fore_pen *p, const char *s)
{
    size_t room =
               p->o->width > FORE_PEN_LABEL + 22 ? p->o->width - FORE_PEN_LABEL - 3 : 60,
           used = 0;
    while (*s) {
        size_t n = strcspn(s, " \n");
        char word[512];
        copy_word(s, n, word);
        size_t w = fore_utf8_width(word, strlen(word));
        if (used && used + 1 + w > room) {
            fore_strbuf_printf(p->out, "\n%*s", FORE_PEN_LABEL + 2, "");
            used = 0;
        } else if (used) {
            fore_strbuf_putc(p->out, ' ');
            used++;
        }
        fore_pen_plain(p, word);
        used += w;
        s += n;
        if (*s == '\n' && s[1]) {
            fore_strbuf_printf(p->out, "\n%*s", FORE_PEN_LABEL + 2, "");
            used = 0;
        }
        s += *s != '\0';
    }
    fore_strbuf_putc(p->out, '\n');
}
