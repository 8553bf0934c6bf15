/* Saved findings and baselines are JSON: a document is read or refused with a place. */
#include "fuzz.h"

#include "base/json.h"

static size_t members(const struct fore_json *v)
{
    size_t n = 1;
    for (const struct fore_json *m = v->first; m; m = m->next)
        n += members(m);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_arena a = FORE_ARENA_INIT;
    const struct fore_json *v = NULL;
    struct fore_err e = {0};
    enum fore_status s = fore_json_read(&a, "fuzz", (const char *)data, size, &v, &e);
    FORE_BUG_IF(s != FORE_OK && !e.line);
    FORE_BUG_IF(s == FORE_OK && members(v) > size);
    fore_arena_release(&a);
    return 0;
}
