#include "capture/go/watcher.h"

#include "base/embed.h"
#include "base/file.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FORE_EMBED(go_watch, "capture/go/watch/watch.go");

struct watcher_words {
    FORE_VEC(char *) v;
};

static void add_word(struct watcher_words *out, const char *word)
{
    fore_vec_push(&out->v, (char *)(uintptr_t)word);
}

/* Runs it to its end, silently; what it prints is added to `out`. */
static bool run_silently(struct watcher_words *argv, struct fore_strbuf *out)
{
    struct fore_err unheard = {0};
    int status = 1;
    add_word(argv, NULL);
    bool ran = fore_child_ask(argv->v.at, true, out, &status, &unheard) == FORE_OK;
    fore_vec_release(&argv->v);
    return ran && status == 0;
}

/* ---- building it ---- */

/* It is a program of its own: nothing that the user sets for his builds concerns it. */
static bool build_watcher(const struct fore_gotool *g, const char *source, const char *to)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct watcher_words argv = {0};
    static const char *const words[] = {
        "env",       "GOFLAGS=",      "GOWORK=off", "GO111MODULE=off",
        "GOENV=off", "CGO_ENABLED=0", "GOOS=linux", "GOARCH="};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_word(&argv, words[i]);
    add_word(&argv, g->command);
    add_word(&argv, "build");
    add_word(&argv, "-o");
    add_word(&argv, to);
    add_word(&argv, source);
    bool built = run_silently(&argv, &out);
    fore_strbuf_release(&out);
    return built;
}

static const char *watcher_path(struct fore_gotool *g, const char *folder)
{
    uint64_t hash = fore_hash(go_watch, FORE_EMBED_SIZE(go_watch));
    hash = fore_hash_more(hash, g->install.root, strlen(g->install.root));
    hash = fore_hash_more(hash, g->install.version, strlen(g->install.version));
    return fore_arena_printf(&g->arena, "%s/watch-%016llx/watch", folder,
                             (unsigned long long)hash);
}

/* Built beside and renamed: several foresees may do so at once. */
static bool make_watcher(struct fore_gotool *g, const char *path)
{
    size_t n = (size_t)(strrchr(path, '/') - path);
    const char *folder = fore_arena_strndup(&g->arena, path, n);
    const char *source = fore_arena_printf(&g->arena, "%s/watch.go", folder);
    const char *made = fore_arena_printf(&g->arena, "%s.%ld", path, (long)getpid());
    struct fore_err unheard = {0};
    if (access(path, X_OK) == 0)
        return true;
    mkdir(folder, 0777); /* what fails here shows in the file */
    return fore_file_replace(source, go_watch, FORE_EMBED_SIZE(go_watch), &unheard) ==
               FORE_OK &&
           build_watcher(g, source, made) && rename(made, path) == 0;
}

/* ---- asking it ---- */

static bool ends_in_go(const char *word)
{
    size_t n = strlen(word);
    return n > 3 && strcmp(word + n - 3, ".go") == 0;
}

static bool all_are_by_name(const struct fore_gotool *g, const char *watcher,
                            const char *names, const char *const *args)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct watcher_words argv = {0};
    struct fore_strbuf folder = FORE_STRBUF_INIT;
    const char *slash = strrchr(g->module, '/');
    add_word(&argv, watcher);
    add_word(&argv, "check");
    add_word(&argv, names);
    if (slash && strcmp(g->module, "/dev/null") != 0) {
        fore_strbuf_add(&folder, g->module, (size_t)(slash - g->module));
        add_word(&argv, folder.at);
    }
    for (size_t i = 1; args[i]; i++)
        if (ends_in_go(args[i]) && access(args[i], R_OK) == 0)
            add_word(&argv, args[i]);
    bool all = run_silently(&argv, &out); /* without a path it fails */
    fore_strbuf_release(&folder);
    fore_strbuf_release(&out);
    return all;
}

const char *fore_go_watcher(struct fore_gotool *g, const char *folder, const char *names,
                            const char *const *args)
{
    if (!*names || strpbrk(names, " \t'\"[") || fore_go_has_flag(args, "toolexec"))
        return NULL;
    const char *path = watcher_path(g, folder);
    return make_watcher(g, path) && all_are_by_name(g, path, names, args) ? path : NULL;
}

#define WATCH_FLAG "-foresee="

/* Go keeps what it compiled, by such arguments: another watcher puts other calls. */
void fore_go_watcher_flag(const char *names, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, WATCH_FLAG "%016llx;%s",
                       (unsigned long long)fore_hash(go_watch, FORE_EMBED_SIZE(go_watch)),
                       names);
}

const char *fore_go_watcher_names(const char *flag)
{
    const char *names =
        strncmp(flag, WATCH_FLAG, sizeof WATCH_FLAG - 1) == 0 ? strchr(flag, ';') : NULL;
    return names ? names + 1 : NULL;
}

bool fore_go_watcher_put(const char *names, const char *folder, const char *const *files,
                         size_t n, struct fore_strbuf *out)
{
    struct watcher_words argv = {0};
    const char *watcher = getenv(FORE_GO_WATCHER);
    if (!watcher)
        return false;
    add_word(&argv, watcher);
    add_word(&argv, "put");
    add_word(&argv, names);
    add_word(&argv, folder);
    for (size_t i = 0; i < n; i++)
        add_word(&argv, files[i]);
    return run_silently(&argv, out);
}
