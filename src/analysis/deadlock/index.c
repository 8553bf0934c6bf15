#include "analysis/deadlock/parts.h"

bool fore_dl_acquires(const struct fore_program *p, uint32_t op, uint32_t *lock)
{
    const struct fore_insn *o = &p->ops[op];
    *lock = o->object;
    switch (fore_insn_kind(p, op)) {
    case FORE_EV_LOCK:
    case FORE_EV_RLOCK:
        return true;
    case FORE_EV_TRYLOCK:
    case FORE_EV_TRYRLOCK:
        return !(o->flags & FORE_F_BUSY);
    case FORE_EV_CWOKEN:
        *lock = (uint32_t)fore_insn_event(p, op)->a;
        return *lock != 0;
    default:
        return false;
    }
}

bool fore_dl_releases(const struct fore_program *p, uint32_t op, uint32_t *lock)
{
    unsigned kind = fore_insn_kind(p, op);
    *lock =
        kind == FORE_EV_CWAIT ? (uint32_t)fore_insn_event(p, op)->a : p->ops[op].object;
    return kind == FORE_EV_UNLOCK || kind == FORE_EV_RUNLOCK || kind == FORE_EV_CWAIT;
}

static bool has_way_out(const struct fore_program *p, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_DEFAULT || c[i].kind == FORE_CASE_TIMEOUT)
            return true;
    return false;
}

bool fore_dl_waits(const struct fore_program *p, uint32_t op)
{
    if (fore_insn_offers(p, op))
        return !has_way_out(p, op);
    switch (fore_insn_kind(p, op)) {
    case FORE_EV_ACQUIRE:
        return !(p->ops[op].flags & FORE_F_BUSY);
    case FORE_EV_ONCE:
        return p->ops[op].flags & FORE_F_BUSY && p->initial[p->ops[op].object];
    case FORE_EV_WGWAIT:
    case FORE_EV_JOIN:
    case FORE_EV_BARRIER:
    case FORE_EV_CWOKEN:
        return true;
    default:
        return false;
    }
}

bool fore_dl_timeout(const struct fore_program *p, uint32_t op, uint16_t *at)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_TIMEOUT) {
            *at = (uint16_t)i;
            return !(fore_insn_ended(p, op) && p->ops[op].kind == FORE_EV_SELECT);
        }
    return false;
}

bool fore_dl_by_timer(const struct fore_dl *d, uint32_t op)
{
    const struct fore_insn *o = &d->p->ops[op];
    if (o->kind == FORE_EV_SELECT)
        return o->flags & FORE_F_TIMEOUT;
    return d->trace->tables.objects.at[o->object].flags & FORE_OBJ_TIMED;
}

uint64_t fore_dl_select_place(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].where ? p->ops[op].where : op + (1ull << 32);
}

/* The list of an operation: an object has two, the second for receives. */
static uint32_t list_of(const struct fore_program *p, uint32_t op)
{
    const struct fore_insn *o = &p->ops[op];
    return 2 * o->object + (o->kind == FORE_EV_RECV);
}

/* A rendezvous is one step of two threads: both operations are counted. */
static void count_step(struct fore_dl *d, uint32_t i)
{
    const struct fore_run *o = d->observed;
    uint32_t op = o->order[i], partner = fore_run_partner(o, op);
    if (fore_run_arrives(o, i))
        return;
    d->index.start[list_of(d->p, op) + 1]++;
    if (partner != FORE_NO_OP)
        d->index.start[list_of(d->p, partner) + 1]++;
}

static void list_op(struct fore_dl *d, uint32_t op)
{
    struct fore_dl_index *x = &d->index;
    if (op == FORE_NO_OP)
        return;
    uint32_t *end = &x->start[list_of(d->p, op) + 1];
    x->rank[op] = *end;
    x->ops[(*end)++] = op;
}

static void fill_lists(struct fore_dl *d)
{
    struct fore_dl_index *x = &d->index;
    const struct fore_program *p = d->p;
    const struct fore_run *o = d->observed;
    size_t lists = 2 * (size_t)p->objects + 4;
    x->start = fore_calloc(lists + 1, sizeof *x->start);
    x->rank = fore_calloc((size_t)p->op_count + 1, sizeof *x->rank);
    for (uint32_t i = 0; i < o->steps; i++)
        count_step(d, i);
    for (size_t k = 0; k < lists; k++)
        x->start[k + 1] += x->start[k];
    x->ops = fore_calloc((size_t)x->start[lists] + 1, sizeof *x->ops);
    for (size_t k = lists; k-- > 0;)
        x->start[k + 1] = x->start[k];
    x->start[0] = 0;
    for (uint32_t i = 0; i < o->steps; i++)
        if (!fore_run_arrives(o, i)) {
            list_op(d, o->order[i]);
            list_op(d, fore_run_partner(o, o->order[i]));
        }
}

/* Matches acquisitions with what gives them back, per thread; what is held is few. */
static void match_releases(struct fore_dl *d)
{
    const struct fore_program *p = d->p;
    FORE_VEC(uint32_t) held = {0};
    uint32_t lock, other;
    d->index.release = fore_alloc(((size_t)p->op_count + 1) * sizeof *d->index.release);
    memset(d->index.release, 0xff, ((size_t)p->op_count + 1) * sizeof *d->index.release);
    for (uint32_t t = 1; t <= p->threads; t++) {
        held.n = 0;
        for (uint32_t op = p->first[t]; op < p->first[t + 1]; op++) {
            if (fore_dl_releases(p, op, &lock))
                for (size_t i = held.n; i-- > 0;)
                    if (fore_dl_acquires(p, held.at[i], &other) && other == lock) {
                        d->index.release[held.at[i]] = op;
                        memmove(held.at + i, held.at + i + 1,
                                (--held.n - i) * sizeof *held.at);
                        break;
                    }
            if (fore_dl_acquires(p, op, &lock) && fore_insn_ended(p, op))
                fore_vec_push(&held, op);
        }
    }
    fore_vec_release(&held);
}

/* Threads are walked from their ends: what was seen before comes later. */
static void find_returns(struct fore_dl *d)
{
    const struct fore_program *p = d->p;
    for (uint32_t t = 1; t <= p->threads; t++) {
        struct fore_map seen = {0};
        for (uint32_t op = p->first[t + 1]; op-- > p->first[t];) {
            uint64_t place = fore_dl_select_place(p, op);
            bool fresh;
            if (!fore_insn_offers(p, op) || !(p->ops[op].flags & FORE_F_CASES))
                continue;
            fore_map_put(&seen, place, &fresh);
            if (!fresh && fore_insn_ended(p, op) && fore_dl_by_timer(d, op))
                fore_map_put(&d->index.returns, place, NULL);
        }
        fore_map_release(&seen);
    }
}

void fore_dl_index_build(struct fore_dl *d)
{
    const struct fore_program *p = d->p;
    fill_lists(d);
    match_releases(d);
    d->index.closed = fore_alloc(((size_t)p->objects + 1) * sizeof *d->index.closed);
    memset(d->index.closed, 0xff, ((size_t)p->objects + 1) * sizeof *d->index.closed);
    for (uint32_t op = 0; op < p->op_count; op++) {
        const struct fore_insn *o = &p->ops[op];
        if (o->kind == FORE_EV_CLOSE && !(o->flags & FORE_F_CLOSED))
            d->index.closed[o->object] = op;
    }
    if (d->ctx->possible)
        find_returns(d);
}

void fore_dl_index_release(struct fore_dl_index *x)
{
    fore_free(x->start);
    fore_free(x->ops);
    fore_free(x->rank);
    fore_free(x->release);
    fore_free(x->closed);
    fore_map_release(&x->returns);
}
