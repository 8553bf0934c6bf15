#include "cli/judge_history.h"

#include "analysis/linear/linear.h"
#include "history/format.h"
#include "history/user.h"

#include <string.h>

int fore_judge_history(struct fore_cli *c, const struct fore_finding *x,
                       struct fore_err *e)
{
    const char *text = x->witness_trace;
    struct fore_linear l = {.arena = FORE_ARENA_INIT};
    struct fore_findings f;
    struct fore_lin_options o = {.limits = {.budget = c->budget}, .jobs = c->jobs};
    struct fore_user_model user = {.beat = c->budget.beat};
    const struct fore_model *model = NULL;
    const char *object = fore_params_text(&c->params, "object", NULL);
    if (object && fore_model_named(object, &user, &model, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    if (x->witness_of == FORE_WITNESS_OF_SEQUENTIAL_HISTORY)
        o.criterion = FORE_SEQUENTIAL;
    if (fore_history_read(&l.h, "witness", text, strlen(text), model, NULL, e) !=
        FORE_OK) {
        fore_user_model_release(&user);
        return FORE_EXIT_ERROR;
    }
    fore_findings_init(&f);
    int status = FORE_EXIT_ERROR;
    if (fore_linear_check(&l, &o, e) == FORE_OK) {
        struct fore_strbuf out = FORE_STRBUF_INIT;
        fore_linear_report(&l, true, &f);
        fore_findings_seal(&f);
        c->reporter->write(&f, &c->report, &out);
        bool written = fore_cli_write(c, &out, e) == FORE_OK;
        status = !written   ? FORE_EXIT_ERROR
                 : f.list.n ? FORE_EXIT_FINDINGS
                            : FORE_EXIT_OK;
        fore_strbuf_release(&out);
    }
    fore_findings_release(&f);
    fore_linear_release(&l);
    fore_user_model_release(&user);
    return status;
}
