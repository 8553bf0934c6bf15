#include "machine/index.h"

#include "machine/closure.h"
#include "machine/quiet.h"

/* A rendezvous is one step of two threads: both operations are counted. */
static void count_step(struct fore_index *x, uint32_t i)
{
    const struct fore_run *o = x->run;
    uint32_t op = o->order[i], partner = fore_run_partner(o, op);
    if (fore_run_arrives(o, i))
        return;
    x->start[fore_index_list(&o->p, op) + 1]++;
    if (partner != FORE_NO_OP)
        x->start[fore_index_list(&o->p, partner) + 1]++;
}

static void list_op(struct fore_index *x, uint32_t op)
{
    if (op == FORE_NO_OP)
        return;
    uint32_t *end = &x->start[fore_index_list(&x->run->p, op) + 1];
    x->rank[op] = *end;
    x->ops[(*end)++] = op;
}

static void fill_lists(struct fore_index *x)
{
    const struct fore_run *o = x->run;
    size_t lists = 2 * (size_t)o->p.objects + 4;
    x->start = fore_calloc(lists + 1, sizeof *x->start);
    x->rank = fore_calloc((size_t)o->p.op_count + 1, sizeof *x->rank);
    for (uint32_t i = 0; i < o->steps; i++)
        count_step(x, i);
    for (size_t k = 0; k < lists; k++)
        x->start[k + 1] += x->start[k];
    x->ops = fore_calloc((size_t)x->start[lists] + 1, sizeof *x->ops);
    for (size_t k = lists; k-- > 0;)
        x->start[k + 1] = x->start[k];
    x->start[0] = 0;
    for (uint32_t i = 0; i < o->steps; i++)
        if (!fore_run_arrives(o, i)) {
            list_op(x, o->order[i]);
            list_op(x, fore_run_partner(o, o->order[i]));
        }
}

/* The position of the latest acquisition of the lock among those that are held, or `n`. */
static size_t find_held(const struct fore_program *p, const uint32_t *held, size_t n,
                        uint32_t lock)
{
    uint32_t other;
    for (size_t i = n; i-- > 0;)
        if (fore_insn_acquires(p, held[i], &other) && other == lock)
            return i;
    return n;
}

static bool takes_locks(const struct fore_program *p)
{
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(p->trace, &own);
    bool takes = fore_survey_has(s, FORE_EV_LOCK) || fore_survey_has(s, FORE_EV_RLOCK) ||
                 fore_survey_has(s, FORE_EV_TRYLOCK) ||
                 fore_survey_has(s, FORE_EV_TRYRLOCK) ||
                 fore_survey_has(s, FORE_EV_CWAIT) || fore_survey_has(s, FORE_EV_CWOKEN);
    fore_survey_release(&own);
    return takes;
}

/* Matches acquisitions with the operations that give the locks back, thread by thread; few locks
 * are held at a time. */
static void match_releases(struct fore_index *x)
{
    const struct fore_program *p = &x->run->p;
    FORE_VEC(uint32_t) held = {0};
    size_t bytes = ((size_t)p->op_count + 1) * sizeof *x->release;
    uint32_t lock;
    x->release = fore_alloc(bytes);
    if (!takes_locks(p))
        return; /* never asked for operations that are no acquisitions */
    memset(x->release, 0xff, bytes);
    for (uint32_t t = 1; t <= p->threads; t++) {
        held.n = 0;
        for (uint32_t op = p->first[t]; op < p->first[t + 1]; op++) {
            size_t i;
            if (fore_insn_releases(p, op, &lock) &&
                (i = find_held(p, held.at, held.n, lock)) < held.n) {
                if (x->release[held.at[i]] == FORE_NO_OP)
                    x->release[held.at[i]] = op;
                memmove(held.at + i, held.at + i + 1, (--held.n - i) * sizeof *held.at);
            }
            if (!fore_insn_acquires(p, op, &lock) || !fore_insn_ended(p, op))
                continue;
            if (find_held(p, held.at, held.n, lock) < held.n)
                x->release[op] = op;
            fore_vec_push(&held, op);
        }
    }
    fore_vec_release(&held);
}

/* Units are taken in the order in which they are there: those of the beginning, then the first that was released. */
static void count_units(struct fore_index *x, uint32_t semaphore)
{
    const struct fore_program *p = &x->run->p;
    uint32_t from = x->start[2 * semaphore], n = x->start[2 * semaphore + 1] - from,
             at = 0;
    uint64_t there = (uint64_t)p->initial[semaphore], taken = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = x->ops[from + i];
        if (fore_insn_kind(p, op) != FORE_EV_ACQUIRE)
            continue;
        if (!(p->ops[op].flags & FORE_F_BUSY))
            taken += fore_insn_event(p, op)->a;
        for (; there < taken && at < n; at++)
            if (fore_insn_kind(p, x->ops[from + at]) == FORE_EV_RELEASE)
                there += fore_insn_event(p, x->ops[from + at])->a;
        x->units[op] = at;
    }
}

static void find_units(struct fore_index *x)
{
    const struct fore_program *p = &x->run->p;
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(p->trace, &own);
    bool has_any = fore_survey_has(s, FORE_EV_ACQUIRE);
    fore_survey_release(&own);
    if (!has_any)
        return;
    x->units = fore_calloc((size_t)p->op_count + 1, sizeof *x->units);
    for (uint32_t o = 1; o <= p->objects; o++)
        if (p->trace->tables.objects.at[o].kind == FORE_OBJ_SEM)
            count_units(x, o);
}

/* The close of a channel: the last one that did not panic, if there are several. */
static void note_close(struct fore_index *x, uint32_t op)
{
    const struct fore_insn *o = &x->run->p.ops[op];
    uint32_t *closed = &x->closed[o->object];
    if (!(o->flags & FORE_F_CLOSED) && (*closed == FORE_NO_OP || op > *closed))
        *closed = op;
}

static void link_needy(struct fore_index *x)
{
    const struct fore_program *p = &x->run->p;
    size_t bytes = ((size_t)p->objects + 1) * sizeof *x->closed;
    x->closed = memset(fore_alloc(bytes), 0xff, bytes);
    x->needy = fore_alloc(((size_t)p->op_count + 1) * sizeof *x->needy);
    for (uint32_t t = 1; t <= p->threads; t++)
        for (uint32_t op = p->first[t + 1], next = op; op-- > p->first[t];) {
            x->needy[op] = next = fore_closure_needs_others(p, op) ? op : next;
            if (p->ops[op].kind == FORE_EV_CLOSE)
                note_close(x, op);
        }
}

/* Which operations were done before the trace's fixed events end. */
static void find_fixed(struct fore_index *x)
{
    const struct fore_program *p = &x->run->p;
    if (!p->trace->fixed)
        return;
    x->fixed = fore_calloc((size_t)p->threads + 2, sizeof *x->fixed);
    for (uint32_t t = 1; t <= p->threads; t++)
        x->fixed[t] = fore_program_op_at(p, t, (uint32_t)p->trace->fixed);
}

const struct fore_index *fore_run_index(struct fore_run *o)
{
    if (o->index)
        return o->index;
    struct fore_index *x = o->index = fore_calloc(1, sizeof *x);
    x->run = o;
    fill_lists(x);
    match_releases(x);
    find_units(x);
    link_needy(x);
    find_fixed(x);
    return x;
}

void fore_index_release(struct fore_index *x)
{
    fore_free(x->start);
    fore_free(x->ops);
    fore_free(x->rank);
    fore_free(x->release);
    fore_free(x->units);
    fore_free(x->closed);
    fore_free(x->fixed);
    fore_free(x->needy);
    fore_free(x);
}
