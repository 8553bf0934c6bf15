#include "cli/cli.h"
#include "cli/convert_history.h"
#include "cli/verbs.h"

#include "trace/format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct fore_option options[] = {
    {"to", 0, "FORMAT",
     "text or fst; a history: jepsen, kv, edn, jsonl, text (default: by -o, else text)"},
    {"object", 0, "M",
     "the object of a history (default: inferred from the operations' names)"},
    {NULL, 0, NULL, NULL},
};

/* Passes everything on and remembers a tear, which is reported after the work is done. */
struct stream_watch {
    struct fore_sink sink, *inner;
    struct fore_err tear;
};

static enum fore_flow pass_batch(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_sink *inner = ((struct stream_watch *)s)->inner;
    return inner->events(inner, b);
}

static enum fore_status pass_end(struct fore_sink *s, const struct fore_trace_end *end,
                                 struct fore_err *e)
{
    struct stream_watch *w = (struct stream_watch *)s;
    struct fore_sink *inner = w->inner;
    w->inner = NULL;
    if (end->why)
        w->tear = *end->why;
    return inner->end(inner, end, e);
}

static const char *target_name(struct fore_cli *c)
{
    const char *dot = c->output ? strrchr(c->output, '.') : NULL;
    const char *name = fore_params_text(&c->params, "to", dot ? dot + 1 : "text");
    return strcmp(name, "trace") ? name : "text";
}

static const struct fore_format *target_format(const char *name, struct fore_err *e)
{
    const struct fore_format *f = fore_format_named(name);
    if (f && f->write)
        return f;
    fore_fail(e, FORE_USAGE,
              "cannot write '%s': --to text, --to fst, or -o with the extension "
              ".trace or .fst",
              name);
    return NULL;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

static enum fore_status convert(const char *from, const struct fore_format *to, FILE *out,
                                struct fore_err *tear, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_tables tables;
    struct stream_watch w = {.sink = {pass_batch, pass_end},
                             .inner = to->write(&arena, out)};
    fore_tables_init(&tables);
    enum fore_status s = fore_trace_stream(from, &tables, &w.sink, e);
    if (w.inner) { /* the input failed: the half-written output is given up */
        struct fore_trace_end given_up = {.torn = true};
        (void)w.inner->end(w.inner, &given_up, NULL);
    }
    *tear = w.tear;
    fore_tables_release(&tables);
    fore_arena_release(&arena);
    return s;
}

/* Removes an output that cannot be finished, unless it is a device. */
static void give_up(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(path);
}

/* `to` NULL: a history. */
static enum fore_status convert_file(struct fore_cli *c, const char *from,
                                     const char *name, const struct fore_format *to,
                                     struct fore_err *tear, struct fore_err *e)
{
    if (c->output && same_file(from, c->output))
        return fore_fail(e, FORE_USAGE, "%s: cannot be converted onto itself", from);
    if (strcmp(from, "-") && access(from, R_OK)) /* before anything is written */
        return fore_fail(e, FORE_IO, "%s: cannot open: %s", from, strerror(errno));
    FILE *out = c->output ? fopen(c->output, "we") : stdout;
    if (!out)
        return fore_fail(e, FORE_IO, "%s: %s", c->output, strerror(errno));
    enum fore_status s = to ? convert(from, to, out, tear, e)
                            : fore_convert_history(c, from, name, out, e);
    if (c->output && fclose(out) && !s)
        s = fore_fail(e, FORE_IO, "%s: %s", c->output, strerror(errno));
    if (s && c->output)
        give_up(c->output);
    return s;
}

static int run_convert(struct fore_cli *c, struct fore_err *e)
{
    struct fore_err tear = {0};
    const char *name = target_name(c);
    if (c->words.v.n != 1) {
        fore_fail(e, FORE_USAGE,
                  "convert needs one trace: foresee convert A.fst -o B.trace");
        return FORE_EXIT_ERROR;
    }
    const char *from = c->words.v.at[0];
    bool history = fore_convert_is_history(from, name);
    const struct fore_format *to = history ? NULL : target_format(name, e);
    if ((!history && !to) || convert_file(c, from, name, to, &tear, e))
        return FORE_EXIT_ERROR;
    if (!tear.status)
        return FORE_EXIT_OK;
    *e = tear;
    return FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_convert = {
    .name = "convert",
    .summary = "writes a trace or a history in another format",
    .usage = "T [-o F] [--to FORMAT]",
    .details = "Reads T (.trace, .fst, .fsr, .std; - is standard input) and writes it as "
               "text or\n"
               "as .fst. What foresee wrote as text converts to .fst and back to the "
               "same bytes.\n"
               "Of a torn file the usable part is converted, and the exit status is 2.\n"
               "Histories (see foresee lin) convert between Jepsen's log lines, EDN, "
               "Porcupine's\n"
               "kv lines, JSON lines and the notation.",
    .examples = "foresee convert run.fst -o run.trace\n"
                "foresee convert run.trace --to fst > run.fst\n"
                "foresee convert etcd.log -o etcd.jsonl",
    .options = options,
    .runs_objects = true,
    .ends_at_once = true,
    .run = run_convert,
};
