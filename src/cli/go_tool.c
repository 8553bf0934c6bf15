#include "cli/go_tool.h"

#include "base/file.h"
#include "base/vec.h"
#include "capture/go/padding.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tool_words {
    FORE_VEC(const char *) v;
};

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

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

/* Where the tool writes to: the folder of what is behind -o. */
static bool output_folder(const char *const *words, struct fore_strbuf *out)
{
    for (size_t i = 1; words[i] && words[i + 1]; i++) {
        const char *slash = strcmp(words[i], "-o") ? NULL : strrchr(words[i + 1], '/');
        if (slash)
            fore_strbuf_add(out, words[i + 1], (size_t)(slash - words[i + 1]));
    }
    return out->n;
}

static void take_compiler(const char *const *words, struct tool_words *out)
{
    struct fore_strbuf folder = FORE_STRBUF_INIT;
    bool known = output_folder(words, &folder);
    for (size_t i = 0; words[i]; i++) {
        const char *other = i && known && ends_in(words[i], ".go")
                                ? padded_copy(words[i], folder.at, i)
                                : NULL;
        fore_vec_push(&out->v, other ? other : words[i]);
    }
    fore_strbuf_release(&folder);
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
    const char *other =
        file[0] == '/' && ends_in(file, ".go") ? padded_copy(file, folder, number) : NULL;
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

enum fore_status fore_go_tool(const char *const *words, struct fore_err *e)
{
    struct tool_words argv = {0};
    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];
    if (!strcmp(name, "compile")) {
        take_compiler(words, &argv);
    } else {
        for (size_t i = 0; words[i]; i++) {
            const char *other = !strcmp(name, "vet") && i && ends_in(words[i], ".cfg")
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
