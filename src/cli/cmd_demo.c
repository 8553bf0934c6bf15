#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/embed.h"
#include "trace/format.h"

#include <stdio.h>
#include <string.h>

FORE_EMBED(newsreader, "examples/newsreader/newsreader.trace");

struct demo {
    const char *name, *story, *closing;
    const char *text, *end;
};

static const struct demo demos[] = {
    {"newsreader",
     "Two agencies, Reuters and Bloomberg, each send one piece of news. Two readers each start\n"
     "one helper per agency and take whichever news arrives first. This run was green: the\n"
     "first reader got Reuters' news, the main thread Bloomberg's. What else could have\n"
     "happened? This is the run as foresee sees it:\n",
     "Read it like this: a helper whose reader already has its news may still take the other\n"
     "agency's message. Then the other reader waits for ever. The run was green by luck.\n"
     "\nTry the same on your own programs:\n"
     "  foresee check run.trace          a trace written by hand or recorded\n"
     "  foresee help                     everything else\n",
     newsreader, newsreader_end},
};

static const struct demo *find(const char *name)
{
    for (size_t i = 0; i < sizeof demos / sizeof *demos; i++)
        if (strcmp(demos[i].name, name) == 0)
            return &demos[i];
    return NULL;
}

static enum fore_status load(const struct demo *d, struct fore_trace *t, struct fore_err *e)
{
    struct fore_input in;
    struct fore_trace_collector collect;
    fore_input_memory(&in, t->name, d->text, (size_t)(d->end - d->text));
    fore_trace_collector_init(&collect, t);
    enum fore_status s =
        fore_format_named("trace")->read(&in, &t->tables, &collect.sink, e);
    fore_input_release(&in);
    return s;
}

static int play(struct fore_cli *c, const struct demo *d, struct fore_err *e)
{
    struct fore_trace t;
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    fore_trace_init(&t, d->name);
    fore_findings_init(&f);
    if (load(d, &t, e) == FORE_OK) {
        printf("%s\n%.*s\n", d->story, (int)(d->end - d->text), d->text);
        if (fore_cli_analyse(c, &t, &f, e) == FORE_OK)
            status = fore_cli_finish(c, &f, e);
        printf("\n%s", d->closing);
    }
    fore_findings_release(&f);
    fore_trace_release(&t);
    /* A demo that finds its bug has succeeded. */
    return status == FORE_EXIT_FINDINGS ? FORE_EXIT_OK : status;
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    const char *name = c->words.v.n ? c->words.v.at[0] : demos[0].name;
    const struct demo *d = find(name);
    if (!d) {
        fore_fail(e, FORE_USAGE, "there is no demo '%s'; try: foresee demo newsreader", name);
        return FORE_EXIT_ERROR;
    }
    return play(c, d, e);
}

const struct fore_verb fore_verb_demo = {
    .name = "demo",
    .summary = "runs a built-in example and explains what it found",
    .usage = "[NAME]",
    .examples = "foresee demo",
    .with_analyses = true,
    .run = run,
};
