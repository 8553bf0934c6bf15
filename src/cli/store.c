/* What `show` and `replay` look at: .foresee/last.json and .foresee/ID.trace. */
#include "cli/cli.h"

#include "base/file.h"
#include "finding/load.h"
#include "trace/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *fore_store_folder(void)
{
    const char *set = getenv("FORESEE_DIR");
    return set && *set ? set : ".foresee";
}

static enum fore_status put_file(const char *name, const char *text, size_t n,
                                 struct fore_err *e)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", fore_store_folder(), name);
    return fore_file_replace(path, text, n, e);
}

static enum fore_status make_folder(struct fore_err *e)
{
    if (mkdir(fore_store_folder(), 0777) != 0 && errno != EEXIST)
        return fore_fail(e, FORE_IO, "%s: %s", fore_store_folder(), strerror(errno));
    return FORE_OK;
}

enum { KEPT_TRACES = 8, KEPT_EVENTS = 4 << 20 };

static void trace_path(unsigned k, char *out, size_t size)
{
    if (k)
        snprintf(out, size, "%s/last-%u.fst", fore_store_folder(), k + 1);
    else
        snprintf(out, size, "%s/last.fst", fore_store_folder());
}

static enum fore_status write_trace(const struct fore_trace *t, const char *path,
                                    struct fore_err *e)
{
    struct fore_arena a = FORE_ARENA_INIT;
    FILE *out = fopen(path, "we");
    if (!out)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    enum fore_status s =
        fore_trace_replay(t, fore_format_named("fst")->write(&a, out), e);
    if (fclose(out) != 0 && s == FORE_OK)
        s = fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    if (s != FORE_OK)
        remove(path);
    fore_arena_release(&a);
    return s;
}

void fore_store_trace(const struct fore_cli *c, struct fore_findings *f,
                      const struct fore_trace *t)
{
    char path[4096];
    struct fore_err e = {0};
    unsigned k = 0;
    if (fore_params_has(&c->params, "no-save") || !f->traces.n)
        return;
    for (size_t i = 0; i + 1 < f->traces.n; i++)
        k += f->traces.at[i].file != NULL;
    for (unsigned old = k; !k && old < KEPT_TRACES; old++) { /* of the run before */
        trace_path(old, path, sizeof path);
        remove(path);
    }
    if (k >= KEPT_TRACES || t->brief || t->cut || t->events.n > KEPT_EVENTS)
        return;
    trace_path(k, path, sizeof path);
    if (make_folder(&e) == FORE_OK && write_trace(t, path, &e) == FORE_OK)
        fore_vec_last(&f->traces).file = fore_arena_strdup(&f->arena, path);
    else
        fore_cli_say(c, "the trace was not kept: %s", e.msg);
}

enum fore_status fore_store_save(const struct fore_findings *f, struct fore_err *e)
{
    struct fore_strbuf json = FORE_STRBUF_INIT;
    struct fore_report_options o = {0};
    FORE_TRY(make_folder(e));
    fore_report_json(f, &o, &json);
    enum fore_status s = put_file("last.json", json.at, json.n, e);
    fore_strbuf_release(&json);
    for (size_t i = 0; s == FORE_OK && i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        char id[17], name[32];
        fore_finding_id_text(x->id, id);
        snprintf(name, sizeof name, "%s.trace", id);
        if (x->witness_trace[0])
            s = put_file(name, x->witness_trace, strlen(x->witness_trace), e);
    }
    return s;
}

enum fore_status fore_store_load(struct fore_findings *f, struct fore_err *e)
{
    char path[4096];
    struct fore_strbuf text = FORE_STRBUF_INIT;
    snprintf(path, sizeof path, "%s/last.json", fore_store_folder());
    enum fore_status s = fore_strbuf_read_file(&text, path, e);
    if (s != FORE_OK)
        s = fore_fail(e, FORE_IO, "nothing is stored in %s: run an analysis first",
                      fore_store_folder());
    else
        s = fore_findings_load(f, path, text.at, text.n, e);
    fore_strbuf_release(&text);
    for (size_t i = 0; s == FORE_OK && i < f->list.n; i++) {
        char id[17];
        struct fore_strbuf witness = FORE_STRBUF_INIT;
        fore_finding_id_text(f->list.at[i]->id, id);
        snprintf(path, sizeof path, "%s/%s.trace", fore_store_folder(), id);
        if (fore_strbuf_read_file(&witness, path, NULL) == FORE_OK)
            f->list.at[i]->witness_trace =
                fore_arena_strndup(&f->arena, witness.at, witness.n);
        fore_strbuf_release(&witness);
    }
    return s;
}

struct fore_finding *fore_store_find(const struct fore_findings *f, const char *id,
                                     struct fore_err *e)
{
    struct fore_finding *x = fore_findings_by_id(f, id);
    if (!x)
        fore_fail(
            e, FORE_USAGE,
            "no finding, or more than one, begins with '%s' (foresee show lists them)",
            id);
    return x;
}
