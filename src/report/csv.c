/* One line per event, for spreadsheets and scripts (RFC 4180). */
#include "report/export.h"

#include "trace/format.h"

/* A cell that begins like a formula would be run by spreadsheets: a quote makes it text. */
static void write_cell(struct fore_strbuf *out, const char *s, size_t n, char end)
{
    fore_strbuf_putc(out, '"');
    if (n && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@'))
        fore_strbuf_putc(out, '\'');
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            fore_strbuf_putc(out, '"');
        fore_strbuf_putc(out, s[i]);
    }
    fore_strbuf_putc(out, '"');
    fore_strbuf_putc(out, end);
}

void fore_export_csv(const struct fore_trace *t, const struct fore_findings *f,
                     struct fore_strbuf *out)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    uint32_t *partner = fore_trace_partners(t);
    (void)f;
    fore_strbuf_puts(out, "position,thread,path,kind,event,location,partner\r\n");
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        const char *label = fore_tables_label(&t->tables, e->thread);
        fore_strbuf_printf(out, "%zu,", i + 1);
        write_cell(out, label, strlen(label), ',');
        fore_tables_path(&t->tables, e->thread, &b);
        write_cell(out, b.at, b.n, ',');
        fore_strbuf_clear(&b);
        fore_strbuf_printf(out, "%s,", fore_kind_name(e->kind));
        fore_event_text(&t->tables, e, t->cases.at, &b);
        write_cell(out, b.at, b.n, ',');
        fore_strbuf_clear(&b);
        fore_tables_place(&t->tables, e->where, &b);
        write_cell(out, b.at, b.n, ',');
        fore_strbuf_clear(&b);
        if (partner[i])
            fore_strbuf_u64(out, partner[i]);
        fore_strbuf_puts(out, "\r\n");
    }
    fore_strbuf_release(&b);
    fore_free(partner);
}
