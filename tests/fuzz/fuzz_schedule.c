/* A schedule is read or refused with its line; what is read makes sense: each step's thread and
 * operation are known, and the strategy can be started. */
#include "capture/control/schedule.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_schedule s;
    struct fore_strategy strategy;
    char why[64], *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (fore_schedule_parse(&s, text, why, sizeof why)) {
        for (uint32_t i = 0; i < s.n; i++) {
            const struct fore_schedule_step *x = &s.steps[i];
            if (x->path >= s.paths_n || !x->count ||
                (x->how != FORE_SCHEDULE_GOES && !fore_schedule_word(x->kind)) ||
                fore_schedule_path(&s, s.paths[x->path]) != x->path)
                abort();
        }
        fore_strategy_start(&strategy, s.then, s.depth, s.seed, s.length);
        uint64_t marks[3] = {0};
        struct fore_goer c[3];
        for (uint32_t i = 0; i < 3; i++)
            c[i] = (struct fore_goer){&marks[i], i, i, i & 1, false};
        for (uint32_t i = 0; i < 50; i++)
            if (fore_strategy_pick(&strategy, c, 3, i % 3) >= 3)
                abort();
    } else if (!strchr(why, ':')) {
        abort();
    }
    fore_schedule_release(&s);
    return 0;
}
