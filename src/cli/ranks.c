#include "cli/ranks.h"

#include "cli/live.h"
#include "finding/load.h"
#include "finding/save.h"

#include <string.h>

enum fore_status fore_ranks_plugin(const struct fore_cli *c, struct fore_arena *a,
                                   const char **path, uint32_t *rank, struct fore_err *e)
{
    const char *which = fore_mpi_started_by(rank);
    *path = NULL;
    if (!which || fore_params_has(&c->params, "no-mpi")) {
        *rank = 0;
        return FORE_OK;
    }
    *path = fore_mpi_plugin_path(a, which);
    if (*path)
        return FORE_OK;
    return fore_fail(e, FORE_USAGE,
                     "started by %s, but this foresee was built without it: there is no "
                     "foresee-%s.so beside it or in lib/foresee",
                     which, which);
}

enum fore_status fore_ranks_join(const struct fore_cli *c, struct fore_ranks *r,
                                 struct fore_err *e)
{
    struct fore_arena a = FORE_ARENA_INIT;
    const char *path;
    *r = (struct fore_ranks){.ranks = 1};
    enum fore_status s = fore_ranks_plugin(c, &a, &path, &r->rank, e);
    if (s == FORE_OK && path)
        s = fore_mpi_open(path, &r->plugin, &r->transport, e);
    if (s == FORE_OK && path) {
        r->rank = r->transport->rank;
        r->ranks = r->transport->ranks;
    }
    fore_arena_release(&a);
    return s;
}

void fore_ranks_leave(struct fore_ranks *r)
{
    if (r->transport)
        r->plugin->close(r->transport);
    r->transport = NULL;
}

bool fore_ranks_mine(const struct fore_ranks *r, const char *path, size_t i)
{
    return (fore_cli_is_live(path) ? 0 : i % r->ranks) == r->rank;
}

/* Beside the document: what it does not hold. */
static void save_beside(struct fore_jsonw *w, const struct fore_findings *f)
{
    fore_jsonw_bool(w, "sampled", f->completeness.sampled);
    fore_jsonw_open(w, "remarks", '[');
    for (size_t i = 0; i < f->remarks.n; i++)
        fore_jsonw_text(w, NULL, f->remarks.at[i]);
    fore_jsonw_close(w, ']');
    fore_jsonw_open(w, "witnesses", '[');
    for (size_t i = 0; i < f->list.n; i++)
        fore_jsonw_text(w, NULL, f->list.at[i]->witness_trace);
    fore_jsonw_close(w, ']');
    fore_jsonw_open(w, "sampled_findings", '[');
    for (size_t i = 0; i < f->list.n; i++)
        fore_jsonw_bool(w, NULL, f->list.at[i]->completeness.sampled);
    fore_jsonw_close(w, ']');
}

static void load_beside(const struct fore_json *o, struct fore_findings *f)
{
    f->completeness.sampled = fore_json_true(fore_json_get(o, "sampled"));
    const struct fore_json *list = fore_json_get(o, "remarks");
    for (const struct fore_json *v = list ? list->first : NULL; v; v = v->next)
        fore_vec_push(&f->remarks, fore_json_text(v));
    const struct fore_json *w = fore_json_get(o, "witnesses")->first;
    const struct fore_json *s = fore_json_get(o, "sampled_findings")->first;
    for (size_t i = 0; i < f->list.n && w && s; i++, w = w->next, s = s->next) {
        f->list.at[i]->witness_trace = fore_json_text(w);
        f->list.at[i]->completeness.sampled = fore_json_true(s);
    }
}

void fore_ranks_send(struct fore_ranks *r, const struct fore_parcel *p, const char *more)
{
    struct fore_strbuf out = FORE_STRBUF_INIT, document = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    static const struct fore_report_options whole;
    fore_report_json(&p->found, &whole, &document);
    fore_jsonw_init(&w, &out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_u64(&w, "file", p->file);
    fore_err_save(&w, "error", &p->err);
    fore_jsonw_raw(&w, "document", document.at);
    save_beside(&w, &p->found);
    fore_jsonw_raw(&w, "more", more ? more : "null");
    fore_jsonw_close(&w, '}');
    r->transport->send(r->transport, 0, out.at, out.n);
    fore_strbuf_release(&document);
    fore_strbuf_release(&out);
}

enum fore_status fore_ranks_receive(struct fore_ranks *r, struct fore_parcel *p,
                                    struct fore_err *e)
{
    struct fore_strbuf in = FORE_STRBUF_INIT;
    const struct fore_json *o;
    *p = (struct fore_parcel){0};
    fore_findings_init(&p->found);
    while (!r->transport->receive(r->transport, &in))
        r->transport->idle(r->transport);
    enum fore_status s =
        fore_json_read(&p->found.arena, "a rank's message", in.at, in.n, &o, e);
    if (s == FORE_OK)
        s = fore_findings_load_json(&p->found, "a rank's message",
                                    fore_json_get(o, "document"), e);
    if (s == FORE_OK) {
        p->file = (size_t)fore_json_int(fore_json_get(o, "file"), 0);
        p->more = fore_json_get(o, "more");
        load_beside(o, &p->found);
        (void)!fore_err_load(fore_json_get(o, "error"), &p->err);
    }
    fore_strbuf_release(&in);
    return s;
}
