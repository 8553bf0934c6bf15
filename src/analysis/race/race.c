/* Predicts: data races: two accesses of one place by two threads, one of them a write, not both
 *           atomic, next to each other in a run.
 * Sound:    yes; every race has a witness run that the machine has played.
 * Complete: for runs that keep the observed order of the sections of each lock and of all other
 *           synchronisation, one race for each variable and each two places in the source;
 *           sections may come in any order within a window.
 * Cost:     see happens.c (linear), predict.c and race_search.c (bounded).
 * Source:   [fasttrack], [shb], [syncp]. */
#include "analysis/race/race.h"

#include "analysis/race/race_state.h"
#include "base/hash.h"

struct race_pair {
    uint32_t a, b;
};

struct pairs {
    struct fore_race *r;
    FORE_VEC(struct race_pair)
    list; /* the first of each variable at each two places in the source */
    struct fore_map seen;
};

static uint64_t side_of_event(const struct fore_race *r, const struct fore_event *e)
{
    return (e->where ? r->sites.at[e->where] : (uint64_t)e->object << 32) * 2 +
           fore_race_writes(e);
}

/* One place in the source has a `where` for each way of calling it. */
static void find_sites(struct fore_race *r)
{
    const struct fore_tables *t = &r->t->tables;
    struct fore_map first = {0};
    for (uint32_t i = 0; i < t->wheres.n; i++) {
        const struct fore_where *w = &t->wheres.at[i];
        const uint32_t place[] = {w->function, w->file, w->line, w->column};
        bool fresh;
        uint64_t *site = fore_map_put(&first, fore_hash(place, sizeof place), &fresh);
        if (fresh || !i)
            *site = i;
        fore_vec_push(&r->sites, (uint32_t)*site);
    }
    fore_map_release(&first);
}

static void note_race(void *ctx, uint32_t a, uint32_t b)
{
    struct pairs *p = ctx;
    const struct fore_event *e = &p->r->t->events.at[a], *f = &p->r->t->events.at[b];
    bool fresh;
    fore_map_put(&p->seen,
                 fore_race_variable(p->r, e->object) +
                     fore_hash_u64(side_of_event(p->r, e)) +
                     fore_hash_u64(side_of_event(p->r, f)),
                 &fresh);
    if (!fresh)
        return;
    fore_vec_push(&p->list, (struct race_pair){a, b});
    fore_map_put(&p->r->access_of, a, NULL);
    fore_map_put(&p->r->access_of, b, NULL);
}

static const struct fore_race_access *access_at(const struct fore_race *r, uint32_t at)
{
    return &r->accesses.at[*fore_map_get(&r->access_of, at) - 1];
}

static enum fore_status tell_happens(struct fore_race *r, struct fore_closure *ideal,
                                     const struct pairs *p, struct fore_err *e)
{
    for (size_t i = 0; i < p->list.n; i++) {
        const struct fore_race_access *a = access_at(r, p->list.at[i].a);
        const struct fore_race_access *b = access_at(r, p->list.at[i].b);
        if (!fore_race_known(r, a, b))
            FORE_TRY(fore_race_tell(r, ideal, a, b, FORE_RACE_HAPPENS, e));
    }
    return FORE_OK;
}

static enum fore_status search_pairs(struct fore_race *r, struct fore_err *e)
{
    struct pairs p = {.r = r};
    enum fore_status s = fore_race_happens(r, note_race, &p, e);
    if (s == FORE_OK)
        s = fore_race_collect(r, e);
    if (s == FORE_OK) {
        struct fore_closure ideal;
        fore_closure_init(&ideal, r->index, FORE_RACE_KEEPS);
        s = tell_happens(r, &ideal, &p, e);
        if (s == FORE_OK)
            s = fore_race_predict(r, &ideal, e);
        if (s == FORE_OK)
            s = fore_race_search(r, e);
        fore_closure_release(&ideal);
    }
    fore_vec_release(&p.list);
    fore_map_release(&p.seen);
    return s;
}

static void write_stats(struct fore_race *r)
{
    size_t shared = 0;
    for (size_t i = 0; i < r->shared.n; i++)
        shared += r->shared.at[i];
    fore_findings_stats(
        r->ctx->out, "race",
        fore_findings_printf(r->ctx->out,
                             "{\"unprotected_places\": %zu, \"happens_before\": %llu, "
                             "\"predicted\": %llu, \"searched\": %llu}",
                             shared, (unsigned long long)r->happens,
                             (unsigned long long)r->predicted,
                             (unsigned long long)r->searched));
}

static void release_race(struct fore_race *r)
{
    fore_vec_release(&r->held);
    fore_vec_release(&r->accesses);
    fore_vec_release(&r->shared);
    fore_vec_release(&r->sites);
    fore_vec_release(&r->variables);
    fore_vec_release(&r->sections);
    fore_map_release(&r->access_of);
    fore_map_release(&r->told);
    fore_map_release(&r->enough);
    fore_vec_release(&r->last);
    fore_vec_release(&r->left);
    fore_locksets_release(&r->locksets);
    fore_clocks_release(&r->clocks);
}

static enum fore_status run_race(const struct fore_trace *t,
                                 struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    struct fore_race r = {.t = t, .ctx = ctx};
    struct fore_run own = {0}, *observed = ctx->observed ? ctx->observed : &own;
    enum fore_status s = FORE_OK;
    bool any = false;
    fore_clocks_init(&r.clocks);
    fore_race_find_shared(&r);
    for (size_t i = 0; i < r.shared.n && !any; i++)
        any = r.shared.at[i];
    if (any) {
        find_sites(&r);
        s = fore_run_replay(observed, t, e);
        r.run = observed;
        r.program = &observed->p;
        if (s == FORE_OK) {
            r.index = fore_run_index(observed);
            s = search_pairs(&r, e);
        }
    }
    if (s == FORE_OK)
        write_stats(&r);
    release_race(&r);
    fore_run_release(&own);
    return s;
}

static bool race_applies(const struct fore_trace *t, const struct fore_params *params)
{
    (void)params;
    return fore_trace_has_group(t, FORE_GROUP_MEMORY);
}

const struct fore_analysis fore_analysis_race = {
    .name = "race",
    .summary = "data races, in the observed order and in others",
    .rules = "data-race",
    .applies = race_applies,
    .run = run_race,
};
