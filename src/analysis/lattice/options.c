#include "analysis/lattice/lattice_state.h"

const struct fore_option fore_lattice_options[] = {
    {"spec", 0, "F",
     "check the safety properties in the file F on every run that the same causes allow"},
    {"window", 0, "W",
     "with --spec: keep at most W states of each level of the lattice; 1: check the "
     "observed run only"},
    {"queue", 0, "L",
     "with --window: complete a level once L events are there (default 2W)"},
    {"locks", 0, "MODE",
     "with --spec: critical sections keep their order (ordered, default) or may swap "
     "(exclusive)"},
    {"on-finding", 0, "CMD",
     "with --spec: run CMD at the first violation, with FORESEE_MESSAGE in its "
     "environment"},
    {NULL, 0, NULL, NULL},
};

struct given_options {
    uint64_t window, queue;
    unsigned locks;
};

static enum fore_status read_given(const struct fore_params *p, struct given_options *g,
                                   struct fore_err *e)
{
    FORE_TRY(fore_params_u64(p, "window", 0, &g->window, e));
    FORE_TRY(fore_params_u64(p, "queue", 0, &g->queue, e));
    FORE_TRY(fore_params_choice(p, "locks", "ordered|exclusive", 0, &g->locks, e));
    if (!g->window && fore_params_has(p, "window"))
        return fore_fail(e, FORE_USAGE,
                         "--window takes 1 or more states per level; without it all are "
                         "kept");
    if (g->queue && !g->window)
        return fore_fail(e, FORE_USAGE, "--queue needs --window W");
    if (g->window > UINT32_MAX || g->queue > UINT32_MAX)
        return fore_fail(e, FORE_USAGE, "--window and --queue are at most 4294967295");
    return FORE_OK;
}

enum fore_status fore_lattice_accepts(const struct fore_params *params,
                                      struct fore_err *e)
{
    struct given_options g;
    return read_given(params, &g, e);
}

enum fore_status fore_lattice_read_options(struct fore_lattice *l, struct fore_err *e)
{
    struct given_options g;
    FORE_TRY(read_given(l->ctx->params, &g, e));
    l->opt = (struct fore_observer_options){.window = (uint32_t)g.window,
                                            .queue = (uint32_t)g.queue,
                                            .count = true,
                                            .budget = l->ctx->budget,
                                            .progress = l->ctx->progress};
    l->mask = FORE_EDGES_ALL;
    if (g.locks == 1 && g.window != 1) {
        l->exclusive = fore_exclusive_new();
        l->mask &= ~(unsigned)FORE_EDGE_LOCK;
    }
    return FORE_OK;
}
