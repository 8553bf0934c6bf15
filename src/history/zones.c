/* Decides:  linearizability of a register whose written values all differ (and differ from
 *           the initial one).
 * Sound, complete: yes.  Cost: O(n log n).  Source: [gibbonskorach97], zones.
 *
 * A value's cluster is its write and its reads. Let f be the first response in it and s the
 * last invocation. If f < s the register must hold the value throughout f … s (a forward
 * zone); else all its operations overlap and can happen at one point of s … f (a backward
 * zone). Linearizable iff no read ends before its write begins, no two forward zones
 * overlap, and no backward zone lies inside a forward one. */
#include "history/special.h"

#include "base/search.h"

#include <stdlib.h>

struct cluster {
    uint32_t write;       /* FORE_NEVER: the initial value */
    uint32_t first, last; /* operations with the first response, the last invocation */
    int64_t f, s, write_inv;
    bool written, read;
    int64_t point, tie; /* backward: where it happens */
};

struct zones {
    struct fore_special *sp;
    FORE_VEC(struct cluster) all;
    FORE_VEC(uint32_t) cluster_of; /* by operation; NONE: it says nothing */
    FORE_VEC(uint32_t) forward;    /* clusters, by f */
};

#define NONE UINT32_MAX

static struct cluster *cluster_at(struct zones *z, struct fore_map *ids, fore_val v)
{
    bool fresh;
    uint64_t *id = fore_map_put(ids, v.w, &fresh);
    if (fresh) {
        *id = z->all.n;
        fore_vec_push(&z->all, (struct cluster){.write = FORE_NEVER,
                                                .first = FORE_NEVER,
                                                .last = FORE_NEVER,
                                                .f = FORE_POINT_END,
                                                .s = -2});
    }
    return &z->all.at[*id];
}

static void widen_cluster(struct cluster *c, const struct fore_op *op, uint32_t i)
{
    int64_t ret = fore_op_pending(op) ? FORE_POINT_END : op->ret;
    if (ret < c->f || c->first == FORE_NEVER) {
        c->f = ret < c->f ? ret : c->f;
        c->first = i;
    }
    if (op->invoke > c->s) {
        c->s = op->invoke;
        c->last = i;
    }
}

/* False: an operation other than read and write, or a value that is written twice. */
static bool gather_clusters(struct zones *z)
{
    const struct fore_part *p = z->sp->part;
    struct fore_map ids = {0};
    struct cluster *initial = cluster_at(z, &ids, p->init);
    initial->written = true;
    initial->f = initial->s = initial->write_inv = -1;
    bool fits = true;
    for (uint32_t i = 0; fits && i < p->n; i++) {
        const struct fore_op *op = &p->ops[i];
        enum fore_role role = p->model->ops[op->f].role;
        bool says_nothing = role == FORE_ROLE_LOOK && fore_val_is(op->result, FORE_ANY);
        fits = role == FORE_ROLE_PUT || role == FORE_ROLE_LOOK;
        fore_vec_push(&z->cluster_of, NONE);
        if (!fits || says_nothing)
            continue;
        struct cluster *c =
            cluster_at(z, &ids, role == FORE_ROLE_PUT ? op->arg[0] : op->result);
        fits = !(role == FORE_ROLE_PUT && c->written);
        if (role == FORE_ROLE_PUT) {
            c->written = true;
            c->write = i;
            c->write_inv = op->invoke;
        } else {
            c->read = true;
        }
        widen_cluster(c, op, i);
        fore_vec_last(&z->cluster_of) = (uint32_t)(c - z->all.at);
    }
    fore_map_release(&ids);
    return fits;
}

static void blame_cluster(struct zones *z, const struct cluster *c)
{
    fore_special_core(z->sp, c->write);
    fore_special_core(z->sp, c->first);
    fore_special_core(z->sp, c->last);
}

static int by_f(const void *a, const void *b, void *ctx)
{
    const struct zones *z = ctx;
    int64_t x = z->all.at[*(const uint32_t *)a].f, y = z->all.at[*(const uint32_t *)b].f;
    return (x > y) - (x < y);
}

/* Does the cluster need a place? A write that never returned and was never read does not. */
static bool is_cluster_needed(const struct zones *z, const struct cluster *c)
{
    return c->read ||
           (c->write != FORE_NEVER && !fore_op_pending(&z->sp->part->ops[c->write]));
}

/* Finds the forward zones; false, with the core, if they overlap or a read is impossible. */
static bool forward_zones(struct zones *z)
{
    for (uint32_t i = 0; i < z->all.n; i++) {
        const struct cluster *c = &z->all.at[i];
        if (c->read && (!c->written || c->f < c->write_inv)) {
            blame_cluster(z, c);
            return false;
        }
        if (is_cluster_needed(z, c) && c->f < c->s)
            fore_vec_push(&z->forward, i);
    }
    if (z->forward.n)
        qsort_r(z->forward.at, z->forward.n, sizeof *z->forward.at, by_f, z);
    for (size_t k = 1; k < z->forward.n; k++) {
        const struct cluster *c = &z->all.at[z->forward.at[k - 1]];
        const struct cluster *d = &z->all.at[z->forward.at[k]];
        if (d->f < c->s) {
            blame_cluster(z, c);
            blame_cluster(z, d);
            return false;
        }
    }
    return true;
}

/* Gives a backward zone its point; false, with the core, if a forward zone swallows it. */
static bool place_backward(struct zones *z, struct cluster *c)
{
    size_t lo = 0, hi = z->forward.n; /* the first forward zone that begins after c->s */
    FORE_BISECT(lo, hi, mid, z->all.at[z->forward.at[mid]].f <= c->s);
    c->point = c->s;
    c->tie = (int64_t)lo * 2;
    if (lo == 0)
        return true;
    const struct cluster *before = &z->all.at[z->forward.at[lo - 1]];
    if (c->f < before->s) {
        blame_cluster(z, c);
        blame_cluster(z, before);
        return false;
    }
    if (c->point < before->s)
        c->point = before->s;
    return true;
}

static bool place_clusters(struct zones *z)
{
    for (size_t k = 0; k < z->forward.n; k++)
        z->all.at[z->forward.at[k]].tie = (int64_t)k * 2 + 1;
    for (size_t i = 0; i < z->all.n; i++) {
        struct cluster *c = &z->all.at[i];
        if (is_cluster_needed(z, c) && c->f >= c->s && !place_backward(z, c))
            return false;
    }
    return true;
}

static void place_ops(struct zones *z)
{
    const struct fore_part *p = z->sp->part;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct fore_op *op = &p->ops[i];
        bool put = p->model->ops[op->f].role == FORE_ROLE_PUT;
        if (z->cluster_of.at[i] == NONE) {
            if (!fore_op_pending(op))
                fore_special_at(z->sp, op->invoke, 0, i);
            continue;
        }
        const struct cluster *c = &z->all.at[z->cluster_of.at[i]];
        if (!is_cluster_needed(z, c))
            continue;
        int64_t tie = (c->tie * (int64_t)(z->all.n + 1) + z->cluster_of.at[i]) * 2 + !put;
        int64_t point = c->point;
        if (c->f < c->s)
            point = put || op->invoke < c->f - 1 ? c->f - 1 : op->invoke;
        fore_special_at(z->sp, point, tie, i);
    }
}

bool fore_zones(struct fore_special *s)
{
    struct zones z = {.sp = s};
    bool fits = gather_clusters(&z);
    if (fits && forward_zones(&z) && place_clusters(&z))
        place_ops(&z);
    fore_vec_release(&z.all);
    fore_vec_release(&z.cluster_of);
    fore_vec_release(&z.forward);
    return fits;
}
