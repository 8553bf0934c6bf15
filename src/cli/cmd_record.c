#include "base/file.h"
#include "cli/launch.h"
#include "cli/verbs.h"

#include "trace/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct fore_option options[] = {
    FORE_LINGER_OPTION,
    FORE_ROOM_OPTIONS,
    {NULL, 0, NULL, NULL},
};

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

enum fore_status fore_launch_convert(const char *from, const char *to,
                                     const struct fore_format *format, struct fore_err *e)
{
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_tables tables;
    if (!format->write)
        return fore_file_copy(from, to, e);
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

void fore_launch_untraced(struct fore_cli *c, const char *program)
{
    fore_cli_say(c,
                 "%s recorded nothing: link it with libforesee-csp, or build it with "
                 "'foresee cc' or 'foresee go'",
                 program);
}

/* Says what was not recorded for lack of room, if anything. */
static void warn_of_dropped(struct fore_cli *c, const struct fore_ring_header *h)
{
    if (h->state == FORE_RING_FULL)
        fore_cli_say(c,
                     "there was no room to record all of it: %llu records were dropped%s",
                     (unsigned long long)h->dropped, fore_launch_advice(h));
}

/* ---- a file for each process ---- */

struct recorded_part {
    char *path;
    FILE *file;
};

struct recording {
    struct fore_cli *cli;
    const struct fore_format *format;
    struct fore_arena arena; /* of the writers */
    struct fore_rings rings;
    FORE_VEC(struct recorded_part) parts;
};

/* Written while the process runs, so that events that were read need no room any more. */
static struct fore_sink *write_part(void *ctx, struct fore_ring_reader *r,
                                    struct fore_tables **tables, struct fore_err *e)
{
    struct recording *rec = ctx;
    struct fore_strbuf name = FORE_STRBUF_INIT;
    (void)r;
    (void)tables; /* the reader's own */
    fore_launch_name(rec->cli->output, rec->parts.n, &name);
    FILE *f = fopen(name.at, "we");
    if (f)
        fore_vec_push(&rec->parts, (struct recorded_part){fore_strdup(name.at), f});
    else
        fore_fail(e, FORE_IO, "%s: %s", name.at, strerror(errno));
    fore_strbuf_release(&name);
    return f ? rec->format->write(&rec->arena, f) : NULL;
}

/* Copies ring files as they are when the program has ended. */
static enum fore_status copy_parts(struct recording *rec, const char *folder,
                                   struct fore_err *e)
{
    struct fore_paths paths = {0};
    enum fore_status s = FORE_OK;
    fore_rings_list(folder, &paths);
    for (size_t i = 0; s == FORE_OK && i < paths.v.n; i++) {
        struct fore_strbuf name = FORE_STRBUF_INIT;
        struct fore_ring_header h;
        fore_launch_name(rec->cli->output, i, &name);
        s = fore_file_copy(paths.v.at[i], name.at, e);
        if (fore_ring_header(paths.v.at[i], &h))
            warn_of_dropped(rec->cli, &h);
        fore_vec_push(&rec->parts, (struct recorded_part){fore_strdup(name.at), NULL});
        fore_strbuf_release(&name);
    }
    fore_paths_release(&paths);
    return s;
}

static enum fore_status follow_rings(struct recording *rec, struct fore_launch *l,
                                     struct fore_err *e)
{
    uint64_t came = 1;
    bool live = rec->format->write;
    while (!fore_launch_wait(l, !live ? 100 : came ? 1 : 20)) {
        fore_launch_pass_on(l, &rec->cli->budget);
        if (live)
            came = fore_rings_poll(&rec->rings, l->folder);
    }
    return live ? fore_rings_finish(&rec->rings, l->folder, e)
                : copy_parts(rec, l->folder, e);
}

static enum fore_status close_parts(struct recording *rec, enum fore_status s,
                                    struct fore_err *e)
{
    for (size_t i = 0; i < rec->parts.n; i++) {
        struct recorded_part *p = &rec->parts.at[i];
        if (p->file && fclose(p->file) && s == FORE_OK)
            s = fore_fail(e, FORE_IO, "%s: %s", p->path, strerror(errno));
        if (s == FORE_OK && rec->parts.n > 1)
            fore_cli_say(rec->cli, "process %zu of %zu: %s", i + 1, rec->parts.n,
                         p->path);
        fore_free(p->path);
    }
    for (size_t i = 0; s == FORE_OK && i < rec->rings.v.n; i++)
        warn_of_dropped(rec->cli, rec->rings.v.at[i]->merge.file.header);
    return s;
}

static int record_program(struct fore_cli *c, const struct fore_format *format,
                          struct fore_err *e)
{
    struct recording rec = {.cli = c,
                            .format = format,
                            .arena = FORE_ARENA_INIT,
                            .rings = {.attach = write_part}};
    struct fore_launch l = {0};
    struct fore_launch_how how = {.argv = fore_launch_argv(&rec.arena, &c->words, 0),
                                  .seed = fore_params_text(&c->params, "seed", NULL),
                                  .linger = fore_params_text(&c->params, "linger", NULL)};
    rec.rings.ctx = &rec;
    enum fore_status s = fore_launch_room(&c->params, format->write != NULL, &how, e);
    if (s == FORE_OK)
        s = fore_launch_start(&l, &how, e);
    if (s == FORE_OK)
        s = follow_rings(&rec, &l, e);
    s = close_parts(&rec, s, e);
    if (s == FORE_OK && !rec.parts.n)
        fore_launch_untraced(c, how.argv[0]);
    fore_launch_release(&l);
    fore_rings_release(&rec.rings);
    fore_vec_release(&rec.parts);
    fore_arena_release(&rec.arena);
    return s == FORE_OK ? l.status : FORE_EXIT_ERROR;
}

static int run_record(struct fore_cli *c, struct fore_err *e)
{
    if (!c->words.v.n || !c->output) {
        fore_fail(
            e, FORE_USAGE,
            "record needs a file and a command: foresee record -o run.fst -- ./prog");
        return FORE_EXIT_ERROR;
    }
    const struct fore_format *format = fore_launch_format(c->output, e);
    return format ? record_program(c, format, e) : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_record = {
    .name = "record",
    .summary = "runs a program and keeps its trace",
    .usage = "-o T -- CMD...",
    .details = "Runs CMD, which must be linked with libforesee-csp or built with "
               "'foresee cc' or\n"
               "'foresee go', and writes what it recorded to T (.fst, .trace or .fsr); "
               "each further\n"
               "process gets a file of its own (T-2 ...). --seed fixes the schedule of a "
               "CSP program.\n"
               "foresee writes while a program built with 'foresee cc' runs; --room and "
               "--on-full say\n"
               "what happens if the program is faster. The exit status is CMD's.",
    .examples = "foresee record -o run.fst -- ./prog arg\n"
                "foresee record --seed 7 -o run.trace -- ./prog",
    .options = options,
    .rest = FORE_REST_FIRST,
    .run = run_record,
};
