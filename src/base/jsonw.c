#include "base/jsonw.h"

#include <math.h>
#include <string.h>

void fore_jsonw_init(struct fore_jsonw *w, struct fore_strbuf *out)
{
    *w = (struct fore_jsonw){.out = out};
}

static void begin_member(struct fore_jsonw *w, const char *key)
{
    if (w->comma)
        fore_strbuf_putc(w->out, ',');
    if (w->depth) {
        fore_strbuf_putc(w->out, '\n');
        fore_strbuf_pad(w->out, ' ', w->out->n + 2 * (size_t)w->depth);
    }
    if (key) {
        fore_strbuf_json(w->out, key, strlen(key));
        fore_strbuf_puts(w->out, ": ");
    }
    w->comma = true;
}

void fore_jsonw_open(struct fore_jsonw *w, const char *key, char bracket)
{
    begin_member(w, key);
    fore_strbuf_putc(w->out, bracket);
    w->depth++;
    w->comma = false;
}

void fore_jsonw_close(struct fore_jsonw *w, char bracket)
{
    FORE_BUG_IF(!w->depth);
    w->depth--;
    if (w->comma) {
        fore_strbuf_putc(w->out, '\n');
        fore_strbuf_pad(w->out, ' ', w->out->n + 2 * (size_t)w->depth);
    }
    fore_strbuf_putc(w->out, bracket);
    w->comma = true;
}

void fore_jsonw_bytes(struct fore_jsonw *w, const char *key, const char *s, size_t n)
{
    begin_member(w, key);
    fore_strbuf_json(w->out, s, n);
}

void fore_jsonw_text(struct fore_jsonw *w, const char *key, const char *s)
{
    if (s)
        fore_jsonw_bytes(w, key, s, strlen(s));
    else
        fore_jsonw_null(w, key);
}

static const uint64_t largest_exact = (uint64_t)1 << 53;

void fore_jsonw_u64(struct fore_jsonw *w, const char *key, uint64_t x)
{
    bool quoted = x > largest_exact;
    begin_member(w, key);
    if (quoted)
        fore_strbuf_putc(w->out, '"');
    fore_strbuf_u64(w->out, x);
    if (quoted)
        fore_strbuf_putc(w->out, '"');
}

void fore_jsonw_real(struct fore_jsonw *w, const char *key, double x)
{
    if (!isfinite(x)) {
        fore_jsonw_null(w, key);
        return;
    }
    begin_member(w, key);
    fore_strbuf_printf(w->out, "%.9g", x);
}

void fore_jsonw_bool(struct fore_jsonw *w, const char *key, bool x)
{
    fore_jsonw_raw(w, key, x ? "true" : "false");
}

void fore_jsonw_null(struct fore_jsonw *w, const char *key)
{
    fore_jsonw_raw(w, key, "null");
}

void fore_jsonw_big(struct fore_jsonw *w, const char *key, const struct fore_big *x)
{
    uint64_t small;
    if (fore_big_u64(x, &small)) {
        fore_jsonw_u64(w, key, small);
        return;
    }
    begin_member(w, key);
    fore_strbuf_putc(w->out, '"');
    fore_big_text(x, w->out);
    fore_strbuf_putc(w->out, '"');
}

void fore_jsonw_raw(struct fore_jsonw *w, const char *key, const char *json)
{
    begin_member(w, key);
    fore_strbuf_puts(w->out, json);
}
