#include "history/txn/explain.h"

#include "base/sort.h"

#include <stdlib.h>

/* What a try to do with fewer transactions may cost, and how many transactions may be looked
 * at in all tries. */
enum { TRY_CONFLICTS = 5000, MAX_WORK = 10000000 };

static bool has_solution(struct fore_txn_guess *g, enum fore_txn_level level,
                         const uint32_t *members, size_t n, struct fore_budget *budget)
{
    struct fore_zone z;
    fore_zone_init(&z, g, level, members, (uint32_t)n, true, budget);
    enum fore_solved s = fore_solver_run(z.solver, budget, TRY_CONFLICTS);
    fore_zone_release(&z);
    return s != FORE_UNSATISFIABLE;
}

/* Leaves out as many transactions as possible, first many at once, then one by one. */
static void shrink_zone(struct fore_txn_evidence *v, struct fore_txn_guess *g,
                        enum fore_txn_level level, struct fore_budget *budget)
{
    FORE_VEC(uint32_t) fewer = {0};
    size_t work = 0;
    for (size_t chunk = v->txns.n / 2; chunk; chunk /= 2)
        for (size_t from = 0; from < v->txns.n;) {
            work += v->txns.n;
            if (work > MAX_WORK || fore_budget_spent(budget))
                break;
            fore_vec_clear(&fewer);
            for (size_t i = 0; i < v->txns.n; i++)
                if (i < from || i >= from + chunk)
                    fore_vec_push(&fewer, v->txns.at[i]);
            if (has_solution(g, level, fewer.at, fewer.n, budget)) {
                from += chunk;
                continue;
            }
            memcpy(v->txns.at, fewer.at, fewer.n * sizeof *fewer.at);
            v->txns.n = fewer.n;
        }
    fore_vec_release(&fewer);
}

static bool rests_on(const struct fore_guarded_edge *edges, size_t n, uint32_t var)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            if (edges[i].guard[k] != FORE_NO_LIT && edges[i].guard[k] >> 1 == var)
                return true;
    return false;
}

/* Only the steps that the last one needs, directly or through others. */
static void keep_needed(const struct fore_forced_steps *f, bool *needed)
{
    for (size_t i = f->steps.n; i-- > 0;) {
        const struct fore_forced_step *s = &f->steps.at[i];
        needed[i] = s->lit == FORE_NO_LIT;
        for (size_t k = i + 1; k < f->steps.n && !needed[i]; k++)
            needed[i] = needed[k] && rests_on(f->edges.at + f->steps.at[k].first,
                                              f->steps.at[k].n, s->lit >> 1);
    }
}

static void take_lemmas(struct fore_txn_evidence *v, const struct fore_zone *z,
                        const struct fore_forced_steps *f)
{
    bool *needed = fore_calloc(f->steps.n + 1, sizeof *needed);
    keep_needed(f, needed);
    for (size_t i = 0; i < f->steps.n; i++) {
        const struct fore_forced_step *s = &f->steps.at[i];
        if (!needed[i] || s->lit == FORE_NO_LIT)
            continue;
        uint64_t pair = z->pair_of.at[s->lit >> 1];
        if (pair == UINT64_MAX)
            continue;
        struct fore_txn_lemma l = {(uint32_t)(pair >> 32), (uint32_t)pair, {0}};
        if (s->lit & 1)
            l = (struct fore_txn_lemma){(uint32_t)pair, (uint32_t)(pair >> 32), {0}};
        fore_dep_cycle_take(&l.otherwise, z, f->edges.at + s->first, s->n);
        fore_vec_push(&v->lemmas, l);
    }
    fore_free(needed);
}

/* The weakest level that these transactions break by themselves gives the name. */
static void name_by_level(struct fore_txn_evidence *v, struct fore_txn_guess *g,
                          enum fore_txn_level level, struct fore_budget *budget)
{
    static const enum fore_txn_anomaly names[] = {
        [FORE_TXN_PARALLEL_SNAPSHOT] = FORE_ANOMALY_G_SINGLE,
        [FORE_TXN_SNAPSHOT] = FORE_ANOMALY_G_NONADJACENT,
        [FORE_TXN_SERIALIZABLE] = FORE_ANOMALY_G2_ITEM,
        [FORE_TXN_STRICT] = FORE_ANOMALY_G2_REALTIME,
    };
    for (unsigned l = FORE_TXN_PARALLEL_SNAPSHOT; l <= (unsigned)level; l++) {
        v->kind = names[l];
        if (!has_solution(g, (enum fore_txn_level)l, v->txns.at, v->txns.n, budget))
            break;
    }
    if (v->kind == FORE_ANOMALY_G2_REALTIME && v->cycle.deps.n &&
        fore_txn_anomaly_level(v->cycle.kind) == FORE_TXN_STRICT)
        v->kind = v->cycle.kind;
}

/* No cycle of what is known: it follows from every order of the writes. */
static void infer_cycle(struct fore_txn_evidence *v, struct fore_txn_guess *g,
                        enum fore_txn_level level, struct fore_budget *budget)
{
    struct fore_zone z;
    struct fore_forced_steps f = {0};
    fore_vec_reserve(&f.edges, 1); /* a step may rest on none */
    shrink_zone(v, g, level, budget);
    fore_zone_init(&z, g, level, v->txns.at, (uint32_t)v->txns.n, false, budget);
    if (fore_solver_force(z.solver, budget, &f)) {
        const struct fore_forced_step *last = &fore_vec_last(&f.steps);
        fore_dep_cycle_take(&v->cycle, &z, f.edges.at + last->first, last->n);
        take_lemmas(v, &z, &f);
    }
    fore_forced_steps_release(&f);
    fore_zone_release(&z);
    name_by_level(v, g, level, budget);
}

static void explain_zone(struct fore_txn_evidence *v, struct fore_txn_guess *g,
                         enum fore_txn_level level, struct fore_budget *budget)
{
    struct fore_zone z;
    enum fore_txn_level known =
        level == FORE_TXN_STRICT ? FORE_TXN_STRICT : FORE_TXN_SERIALIZABLE;
    qsort(v->txns.at, v->txns.n, sizeof *v->txns.at, fore_compare_u32);
    fore_zone_init(&z, g, known, v->txns.at, (uint32_t)v->txns.n, false, budget);
    if (fore_dep_cycle_find(&v->cycle, &z, level, budget)) {
        v->kind = v->cycle.kind;
        fore_vec_clear(&v->txns);
        for (size_t i = 0; i < v->cycle.deps.n; i++)
            fore_vec_push(&v->txns, v->cycle.deps.at[i].from);
        fore_zone_release(&z);
        return;
    }
    fore_zone_release(&z);
    if (level != FORE_TXN_READ_COMMITTED)
        infer_cycle(v, g, level, budget);
}

/* Read committed, with reads that several could have written: every way round leads back. */
static void explain_stuck(struct fore_txn_evidence *v, const struct fore_txn_index *x,
                          const struct fore_txn_decision *d)
{
    fore_vec_clear(&v->txns);
    fore_vec_clear(&v->cycle.deps);
    v->kind = FORE_ANOMALY_G1C;
    for (size_t i = 0; i < d->stuck.n; i++) {
        uint32_t from = d->stuck.at[i], to = d->stuck.at[(i + 1) % d->stuck.n];
        struct fore_dep dep = {from, to, 0, FORE_DEP_WW, false};
        fore_vec_push(&v->txns, from);
        for (uint32_t k = x->readings_of_at[to]; k < x->readings_of_at[to + 1]; k++) {
            const struct fore_txn_reading *r = &x->readings.at[x->readings_of[k]];
            for (uint32_t w = r->write; w; w = x->writes.at[w - 1].next)
                if (x->writes.at[w - 1].txn == from)
                    dep = (struct fore_dep){from, to, r->key, FORE_DEP_WR, false};
        }
        fore_vec_push(&v->cycle.deps, dep);
    }
}

static void evidence_release(struct fore_txn_evidence *v)
{
    for (size_t i = 0; i < v->lemmas.n; i++)
        fore_dep_cycle_release(&v->lemmas.at[i].otherwise);
    fore_vec_release(&v->lemmas);
    fore_vec_release(&v->txns);
    fore_dep_cycle_release(&v->cycle);
}

/* Two that lost an update are also a cycle; that is said once. */
static bool is_said(const struct fore_txn_evidence *v, const struct fore_txn_index *x)
{
    return x->odd[FORE_ANOMALY_LOST_UPDATE].count && v->cycle.deps.n == 2 &&
           fore_txn_anomaly_level(v->kind) > FORE_TXN_READ_COMMITTED &&
           v->cycle.deps.at[0].key == v->cycle.deps.at[1].key &&
           v->cycle.deps.at[0].kind != FORE_DEP_TIME &&
           v->cycle.deps.at[1].kind != FORE_DEP_TIME;
}

static void add_evidence(struct fore_txn_evidences *out, struct fore_txn_evidence v)
{
    for (size_t i = 0; i < out->list.n; i++) {
        struct fore_txn_evidence *same = &out->list.at[i];
        if (same->kind != v.kind)
            continue;
        v.count += same->count;
        if (v.txns.n < same->txns.n) {
            struct fore_txn_evidence old = *same;
            *same = v;
            v = old;
        }
        same->count = v.count > same->count ? v.count : same->count;
        evidence_release(&v);
        return;
    }
    v.count = v.count ? v.count : 1;
    fore_vec_push(&out->list, v);
}

static int by_kind(const void *a, const void *b)
{
    const struct fore_txn_evidence *x = a, *y = b;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

void fore_txn_explain(struct fore_txn_evidences *out, struct fore_txn_guess *g,
                      enum fore_txn_level level, const struct fore_txn_decision *d,
                      struct fore_budget *budget)
{
    *out = (struct fore_txn_evidences){0};
    for (unsigned a = 0; a < FORE_TXN_ANOMALY_COUNT; a++) {
        const struct fore_txn_oddity *odd = &g->x->odd[a];
        struct fore_txn_evidence v = {.kind = (enum fore_txn_anomaly)a, .odd = *odd};
        v.count = odd->count;
        if (odd->count && fore_txn_anomaly_level(v.kind) <= level)
            fore_vec_push(&out->list, v);
    }
    for (size_t i = 0, from = 0; i < d->zone_ends.n; from = d->zone_ends.at[i++]) {
        struct fore_txn_evidence v = {.count = 1};
        for (size_t k = from; k < d->zone_ends.at[i]; k++)
            fore_vec_push(&v.txns, d->zone.at[k]);
        explain_zone(&v, g, level, budget);
        if (level == FORE_TXN_READ_COMMITTED && !v.cycle.deps.n)
            explain_stuck(&v, g->x, d);
        if (is_said(&v, g->x))
            evidence_release(&v);
        else
            add_evidence(out, v);
    }
    if (out->list.n)
        qsort(out->list.at, out->list.n, sizeof *out->list.at, by_kind);
}

void fore_txn_evidences_release(struct fore_txn_evidences *e)
{
    for (size_t i = 0; i < e->list.n; i++)
        evidence_release(&e->list.at[i]);
    fore_vec_release(&e->list);
}
