/* Findings as output events of `go test -json`, so that what reads that stream goes on to understand it. */
#include "report/report.h"

#include <string.h>

static void output_line(struct fore_strbuf *out, const struct fore_finding *x,
                        const char *line, size_t n)
{
    fore_strbuf_puts(out, "{\"Action\":\"output\"");
    if (x && x->package[0]) {
        fore_strbuf_puts(out, ",\"Package\":");
        fore_strbuf_json(out, x->package, strlen(x->package));
    }
    if (x && x->test[0] && strcmp(x->test, "init") != 0) {
        fore_strbuf_puts(out, ",\"Test\":");
        fore_strbuf_json(out, x->test, strlen(x->test));
    }
    fore_strbuf_puts(out, ",\"Output\":");
    fore_strbuf_json(out, line, n);
    fore_strbuf_puts(out, "}\n");
}

static void output_text(struct fore_strbuf *out, const struct fore_finding *x,
                        const struct fore_strbuf *text)
{
    for (const char *at = text->n ? text->at : ""; *at;) {
        size_t n = strcspn(at, "\n");
        n += at[n] == '\n';
        output_line(out, x, at, n);
        at += n;
    }
}

void fore_report_test2json(const struct fore_findings *f,
                           const struct fore_report_options *o, struct fore_strbuf *out)
{
    struct fore_report_options plain = *o;
    plain.color = false;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        struct fore_strbuf text = FORE_STRBUF_INIT;
        if (x->suppressed || (x->level == FORE_LEVEL_NOTE && !o->all))
            continue;
        fore_report_brief(x, &plain, &text);
        output_text(out, x, &text);
        fore_strbuf_release(&text);
    }
}
