#include "cli/launch.h"
#include "cli/verbs.h"

#include "trace/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* run.fst, run-2.fst, run-3.fst …: one trace per process. */
void fore_launch_name(const char *name, size_t i, struct fore_strbuf *out)
{
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - name) : strlen(name);
    fore_strbuf_add(out, name, stem);
    if (i)
        fore_strbuf_printf(out, "-%zu", i + 1);
    fore_strbuf_puts(out, name + stem);
}

static enum fore_status copy_file(const char *from, const char *to, struct fore_err *e)
{
    struct fore_strbuf bytes = FORE_STRBUF_INIT;
    enum fore_status s = fore_strbuf_read_file(&bytes, from, e);
    FILE *f = s == FORE_OK ? fopen(to, "we") : NULL;
    if (s == FORE_OK && (!f || fwrite(bytes.at, 1, bytes.n, f) != bytes.n))
        s = fore_fail(e, FORE_IO, "%s: %s", to, strerror(errno));
    if (f && fclose(f) && s == FORE_OK)
        s = fore_fail(e, FORE_IO, "%s: %s", to, strerror(errno));
    fore_strbuf_release(&bytes);
    return s;
}

enum fore_status fore_launch_convert(const char *from, const char *to,
                                     const struct fore_format *format, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_tables tables;
    if (!format->write)
        return copy_file(from, to, e);
    FILE *f = fopen(to, "we");
    if (!f)
        return fore_fail(e, FORE_IO, "%s: %s", to, strerror(errno));
    fore_tables_init(&tables);
    enum fore_status s = fore_trace_stream(from, &tables, format->write(&arena, f), e);
    if (fclose(f) && s == FORE_OK)
        s = fore_fail(e, FORE_IO, "%s: %s", to, strerror(errno));
    if (s != FORE_OK)
        unlink(to);
    fore_tables_release(&tables);
    fore_arena_release(&arena);
    return s;
}

const struct fore_format *fore_launch_format(const char *output, struct fore_err *e)
{
    const char *dot = strrchr(output, '.');
    const struct fore_format *f = dot ? fore_format_named(dot + 1) : NULL;
    if (f && (f->write || !strcmp(f->name, "fsr")))
        return f;
    fore_fail(e, FORE_USAGE, "%s: a trace is written as .fst, .trace or .fsr", output);
    return NULL;
}

enum fore_status fore_launch_write(struct fore_cli *c, const char *folder,
                                   const char *output, const struct fore_format *format,
                                   size_t *count, struct fore_err *e)
{
    struct fore_paths rings = {0};
    enum fore_status s = FORE_OK;
    fore_rings_list(folder, &rings);
    *count = rings.v.n;
    for (size_t i = 0; s == FORE_OK && i < rings.v.n; i++) {
        struct fore_strbuf name = FORE_STRBUF_INIT;
        fore_launch_name(output, i, &name);
        s = fore_launch_convert(rings.v.at[i], name.at, format, e);
        if (s == FORE_OK && rings.v.n > 1)
            fore_cli_say(c, "process %zu of %zu: %s", i + 1, rings.v.n, name.at);
        fore_strbuf_release(&name);
    }
    fore_paths_release(&rings);
    return s;
}

void fore_launch_untraced(struct fore_cli *c, const char *program)
{
    fore_cli_say(c,
                 "%s recorded nothing: link it with libforesee-csp, or build it with "
                 "'foresee cc' or 'foresee go'",
                 program);
}

static int record(struct fore_cli *c, const struct fore_format *format,
                  struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_launch l;
    struct fore_launch_how how = {fore_launch_argv(&arena, &c->words, 0),
                                  fore_params_text(&c->params, "seed", NULL), NULL,
                                  false};
    size_t count = 0;
    enum fore_status s = fore_launch_start(&l, &how, e);
    while (s == FORE_OK && !fore_launch_wait(&l, 1000))
        ;
    if (s == FORE_OK)
        s = fore_launch_write(c, l.folder, c->output, format, &count, e);
    if (s == FORE_OK && !count)
        fore_launch_untraced(c, how.argv[0]);
    fore_launch_release(&l);
    fore_arena_release(&arena);
    return s == FORE_OK ? l.status : FORE_EXIT_ERROR;
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    if (!c->words.v.n || !c->output) {
        fore_fail(
            e, FORE_USAGE,
            "record needs a file and a command: foresee record -o run.fst -- ./prog");
        return FORE_EXIT_ERROR;
    }
    const struct fore_format *format = fore_launch_format(c->output, e);
    return format ? record(c, format, e) : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_record = {
    .name = "record",
    .summary = "runs a program and keeps its trace",
    .usage = "-o T -- CMD...",
    .details = "Runs CMD, which must be linked with libforesee-csp or built with "
               "'foresee cc' or\n"
               "'foresee go', and writes what it recorded to T (.fst, .trace or .fsr); "
               "each further\n"
               "process gets a file of its own (T-2 ...). With --seed the schedule of a "
               "CSP program\n"
               "is fixed. The exit status is CMD's.",
    .examples = "foresee record -o run.fst -- ./prog arg\n"
                "foresee record --seed 7 -o run.trace -- ./prog",
    .rest = FORE_REST_FIRST,
    .run = run,
};
