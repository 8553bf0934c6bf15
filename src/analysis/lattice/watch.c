#include "analysis/lattice/watch.h"

#include "base/bitset.h"
#include "base/mem.h"

enum fore_status fore_watch_init(struct fore_watch *w, struct fore_spec *s,
                                 struct fore_err *e)
{
    *w = (struct fore_watch){.spec = s, .vars = (uint32_t)s->symbols.vars.n};
    w->monitors = fore_calloc(s->props.n + 1, sizeof *w->monitors);
    w->mentions = fore_calloc(s->props.n * w->vars + 1, sizeof *w->mentions);
    w->small = true;
    w->initial = fore_calloc(w->vars + 1, sizeof *w->initial);
    for (uint32_t p = 0; p < s->props.n; p++) {
        FORE_TRY(fore_monitor_new(s, &s->props.at[p], &w->monitors[p], e));
        w->props++;
        const struct fore_dfa *d = fore_monitor_dfa(w->monitors[p], false);
        w->small = w->small && d && d->states <= 64;
        for (uint32_t v = 0; v < w->vars; v++)
            w->mentions[p * w->vars + v] = fore_bit_has(s->props.at[p].vars, v);
    }
    return FORE_OK;
}

void fore_watch_release(struct fore_watch *w)
{
    for (uint32_t p = 0; p < w->props; p++)
        fore_monitor_free(w->monitors[p]);
    fore_free(w->monitors);
    fore_free(w->mentions);
    fore_free(w->initial);
}
