#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/child.h"
#include "base/embed.h"
#include "base/program.h"
#include "trace/format.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

FORE_EMBED(newsreader, "examples/newsreader/newsreader.trace");
FORE_EMBED(reservoir, "examples/reservoir/reservoir.trace");
FORE_EMBED(reservoir_spec, "examples/reservoir/reservoir.spec");

/* A demo. If `program` is installed it is run and watched; otherwise a recorded run of it is
 * shown. That run is checked against `spec`, if there is one. */
struct demo {
    const char *name, *program, *seed;
    const char *story, *closing;
    const char *text, *end;
    const char *spec, *spec_end;
};

static const struct demo demos[] = {
    {"newsreader", "newsreader", "6",
     "Two agencies, Reuters and Bloomberg, each send one piece of news. Two readers each "
     "start\n"
     "one helper per agency and take whichever news arrives first. The run below is "
     "green: each\n"
     "reader gets its news. What else could have happened?\n",
     "Read it like this: a helper whose reader already has its news may still take the "
     "other\n"
     "agency's message. Then the other reader waits for ever. The run was green by "
     "luck.\n"
     "\nTry the same on your own programs:\n"
     "  foresee go test ./...            a Go program, unchanged\n"
     "  foresee run -- ./program         a C program, built with foresee cc\n"
     "  foresee check run.trace          a trace, recorded or written by hand\n"
     "  foresee report --open            this finding, as a page\n",
     newsreader, newsreader_end, NULL, NULL},
    {"reservoir", NULL, NULL,
     "One thread reads the level of a reservoir and stores the water in w, another reads "
     "w "
     "and\n"
     "opens the valve v step by step. They rely on their timing. In the run below the "
     "water was\n"
     "never above 30 without the valve being open. Was that luck?\n",
     "Read it like this: nothing keeps the water from rising to 31 before the valve has "
     "moved.\n"
     "Four of the six runs that the same reads and writes allow break the property.\n"
     "\nTry the same on your own traces:\n"
     "  foresee spec safe.spec                    what a specification means\n"
     "  foresee check run.trace --spec safe.spec\n",
     reservoir, reservoir_end, reservoir_spec, reservoir_spec_end},
};

static const struct demo *find_demo(const char *name)
{
    for (size_t i = 0; i < sizeof demos / sizeof *demos; i++)
        if (strcmp(demos[i].name, name) == 0)
            return &demos[i];
    return NULL;
}

static int play_demo(struct fore_cli *c, const struct demo *d, struct fore_err *e)
{
    struct fore_trace t;
    struct fore_findings f;
    int status = FORE_EXIT_ERROR;
    fore_trace_init(&t, d->name);
    fore_findings_init(&f);
    if (fore_trace_parse(&t, d->text, (size_t)(d->end - d->text), e) == FORE_OK) {
        printf("%s\n%.*s\n", d->story, (int)(d->end - d->text), d->text);
        if (d->spec) {
            int n = (int)(d->spec_end - d->spec);
            printf("%.*s\n", n, d->spec);
            fore_params_set(&c->params, "spec-text",
                            fore_findings_printf(&f, "%.*s", n, d->spec));
        }
        if (fore_cli_analyse(c, &t, &f, e) == FORE_OK) {
            fore_store_trace(c, &f, &t);
            status = fore_cli_finish(c, &f, e);
        }
        printf("\n%s", d->closing);
    }
    fore_findings_release(&f);
    fore_trace_release(&t);
    /* A demo that finds its bug has succeeded. */
    return status == FORE_EXIT_FINDINGS ? FORE_EXIT_OK : status;
}

/* The demo's program: beside the executable in a build, in lib/foresee when installed. */
static bool find_program(const struct demo *d, char *self, char *program, size_t size)
{
    static const char *const places[] = {"examples/%s", "../lib/foresee/%s"};
    fore_program_self(self, size);
    if (!*self || !d->program)
        return false;
    size_t folder = (size_t)(strrchr(self, '/') + 1 - self);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int used = snprintf(program, size, "%.*s", (int)folder, self);
        size_t room = size - (size_t)used;
        const char *percent = strchr(places[i], '%');
        snprintf(program + used, room, "%.*s%s", (int)(percent - places[i]), places[i],
                 d->program);
        if (access(program, X_OK) == 0)
            return true;
    }
    return false;
}

/* Runs `foresee run --confirm` on it, as a user would. */
static int play_live(const struct demo *d, char *self, char *program, struct fore_err *e)
{
    int status;
    char *argv[] = {self, "run",   "--confirm", "--seed", (char *)(uintptr_t)d->seed,
                    "--", program, NULL};
    printf("%s\n$ foresee run --confirm --seed %s -- %s\n", d->story, d->seed,
           d->program);
    if (fore_child_run(&(struct fore_child_program){.argv = argv}, &status, e) !=
            FORE_OK ||
        status > FORE_EXIT_FINDINGS) {
        fore_fail(e, FORE_CHILD, "the demo's program could not be run");
        return FORE_EXIT_ERROR;
    }
    printf("\n%s", d->closing);
    return FORE_EXIT_OK;
}

static int run_demo(struct fore_cli *c, struct fore_err *e)
{
    const char *name = c->words.v.n ? c->words.v.at[0] : demos[0].name;
    const struct demo *d = find_demo(name);
    char self[4096], program[4096];
    if (!d) {
        fore_fail(e, FORE_USAGE,
                  "there is no demo '%s'; try: foresee demo newsreader or foresee demo "
                  "reservoir",
                  name);
        return FORE_EXIT_ERROR;
    }
    return find_program(d, self, program, sizeof self) ? play_live(d, self, program, e)
                                                       : play_demo(c, d, e);
}

const struct fore_verb fore_verb_demo = {
    .name = "demo",
    .summary = "runs a built-in example and explains what it found",
    .usage = "[NAME]",
    .examples = "foresee demo",
    .with_analyses = true,
    .run = run_demo,
};
