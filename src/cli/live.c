#include "cli/live.h"

#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SINKS = 16 };

/* One source, many sinks: analyses that take a stream, and the whole trace if others want
 * it. A sink that has seen enough gets no more events, but is ended with the rest. */
struct fan {
    struct fore_sink sink;
    struct fore_sink *to[MOST_SINKS];
    bool stopped[MOST_SINKS];
    size_t n;
    uint64_t events;
    bool ended;
};

bool fore_cli_is_live(const char *path)
{
    struct stat st;
    int known = strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st);
    return known == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static enum fore_flow fan_events(struct fore_sink *s, const struct fore_batch *b)
{
    struct fan *f = (struct fan *)s;
    bool all = true;
    f->events += b->n;
    for (size_t i = 0; i < f->n; i++) {
        if (!f->stopped[i])
            f->stopped[i] = f->to[i]->events(f->to[i], b) == FORE_STOP;
        all = all && f->stopped[i];
    }
    return all ? FORE_STOP : FORE_CONTINUE;
}

static enum fore_status fan_end(struct fore_sink *s, const struct fore_trace_end *end,
                                struct fore_err *e)
{
    struct fan *f = (struct fan *)s;
    enum fore_status status = FORE_OK;
    f->ended = true;
    for (size_t i = 0; i < f->n; i++) {
        struct fore_err own = {0};
        enum fore_status ended = f->to[i]->end(f->to[i], end, &own);
        if (status == FORE_OK && ended != FORE_OK) {
            status = ended;
            *e = own;
        }
    }
    return status;
}

void fore_cli_react(struct fore_analysis_ctx *ctx, const struct fore_finding *x)
{
    struct fore_cli *c = ctx->watcher;
    const char *command = fore_params_text(&c->params, "on-finding", NULL);
    if (!command || c->reacted)
        return;
    c->reacted = true;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("FORESEE_RULE", x->rule->name, 1);
        setenv("FORESEE_VERDICT", fore_verdict_name(x->verdict), 1);
        setenv("FORESEE_MESSAGE", x->message, 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fore_cli_say(c, "the command of --on-finding failed: %s", command);
}

void fore_cli_announce(struct fore_analysis_ctx *ctx, const struct fore_finding *x)
{
    fore_cli_say(ctx->watcher, "%s: %s: %s", fore_verdict_name(x->verdict), x->rule->name,
                 x->message);
    fore_cli_react(ctx, x);
}

/* The analyses that can take the stream, and whether some cannot. */
static enum fore_status open_sinks(struct fore_cli *c, struct fore_analysis_ctx *ctx,
                                   struct fore_arena *a, struct fan *fan, bool *rest,
                                   struct fore_err *e)
{
    struct fore_trace none;
    enum fore_status status = FORE_OK;
    fore_trace_init(&none, "");
    for (size_t i = 0; fore_analyses[i] && status == FORE_OK; i++) {
        const struct fore_analysis *x = fore_analyses[i];
        if (!fore_cli_wants(c, x))
            continue;
        if (!x->open || fan->n + 1 == MOST_SINKS) {
            *rest = *rest || x->run;
        } else if (!x->applies || x->applies(&none, &c->params)) {
            struct fore_sink *s = x->open(a, ctx, e);
            if (s)
                fan->to[fan->n++] = s;
            else
                status = e->status;
        }
    }
    fore_trace_release(&none);
    return status;
}

static void note_trace(struct fore_findings *f, const char *path, const struct fan *fan,
                       const struct fore_tables *t)
{
    fore_vec_push(&f->traces, (struct fore_trace_summary){
                                  .name = fore_arena_strdup(
                                      &f->arena, strcmp(path, "-") ? path : "<stdin>"),
                                  .events = fan->events,
                                  .threads = t->threads.n ? t->threads.n - 1 : 0});
}

enum fore_status fore_cli_analyse_live(struct fore_cli *c, const char *path,
                                       struct fore_findings *f, struct fore_err *e)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_trace t;
    struct fore_trace_collector collect;
    struct fan fan = {.sink = {fan_events, fan_end}};
    struct fore_analysis_ctx ctx = fore_cli_context(c, f);
    ctx.on_finding = fore_cli_announce;
    bool rest = false;
    fore_trace_init(&t, strcmp(path, "-") ? path : "<stdin>");
    enum fore_status status = fore_cli_check_only(c, e);
    if (status == FORE_OK)
        status = open_sinks(c, &ctx, &a, &fan, &rest, e);
    if (rest) {
        fore_trace_collector_init(&collect, &t);
        fan.to[fan.n++] = &collect.sink;
    }
    if (status == FORE_OK)
        status = fore_trace_stream(path, &t.tables, &fan.sink, e);
    if (!fan.ended) { /* the sinks let go of what they hold; nobody hears them */
        struct fore_err unheard;
        struct fore_trace_end torn = {.torn = true};
        (void)!fan_end(&fan.sink, &torn, &unheard);
    }
    if (status == FORE_OK)
        note_trace(f, path, &fan, &t.tables);
    if (status == FORE_OK && rest)
        status = fore_cli_analyse_rest(c, &t, f, e);
    fore_trace_release(&t);
    fore_arena_release(&a);
    return status;
}
