#include "cli/go_live.h"

#include "cli/live.h"

static struct fore_sink *observe_program(void *ctx, struct fore_ring_reader *r,
                                         struct fore_tables **tables, struct fore_err *e)
{
    struct fore_go_live *l = ctx;
    if (r->start_ns < l->since) {
        fore_fail(e, FORE_USAGE, "%s is of another run", r->path);
        return NULL;
    }
    struct fore_live *live = fore_live_open(l->cli, r->path, true, e);
    r->owner = live;
    if (!live)
        return NULL;
    fore_live_announces(live);
    return fore_live_sink(live, tables);
}

void fore_go_live_poll(struct fore_go_live *l, const char *folder)
{
    if (!l->cli)
        return;
    l->rings.attach = observe_program;
    l->rings.ctx = l;
    fore_rings_poll(&l->rings, folder);
}

void fore_go_live_release(struct fore_go_live *l)
{
    for (size_t i = 0; i < l->rings.v.n; i++)
        fore_live_free(l->rings.v.at[i]->owner);
    fore_rings_release(&l->rings);
}
