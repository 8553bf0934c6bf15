/* Computes: the clocks of algorithm A for the relevant events of a run.
 * Exact:    entry j counts the relevant events of thread j in the causal past (lemma 1).
 * Cost:     that of the pass; a clock is delivered without being copied.
 * Source:   [jmpax], section 3.4. */
#include "causal/relevant.h"

#include "base/mem.h"

struct fore_relevant {
    struct fore_relevant_options o;
    struct fore_pass *pass;
};

static enum fore_tick tick_relevant(void *ctx, const struct fore_event *e)
{
    struct fore_relevant *r = ctx;
    return r->o.relevant(r->o.ctx, e) ? FORE_TICK_BEFORE : FORE_TICK_NONE;
}

static enum fore_flow visit_relevant(void *ctx, const struct fore_moment *m)
{
    struct fore_relevant *r = ctx;
    return r->o.relevant(r->o.ctx, m->event) ? r->o.deliver(r->o.ctx, m) : FORE_CONTINUE;
}

static enum fore_status end_relevant(void *ctx, const struct fore_trace_end *end,
                                     struct fore_err *e)
{
    struct fore_relevant *r = ctx;
    return r->o.end ? r->o.end(r->o.ctx, end, e) : FORE_OK;
}

struct fore_relevant *fore_relevant_new(struct fore_clocks *clocks,
                                        const struct fore_relevant_options *options)
{
    struct fore_relevant *r = fore_calloc(1, sizeof *r);
    r->o = *options;
    r->pass = fore_pass_new(clocks, &(struct fore_pass_options){.mask = options->mask,
                                                                .visit = visit_relevant,
                                                                .end = end_relevant,
                                                                .tick = tick_relevant,
                                                                .ctx = r});
    return r;
}

void fore_relevant_free(struct fore_relevant *r)
{
    if (!r)
        return;
    fore_pass_free(r->pass);
    fore_free(r);
}

struct fore_sink *fore_relevant_sink(struct fore_relevant *r)
{
    return fore_pass_sink(r->pass);
}
