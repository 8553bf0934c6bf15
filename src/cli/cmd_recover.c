#include "cli/launch.h"

#include "base/path.h"
#include "cli/verbs.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Finds ring files that were left behind by a recording which was itself killed. */
static void find_left(const char *place, struct fore_paths *out)
{
    char folder[4096];
    DIR *d = opendir(place);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        if (!fore_begins_with(f->d_name, "foresee-"))
            continue;
        snprintf(folder, sizeof folder, "%s/%s", place, f->d_name);
        fore_rings_list(folder, out);
    }
    closedir(d);
}

static enum fore_status gather_rings(struct fore_cli *c, struct fore_paths *out,
                                     struct fore_err *e)
{
    const char *set = getenv("TMPDIR");
    for (size_t i = 0; i < c->words.v.n; i++) {
        const char *word = c->words.v.at[i];
        struct stat st;
        if (stat(word, &st))
            return fore_fail(e, FORE_IO, "%s: there is no such file or folder", word);
        if (S_ISDIR(st.st_mode))
            fore_rings_list(word, out);
        else
            fore_vec_push(&out->v, fore_strdup(word));
    }
    if (c->words.v.n)
        return FORE_OK;
    if (set && *set)
        find_left(set, out);
    find_left("/dev/shm", out);
    find_left("/tmp", out);
    return FORE_OK;
}

/* Writes one line per file: what is in it, and where it went. */
static enum fore_status recover_one(const char *from, const char *to,
                                    const struct fore_format *format,
                                    struct fore_strbuf *out, struct fore_err *e)
{
    struct fore_trace t;
    fore_trace_init(&t, from);
    enum fore_status s = fore_trace_load(from, &t, e);
    if (s == FORE_OK) {
        fore_strbuf_printf(out, "%s: %zu events of %zu threads", from, t.events.n,
                           t.tables.threads.n - 1);
        if (t.lost)
            fore_strbuf_printf(out, ", %llu lost", (unsigned long long)t.lost);
        if (t.torn)
            fore_strbuf_puts(out, ", torn");
        if (to)
            s = fore_launch_convert(from, to, format, e);
        if (to && s == FORE_OK)
            fore_strbuf_printf(out, " -> %s", to);
        fore_strbuf_putc(out, '\n');
    }
    fore_trace_release(&t);
    return s;
}

static enum fore_status recover_all(struct fore_cli *c, const struct fore_paths *files,
                                    const struct fore_format *format,
                                    struct fore_strbuf *out, struct fore_err *e)
{
    for (size_t i = 0; i < files->v.n; i++) {
        struct fore_strbuf to = FORE_STRBUF_INIT;
        if (c->output)
            fore_launch_name(c->output, i, &to);
        enum fore_status s =
            recover_one(files->v.at[i], c->output ? to.at : NULL, format, out, e);
        fore_strbuf_release(&to);
        FORE_TRY(s);
    }
    return FORE_OK;
}

static int run_recover(struct fore_cli *c, struct fore_err *e)
{
    struct fore_paths files = {0};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    const struct fore_format *format =
        c->output ? fore_launch_format(c->output, e) : NULL;
    if (c->output && !format)
        return FORE_EXIT_ERROR;
    enum fore_status s = gather_rings(c, &files, e);
    if (s == FORE_OK && !files.v.n)
        fore_cli_say(c, "no recording was left behind");
    if (s == FORE_OK)
        s = recover_all(c, &files, format, &out, e);
    fputs(out.at, stdout);
    fore_strbuf_release(&out);
    fore_paths_release(&files);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_recover = {
    .name = "recover",
    .summary = "makes traces of what a killed recording left behind",
    .usage = "[F.fsr | FOLDER]... [-o T]",
    .details = "A program that is recorded writes a ring file, which is complete up to "
               "the moment at\n"
               "which the program ended, however it ended. Without arguments, recover "
               "looks where\n"
               "foresee keeps these files. With -o it makes a trace of each (T, T-2 "
               "...); without it,\n"
               "it says what is in them.",
    .examples = "foresee recover\nforesee recover 4711.fsr -o run.fst",
    .run = run_recover,
};
