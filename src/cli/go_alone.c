#include "cli/go_alone.h"

#include "base/path.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* One element of -run: a pattern that only this name matches. */
static void add_pattern(const char *name, size_t n, struct fore_strbuf *out)
{
    fore_strbuf_putc(out, '^');
    for (size_t i = 0; i < n; i++) {
        if (strchr("\\.+*?()|[]{}^$", name[i]))
            fore_strbuf_putc(out, '\\');
        fore_strbuf_putc(out, name[i]);
    }
    fore_strbuf_putc(out, '$');
}

void fore_go_alone_pattern(const char *test, struct fore_strbuf *out)
{
    for (;;) {
        size_t n = strcspn(test, "/");
        add_pattern(test, n, out);
        if (!test[n])
            return;
        fore_strbuf_putc(out, '/');
        test += n + 1;
    }
}

/* Within single quotes, for a shell. */
static void add_patterns(const char *test, struct fore_strbuf *out)
{
    struct fore_strbuf bare = FORE_STRBUF_INIT;
    fore_go_alone_pattern(test, &bare);
    fore_strbuf_putc(out, '\'');
    for (const char *at = bare.at; *at; at++)
        if (*at == '\'')
            fore_strbuf_puts(out, "'\\''");
        else
            fore_strbuf_putc(out, *at);
    fore_strbuf_putc(out, '\'');
    fore_strbuf_release(&bare);
}

/* "github.com/BurntSushi/toml/sub" of "/…/pkg/mod/github.com/!burnt!sushi/toml@v1.2.0/sub". */
static bool add_cached_package(const char *folder, struct fore_strbuf *out)
{
    const char *at = strstr(folder, "/pkg/mod/");
    if (!at)
        return false;
    for (at += strlen("/pkg/mod/"); *at; at++) {
        if (*at == '@')
            at += strcspn(at, "/");
        if (!*at)
            break;
        bool upper = *at == '!' && at[1] >= 'a' && at[1] <= 'z';
        at += upper;
        fore_strbuf_putc(out, upper ? (char)(*at - 'a' + 'A') : *at);
    }
    return true;
}

static void add_package(const char *folder, const char *cwd, struct fore_strbuf *out)
{
    const char *below = fore_path_below(folder, cwd);
    if (!strcmp(folder, cwd))
        fore_strbuf_putc(out, '.');
    else if (below)
        fore_strbuf_printf(out, "./%s", below);
    else if (!add_cached_package(folder, out))
        fore_strbuf_puts(out, folder);
}

/* `foresee go test -run '^TestPool$/^empty$' ./pool`; nothing for what is no test. */
static void put_test_command(const char *test, const char *folder, const char *cwd,
                             struct fore_strbuf *out)
{
    bool bench = fore_begins_with(test, "Benchmark");
    if (!*folder ||
        (!bench && !fore_begins_with(test, "Test") &&
         !fore_begins_with(test, "Example") && !fore_begins_with(test, "Fuzz")))
        return;
    fore_strbuf_puts(out, bench ? "foresee go test -run '^$' -bench "
                                : "foresee go test -run ");
    add_patterns(test, out);
    fore_strbuf_putc(out, ' ');
    add_package(folder, cwd, out);
}

void fore_go_alone(struct fore_findings *f, size_t from, const char *folder,
                   const char *package)
{
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        return;
    for (size_t i = from; i < f->list.n; i++) {
        struct fore_strbuf command = FORE_STRBUF_INIT;
        f->list.at[i]->package = fore_arena_strdup(&f->arena, package);
        put_test_command(f->list.at[i]->test, folder, cwd, &command);
        if (command.n)
            f->list.at[i]->alone = fore_arena_strndup(&f->arena, command.at, command.n);
        fore_strbuf_release(&command);
    }
}
