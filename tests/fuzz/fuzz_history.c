/* A history that is read must be writable in every format that can hold it, and what was
 * written must be read again with the same operations. */
#include "fuzz.h"

#include "history/format.h"
#include "history/lin.h"

#include <string.h>

static void write_and_read(const struct fore_history *h,
                           const struct fore_history_format *f)
{
    struct fore_history again;
    struct fore_err e = {0};
    char *out = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&out, &n);
    enum fore_status wrote = f->write(h, to, &e);
    fclose(to);
    if (wrote == FORE_OK && h->ops.n) {
        enum fore_status s = fore_history_read(&again, "again", out, n, h->model, f, &e);
        FORE_BUG_IF(s != FORE_OK);
        FORE_BUG_IF(again.ops.n != h->ops.n);
        fore_history_release(&again);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_history h;
    struct fore_lin_result r;
    struct fore_lin_options o = {.limits = {.max_configs = 1000}};
    struct fore_err e = {0};
    if (fore_history_read(&h, "fuzz", (const char *)data, size, NULL, NULL, &e) !=
        FORE_OK)
        return 0;
    for (size_t i = 0; fore_history_formats[i]; i++)
        write_and_read(&h, fore_history_formats[i]);
    if (fore_lin_check(&h, &o, &r, &e) == FORE_OK)
        fore_lin_result_release(&r);
    fore_history_release(&h);
    return 0;
}
