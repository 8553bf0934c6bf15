#include "cli/go_tool.h"

#include "base/child.h"
#include "base/file.h"
#include "base/path.h"
#include "base/vec.h"
#include "capture/go/padding.h"
#include "capture/go/watcher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tool_words {
    FORE_VEC(const char *) v;
};

/* The file as it is to be compiled, in go's own folder for this package; NULL: as it is. */
static const char *padded_copy(const char *file, const char *folder, size_t number)
{
    struct fore_strbuf out = FORE_STRBUF_INIT, path = FORE_STRBUF_INIT;
    struct fore_file text = {0};
    struct fore_err unheard;
    bool other = fore_file_open(&text, file, &unheard) == FORE_OK;
    fore_strbuf_printf(&out, "//line %s:1:1\n", file);
    other = other && fore_go_pad(text.at, text.n, &out);
    fore_strbuf_printf(&path, "%s/foresee-%zu.go", folder, number);
    other = other && fore_file_write(path.at, out.at, out.n, NULL) == FORE_OK;
    fore_file_release(&text);
    fore_strbuf_release(&out);
    if (!other)
        fore_strbuf_release(&path);
    return other ? path.at : NULL; /* for the program that we become */
}

/* Where the tool writes to: the folder of what is behind -o, or nothing. */
static void output_folder(const char *const *words, struct fore_strbuf *out)
{
    for (size_t i = 1; words[i] && words[i + 1]; i++) {
        const char *slash = strcmp(words[i], "-o") ? NULL : strrchr(words[i + 1], '/');
        if (slash)
            fore_strbuf_add(out, words[i + 1], (size_t)(slash - words[i + 1]));
    }
}

static void take_compiler(const char *const *words, const char *folder,
                          struct tool_words *out)
{
    for (size_t i = 0; words[i]; i++) {
        const char *other = i && *folder && fore_ends_with(words[i], ".go")
                                ? padded_copy(words[i], folder, i)
                                : NULL;
        fore_vec_push(&out->v, other ? other : words[i]);
    }
}

/* ---- accesses to the variables of a specification ---- */

/* The flag's place among the compiler's words, and the variables' names; 0: it is not there. */
static size_t watch_flag(const char *const *words, const char **names)
{
    for (size_t i = 1; words[i]; i++)
        if ((*names = fore_go_watcher_names(words[i])))
            return i;
    return 0;
}

/* What was compiled for the version of a module before generics is compiled for theirs: no program means anything else then. */
static const char *newer_language(const char *word)
{
    unsigned minor;
    bool older = sscanf(word, "-lang=go1.%u", &minor) == 1 && minor < 18;
    return older ? "-lang=go1.18" : word;
}

/* The compiler's words with the watcher's files, whose names are lines of `files`. */
static void take_watched(const char *const *words, size_t flag, char *files,
                         struct tool_words *out)
{
    for (size_t i = 0; words[i]; i++)
        if (i != flag && !fore_ends_with(words[i], ".go") &&
            strcmp(words[i], "-complete"))
            fore_vec_push(&out->v, newer_language(words[i]));
    for (char *line = strtok(files, "\n"); line; line = strtok(NULL, "\n"))
        fore_vec_push(&out->v, line);
    fore_vec_push(&out->v, NULL);
}

/* Compiles the package with calls around the accesses. False: that cannot be done. */
static bool compile_watched(const char *const *words, size_t flag, const char *names,
                            const char *folder)
{
    struct tool_words files = {0}, watched = {0}, argv = {0};
    struct fore_strbuf lines = FORE_STRBUF_INIT, said = FORE_STRBUF_INIT;
    struct fore_err unheard = {0};
    int status = 1;
    for (size_t i = 1; words[i]; i++)
        if (fore_ends_with(words[i], ".go"))
            fore_vec_push(&files.v, words[i]);
    bool done = fore_go_watcher_put(names, folder, files.v.at, files.v.n, &lines);
    if (done) {
        take_watched(words, flag, lines.at, &watched);
        take_compiler(watched.v.at, folder, &argv);
        fore_vec_push(&argv.v, NULL);
        done = fore_child_ask((char *const *)(uintptr_t)argv.v.at, true, &said, &status,
                              &unheard) == FORE_OK &&
               status == 0;
    }
    fore_vec_release(&files.v);
    fore_vec_release(&watched.v);
    fore_vec_release(&argv.v);
    fore_strbuf_release(&lines);
    fore_strbuf_release(&said);
    return done;
}

/* The compiler's words, to instrument all accesses. */
static void take_instrumented(const char *const *words, size_t flag,
                              struct tool_words *out)
{
    for (size_t i = 0; words[i]; i++) {
        fore_vec_push(&out->v, i == flag ? "-msan" : words[i]);
        if (i == flag)
            fore_vec_push(&out->v, "-d=checkptr=0");
    }
    fore_vec_push(&out->v, NULL);
}

/* True: the compiler has been run. */
static bool run_compiler(const char *const *words, struct tool_words *argv)
{
    const char *names = NULL;
    size_t flag = watch_flag(words, &names);
    struct fore_strbuf folder = FORE_STRBUF_INIT;
    struct tool_words instrumented = {0};
    output_folder(words, &folder);
    bool done = flag && folder.n && compile_watched(words, flag, names, folder.at);
    if (flag)
        take_instrumented(words, flag, &instrumented);
    if (!done)
        take_compiler(flag ? instrumented.v.at : words, folder.at, argv);
    fore_vec_release(&instrumented.v);
    fore_strbuf_release(&folder);
    return done;
}

/* One line of vet's list: a file of the package is named by itself. Returns whether another takes its place. */
static bool put_line(const char *line, size_t n, const char *folder, size_t number,
                     struct fore_strbuf *out)
{
    char file[4096];
    size_t from = 0, to;
    while (from < n && (line[from] == ' ' || line[from] == '\t'))
        from++;
    from += from < n && line[from] == '"';
    for (to = from; to < n && line[to] != '"'; to++)
        ;
    snprintf(file, sizeof file, "%.*s", (int)(to - from < sizeof file ? to - from : 0),
             line + from);
    const char *other = file[0] == '/' && fore_ends_with(file, ".go")
                            ? padded_copy(file, folder, number)
                            : NULL;
    fore_strbuf_add(out, line, other ? from : n);
    if (other) {
        fore_strbuf_puts(out, other);
        fore_strbuf_add(out, line + to, n - to);
    }
    return other;
}

/* Vet is given a file that names those of the package. */
static const char *padded_list(const char *list)
{
    struct fore_strbuf out = FORE_STRBUF_INIT, path = FORE_STRBUF_INIT;
    struct fore_file text = {0};
    struct fore_err unheard;
    const char *slash = strrchr(list, '/');
    bool any = false;
    if (!slash || fore_file_open(&text, list, &unheard) != FORE_OK)
        return NULL;
    fore_strbuf_add(&path, list, (size_t)(slash - list));
    for (size_t at = 0, number = 0; at < text.n; number++) {
        const char *end = memchr(text.at + at, '\n', text.n - at);
        size_t n = end ? (size_t)(end + 1 - text.at) - at : text.n - at;
        any |= put_line(text.at + at, n, path.at, number, &out);
        at += n;
    }
    fore_strbuf_puts(&path, "/foresee.cfg");
    any = any && fore_file_write(path.at, out.at, out.n, NULL) == FORE_OK;
    fore_file_release(&text);
    fore_strbuf_release(&out);
    if (!any)
        fore_strbuf_release(&path);
    return any ? path.at : NULL;
}

enum fore_status fore_go_tool(const char *const *words, int *status, struct fore_err *e)
{
    struct tool_words argv = {0};
    const char *name = fore_base_name(words[0]);
    if (!strcmp(name, "compile")) {
        if (run_compiler(words, &argv)) {
            *status = 0;
            return FORE_OK;
        }
    } else {
        for (size_t i = 0; words[i]; i++) {
            const char *other =
                !strcmp(name, "vet") && i && fore_ends_with(words[i], ".cfg")
                    ? padded_list(words[i])
                    : NULL;
            fore_vec_push(&argv.v, other ? other : words[i]);
        }
    }
    fore_vec_push(&argv.v, NULL);
    signal(SIGPIPE, SIG_DFL);
    execv(words[0], (char *const *)(uintptr_t)argv.v.at);
    return fore_fail(e, FORE_CHILD, "%s: %s", words[0], strerror(errno));
}
