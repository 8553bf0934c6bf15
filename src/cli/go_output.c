#include "cli/go_output.h"

#include "capture/go/gotool.h"

#include <string.h>

enum { MOST_LINES = 10 };

enum fore_status fore_go_output(struct fore_cli *c, struct fore_err *e)
{
    const char *format = c->reporter->name;
    c->report.most_lines = c->verbose ? 0 : MOST_LINES;
    c->brief = !c->verbose;
    if (c->output || fore_params_has(&c->params, "output"))
        return FORE_OK;
    bool text = !strcmp(format, "text");
    if (text && !strcmp(c->words.v.at[0], "test") &&
        fore_go_has_flag(c->words.v.at, "json")) {
        c->reporter = fore_reporter_named("test2json");
        return FORE_OK;
    }
    return fore_cli_beside(c, e);
}
