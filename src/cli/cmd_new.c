#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/embed.h"
#include "base/program.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FORE_EMBED(new_actor_c, "examples/new/actor/NAME.c");
FORE_EMBED(new_actor_harness, "examples/new/actor/first.harness");
FORE_EMBED(new_actor_makefile, "examples/new/actor/Makefile");
FORE_EMBED(new_model_c, "examples/new/model/NAME.c");
FORE_EMBED(new_model_run, "examples/new/model/run.trace");
FORE_EMBED(new_model_bad, "examples/new/model/bad.trace");
FORE_EMBED(new_model_makefile, "examples/new/model/Makefile");
FORE_EMBED(new_monitor_c, "examples/new/monitor/NAME.c");
FORE_EMBED(new_monitor_spec, "examples/new/monitor/NAME.spec");
FORE_EMBED(new_monitor_trace, "examples/new/monitor/run.trace");
FORE_EMBED(new_monitor_makefile, "examples/new/monitor/Makefile");
FORE_EMBED(new_go_mark, "examples/new/go-mark/foresee_mark.go");
FORE_EMBED(new_go_txn, "examples/new/go-txn/NAME.go");

/* In paths and texts NAME stands for the new thing's name, HEADERS for foresee's headers, PROGRAM
 * for foresee itself. */
struct skeleton {
    const char *kind, *path, *text, *end;
};

static const struct skeleton skeletons[] = {
    {"actor", "NAME.c", new_actor_c, new_actor_c_end},
    {"actor", "first.harness", new_actor_harness, new_actor_harness_end},
    {"actor", "Makefile", new_actor_makefile, new_actor_makefile_end},
    {"model", "NAME.c", new_model_c, new_model_c_end},
    {"model", "run.trace", new_model_run, new_model_run_end},
    {"model", "bad.trace", new_model_bad, new_model_bad_end},
    {"model", "Makefile", new_model_makefile, new_model_makefile_end},
    {"monitor", "NAME.c", new_monitor_c, new_monitor_c_end},
    {"monitor", "NAME.spec", new_monitor_spec, new_monitor_spec_end},
    {"monitor", "run.trace", new_monitor_trace, new_monitor_trace_end},
    {"monitor", "Makefile", new_monitor_makefile, new_monitor_makefile_end},
    {"go-mark", "foresee_mark.go", new_go_mark, new_go_mark_end},
    {"go-txn", "NAME.go", new_go_txn, new_go_txn_end},
};
enum { SKELETONS = sizeof skeletons / sizeof *skeletons };

struct fillers {
    struct {
        const char *word, *text;
    } at[3];
};

/* Finds the headers, which are beside the program, as installed or as built. */
static void find_headers(char *out, size_t size)
{
    char own[4000];
    fore_program_folder(own, sizeof own);
    snprintf(out, size, "%s/../include", own);
    char *real = realpath(out, NULL);
    snprintf(out, size, "%s", real ? real : "/usr/include");
    free(real);
}

static void fill_in(const char *text, const char *end, const struct fillers *with,
                    struct fore_strbuf *out)
{
    while (text < end) {
        size_t left = (size_t)(end - text), n = 0;
        for (size_t i = 0; i < 3 && !n; i++) {
            n = strlen(with->at[i].word);
            if (n <= left && !memcmp(text, with->at[i].word, n))
                fore_strbuf_puts(out, with->at[i].text);
            else
                n = 0;
        }
        if (!n)
            fore_strbuf_putc(out, *text);
        text += n ? n : 1;
    }
}

static enum fore_status write_file(const char *path, const struct fore_strbuf *text,
                                   struct fore_err *e)
{
    FILE *f = fopen(path, "wxe");
    if (!f)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    bool failed = fwrite(text->at, 1, text->n, f) != text->n;
    failed |= fclose(f) != 0;
    return failed ? fore_fail(e, FORE_IO, "%s: cannot be written", path) : FORE_OK;
}

static bool good_name(const char *s)
{
    if (!isalpha((unsigned char)*s))
        return false;
    while (isalnum((unsigned char)*s) || *s == '_' || *s == '-')
        s++;
    return !*s;
}

static enum fore_status make_project(const char *kind, const char *name,
                                     struct fore_strbuf *said, struct fore_err *e)
{
    char headers[4096], self[4096], path[4096];
    bool any = false;
    find_headers(headers, sizeof headers);
    fore_program_self(self, sizeof self);
    struct fillers with = {
        {{"NAME", name}, {"HEADERS", headers}, {"PROGRAM", *self ? self : "foresee"}}};
    for (size_t i = 0; i < SKELETONS; i++) {
        const struct skeleton *k = &skeletons[i];
        struct fore_strbuf text = FORE_STRBUF_INIT, file = FORE_STRBUF_INIT;
        if (strcmp(k->kind, kind))
            continue;
        bool here =
            strcmp(kind, "go-mark") == 0; /* a file of the package that is there */
        if (!any && !here && mkdir(name, 0777) && errno != EEXIST)
            return fore_fail(e, FORE_IO, "%s: %s", name, strerror(errno));
        any = true;
        fill_in(k->path, k->path + strlen(k->path), &with, &file);
        fill_in(k->text, k->end, &with, &text);
        snprintf(path, sizeof path, "%s%s%s", here ? "" : name, here ? "" : "/", file.at);
        enum fore_status s = write_file(path, &text, e);
        fore_strbuf_printf(said, "%s\n", path);
        fore_strbuf_release(&text);
        fore_strbuf_release(&file);
        FORE_TRY(s);
    }
    return any ? FORE_OK
               : fore_fail(e, FORE_USAGE,
                           "there is no skeleton '%s'; try: foresee new actor, "
                           "model, monitor, go-mark or go-txn NAME",
                           kind);
}

static int run_new(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf said = FORE_STRBUF_INIT;
    if (c->words.v.n != 2) {
        fore_fail(e, FORE_USAGE,
                  "new needs a kind and a name: foresee new actor counter");
        return FORE_EXIT_ERROR;
    }
    const char *name = c->words.v.at[1];
    enum fore_status s = FORE_OK;
    if (!good_name(name))
        s = fore_fail(e, FORE_USAGE,
                      "'%s' is no name: a name has letters, digits, - and _", name);
    else if (strncmp(c->words.v.at[0], "go-", 3) == 0 && strchr(name, '-'))
        s = fore_fail(e, FORE_USAGE,
                      "'%s' is no name of a Go package: it has letters, digits and _",
                      name);
    if (s == FORE_OK)
        s = make_project(c->words.v.at[0], name, &said, e);
    if (strcmp(c->words.v.at[0], "actor") == 0)
        fore_strbuf_printf(&said, "now: make -C %s && foresee explore %s/%s.so\n", name,
                           name, name);
    else if (strcmp(c->words.v.at[0], "go-mark") == 0)
        fore_strbuf_puts(&said, "now: mark operations (the file says how), then foresee "
                                "go test\n");
    else if (strcmp(c->words.v.at[0], "go-txn") == 0)
        fore_strbuf_puts(&said, "now: import it and record transactions (the file says "
                                "how), then foresee txn\n");
    else
        fore_strbuf_printf(&said, "now: make -C %s check\n", name);
    if (s == FORE_OK)
        s = fore_cli_write(c, &said, e);
    fore_strbuf_release(&said);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_new = {
    .name = "new",
    .summary = "writes a skeleton that builds and runs at once",
    .usage = "actor|model|monitor|go-mark|go-txn NAME",
    .words = "actor model monitor go-mark go-txn",
    .details = "actor makes the folder NAME with an actor system in C, a harness and a "
               "Makefile; model\n"
               "with a sequential object for foresee lin and histories of it; monitor "
               "with a monitor in\n"
               "C, a specification that names it, a trace and a Makefile. go-mark writes "
               "one file into\n"
               "the Go package NAME of the current folder, with which the package marks "
               "its operations.\n"
               "go-txn makes the Go package NAME, with which a program records the "
               "transactions that it\n"
               "runs against a database.",
    .examples = "foresee new actor counter && make -C counter explore\n"
                "foresee new model grows && make -C grows check\n"
                "foresee new monitor level && make -C level check\n"
                "cd queue && foresee new go-mark queue\n"
                "foresee new go-txn foreseetxn",
    .ends_at_once = true,
    .run = run_new,
};
