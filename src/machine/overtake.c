#include "machine/overtake.h"

#include "base/sort.h"
#include "machine/layout.h"

#include <stdlib.h>

static bool is_last(const struct fore_insn *o)
{
    bool access = o->kind == FORE_EV_READ || o->kind == FORE_EV_WRITE;
    return access && o->flags & FORE_F_LAST;
}

static bool is_access(const struct fore_insn *o)
{
    return o->kind == FORE_EV_READ || o->kind == FORE_EV_WRITE || o->kind == FORE_EV_RMW;
}

static int by_place_and_time(const void *a, const void *b, void *program)
{
    const struct fore_program *p = program;
    const struct fore_insn *x = &p->ops[((const struct fore_last_access *)a)->op];
    const struct fore_insn *y = &p->ops[((const struct fore_last_access *)b)->op];
    int c = fore_order_of(x->object, y->object);
    return c ? c : fore_order_of(x->done, y->done);
}

/* Goes through the thread's operations; `seen` has 1 + its latest access to each place. */
static void find_in_thread(struct fore_program *p, uint32_t thread, uint32_t *seen)
{
    for (uint32_t op = p->first[thread]; op < p->first[thread + 1]; op++) {
        const struct fore_insn *o = &p->ops[op];
        if (!is_access(o))
            continue;
        uint32_t before = seen[o->object];
        bool own = before > p->first[thread]; /* otherwise another thread's */
        if (is_last(o))
            fore_vec_push(&p->lasts.list,
                          (struct fore_last_access){op, own ? before - 1 : FORE_NO_OP});
        seen[o->object] = op + 1;
    }
}

void fore_last_accesses_find(struct fore_program *p)
{
    struct fore_last_accesses *l = &p->lasts;
    uint32_t *seen = fore_calloc((size_t)p->objects + 1, sizeof *seen);
    for (uint32_t t = 1; t <= p->threads; t++)
        find_in_thread(p, t, seen);
    fore_free(seen);
    if (!l->list.n)
        return;
    qsort_r(l->list.at, l->list.n, sizeof *l->list.at, by_place_and_time, p);
    l->start = fore_calloc((size_t)p->objects + 2, sizeof *l->start);
    for (size_t i = 0; i < l->list.n; i++)
        l->start[p->ops[l->list.at[i].op].object + 1]++;
    for (uint32_t x = 0; x <= p->objects; x++)
        l->start[x + 1] += l->start[x];
}

void fore_last_accesses_release(struct fore_program *p)
{
    fore_vec_release(&p->lasts.list);
    fore_free(p->lasts.start);
}

/* The first of the object's that came after this event, or `end`. */
static uint32_t first_after(const struct fore_program *p, uint32_t from, uint32_t end,
                            uint32_t event)
{
    while (from < end) {
        uint32_t mid = from + (end - from) / 2;
        if (p->ops[p->lasts.list.at[mid].op].done > event)
            end = mid;
        else
            from = mid + 1;
    }
    return from;
}

/* The accesses that were recorded between the place's latest write in this run and the operation: the write overtook
 * the earlier ones already. */
static void range_before(const struct fore_machine *m, uint32_t op, uint32_t *from,
                         uint32_t *end)
{
    const struct fore_program *p = m->p;
    const struct fore_insn *o = &p->ops[op];
    *from = p->lasts.start[o->object];
    *end = first_after(p, *from, p->lasts.start[o->object + 1], o->done);
    uint32_t by = get_object(m, o->object, COUNT) & ~FORE_TAINT;
    if (by)
        *from = first_after(p, *from, *end, p->ops[by - 1].done);
}

/* Is it still to come, and the thread on its way from its access before? */
static bool is_overtaken(const struct fore_machine *m, const struct fore_last_access *a,
                         uint32_t thread)
{
    uint32_t other = m->p->ops[a->op].thread, next = get_thread(m, other, T_NEXT);
    return other != thread && next <= a->op &&
           (a->before == FORE_NO_OP || next > a->before);
}

void fore_overtake(struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t i, end;
    if (!m->p->lasts.start || !fore_clause_holds(m->p, FORE_CLAUSE_OVERTAKEN))
        return;
    for (range_before(m, op, &i, &end); i < end; i++) {
        const struct fore_last_access *a = &m->p->lasts.list.at[i];
        uint32_t other = m->p->ops[a->op].thread;
        if (is_overtaken(m, a, thread))
            put_thread(m, other, T_FLAGS,
                       get_thread(m, other, T_FLAGS) | FORE_T_OVERTAKEN);
    }
}

bool fore_overtakes(const struct fore_machine *m, uint32_t thread, uint32_t op)
{
    uint32_t i, end;
    if (!m->p->lasts.start || !fore_clause_holds(m->p, FORE_CLAUSE_OVERTAKEN))
        return false;
    for (range_before(m, op, &i, &end); i < end; i++)
        if (is_overtaken(m, &m->p->lasts.list.at[i], thread))
            return true;
    return false;
}
