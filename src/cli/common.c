#include "cli/cli.h"

#include <string.h>

const struct fore_option fore_common_options[] = {
    {"help", 'h', NULL, "show this help"},
    {"version", 'V', NULL, "show the version"},
    {"quiet", 'q', NULL, "print results only: no summary, no progress"},
    {"verbose", 'v', NULL, "do not shorten what is printed (go, show)"},
    {"jobs", 'j', "N", "use up to N processors (default: all)"},
    {"output", 'o', "F", "write results to F instead of standard output"},
    {"format", 0, "FORMAT", "text, json, sarif, junit, github or test2json"},
    {"json", 0, NULL, "the same as --format json"},
    {"color", 0, "WHEN", "use colours: auto, always or never; NO_COLOR is honoured"},
    {"progress", 0, "HOW", "show progress: auto, plain or none"},
    {"seed", 0, "N", "make the same random choices as every run with N (default 1)"},
    {"max-time", 0, "S", "stop after S seconds and say what is unknown"},
    {"max-mem", 0, "M",
     "stop at M megabytes (default: 3/4 of the memory) and say what is unknown"},
    {NULL, 0, NULL, NULL},
};

const struct fore_option fore_finding_options[] = {
    {"fail-on", 0, "LEVEL",
     "the lowest level of a finding that makes the exit status 1: note, warning "
     "(default), error; or never"},
    {"allow-incomplete", 0, NULL,
     "exit with 0, not 3, if a limit was reached and nothing was found"},
    {"only", 0, "RULE,...", "look for these rules only"},
    {"notes", 0, NULL,
     "spend as much time on notes as on errors, and list each note on a line"},
    {"all", 0, NULL, "show every note in full"},
    {"full", 0, NULL, "show every step of the witness, not only those that matter"},
    {"notation", 0, NULL,
     "write steps in the notation of traces, `pre(lock(a))`, not in words"},
    {"possible", 0, NULL, "also report what is only possible"},
    {"no-save", 0, NULL, "save nothing in .foresee"},
    {"no-source", 0, NULL, "keep no lines of your source files with the findings"},
    {"baseline", 0, "F",
     "findings listed in F do not count (default: foresee.baseline, here or above)"},
    {NULL, 0, NULL, NULL},
};

const struct fore_verb *fore_verb_named(const char *name)
{
    for (size_t i = 0; fore_verbs[i]; i++)
        if (strcmp(fore_verbs[i]->name, name) == 0)
            return fore_verbs[i];
    return NULL;
}

void fore_verb_unknown(const char *name, struct fore_err *e)
{
    const char *names[64];
    size_t n = 0;
    while (fore_verbs[n] && n < 64)
        names[n] = fore_verbs[n]->name, n++;
    const char *near = fore_nearest(name, names, n);
    if (name[0] == '-')
        fore_fail(e, FORE_USAGE,
                  "the verb comes first: foresee VERB %s (foresee help lists the verbs)",
                  name);
    else
        fore_fail(e, FORE_USAGE, "unknown verb '%s'%s%s%s (foresee help lists all)", name,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void fore_verb_tables(const struct fore_verb *v,
                      const struct fore_option *tables[FORE_MAX_TABLES])
{
    size_t n = 0;
    if (v->options)
        tables[n++] = v->options;
    for (size_t i = 0; v->with_analyses && fore_analyses[i]; i++) {
        FORE_BUG_IF(n + 3 >= FORE_MAX_TABLES);
        if (fore_analyses[i]->options)
            tables[n++] = fore_analyses[i]->options;
    }
    if (v->with_analyses || v->finds)
        tables[n++] = fore_finding_options;
    tables[n++] = fore_common_options;
    tables[n] = NULL;
}
