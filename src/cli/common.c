#include "cli/cli.h"

#include <string.h>

const struct fore_option fore_common_options[] = {
    {"help", 'h', NULL, "show this help"},
    {"version", 'V', NULL, "show the version"},
    {"quiet", 'q', NULL, "only results, no summary and no progress"},
    {"verbose", 'v', NULL, "say more about what is being done"},
    {"jobs", 'j', "N", "use up to N processors (default: all)"},
    {"output", 'o', "F", "write results to F instead of standard output"},
    {"format", 0, "FORMAT", "text, json, sarif, junit or github"},
    {"json", 0, NULL, "the same as --format json"},
    {"color", 0, "WHEN", "auto, always or never; NO_COLOR is honoured"},
    {"progress", 0, "HOW", "auto, plain or none"},
    {"seed", 0, "N", "fixes every random choice"},
    {"max-time", 0, "S", "stop after S seconds and say what is unknown"},
    {"max-mem", 0, "M",
     "stop at M megabytes (default: 3/4 of the memory) and say what is unknown"},
    {NULL, 0, NULL, NULL},
};

const struct fore_option fore_finding_options[] = {
    {"fail-on", 0, "LEVEL",
     "exit 1 from this level on: note, warning (default), error, never"},
    {"allow-incomplete", 0, NULL,
     "exit 0, not 3, when a bound was hit and nothing found"},
    {"only", 0, "RULE,...", "look for these rules only"},
    {"notes", 0, NULL, "look for notes as long as for errors, and list each on a line"},
    {"all", 0, NULL, "show every note in full"},
    {"full", 0, NULL, "show every step of the witness, also those that do not matter"},
    {"notation", 0, NULL, "write steps as traces do, `pre(lock(a))`, and not in words"},
    {"possible", 0, NULL, "also report what is only possible"},
    {"no-save", 0, NULL, "leave nothing in .foresee"},
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
                  "the verb comes first: foresee VERB %s (foresee help lists them)",
                  name);
    else
        fore_fail(e, FORE_USAGE, "unknown verb '%s'%s%s%s (foresee help lists them)",
                  name, near ? "; did you mean '" : "", near ? near : "",
                  near ? "'?" : "");
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
