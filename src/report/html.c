/* One self-contained page: the bundle of page/, the findings as JSON, the traces as columns
 * (delta-coded varints, deflated, base64). Nothing in it is trusted: data sits in elements that
 * browsers never run, and the policy allows exactly the one script and the one style sheet. */
#include "report/html.h"

#include "base/embed.h"
#include "base/jsonw.h"
#include "report/export.h"
#include "report/page_stamp.h"

#include <string.h>
#include <zlib.h>

FORE_EMBED(page_js, "src/report/page/page.js");
FORE_EMBED(page_css, "src/report/page/page.css");
FORE_EMBED(page_policy, "src/report/page/page.policy");

/* The column's next value, as the zigzag of its difference to the last one. */
static void put_difference(struct fore_strbuf *out, int64_t *last, int64_t value)
{
    int64_t d = value - *last;
    uint64_t z = (uint64_t)d << 1 ^ (uint64_t)(d >> 63);
    *last = value;
    do {
        fore_strbuf_putc(out, (char)((z & 127) | (z > 127 ? 128 : 0)));
        z >>= 7;
    } while (z);
}

/* JavaScript's numbers are exact up to 2^53; what does not fit is not shown as a value. */
static int64_t shown_value(const struct fore_event *e)
{
    const int64_t limit = (int64_t)1 << 51;
    bool rmw = e->kind == FORE_EV_RMW;
    int64_t v = (int64_t)(rmw ? e->b : e->a);
    enum fore_value_type type = rmw ? fore_event_type_b(e) : fore_event_type_a(e);
    return type == FORE_VALUE_INT && v < limit && v > -limit ? v : 0;
}

static void write_columns(const struct fore_trace *t, struct fore_strbuf *out)
{
    uint32_t *partner = fore_trace_partners(t);
    for (int column = 0; column < 6; column++) {
        int64_t last = 0;
        for (size_t i = 0; i < t->events.n; i++) {
            const struct fore_event *e = &t->events.at[i];
            const int64_t values[] = {e->thread, e->kind,    e->object,
                                      e->where,  partner[i], shown_value(e)};
            put_difference(out, &last, values[column]);
        }
    }
    fore_free(partner);
}

static void write_base64(const unsigned char *p, size_t n, struct fore_strbuf *out)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16 | (uint32_t)(i + 1 < n ? p[i + 1] : 0) << 8 |
                     (i + 2 < n ? p[i + 2] : 0);
        char quad[4] = {digits[v >> 18], digits[v >> 12 & 63],
                        i + 1 < n ? digits[v >> 6 & 63] : '=',
                        i + 2 < n ? digits[v & 63] : '='};
        fore_strbuf_add(out, quad, 4);
    }
}

static enum fore_status pack_trace(const struct fore_trace *t, struct fore_strbuf *out,
                                   struct fore_err *e)
{
    struct fore_strbuf raw = FORE_STRBUF_INIT;
    write_columns(t, &raw);
    uLongf size = compressBound(raw.n);
    unsigned char *small = fore_alloc(size);
    int failed = compress2(small, &size, (const unsigned char *)raw.at, raw.n, 6) != Z_OK;
    if (!failed)
        write_base64(small, size, out);
    fore_free(small);
    fore_strbuf_release(&raw);
    return failed ? fore_fail(e, FORE_IO, "%s: could not be compressed", t->name)
                  : FORE_OK;
}

static void thread_rows(struct fore_jsonw *w, const struct fore_tables *tab)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_jsonw_open(w, "threads", '[');
    for (uint32_t i = 1; i < tab->threads.n; i++) {
        fore_strbuf_clear(&b);
        fore_tables_path(tab, i, &b);
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "label", fore_tables_label(tab, i));
        fore_jsonw_text(w, "name", fore_tables_text(tab, tab->threads.at[i].name));
        fore_jsonw_text(w, "path", b.at);
        fore_jsonw_close(w, '}');
    }
    fore_jsonw_close(w, ']');
    fore_strbuf_release(&b);
}

static void write_tables(const struct fore_trace *t, struct fore_strbuf *out)
{
    struct fore_jsonw w;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    const struct fore_tables *tab = &t->tables;
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "name", t->name);
    fore_jsonw_u64(&w, "events", t->events.n);
    fore_jsonw_open(&w, "kinds", '[');
    for (unsigned k = 0; k < FORE_KINDS; k++)
        fore_jsonw_text(&w, NULL, fore_kind_name(k));
    fore_jsonw_close(&w, ']');
    thread_rows(&w, tab);
    fore_jsonw_open(&w, "objects", '[');
    for (uint32_t i = 1; i < tab->objects.n; i++) {
        fore_jsonw_open(&w, NULL, '{');
        fore_jsonw_text(&w, "kind", fore_object_kind_name(tab->objects.at[i].kind));
        fore_jsonw_text(&w, "name", fore_tables_name(tab, i));
        fore_jsonw_close(&w, '}');
    }
    fore_jsonw_close(&w, ']');
    fore_jsonw_open(&w, "places", '[');
    for (uint32_t i = 1; i < tab->wheres.n; i++) {
        fore_strbuf_clear(&b);
        fore_tables_place(tab, i, &b);
        fore_jsonw_text(&w, NULL, b.at);
    }
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_strbuf_release(&b);
}

/* JSON inside HTML: no `<`, so that no name can close the element it sits in. */
static void data_block(const char *id, size_t number, const struct fore_strbuf *json,
                       struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "<script type=\"application/json\" id=\"foresee-%s", id);
    if (number != SIZE_MAX)
        fore_strbuf_printf(out, "-%zu", number);
    fore_strbuf_puts(out, "\">");
    for (size_t i = 0; i < json->n; i++) {
        if (json->at[i] == '<')
            fore_strbuf_puts(out, "\\u003c");
        else
            fore_strbuf_putc(out, json->at[i]);
    }
    fore_strbuf_puts(out, "</script>\n");
}

enum fore_status fore_report_html(const struct fore_findings *f,
                                  const struct fore_trace *const *traces, size_t n,
                                  const char *diff, struct fore_strbuf *out,
                                  struct fore_err *e)
{
    struct fore_strbuf json = FORE_STRBUF_INIT;
    struct fore_report_options o = {.drawn_only = true};
    enum fore_status s = FORE_OK;
    fore_strbuf_puts(out,
                     "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    fore_strbuf_add(out, page_policy, FORE_EMBED_SIZE(page_policy));
    fore_strbuf_puts(
        out,
        "\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<title>foresee</title>\n<style>");
    fore_strbuf_add(out, page_css, FORE_EMBED_SIZE(page_css));
    fore_strbuf_puts(out, "</style></head>\n<body><div id=\"app\"></div>\n");
    fore_report_json(f, &o, &json);
    data_block("findings", SIZE_MAX, &json, out);
    if (diff) {
        fore_strbuf_clear(&json);
        fore_strbuf_puts(&json, diff);
        data_block("diff", SIZE_MAX, &json, out);
    }
    for (size_t i = 0; i < n && s == FORE_OK; i++) {
        fore_strbuf_clear(&json);
        write_tables(traces[i], &json);
        data_block("tables", i, &json, out);
        fore_strbuf_printf(out, "<script type=\"text/plain\" id=\"foresee-trace-%zu\">",
                           i);
        s = pack_trace(traces[i], out, e);
        fore_strbuf_puts(out, "</script>\n");
    }
    fore_strbuf_puts(out, "<script>");
    fore_strbuf_add(out, page_js, FORE_EMBED_SIZE(page_js));
    fore_strbuf_puts(out, "</script></body></html>\n");
    fore_strbuf_release(&json);
    return s;
}
