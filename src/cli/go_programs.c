#include "cli/go_programs.h"

#include "base/folder.h"
#include "base/path.h"
#include "base/program.h"
#include "cli/go_alone.h"
#include "cli/go_exec.h"
#include "cli/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool fore_go_is_command(char *const *words)
{
    return words[0] && !strcmp(fore_base_name(words[0]), "go") && words[1] &&
           (!strcmp(words[1], "test") || !strcmp(words[1], "run"));
}

/* ---- building ---- */

struct go_build {
    struct fore_cli *cli;
    char folder[PATH_MAX]; /* where `foresee go exec` leaves programs */
    FILE *said;            /* what go said, for when it fails */
};

/* The go command that a build runs, by `foresee go`. */
struct build_start {
    const struct go_build *build;
    char *const *words;
};

/* `go test` leaves debug information out, which debuggers need, unless it is to keep the program. The older Go
 * can keep only one, so that it is not asked to where there may be several. */
static bool may_ask_for_debug_information(char *const *words)
{
    for (size_t i = 1; words[i]; i++)
        if (strstr(words[i], "...") || !strcmp(words[i], "-c") ||
            fore_begins_with(words[i], "-o"))
            return false;
    return !strcmp(words[1], "test");
}

static int prepare_build(struct fore_child_program *p)
{
    const struct build_start *s = p->ctx;
    const struct go_build *b = s->build;
    char *const *words = s->words;
    const char *memory = fore_params_text(&b->cli->params, "memory", NULL);
    const char *spec = fore_params_text(&b->cli->params, "spec", NULL);
    struct fore_words argv = {0};
    fore_vec_push(&argv.v, p->argv[0]);
    fore_vec_push(&argv.v, "go");
    fore_vec_push(&argv.v, "--quiet");
    fore_vec_push(&argv.v, "--record-only");
    if (memory)
        fore_vec_push(&argv.v, *memory ? "--memory=all" : "--memory");
    if (spec) {
        fore_vec_push(&argv.v, "--spec");
        fore_vec_push(&argv.v, spec);
    }
    fore_vec_push(&argv.v, words[1]);
    if (may_ask_for_debug_information(words))
        fore_vec_push(&argv.v, "-o=/dev/null");
    for (size_t i = 2; words[i]; i++)
        fore_vec_push(&argv.v, words[i]);
    fore_vec_push(&argv.v, NULL);
    if (strchr(words[0], '/'))
        setenv("FORESEE_GO", words[0], 1);
    setenv(FORE_GO_COLLECT, b->folder, 1);
    dup2(fileno(b->said), STDOUT_FILENO);
    dup2(fileno(b->said), STDERR_FILENO);
    p->argv = (char *const *)(uintptr_t)argv.v.at;
    return 0;
}

static void repeat_what_go_said(const struct go_build *b)
{
    char line[4096];
    rewind(b->said);
    while (fgets(line, sizeof line, b->said))
        fputs(line, stderr);
}

static enum fore_status run_go(const struct go_build *b, char *const *words,
                               struct fore_err *e)
{
    char self[PATH_MAX];
    struct build_start start = {b, words};
    struct fore_launch l;
    fore_program_self(self, sizeof self);
    FORE_TRY(fore_launch_start(&l,
                               &(struct fore_launch_how){.argv = (char *[]){self, NULL},
                                                         .folder = b->folder,
                                                         .prepare = prepare_build,
                                                         .ctx = &start},
                               e));
    while (!fore_launch_wait(&l, 100))
        fore_launch_pass_on(&l, &b->cli->budget);
    fore_launch_release(&l);
    if (!l.status)
        return FORE_OK;
    repeat_what_go_said(b);
    return fore_fail(e, FORE_CHILD, "go %s failed, so there is nothing to run", words[1]);
}

/* ---- what was built ---- */

static void list_programs(const char *folder, struct fore_paths *out)
{
    fore_paths_list(folder, ".started", out);
}

static enum fore_status take_program(struct go_build *b, char *const *words,
                                     const char *scratch, struct fore_arena *a,
                                     struct fore_started *out, struct fore_err *e)
{
    struct fore_paths all = {0};
    char exe[PATH_MAX + 8];
    enum fore_status s = FORE_OK;
    list_programs(b->folder, &all);
    if (all.v.n != 1) {
        s = fore_fail(e, FORE_USAGE,
                      all.v.n ? "go %s runs %zu programs; name one package, since one is "
                                "explored at a time"
                              : "go %s runs no program: does the package have tests, and "
                                "is go's -exec used otherwise?",
                      words[1], all.v.n);
    } else if (!fore_started_read(all.v.at[0], a, out)) {
        s = fore_fail(e, FORE_IO, "%s: cannot be read", all.v.at[0]);
    } else {
        snprintf(exe, sizeof exe, "%.*s.exe",
                 (int)(strlen(all.v.at[0]) - strlen(".started")), all.v.at[0]);
        if (scratch)
            out->argv[0] = fore_arena_strdup(a, exe);
        else if (!(out->argv[0] = (char *)(uintptr_t)fore_kept_add(a, exe, out->argv[0])))
            s = fore_fail(e, FORE_IO, "the program cannot be kept in %s",
                          fore_store_folder());
    }
    fore_paths_release(&all);
    return s;
}

enum fore_status fore_go_program(struct fore_cli *c, char *const *words,
                                 const char *scratch, struct fore_arena *a,
                                 struct fore_started *out, struct fore_err *e)
{
    struct go_build b = {.cli = c, .said = tmpfile()};
    const char *tmp = getenv("TMPDIR");
    snprintf(b.folder, sizeof b.folder, "%s/foresee-go-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (scratch)
        snprintf(b.folder, sizeof b.folder, "%s", scratch);
    if (!b.said || (!scratch && !mkdtemp(b.folder)))
        return fore_fail(e, FORE_IO, "%s: %s", b.folder, strerror(errno));
    enum fore_status s = run_go(&b, words, e);
    if (s == FORE_OK)
        s = take_program(&b, words, scratch, a, out, e);
    fclose(b.said);
    if (!scratch)
        fore_folder_remove(b.folder);
    if (s == FORE_OK)
        out->argv = fore_go_test_argv(a, out->argv, NULL);
    return s;
}

/* ---- one test ---- */

static bool is_flag(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(arg, name, n) && (!arg[n] || arg[n] == '=');
}

static bool is_test_binary(char *const *argv)
{
    if (fore_ends_with(argv[0], ".test"))
        return true;
    for (size_t i = 1; argv[i]; i++)
        if (fore_begins_with(argv[i], "-test."))
            return true;
    return false;
}

/* Which tests run, and how often. */
static bool chooses_tests(const char *arg)
{
    static const char *const flags[] = {"-test.run",   "-test.skip",    "-test.count",
                                        "-test.bench", "-test.shuffle", "-test.v"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (is_flag(arg, flags[i]))
            return true;
    return false;
}

char **fore_go_test_argv(struct fore_arena *a, char *const *argv, const char *test)
{
    size_t n = 0, k = 0;
    while (argv[n])
        n++;
    char **out = FORE_NEW_ARRAY(a, char *, n + 3);
    out[k++] = argv[0];
    if (is_test_binary(argv))
        out[k++] = fore_arena_strdup(a, "-test.v=true");
    if (test) {
        struct fore_strbuf pattern = FORE_STRBUF_INIT;
        fore_strbuf_puts(&pattern, "-test.run=");
        fore_go_alone_pattern(test, &pattern);
        out[k++] = fore_arena_strdup(a, pattern.at);
        fore_strbuf_release(&pattern);
    }
    for (size_t i = 1; i < n; i++)
        if (!test || !chooses_tests(argv[i]))
            out[k++] = argv[i];
    out[k] = NULL;
    return out;
}

char **fore_go_repeat_argv(struct fore_arena *a, char *const *argv)
{
    static const char *const left_out[] = {"-test.count", "-test.v", "-test.failfast"};
    size_t n = 0, k = 0;
    if (!is_test_binary(argv))
        return NULL;
    while (argv[n])
        n++;
    char **out = FORE_NEW_ARRAY(a, char *, n + 2);
    out[k++] = argv[0];
    out[k++] = fore_arena_strdup(a, "-test.count=1000000000000");
    for (size_t i = 1; i < n; i++) {
        bool keeps = true;
        for (size_t j = 0; j < sizeof left_out / sizeof *left_out; j++)
            keeps &= !is_flag(argv[i], left_out[j]);
        if (keeps)
            out[k++] = argv[i];
    }
    out[k] = NULL;
    return out;
}
