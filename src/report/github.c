/* Annotations of GitHub Actions: one line per finding, from warning on; notes with --all. */
#include "report/report.h"

#include <string.h>

/* In properties the two signs that end them are escaped, too. */
static void write_escaped(struct fore_strbuf *out, const char *text, bool property)
{
    for (; *text; text++) {
        bool special = strchr("%\r\n", *text) || (property && strchr(":,", *text));
        if (special)
            fore_strbuf_printf(out, "%%%02X", (unsigned)*text);
        else
            fore_strbuf_putc(out, *text);
    }
}

static void write_property(struct fore_strbuf *out, const char *name, const char *value)
{
    fore_strbuf_printf(out, "%s=", name);
    write_escaped(out, value, true);
}

static void write_annotation(struct fore_strbuf *out, const struct fore_finding *x)
{
    static const char *const levels[] = {"notice", "warning", "error"};
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_strbuf message = FORE_STRBUF_INIT;
    char id[17];
    uint32_t line = 0;
    const char *where = x->places.n ? x->places.at[0].location : "";
    const char *file = fore_source_split(&a, where, &line);
    fore_finding_id_text(x->id, id);
    fore_strbuf_printf(out, "::%s ", levels[x->level]);
    if (*file) {
        write_property(out, "file", file);
        fore_strbuf_printf(out, ",line=%u,", line);
    }
    write_property(out, "title", x->rule->name);
    fore_strbuf_puts(out, "::");
    fore_report_unnumbered(x->message, &message);
    write_escaped(out, message.at, false);
    if (x->test[0])
        fore_strbuf_puts(out, "%0A");
    write_escaped(out, x->alone[0] ? x->alone : x->test, false);
    fore_strbuf_printf(out, "%%0A%s, %.8s\n", fore_verdict_name(x->verdict), id);
    fore_strbuf_release(&message);
    fore_arena_release(&a);
}

void fore_report_github(const struct fore_findings *f,
                        const struct fore_report_options *o, struct fore_strbuf *out)
{
    for (size_t i = 0; i < f->list.n; i++)
        if (!f->list.at[i]->suppressed &&
            (f->list.at[i]->level > FORE_LEVEL_NOTE || o->all))
            write_annotation(out, f->list.at[i]);
}
