#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/jsonw.h"
#include "trace/format.h"

#include <string.h>
#include <sys/stat.h>

/* A sink that counts. Waits (F_PRE) are counted apart from what they lead to. */
struct kind_tally {
    struct fore_sink sink;
    uint64_t events, kinds[2][FORE_KINDS];
    bool torn;
    uint64_t lost, unknown, doubts, expects;
    struct fore_err why;
};

static enum fore_flow count_batch(struct fore_sink *s, const struct fore_batch *b)
{
    struct kind_tally *t = (struct kind_tally *)s;
    t->events += b->n;
    for (size_t i = 0; i < b->n; i++)
        t->kinds[b->events[i].flags & FORE_F_PRE][b->events[i].kind]++;
    return FORE_CONTINUE;
}

static enum fore_status count_end(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    struct kind_tally *t = (struct kind_tally *)s;
    (void)e;
    t->torn = end->torn;
    t->lost = end->lost;
    t->unknown = end->unknown;
    t->doubts = end->doubts;
    t->expects = end->expect_count;
    if (end->why)
        t->why = *end->why;
    return FORE_OK;
}

static uint64_t file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static uint64_t objects_of(const struct fore_tables *t, enum fore_object_kind kind)
{
    uint64_t n = 0;
    for (size_t i = 1; i < t->objects.n; i++)
        n += t->objects.at[i].kind == kind;
    return n;
}

static void print_count(struct fore_strbuf *out, const char *name, uint64_t n)
{
    fore_strbuf_printf(out, "  %-20s %12llu\n", name, (unsigned long long)n);
}

static void write_kinds(const struct kind_tally *t, struct fore_strbuf *out)
{
    for (unsigned k = 0; k < FORE_KINDS; k++)
        for (unsigned pre = 2; pre-- > 0;) {
            char name[40];
            snprintf(name, sizeof name, pre ? "  pre(%s)" : "  %s", fore_kind_name(k));
            if (t->kinds[pre][k])
                print_count(out, name, t->kinds[pre][k]);
        }
}

/* Writes what the capture saw, if that was not everything, and where it was blind. */
static void write_sees(const struct fore_tables *t, struct fore_strbuf *out)
{
    if (t->sees & FORE_SEES_DECLARED) {
        fore_strbuf_puts(out, "  sees");
        for (unsigned i = 0; i < FORE_SEES_BITS; i++)
            if (t->sees & 1u << i)
                fore_strbuf_printf(out, " %s", fore_sees_names[i]);
        fore_strbuf_putc(out, '\n');
    }
    for (size_t i = 0; i < t->unseen.n; i++) {
        fore_strbuf_printf(out, "  unseen: %s",
                           fore_tables_text(t, t->unseen.at[i].text));
        if (t->wheres.at[t->unseen.at[i].where].file)
            fore_strbuf_puts(out, " at ");
        fore_tables_place(t, t->unseen.at[i].where, out);
        fore_strbuf_putc(out, '\n');
    }
}

static void write_sees_json(const struct fore_tables *t, struct fore_jsonw *w)
{
    fore_jsonw_open(w, "sees", '[');
    for (unsigned i = 0; i < FORE_SEES_BITS; i++)
        if (fore_tables_sees(t, 1u << i))
            fore_jsonw_text(w, NULL, fore_sees_names[i]);
    fore_jsonw_close(w, ']');
    fore_jsonw_open(w, "unseen", '[');
    for (size_t i = 0; i < t->unseen.n; i++) {
        struct fore_strbuf place = FORE_STRBUF_INIT;
        fore_tables_place(t, t->unseen.at[i].where, &place);
        fore_jsonw_open(w, NULL, '{');
        fore_jsonw_text(w, "text", fore_tables_text(t, t->unseen.at[i].text));
        if (place.n)
            fore_jsonw_text(w, "location", place.at);
        fore_jsonw_close(w, '}');
        fore_strbuf_release(&place);
    }
    fore_jsonw_close(w, ']');
}

static void write_text(const char *path, const struct kind_tally *t,
                       const struct fore_tables *tables, struct fore_strbuf *out)
{
    uint64_t size = file_size(path);
    fore_strbuf_printf(out, "%s\n", path);
    print_count(out, "events", t->events);
    write_kinds(t, out);
    print_count(out, "threads", tables->threads.n - 1);
    for (unsigned k = 1; k < FORE_OBJ_KINDS; k++) {
        char name[40];
        uint64_t n = objects_of(tables, k);
        snprintf(name, sizeof name, "%ss", fore_object_kind_name(k));
        if (n || k == FORE_OBJ_CHAN || k == FORE_OBJ_PLACE)
            print_count(out, name, n);
    }
    print_count(out, "locations", tables->wheres.n - 1);
    write_sees(tables, out);
    if (t->expects)
        print_count(out, "expectations", t->expects);
    if (size)
        fore_strbuf_printf(out, "  %-20s %12llu (%.2f per event)\n", "bytes",
                           (unsigned long long)size,
                           t->events ? (double)size / (double)t->events : 0.0);
    if (t->unknown)
        print_count(out, "of unknown kinds", t->unknown);
    if (t->torn && t->lost)
        fore_strbuf_printf(out, "  torn: %llu events are usable, %llu are lost\n",
                           (unsigned long long)t->events, (unsigned long long)t->lost);
    else if (t->torn)
        fore_strbuf_printf(out,
                           "  torn: %llu events are usable, an unknown number is lost\n",
                           (unsigned long long)t->events);
    if (t->doubts)
        print_count(out, "without their cause", t->doubts);
}

static void write_json(const char *path, const struct kind_tally *t,
                       const struct fore_tables *tables, struct fore_jsonw *w)
{
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "name", path);
    fore_jsonw_u64(w, "bytes", file_size(path));
    fore_jsonw_u64(w, "events", t->events);
    fore_jsonw_open(w, "kinds", '{');
    for (unsigned k = 0; k < FORE_KINDS; k++)
        for (unsigned pre = 2; pre-- > 0;) {
            char name[40];
            snprintf(name, sizeof name, pre ? "pre(%s)" : "%s", fore_kind_name(k));
            if (t->kinds[pre][k])
                fore_jsonw_u64(w, name, t->kinds[pre][k]);
        }
    fore_jsonw_close(w, '}');
    fore_jsonw_u64(w, "threads", tables->threads.n - 1);
    fore_jsonw_open(w, "objects", '{');
    for (unsigned k = 1; k < FORE_OBJ_KINDS; k++)
        fore_jsonw_u64(w, fore_object_kind_name(k), objects_of(tables, k));
    fore_jsonw_close(w, '}');
    fore_jsonw_u64(w, "locations", tables->wheres.n - 1);
    write_sees_json(tables, w);
    fore_jsonw_u64(w, "expectations", t->expects);
    fore_jsonw_u64(w, "unknown", t->unknown);
    fore_jsonw_bool(w, "torn", t->torn);
    fore_jsonw_u64(w, "lost", t->lost);
    fore_jsonw_close(w, '}');
}

/* Reports a tear, with its place, after what was usable. */
static enum fore_status print_info(struct fore_cli *c, const char *path,
                                   struct fore_strbuf *out, struct fore_jsonw *json,
                                   struct fore_err *e)
{
    struct kind_tally t = {.sink = {count_batch, count_end}};
    struct fore_tables tables;
    fore_tables_init(&tables);
    enum fore_status s = fore_trace_stream(path, &tables, &t.sink, e);
    if (!s && strcmp(c->reporter->name, "json") == 0)
        write_json(path, &t, &tables, json);
    else if (!s)
        write_text(path, &t, &tables, out);
    fore_tables_release(&tables);
    if (!s && t.why.status)
        *e = t.why;
    return s;
}

static enum fore_status info_all(struct fore_cli *c, struct fore_strbuf *out,
                                 struct fore_err *e)
{
    struct fore_jsonw json;
    enum fore_status s = FORE_OK;
    bool is_json = strcmp(c->reporter->name, "json") == 0;
    fore_jsonw_init(&json, out);
    if (is_json) {
        fore_jsonw_open(&json, NULL, '{');
        fore_jsonw_text(&json, "schema", "foresee.info/1");
        fore_jsonw_open(&json, "traces", '[');
    }
    for (size_t i = 0; !s && i < c->words.v.n; i++)
        s = print_info(c, c->words.v.at[i], out, &json, e);
    if (is_json) {
        fore_jsonw_close(&json, ']');
        fore_jsonw_close(&json, '}');
        fore_strbuf_putc(out, '\n');
    }
    return s;
}

static int run_info(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct fore_err failed = {0};
    if (!c->words.v.n) {
        fore_fail(e, FORE_USAGE, "info needs a trace: foresee info run.fst");
        return FORE_EXIT_ERROR;
    }
    enum fore_status s = info_all(c, &out, e);
    if (out.n && fore_cli_write(c, &out, &failed))
        *e = failed;
    fore_strbuf_release(&out);
    return s || e->status ? FORE_EXIT_ERROR : FORE_EXIT_OK;
}

const struct fore_verb fore_verb_info = {
    .name = "info",
    .summary = "says what is in a trace, and how much of a torn one is usable",
    .usage = "T...",
    .details = "Counts events by kind, threads, channels, variables and other objects, "
               "locations\n"
               "and bytes. Of a torn file it says where it is torn, how many events are "
               "usable and\n"
               "how many are lost; the exit status is then 2.",
    .examples =
        "foresee info run.fst\nforesee info --json run.fst | jq .traces[0].events",
    .ends_at_once = true,
    .run = run_info,
};
