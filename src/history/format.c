#include "history/format.h"

#include "base/sort.h"
#include "history/format_edn.h"
#include "history/format_jepsen.h"
#include "history/format_trace.h"
#include "history/independent.h"
#include "history/transactional.h"

#include <stdlib.h>
#include <string.h>

/* The first that matches wins: the narrow ones come first. */
const struct fore_history_format *const fore_history_formats[] = {
    &fore_history_format_jepsen, &fore_history_format_kv,    &fore_history_format_edn,
    &fore_history_format_json,   &fore_history_format_trace, NULL,
};

const struct fore_history_format *fore_history_format_named(const char *name)
{
    for (size_t i = 0; fore_history_formats[i]; i++)
        if (!strcmp(name, fore_history_formats[i]->name) ||
            !strcmp(name, fore_history_formats[i]->extension))
            return fore_history_formats[i];
    return NULL;
}

const struct fore_history_format *fore_history_format_of(const char *text, size_t n)
{
    for (size_t i = 0; fore_history_formats[i]; i++)
        if (fore_history_formats[i]->matches(text, n < 4096 ? n : 4096))
            return fore_history_formats[i];
    return NULL;
}

/* Guessing the model: which of them know every operation that occurs? */

enum { LOOK_AT = 20000 };

struct guess {
    struct fore_record_sink sink;
    struct fore_vals values;
    const char *file;
    bool possible[32];
    const struct fore_model *named;
    size_t n;
};

static enum fore_status guess_record(struct fore_record_sink *s,
                                     const struct fore_record *r, struct fore_err *e)
{
    struct guess *g = (struct guess *)s;
    FORE_TRY(fore_refuse_transaction(g->file, &g->values, NULL, r, e));
    if (r->type != FORE_REC_INVOKE)
        return FORE_OK;
    if (g->n == LOOK_AT)
        return FORE_LIMIT; /* enough seen */
    for (size_t i = 0; fore_models[i]; i++)
        g->possible[i] = g->possible[i] && fore_models[i]->keyed == r->has_key &&
                         fore_model_op_find(fore_models[i], r->f.at, r->f.n) >= 0;
    struct fore_bytes name = fore_val_bytes(&g->values, r->object);
    if (!g->n && fore_val_kind(r->object) == FORE_VAL_STRING)
        g->named = fore_model_find(name.at);
    g->n++;
    return FORE_OK;
}

static enum fore_status choose_format(const struct guess *g, const char *name,
                                      const struct fore_model **out, struct fore_err *e)
{
    *out = NULL;
    if (!g->n)
        return fore_fail_at(e, FORE_USAGE, name, 0, 0, "there are no operations in it");
    for (size_t i = 0; fore_models[i]; i++) {
        if (!g->possible[i] || (*out && fore_models[i]->by_name))
            continue;
        if (*out && (*out)->shape != fore_models[i]->shape)
            return fore_fail_at(
                e, FORE_USAGE, name, 0, 0,
                "the operations fit a %s and a %s; say which with --object", (*out)->name,
                fore_models[i]->name);
        if (!*out)
            *out = fore_models[i];
    }
    if (g->named)
        *out = g->named;
    if (!*out)
        return fore_fail_at(e, FORE_USAGE, name, 0, 0,
                            "no built-in object has these operations; say which with "
                            "--object");
    return FORE_OK;
}

static enum fore_status guess_model(const struct fore_record_source *from,
                                    const char *name, const struct fore_model **out,
                                    struct fore_err *e)
{
    struct guess g = {.sink = {guess_record, NULL}, .file = name};
    g.sink.values = &g.values;
    for (size_t i = 0; i < 32; i++)
        g.possible[i] = true;
    enum fore_status st = from->read(from, &g.sink, e);
    if (st == FORE_OK || g.n == LOOK_AT)
        st = choose_format(&g, name, out, e);
    fore_vals_release(&g.values);
    return st;
}

struct loader {
    struct fore_record_sink sink;
    struct fore_history *h;
    bool independent;
    struct fore_budget *budget;
};

static enum fore_status load_record(struct fore_record_sink *s,
                                    const struct fore_record *r, struct fore_err *e)
{
    const struct loader *l = (const struct loader *)s;
    const char *spent = fore_spent_text(fore_budget_spent(l->budget));
    if (spent)
        return fore_fail_at(e, FORE_LIMIT, l->h->name, r->line, 1, "read no further: %s",
                            spent);
    FORE_TRY(fore_refuse_transaction(l->h->name, &l->h->values, l->h->model, r, e));
    if (!l->independent)
        return fore_history_add(l->h, r, e);
    struct fore_record split = *r;
    FORE_TRY(fore_independent_split(l->h, &split, e));
    return fore_history_add(l->h, &split, e);
}

enum fore_status fore_history_from(struct fore_history *h, const char *name,
                                   const struct fore_record_source *from,
                                   const struct fore_model *model,
                                   enum fore_dialect dialect, struct fore_err *e)
{
    if (!model)
        FORE_TRY(guess_model(from, name, &model, e));
    fore_history_init(h, name, model);
    h->dialect = dialect;
    struct loader l = {{load_record, &h->values}, h, false, from->budget};
    l.independent = dialect != FORE_DIALECT_PLAIN && fore_is_independent(from, model);
    h->independent = l.independent;
    enum fore_status st = from->read(from, &l.sink, e);
    if (st != FORE_OK) {
        fore_history_release(h);
        return st;
    }
    fore_history_finish(h);
    return FORE_OK;
}

struct text_source {
    struct fore_record_source source;
    const struct fore_history_format *format;
    const char *name, *text;
    size_t n;
};

static enum fore_status read_source(const struct fore_record_source *s,
                                    struct fore_record_sink *to, struct fore_err *e)
{
    const struct text_source *t = (const struct text_source *)s;
    return t->format->read(t->name, t->text, t->n, to, e);
}

static enum fore_status read_text(struct fore_history *h, const char *name,
                                  const char *text, size_t n,
                                  const struct fore_model *model,
                                  const struct fore_history_format *format,
                                  struct fore_budget *budget, struct fore_err *e)
{
    size_t blanks = 0;
    while (blanks < n && strchr(" \t\r\n", text[blanks]))
        blanks++;
    if (blanks == n)
        return fore_fail_at(e, FORE_SYNTAX, name, 1, 1,
                            "the file is empty: expected a history");
    if (!format)
        format = fore_history_format_of(text, n);
    if (!format)
        return fore_fail_at(
            e, FORE_SYNTAX, name, 1, 1,
            "this is no history: expected Jepsen's log lines, maps in EDN, objects in "
            "JSON, or the trace notation's invoke and return");
    struct text_source from = {{read_source, budget}, format, name, text, n};
    return fore_history_from(h, name, &from.source, model, format->dialect, e);
}

enum fore_status fore_history_read(struct fore_history *h, const char *name,
                                   const char *text, size_t n,
                                   const struct fore_model *model,
                                   const struct fore_history_format *format,
                                   struct fore_err *e)
{
    return read_text(h, name, text, n, model, format, NULL, e);
}

enum fore_status fore_history_load_within(struct fore_history *h, const char *path,
                                          const struct fore_model *model,
                                          const struct fore_history_format *format,
                                          struct fore_budget *budget, struct fore_err *e)
{
    struct fore_file f;
    FORE_TRY(fore_file_open(&f, path, e));
    enum fore_status st = read_text(h, strcmp(path, "-") ? path : "<stdin>", f.at, f.n,
                                    model, format, budget, e);
    fore_file_release(&f);
    return st;
}

enum fore_status fore_history_load(struct fore_history *h, const char *path,
                                   const struct fore_model *model,
                                   const struct fore_history_format *format,
                                   struct fore_err *e)
{
    return fore_history_load_within(h, path, model, format, NULL, e);
}

struct fore_history_event *fore_history_events(const struct fore_history *h, size_t *n)
{
    uint64_t *at = fore_calloc(h->ops.n * 2 + 1, sizeof *at);
    size_t events = 0;
    for (size_t i = 0; i < h->ops.n; i++) {
        at[events++] = (uint64_t)h->ops.at[i].invoke << 32 | i;
        if (!fore_op_pending(&h->ops.at[i]))
            at[events++] = (uint64_t)h->ops.at[i].ret << 32 | i;
    }
    qsort(at, events, sizeof *at, fore_compare_u64);
    struct fore_history_event *out = fore_calloc(events * 2 + 1, sizeof *out);
    uint32_t *given_up = fore_calloc(h->processes.n + 1, sizeof *given_up);
    *n = 0;
    for (size_t i = 0; i < events; i++) {
        uint32_t op = (uint32_t)at[i];
        const struct fore_op *o = &h->ops.at[op];
        bool invoke = o->invoke == at[i] >> 32;
        if (invoke && given_up[o->process])
            out[(*n)++] =
                (struct fore_history_event){given_up[o->process] - 1, FORE_REC_INFO};
        if (invoke)
            given_up[o->process] = fore_op_pending(o) ? op + 1 : 0;
        out[(*n)++] =
            (struct fore_history_event){op, invoke ? FORE_REC_INVOKE : FORE_REC_OK};
    }
    fore_free(given_up);
    fore_free(at);
    return out;
}

bool fore_history_overlaps(const struct fore_history *h)
{
    uint32_t *busy_until = fore_calloc(h->processes.n + 1, sizeof *busy_until);
    bool overlaps = false;
    for (size_t i = 0; i < h->ops.n && !overlaps; i++) {
        const struct fore_op *op = &h->ops.at[i];
        overlaps = busy_until[op->process] > op->invoke;
        if (!fore_op_pending(op))
            busy_until[op->process] = op->ret;
    }
    fore_free(busy_until);
    return overlaps;
}
