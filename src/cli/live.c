#include "cli/live.h"

#include "base/child.h"
#include "trace/carry.h"
#include "trace/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_SINKS = 16,
    MOST_EVENTS = 1 << 26,    /* of a trace that some analysis wants as a whole */
    WITNESS_EVENTS = 1 << 18, /* of one that is kept only to show a witness */
    PART_EVENTS = 1 << 19,    /* of a part of a run that is read in parts, at most */
    PART_SECONDS = 3,         /* for the analyses of one */
};

/* One source, many sinks. A sink that has seen enough gets no more events, but is ended with
 * the rest. What comes is also kept, up to a bound: for analyses that want all of it, and for
 * the witnesses of those that take the stream. When more comes than the room for recording holds, what
 * is kept is analysed and forgotten, part by part: see trace/carry.h. */
struct fore_live {
    struct fore_sink sink;
    struct fore_cli *cli;
    struct fore_arena arena;
    struct fore_analysis_ctx ctx;
    struct fore_findings heard; /* from those that take the stream */
    struct fore_sink *to[MOST_SINKS];
    bool stopped[MOST_SINKS];
    size_t n;
    struct fore_trace kept;
    struct fore_trace_collector collector;
    size_t most;
    bool rest;       /* some analysis wants the whole trace */
    bool cut;        /* more came than was kept */
    bool to_the_end; /* the source must never be stopped */
    bool ended;
    uint64_t events;
    struct fore_carry carry;
    struct fore_merge *source; /* that fills the tables, or NULL */
    struct fore_err failed;    /* in a part */
};

bool fore_cli_is_live(const char *path)
{
    struct stat st;
    int known = strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st);
    return known == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* ---- the stream ---- */

static void keep_batch(struct fore_live *l, const struct fore_batch *b)
{
    struct fore_batch own = *b;
    if (l->source && l->rest)
        own = fore_carry_events(&l->carry, &l->kept.tables, b);
    l->cut = l->cut || l->kept.events.n + own.n > l->most;
    if (!l->cut)
        l->collector.sink.events(&l->collector.sink, &own);
}

/* ---- parts ---- */

/* What was found before is found again; the rest is kept. */
static void join_new(struct fore_findings *into, struct fore_findings *part)
{
    size_t kept = 0;
    fore_findings_seal(part);
    for (size_t i = 0; i < part->list.n; i++) {
        struct fore_finding *x = part->list.at[i], *same = NULL;
        for (size_t k = 0; k < into->list.n && !same; k++)
            if (into->list.at[k]->id == x->id && into->list.at[k]->verdict >= x->verdict)
                same = into->list.at[k];
        if (!same) {
            part->list.at[kept++] = x;
            continue;
        }
        same->count += x->count;
        fore_finding_release(x);
    }
    part->list.n = kept;
    part->completeness.sampled = true; /* a part has a time of its own */
    part->stats.n = part->remarks.n = 0;
    if (kept)
        fore_findings_join(into, part);
    else if (!part->completeness.exhausted)
        fore_findings_sampled(into, "%s", part->completeness.bound);
}

/* Nothing has ended: a thread that waits, or holds something, goes on in the next part. */
static enum fore_status analyse_part(struct fore_live *l, struct fore_err *e)
{
    struct fore_findings found;
    struct fore_budget *b = &l->cli->budget;
    uint64_t asked = b->deadline_ns,
             until = fore_now_ns() + (uint64_t)PART_SECONDS * 1000000000;
    struct fore_trace_end none = {.tables = &l->kept.tables};
    enum fore_ended ended = l->kept.tables.ended;
    struct fore_batch rest = fore_carry_end(&l->carry, &l->kept.tables);
    fore_findings_init(&found);
    if (rest.n)
        l->collector.sink.events(&l->collector.sink, &rest);
    FORE_TRY(l->collector.sink.end(&l->collector.sink, &none, e));
    l->kept.tables.ended = FORE_ENDED_EXIT;
    if (!asked || asked > until)
        b->deadline_ns = until;
    enum fore_status s = fore_cli_analyse_rest(l->cli, &l->kept, &found, e);
    if (b->deadline_ns == until && !(b->interrupted && *b->interrupted))
        b->spent = FORE_SPENT_NOTHING;
    b->deadline_ns = asked;
    l->kept.tables.ended = ended;
    if (s == FORE_OK)
        join_new(&l->heard, &found);
    fore_findings_release(&found);
    return s;
}

/* Objects keep their ids from part to part: analyses that take the stream know them by these. */
static void begin_part(struct fore_live *l)
{
    struct fore_map moved = {0};
    fore_trace_clear(&l->kept);
    struct fore_batch b =
        fore_carry_next(&l->carry, &l->kept.tables, l->n ? NULL : &moved);
    if (!l->n)
        fore_merge_renew(l->source, &moved);
    if (b.n)
        l->collector.sink.events(&l->collector.sink, &b);
    fore_map_release(&moved);
}

/* In a small room they are smaller. */
static size_t part_events(const struct fore_live *l)
{
    const struct fore_ring_header *h = l->source->file.header;
    uint64_t most = h->limit * h->chunk_size / FORE_RING_RECORD / 8;
    return most < PART_EVENTS ? most : PART_EVENTS;
}

static void end_part(struct fore_live *l)
{
    if (!l->source || !l->rest || l->cut || !l->source->file.streams ||
        l->kept.events.n < part_events(l) || l->failed.status != FORE_OK ||
        !fore_carry_may_end(&l->carry))
        return;
    if (analyse_part(l, &l->failed) == FORE_OK)
        begin_part(l);
}

static enum fore_flow live_events(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_live *l = (struct fore_live *)s;
    bool all = !l->to_the_end && (l->cut || !l->rest);
    l->events += b->n;
    keep_batch(l, b);
    for (size_t i = 0; i < l->n; i++) {
        if (!l->stopped[i])
            l->stopped[i] = l->to[i]->events(l->to[i], b) == FORE_STOP;
        all = all && l->stopped[i];
    }
    end_part(l);
    return all ? FORE_STOP : FORE_CONTINUE;
}

static enum fore_status live_end(struct fore_sink *s, const struct fore_trace_end *end,
                                 struct fore_err *e)
{
    struct fore_live *l = (struct fore_live *)s;
    l->ended = true;
    if (l->failed.status != FORE_OK) {
        *e = l->failed;
        return e->status;
    }
    enum fore_status status = l->collector.sink.end(&l->collector.sink, end, e);
    l->kept.budget = &l->cli->budget;
    l->ctx.whole = l->cut ? NULL : &l->kept;
    for (size_t i = 0; i < l->n; i++) {
        struct fore_err own = {0};
        enum fore_status ended = l->to[i]->end(l->to[i], end, &own);
        if (status == FORE_OK && ended != FORE_OK) {
            status = ended;
            *e = own;
        }
    }
    return status;
}

/* ---- what is said at once ---- */

static int describe_finding(struct fore_child_program *p)
{
    const struct fore_finding *x = p->ctx;
    setenv("FORESEE_RULE", x->rule->name, 1);
    setenv("FORESEE_VERDICT", fore_verdict_name(x->verdict), 1);
    setenv("FORESEE_MESSAGE", x->message, 1);
    return 0;
}

void fore_cli_react(struct fore_analysis_ctx *ctx, const struct fore_finding *x)
{
    struct fore_cli *c = ctx->watcher;
    const char *command = fore_params_text(&c->params, "on-finding", NULL);
    if (!command || c->reacted)
        return;
    c->reacted = true;
    struct fore_err unheard = {0};
    int status = 0;
    struct fore_child_program reaction = {
        .argv = (char *[]){"/bin/sh", "-c", (char *)(uintptr_t)command, NULL},
        .prepare = describe_finding,
        .ctx = (void *)(uintptr_t)x};
    if (fore_child_run(&reaction, &status, &unheard) != FORE_OK || status != 0)
        fore_cli_say(c, "the command of --on-finding failed: %s", command);
}

static void announce_finding(struct fore_analysis_ctx *ctx, const struct fore_finding *x)
{
    fore_cli_say(ctx->watcher, "%s: %s: %s", fore_verdict_name(x->verdict), x->rule->name,
                 x->message);
    fore_cli_react(ctx, x);
}

/* ---- opening ---- */

/* The analyses that can take the stream, and whether some cannot. */
static enum fore_status open_sinks(struct fore_live *l, struct fore_err *e)
{
    struct fore_trace none;
    enum fore_status status = FORE_OK;
    fore_trace_init(&none, "");
    for (size_t i = 0; fore_analyses[i] && status == FORE_OK; i++) {
        const struct fore_analysis *x = fore_analyses[i];
        if (!fore_cli_wants(l->cli, x))
            continue;
        if (!x->open || l->n == MOST_SINKS) {
            l->rest = l->rest || x->run;
        } else if (!x->applies || x->applies(&none, &l->cli->params)) {
            struct fore_sink *s = x->open(&l->arena, &l->ctx, e);
            if (s)
                l->to[l->n++] = s;
            else
                status = e->status;
        }
    }
    fore_trace_release(&none);
    return status;
}

struct fore_live *fore_live_open(struct fore_cli *c, const char *name, bool to_the_end,
                                 struct fore_err *e)
{
    struct fore_live *l = fore_calloc(1, sizeof *l);
    *l = (struct fore_live){.sink = {live_events, live_end},
                            .cli = c,
                            .arena = FORE_ARENA_INIT,
                            .to_the_end = to_the_end};
    fore_findings_init(&l->heard);
    fore_trace_init(&l->kept, name);
    l->kept.budget = to_the_end ? NULL : &c->budget;
    fore_trace_collector_init(&l->collector, &l->kept);
    l->ctx = fore_cli_context(c, &l->heard);
    l->ctx.on_finding = announce_finding;
    l->ctx.kept = &l->kept;
    enum fore_status status = open_sinks(l, e);
    size_t whole = c->budget.max_bytes / (2 * sizeof(struct fore_event));
    l->most = !l->rest ? WITNESS_EVENTS : whole ? whole : MOST_EVENTS;
    if (status == FORE_OK)
        return l;
    fore_live_free(l);
    return NULL;
}

void fore_live_announces(struct fore_live *l)
{
    l->rest = false;
    l->most = WITNESS_EVENTS;
}

void fore_live_free(struct fore_live *l)
{
    if (!l)
        return;
    if (!l->ended) { /* the sinks let go of what they hold; nobody hears them */
        struct fore_err unheard;
        l->ctx.on_finding = NULL;
        struct fore_trace_end torn = {.torn = true};
        (void)!live_end(&l->sink, &torn, &unheard);
    }
    fore_carry_release(&l->carry);
    fore_trace_release(&l->kept);
    fore_findings_release(&l->heard);
    fore_arena_release(&l->arena);
    fore_free(l);
}

struct fore_sink *fore_live_sink(struct fore_live *l, struct fore_tables **tables)
{
    *tables = &l->kept.tables;
    return &l->sink;
}

void fore_live_source(struct fore_live *l, struct fore_merge *m)
{
    l->source = m;
}

bool fore_live_in_parts(const struct fore_live *l)
{
    return l->carry.part;
}

/* ---- the summary ---- */

static void say_parts(const struct fore_live *l, struct fore_findings *f)
{
    fore_findings_sampled(f, "the run was analysed in %llu parts, each by itself",
                          (unsigned long long)l->carry.part + 1);
    if (l->source->late)
        fore_findings_remark(
            f,
            "recording: %llu accesses were too old to be put in order when another "
            "thread accessed the same variables; a larger --room keeps them longer",
            (unsigned long long)l->source->late);
}

enum fore_status fore_live_finish(struct fore_live *l, struct fore_findings *f,
                                  struct fore_err *e)
{
    fore_findings_trace(f, &l->kept);
    fore_vec_last(&f->traces).events = l->events;
    if (l->to_the_end && !l->cut && !l->carry.part) /* a run: nobody else has its trace */
        fore_store_trace(l->cli, f, &l->kept);
    for (size_t i = 0; i < l->heard.list.n; i++)
        l->heard.list.at[i]->trace = fore_arena_strdup(&f->arena, l->kept.name);
    if (!l->cut && !l->carry.part)
        fore_findings_observe(&l->heard, 0, &l->kept);
    if (l->carry.part)
        say_parts(l, f);
    fore_findings_join(f, &l->heard);
    if (!l->rest)
        return FORE_OK;
    if (l->cut)
        fore_findings_incomplete(f, "only the first %zu events of %s were kept",
                                 l->kept.events.n, l->kept.name);
    return fore_cli_analyse_rest(l->cli, &l->kept, f, e);
}

enum fore_status fore_cli_analyse_live(struct fore_cli *c, const char *path,
                                       struct fore_findings *f, struct fore_err *e)
{
    struct fore_tables *tables;
    struct fore_live *l =
        fore_live_open(c, strcmp(path, "-") ? path : "<stdin>", false, e);
    if (!l)
        return e->status;
    struct fore_sink *sink = fore_live_sink(l, &tables);
    enum fore_status status = fore_trace_stream(path, tables, sink, e);
    if (status == FORE_OK)
        status = fore_live_finish(l, f, e);
    fore_live_free(l);
    return status;
}
