#include "cli/convert_history.h"

#include "history/format.h"
#include "history/format_trace.h"
#include "history/user.h"

#include <string.h>

bool fore_convert_is_history(const char *path, const char *to)
{
    const struct fore_history_format *f = fore_history_format_named(to);
    struct fore_file file;
    if (f && f != &fore_history_format_trace)
        return true;
    if (!strcmp(path, "-") || fore_file_open(&file, path, NULL) != FORE_OK)
        return false; /* traces are streamed; a file that cannot be opened is reported there */
    f = fore_history_format_of(file.at, file.n);
    fore_file_release(&file);
    return f && f != &fore_history_format_trace;
}

enum fore_status fore_convert_history(struct fore_cli *c, const char *path,
                                      const char *to, FILE *out, struct fore_err *e)
{
    const struct fore_history_format *f =
        fore_history_format_named(strcmp(to, "text") ? to : "trace");
    const char *object = fore_params_text(&c->params, "object", NULL);
    const struct fore_model *model = NULL;
    struct fore_user_model user = {.beat = c->budget.beat};
    struct fore_history h;
    if (!f)
        return fore_fail(
            e, FORE_USAGE,
            "a history cannot be written as '%s'; --to jepsen, kv, edn, jsonl "
            "or trace can",
            to);
    if (object)
        FORE_TRY(fore_model_named(object, &user, &model, e));
    enum fore_status st = fore_history_load(&h, path, model, NULL, e);
    if (st == FORE_OK) {
        st = f->write(&h, out, e);
        fore_history_release(&h);
    }
    fore_user_model_release(&user);
    return st;
}
