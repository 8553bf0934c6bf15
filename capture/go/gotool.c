#include "capture/go/gotool.h"

#include "base/path.h"
#include "capture/go/patch.h"
#include "capture/go/watcher.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- asking ---- */

/* The output of `go env …`, or an error that says what would be right. */
static enum fore_status go_env(struct fore_gotool *g, struct fore_strbuf *out,
                               struct fore_err *e)
{
    char *argv[] = {(char *)(uintptr_t)g->command,
                    "env",
                    "GOROOT",
                    "GOVERSION",
                    "GOARCH",
                    "GOOS",
                    "GOFLAGS",
                    "GOMODCACHE",
                    "GOMOD",
                    NULL};
    int status = 0;
    if (fore_child_ask(argv, false, out, &status, e) != FORE_OK)
        return fore_fail(
            e, FORE_MISSING,
            "there is no '%s' in PATH; install Go 1.%d or newer, or name it in "
            "FORESEE_GO",
            g->command, FORE_GO_OLDEST);
    if (status)
        return fore_fail(e, FORE_CHILD, "'%s env' failed", g->command);
    return FORE_OK;
}

static const char *line_of(struct fore_gotool *g, const char **at)
{
    size_t n = strcspn(*at, "\n");
    const char *line = fore_arena_strndup(&g->arena, *at, n);
    *at += n + ((*at)[n] == '\n');
    return line;
}

enum fore_status fore_gotool_ask(struct fore_gotool *g, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    const char *named = getenv("FORESEE_GO");
    *g = (struct fore_gotool){.arena = FORE_ARENA_INIT,
                              .command = named && *named ? named : "go"};
    enum fore_status s = go_env(g, &out, e);
    if (s == FORE_OK) {
        const char *at = out.at;
        g->install.root = line_of(g, &at);
        g->install.version = line_of(g, &at);
        g->install.arch = line_of(g, &at);
        const char *os = line_of(g, &at);
        g->flags = line_of(g, &at);
        g->modules = line_of(g, &at);
        g->module = line_of(g, &at);
        if (strcmp(os, "linux") != 0)
            s = fore_fail(e, FORE_MISSING,
                          "foresee go does not know GOOS=%s (only linux)", os);
    }
    fore_strbuf_release(&out);
    return s;
}

void fore_gotool_release(struct fore_gotool *g)
{
    fore_arena_release(&g->arena);
}

/* ---- links to a toolchain ---- */

static enum fore_status link_all(const char *from, const char *to, struct fore_err *e)
{
    struct dirent *d;
    DIR *dir = opendir(from);
    if (!dir)
        return fore_fail(e, FORE_IO, "%s: %s", from, strerror(errno));
    enum fore_status s = FORE_OK;
    while (s == FORE_OK && (d = readdir(dir))) {
        char target[4096], name[4096];
        if (d->d_name[0] == '.')
            continue;
        if (snprintf(target, sizeof target, "%s/%s", from, d->d_name) >=
                (int)sizeof target ||
            snprintf(name, sizeof name, "%s/%s", to, d->d_name) >= (int)sizeof name)
            s = fore_fail(e, FORE_IO, "%s: the path is too long", from);
        else if (symlink(target, name) != 0 && errno != EEXIST)
            s = fore_fail(e, FORE_IO, "%s: %s", name, strerror(errno));
    }
    closedir(dir);
    return s;
}

enum fore_status fore_gotool_mirror(struct fore_gotool *g, const char *folder,
                                    struct fore_err *e)
{
    if (!fore_path_below(g->install.root, g->modules))
        return FORE_OK;
    const char *name = strrchr(g->install.root, '/');
    const char *mirror = fore_arena_printf(&g->arena, "%s/goroot%s", folder, name);
    char path[4096];
    snprintf(path, sizeof path, "%s", mirror);
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(path, 0777); /* what fails here shows in the last one */
        *p = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    FORE_TRY(link_all(g->install.root, mirror, e));
    g->install.root = mirror;
    g->command = fore_arena_printf(&g->arena, "%s/bin/go", mirror);
    g->mirrored = true;
    return FORE_OK;
}

/* ---- running ---- */

static bool is_flag(const char *arg, const char *name, const char **value)
{
    if (arg[0] != '-')
        return false;
    arg += arg[1] == '-' ? 2 : 1;
    size_t n = strlen(name);
    if (strncmp(arg, name, n) != 0 || (arg[n] != '\0' && arg[n] != '='))
        return false;
    *value = arg[n] == '=' ? arg + n + 1 : NULL;
    return true;
}

const char *fore_go_user_overlay(const char *const *args)
{
    const char *value;
    for (size_t i = 0; args[i]; i++)
        if (is_flag(args[i], "overlay", &value))
            return value ? value : args[i + 1];
    return NULL;
}

bool fore_go_has_flag(const char *const *args, const char *name)
{
    const char *value;
    for (size_t i = 0; args[i]; i++)
        if (is_flag(args[i], name, &value))
            return true;
    return false;
}

bool fore_go_makes_plugin(const char *const *args)
{
    const char *value;
    for (size_t i = 0; args[i]; i++)
        if (is_flag(args[i], "buildmode", &value) && (value || args[i + 1]) &&
            !strcmp(value ? value : args[i + 1], "plugin"))
            return true;
    return false;
}

/* The last one counts, and arguments come after GOFLAGS. */
bool fore_go_races(const struct fore_gotool *g, const char *const *args)
{
    const char *value;
    bool races = false;
    char word[64];
    for (const char *at = g->flags; *at; at += strspn(at, " \t")) {
        size_t n = strcspn(at, " \t");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : 0), at);
        if (is_flag(word, "race", &value))
            races = !value || strcmp(value, "false") != 0;
        at += n;
    }
    for (size_t i = 0; args[i]; i++)
        if (is_flag(args[i], "race", &value))
            races = !value || strcmp(value, "false") != 0;
    return races;
}

/* Functions of sync/atomic are instructions unless the compiler is told otherwise: for all but
 * Go's own library. Of several -gcflags the last that matches a package counts, so a user's own
 * must say it too. */
#define NO_INTRINSICS "-d=ssa/intrinsics/off"

/* GOFLAGS: the user's, and ours behind them. A cached test result would leave no trace. */
static void set_flags(const struct fore_go_run *r)
{
    struct fore_strbuf flags = FORE_STRBUF_INIT;
    bool quote = strpbrk(r->overlay, " \t'\"") != NULL;
    fore_strbuf_printf(&flags, "%s%s%s-overlay=%s%s", r->tool->flags,
                       *r->tool->flags ? " " : "", quote ? "'" : "", r->overlay,
                       quote ? "'" : "");
    if (strcmp(r->args[0], "test") == 0 && !fore_go_has_flag(r->args, "count"))
        fore_strbuf_puts(&flags, " -count=1");
    if (r->atomics && !r->memory)
        fore_strbuf_puts(&flags, " -gcflags=all=" NO_INTRINSICS " -gcflags=std=");
    setenv("GOFLAGS", flags.at, 1);
    fore_strbuf_release(&flags);
}

struct arguments {
    FORE_VEC(char *) v;
};

/* Reads and writes: the compiler's own instrumentation for the memory sanitizer, whose functions are
 * ours (capture/go/hooks/memory.go). */
#define INSTRUMENT "-msan -d=checkptr=0 " NO_INTRINSICS
/* A specification may name members of types: go run and go test would leave these out. */
#define INSTRUMENT_NAMED INSTRUMENT " -dwarf=true"

/* How the packages are compiled whose accesses are recorded. */
static void put_how(const struct fore_go_run *r, struct fore_strbuf *out)
{
    if (r->names) {
        fore_strbuf_puts(out, NO_INTRINSICS " -dwarf=true ");
        fore_go_watcher_flag(r->names, out);
    } else {
        fore_strbuf_puts(out, r->named ? INSTRUMENT_NAMED : INSTRUMENT);
    }
}

static void add_compiler_flags(struct arguments *out, const char *packages,
                               const char *what)
{
    struct fore_strbuf flag = FORE_STRBUF_INIT;
    fore_strbuf_printf(&flag, "-gcflags=%s=%s", packages, what);
    fore_vec_push(&out->v, flag.at);
}

/* The folder of the main module, seen from here: "." or "../..". */
static void module_folder(const struct fore_gotool *g, struct fore_strbuf *out)
{
    char here[4096];
    const char *slash = strrchr(g->module, '/');
    size_t n = slash ? (size_t)(slash - g->module) : 0;
    fore_strbuf_puts(out, ".");
    if (!getcwd(here, sizeof here) || !n || strcmp(g->module, "/dev/null") == 0 ||
        strncmp(here, g->module, n) != 0 || (here[n] && here[n] != '/'))
        return;
    for (const char *at = here + n; *at; at++)
        if (*at == '/' && at[1])
            fore_strbuf_puts(out, "/..");
}

/* -s or -w among the words of a flag: no names are wanted. */
static bool strips(const char *flags)
{
    for (const char *at = flags; at && *at; at += strcspn(at, " \t")) {
        at += strspn(at, " \t'\"=");
        if (at[0] == '-' && (at[1] == 's' || at[1] == 'w') && strchr(" \t'\"", at[2]))
            return true;
    }
    return false;
}

/* Of several -ldflags the last counts, so a user's own must have this, too. go run and go test would
 * leave out the names of variables. */
static void add_linker_flags(const struct fore_go_run *r, const char *users,
                             struct arguments *out)
{
    struct fore_strbuf flag = FORE_STRBUF_INIT;
    fore_strbuf_printf(&flag, "-ldflags=%s%s%s-compressdwarf=false -X=runtime.foreBuilt=",
                       users ? users : "", users && *users ? " " : "",
                       strips(users) ? "" : "-s=false -w=false ");
    if (r->names)
        fore_strbuf_printf(&flag, "named;%s;", r->names);
    else
        fore_strbuf_puts(&flag, r->memory == FORE_GO_ALL ? "all" : "memory");
    fore_vec_push(&out->v, flag.at);
}

/* The value of -ldflags in GOFLAGS, whose words may be quoted as a whole; NULL: there is none. */
static char *linker_flags_of(const char *flags)
{
    char *found = NULL;
    while (*(flags += strspn(flags, " \t"))) {
        bool quoted = *flags == '\'' || *flags == '"';
        char quote[] = {quoted ? *flags : ' ', quoted ? '\0' : '\t', '\0'};
        flags += quoted;
        size_t n = strcspn(flags, quote), skip = 1 + (flags[0] && flags[1] == '-');
        if (n > skip + 8 && strncmp(flags + skip, "ldflags=", 8) == 0) {
            struct fore_strbuf value = FORE_STRBUF_INIT;
            fore_strbuf_add(&value, flags + skip + 8, n - skip - 8);
            fore_free(found);
            found = value.at;
        }
        flags += n + (quoted && flags[n]);
    }
    return found;
}

/* What synchronises is recorded as that, and the runtime is none of the program's. The last pattern
 * that matches a package counts. As arguments, since older Go commands take no blanks in GOFLAGS. */
static void add_memory_flags(const struct fore_go_run *r, struct arguments *out)
{
    static const char *const own[] = {"runtime/...", "internal/runtime/...",
                                      "internal/race", "internal/cpu",
                                      "internal/bytealg"};
    struct fore_strbuf folder = FORE_STRBUF_INIT, pattern = FORE_STRBUF_INIT;
    add_compiler_flags(out, "all", r->memory == FORE_GO_ALL ? INSTRUMENT : NO_INTRINSICS);
    /* Go's own library keeps what it is given (container/list, bytes.Buffer): what it reads there
     * decides what the program does next. Variables that a specification names it does not know. */
    if (!r->named)
        add_compiler_flags(out, "std", INSTRUMENT);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        add_compiler_flags(out, own[i], "");
    add_compiler_flags(out, "sync/atomic", NO_INTRINSICS);
    add_compiler_flags(out, "internal/sync", NO_INTRINSICS);
    /* sync.Map is in internal/sync since 1.24. */
    add_compiler_flags(out, "sync",
                       fore_go_minor(r->tool->install.version) < 23 ? NO_INTRINSICS : "");
    module_folder(r->tool, &folder);
    fore_strbuf_printf(&pattern, "%s/...", folder.at);
    if (r->memory == FORE_GO_MODULE) {
        struct fore_strbuf how = FORE_STRBUF_INIT;
        put_how(r, &how);
        add_compiler_flags(out, pattern.at, how.at);
        /* files that are named one by one, wherever they are */
        add_compiler_flags(out, "command-line-arguments", how.at);
        fore_strbuf_release(&how);
        fore_strbuf_clear(&pattern);
        fore_strbuf_printf(&pattern, "%s/vendor/...", folder.at);
        add_compiler_flags(out, pattern.at, NO_INTRINSICS);
    }
    char *users = linker_flags_of(r->tool->flags);
    add_linker_flags(r, users, out);
    fore_free(users);
    fore_strbuf_release(&folder);
    fore_strbuf_release(&pattern);
}

/* A flag that has us started in the place of something: -exec, -toolexec. */
static void add_self(const char *name, const char *verb, struct arguments *out)
{
    char self[4096];
    struct fore_strbuf flag = FORE_STRBUF_INIT;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return;
    self[n] = '\0';
    fore_strbuf_printf(&flag, "-%s='%s' go %s", name, self, verb);
    fore_vec_push(&out->v, flag.at);
}

/* Only what runs programs takes -exec. */
static bool takes_exec(const char *verb)
{
    return strcmp(verb, "run") == 0 || strcmp(verb, "test") == 0;
}

/* Go's arguments, without an -overlay of the user's own (it was merged into ours). They live
 * until the exec. */
static void take_arguments(const struct fore_go_run *r, struct arguments *out)
{
    const char *value;
    fore_vec_push(&out->v, (char *)(uintptr_t)r->tool->command);
    for (size_t i = 0; r->args[i]; i++) {
        const char *arg = r->args[i];
        if (is_flag(arg, "overlay", &value)) {
            i += !value && r->args[i + 1];
            continue;
        }
        if (r->atomics && is_flag(arg, "gcflags", &value) && (value || r->args[i + 1])) {
            struct fore_strbuf both = FORE_STRBUF_INIT;
            fore_strbuf_printf(&both, "-gcflags=%s ", value ? value : r->args[++i]);
            if (r->memory)
                put_how(r, &both);
            else
                fore_strbuf_puts(&both, NO_INTRINSICS);
            arg = both.at;
        }
        if (r->memory && is_flag(arg, "ldflags", &value) && (value || r->args[i + 1])) {
            add_linker_flags(r, value ? value : r->args[++i], out);
            continue;
        }
        fore_vec_push(&out->v, (char *)(uintptr_t)arg);
        if (!i && r->memory)
            add_memory_flags(r, out);
        if (!i && !fore_go_has_flag(r->args, "toolexec"))
            add_self("toolexec", "tool", out);
        if (!i && r->exec && takes_exec(arg))
            add_self("exec", "exec", out);
    }
    fore_vec_push(&out->v, NULL);
}

int fore_go_prepare(struct fore_child_program *p)
{
    const struct fore_go_run *r = p->ctx;
    struct arguments argv = {0};
    take_arguments(r, &argv);
    set_flags(r);
    if (r->tool->mirrored) {
        setenv("GOROOT", r->tool->install.root, 1);
        setenv("GOTOOLCHAIN", "local", 1);
    }
    setenv("FORESEE_KEEP", r->rings, 1);
    setenv("FORESEE", r->options, 1);
    if (r->names)
        setenv(FORE_GO_WATCHER, r->watcher, 1);
    p->argv = argv.v.at;
    return 0;
}
