/* Long traces most of whose locks are held for nothing that is recorded: see trace/thin.h. All deadlocks of the trace
 * are deadlocks of its thin one, in which they are looked for. Those that are found must be found again at the end of
 * the trace, which is whole, after all that comes before it: then they have a verdict, by a run of the trace. Else more
 * of the end, or the whole trace, is needed. */
#include "analysis/deadlock/deadlock_state.h"

#include "causal/settle.h"

static bool was_told(const struct fore_dl *d, uint64_t core)
{
    const uint64_t *at = fore_map_get(&d->told, core);
    return at && d->tellings.at[*at - 1].verdict != FORE_CLAIM_NONE;
}

/* Were all that were told of the one told of the other? NULL: of nothing. */
static bool all_told(const struct fore_dl *of, const struct fore_dl *other)
{
    uint64_t core, at;
    for (size_t i = 0; fore_map_next(&of->told, &i, &core, &at);)
        if (was_told(of, core) && !(other && was_told(other, core)))
            return false;
    return true;
}

/* `out`: NULL: nothing is told. */
static enum fore_status look_at(struct fore_dl *d, struct fore_trace *t,
                                const struct fore_analysis_ctx *ctx,
                                struct fore_findings *out, struct fore_err *e)
{
    struct fore_run observed = {0};
    struct fore_findings unheard;
    struct fore_analysis_ctx own = *ctx;
    fore_findings_init(&unheard);
    fore_trace_settle(t);
    own.out = out ? out : &unheard;
    d->trace = t;
    d->ctx = &own;
    d->patterns_only = true;
    d->untold = !out;
    enum fore_status s = fore_dl_look(d, &observed, e);
    fore_run_release(&observed);
    fore_findings_release(&unheard);
    return s;
}

/* Is all that was told of the thin trace told, too, if its first events stay as they were? */
static bool told_after(const struct fore_dl *all, const struct fore_trace *t,
                       const struct fore_analysis_ctx *ctx, size_t fixed)
{
    struct fore_dl d = {0};
    struct fore_err e = {0};
    struct fore_trace part = fore_trace_thin(t);
    part.fixed = fixed;
    bool told = look_at(&d, &part, ctx, NULL, &e) == FORE_OK && all_told(all, &d);
    fore_dl_release(&d);
    return told;
}

/* How many of the thin trace's events may stay as they were; by halves, so that it may be more. */
static size_t most_fixed(const struct fore_dl *all, const struct fore_trace *t,
                         const struct fore_analysis_ctx *ctx)
{
    enum { SHORT = 1 << 14, MANY = 14, FEW = 4 };
    size_t fits = 0, over = t->thin->events.n;
    for (int looks = over < SHORT ? MANY : FEW; looks && fits + 1 < over; looks--) {
        size_t middle = (fits + over) / 2;
        *(told_after(all, t, ctx, middle) ? &fits : &over) = middle;
    }
    return fits;
}

/* Notes how much of the trace's end would do, if that is not much of it. */
static void want_longer(const struct fore_dl *all, const struct fore_trace *t,
                        const struct fore_analysis_ctx *ctx)
{
    enum { SHARE = 16 };
    size_t n = fore_trace_length(t), fixed = most_fixed(all, t, ctx);
    size_t wanted = n - t->thin->at.at[fixed] + FORE_THIN_END;
    if (wanted <= n / SHARE && wanted > t->thin->end)
        t->thin->wanted = wanted;
}

bool fore_dl_thin_is_enough(const struct fore_trace *t,
                            const struct fore_analysis_ctx *ctx)
{
    struct fore_dl all = {0}, last = {0};
    struct fore_err e = {0};
    struct fore_trace thin = fore_trace_thin(t), ending = fore_trace_ending(t);
    if (t->torn || t->lost || t->thin->spoiled)
        return false;
    enum fore_status s = look_at(&all, &thin, ctx, NULL, &e);
    bool enough = s == FORE_OK && all_told(&all, NULL);
    if (s == FORE_OK && !enough && ctx->unsaved) {
        s = look_at(&last, &ending, ctx, NULL, &e);
        enough = s == FORE_OK && all_told(&all, &last);
        if (s == FORE_OK && !enough)
            want_longer(&all, t, ctx);
    }
    fore_dl_release(&all);
    fore_dl_release(&last);
    return enough || s == FORE_SPENT;
}

enum fore_status fore_dl_look_thin(struct fore_dl *d, const struct fore_trace *t,
                                   struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    struct fore_trace thin = fore_trace_thin(t);
    enum fore_status s = look_at(d, &thin, ctx, NULL, e);
    bool found = !all_told(d, NULL);
    if (s == FORE_OK && found) {
        const char *capped = d->capped;
        fore_dl_release(d);
        fore_findings_name_callers(ctx->out);
        *d = (struct fore_dl){.capped = capped};
        struct fore_trace ending = fore_trace_ending(t);
        size_t first = ctx->out->list.n;
        s = look_at(d, &ending, ctx, ctx->out, e);
        fore_findings_observe(ctx->out, first, &ending);
    } else if (s == FORE_OK && d->capped) {
        fore_findings_sampled(ctx->out, "deadlocks: %s", d->capped);
    }
    d->trace = t;
    d->ctx = ctx;
    return s;
}
