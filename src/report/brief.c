/* Findings in few lines, and messages that are the same in the next run. */
#include "report/report.h"

#include <string.h>

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Is it a line of advice, which stands at the end and is kept? */
static bool is_kept(const char *line)
{
    return !strncmp(line, "  alone ", 8) || !strncmp(line, "  next ", 7);
}

/* A line that goes on with the sentence of the line above. */
static bool continues_sentence(const char *line)
{
    return strspn(line, " ") == FORE_REPORT_TEXT_COLUMN;
}

void fore_report_brief(const struct fore_finding *x, const struct fore_report_options *o,
                       struct fore_strbuf *out)
{
    struct fore_strbuf whole = FORE_STRBUF_INIT;
    if (!o->most_lines || o->full) {
        fore_report_finding(x, o, out);
        return;
    }
    fore_report_finding(x, o, &whole);
    size_t kept = 0, room, all = count_lines(whole.at);
    for (const char *at = whole.at; *at; at += strcspn(at, "\n") + 1)
        kept += is_kept(at);
    room = o->most_lines > kept ? o->most_lines - kept : 0;
    for (const char *at = whole.at; *at;) {
        size_t n = strcspn(at, "\n") + 1;
        bool empty = n == 1 && all > o->most_lines;
        bool shown = is_kept(at) || (room && !empty);
        room -= shown && !is_kept(at);
        bool cut = shown && !room && continues_sentence(at + n);
        if (shown) {
            fore_strbuf_add(out, at, n - 1);
            fore_strbuf_puts(out, cut ? " …\n" : "\n");
        }
        at += n;
    }
    fore_strbuf_release(&whole);
}

/* "goroutine 12 (pool.worker)" is "pool.worker". */
void fore_report_unnumbered(const char *text, struct fore_strbuf *out)
{
    static const char word[] = "goroutine ";
    for (const char *at; (at = strstr(text, word));) {
        const char *end = at + strlen(word);
        size_t digits = strspn(end, "0123456789");
        fore_strbuf_add(out, text, (size_t)(at - text));
        text = end + digits;
        if (!digits) {
            fore_strbuf_puts(out, word);
            continue;
        }
        const char *close = NULL;
        if (!strncmp(text, " (", 2)) { /* up to the parenthesis that closes the first */
            int depth = 0;
            for (const char *p = text + 1; *p && !close; p++) {
                depth += *p == '(';
                depth -= *p == ')';
                close = depth ? NULL : p;
            }
        }
        if (close) {
            fore_strbuf_add(out, text + 2, (size_t)(close - text - 2));
            text = close + 1;
        } else {
            fore_strbuf_puts(out, "a goroutine");
        }
    }
    fore_strbuf_puts(out, text);
}
