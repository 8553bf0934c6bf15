#include "cli/go_again.h"

#include "base/path.h"
#include "cli/go_exec.h"
#include "cli/go_scope.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fore_status fore_go_again_open(struct fore_go_again *g, struct fore_cli *c, bool can,
                                    bool tests, struct fore_err *e)
{
    *g = (struct fore_go_again){.cli = c, .arena = FORE_ARENA_INIT};
    FORE_TRY(fore_confirm_read(c, &g->how, e));
    if (tests) { /* go test gives them none */
        g->how.input = NULL;
        g->how.unrepeatable = false;
    }
    g->notes = can;
    g->possible = can && g->how.when != FORE_CONFIRM_NEVER;
    g->given = c->params.set.n;
    if (g->possible) {
        fore_params_set(&c->params, "possible", "");
        fore_params_set(&c->params, "conjectures", "");
    }
    return FORE_OK;
}

void fore_go_again_release(struct fore_go_again *g)
{
    fore_vec_release(&g->noted);
    fore_arena_release(&g->arena);
}

/* ---- whose finding it is ---- */

/* PID.started, which `foresee go exec` wrote, and PID.exe, which the program linked itself. */
static bool read_start(struct fore_go_again *g, const char *ring,
                       struct fore_started *whole)
{
    char path[PATH_MAX];
    const char *slash = strrchr(ring, '/');
    int stem = (int)(slash ? slash - ring : 0);
    snprintf(path, sizeof path, "%.*s/%lu.started", stem, ring,
             strtoul(fore_base_name(ring), NULL, 10));
    if (!fore_started_read(path, &g->arena, whole))
        return false;
    snprintf(path, sizeof path, "%.*s.exe", (int)(strlen(ring) - 4), ring);
    whole->argv[0] = fore_arena_strdup(&g->arena, path);
    return !access(path, X_OK);
}

bool fore_go_again_note(struct fore_go_again *g, const char *ring,
                        const struct fore_tables *t, const struct fore_findings *f,
                        size_t from)
{
    struct fore_started whole;
    size_t before = g->noted.n;
    if (!g->notes || from == f->list.n || !read_start(g, ring, &whole))
        return false;
    for (size_t i = from; i < f->list.n; i++) {
        struct fore_go_noted n = {.finding = f->list.at[i], .executable = whole.argv[0]};
        if (n.finding->witness_trace[0] &&
            fore_go_scope(&g->arena, t, n.finding->test, &whole, &n.started))
            fore_vec_push(&g->noted, n);
    }
    return g->noted.n > before;
}

static const struct fore_go_noted *noted_of(const struct fore_go_again *g,
                                            const struct fore_finding *x)
{
    for (size_t i = 0; i < g->noted.n; i++)
        if (g->noted.at[i].finding == x)
            return &g->noted.at[i];
    return NULL;
}

static bool program_of(void *ctx, const struct fore_finding *x, struct fore_started *out)
{
    const struct fore_go_noted *n = noted_of(ctx, x);
    if (n)
        *out = n->started;
    return n;
}

static void adopt(void *ctx, const struct fore_finding *of, const struct fore_finding *x)
{
    struct fore_go_again *g = ctx;
    const struct fore_go_noted *n = noted_of(g, of);
    if (!n)
        return;
    struct fore_go_noted same = *n;
    same.finding = x;
    fore_vec_push(&g->noted, same);
}

/* ---- what is kept ---- */

/* One copy of each executable, for all its findings. */
static const char *keep_executable(struct fore_go_again *g, const char *executable)
{
    for (size_t i = 0; i < g->noted.n; i++)
        if (g->noted.at[i].kept && !strcmp(g->noted.at[i].executable, executable))
            return g->noted.at[i].kept;
    return fore_kept_add(&g->arena, executable, executable);
}

static void keep_programs(struct fore_go_again *g, const struct fore_findings *f)
{
    fore_kept_clear();
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_go_noted *n =
            (struct fore_go_noted *)(uintptr_t)noted_of(g, f->list.at[i]);
        if (!n || !(n->kept = keep_executable(g, n->executable)))
            continue;
        n->started.argv[0] = fore_arena_strdup(&g->arena, n->kept);
        fore_kept_remember(n->finding->id, &n->started);
    }
}

enum fore_status fore_go_again_confirm(struct fore_go_again *g, struct fore_findings *f,
                                       double took, struct fore_err *e)
{
    struct fore_cli *c = g->cli;
    g->how.program_of = program_of;
    g->how.adopt = adopt;
    g->how.ctx = g;
    c->params.set.n = g->given;
    if (!g->notes)
        return FORE_OK;
    bool interrupted = c->budget.interrupted && *c->budget.interrupted;
    if (!interrupted)
        FORE_TRY(fore_confirm_findings(c, f, NULL, &g->how, took, e));
    fore_confirm_drop_conjectures(f);
    if (interrupted)
        return FORE_OK;
    if (!fore_params_has(&c->params, "no-save"))
        keep_programs(g, f);
    return FORE_OK;
}
