#include "causal/pass_state.h"

static bool writes(const struct fore_event *e)
{
    return e->kind != FORE_EV_READ && e->kind != FORE_EV_FENCE;
}

static bool acquires(const struct fore_event *e)
{
    enum fore_memory_order o = fore_event_order(e);
    return o == FORE_ORDER_ACQUIRE || o == FORE_ORDER_ACQ_REL || o == FORE_ORDER_SEQ_CST;
}

static bool releases(const struct fore_event *e)
{
    enum fore_memory_order o = fore_event_order(e);
    return o == FORE_ORDER_RELEASE || o == FORE_ORDER_ACQ_REL || o == FORE_ORDER_SEQ_CST;
}

static struct fore_pass_atomic *atomic_of(struct fore_pass *p, uint32_t object)
{
    struct fore_pass_object *o = fore_pass_object(p, object);
    if (!o->more) {
        o->more = (uint32_t)p->atomics.n;
        fore_vec_ensure(&p->atomics, p->atomics.n + 1);
    }
    return &p->atomics.at[o->more];
}

/* A relaxed load keeps what it could have acquired for an acquire fence to come. */
static void atomic_learn(struct fore_pass *p, const struct fore_event *e)
{
    if (e->kind == FORE_EV_FENCE) {
        if (!acquires(e))
            return;
        struct fore_pass_more *m = fore_pass_more(p, e->thread);
        fore_pass_learn_all(p, e->thread, &m->acquire);
        fore_gather_clear(p->clocks, &m->acquire);
    } else if (e->kind == FORE_EV_READ || e->kind == FORE_EV_RMW) {
        struct fore_pass_atomic *a = atomic_of(p, e->object);
        if (acquires(e))
            fore_pass_learn_all(p, e->thread, &a->head);
        else if (!fore_gather_empty(&a->head))
            fore_gather_add_all(p->clocks, &fore_pass_more(p, e->thread)->acquire,
                                &a->head);
    }
}

/* A store begins a release sequence or ends the one it overwrites; a read-modify-write goes on
 * with it (as C++20 has it; C11 also let the same thread go on by storing). */
static void atomic_store(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_gather *head = &atomic_of(p, e->object)->head;
    uint32_t more = fore_pass_thread(p, e->thread)->more;
    if (e->kind == FORE_EV_WRITE)
        fore_gather_clear(p->clocks, head);
    if (releases(e))
        fore_gather_add(p->clocks, head, fore_pass_now(p, e->thread));
    else if (more && p->more.at[more].fence.thread)
        fore_gather_add(p->clocks, head, p->more.at[more].fence);
}

static void atomic_leave(struct fore_pass *p, const struct fore_event *e)
{
    if (e->kind == FORE_EV_FENCE && releases(e))
        fore_stamp_put(p->clocks, &fore_pass_more(p, e->thread)->fence,
                       fore_pass_now(p, e->thread));
    else if (e->kind == FORE_EV_WRITE || e->kind == FORE_EV_RMW)
        atomic_store(p, e);
}

/* A plain store where others use atomics ends their release sequence. */
static void plain_store(struct fore_pass *p, const struct fore_event *e)
{
    if (!writes(e) || e->object >= p->objects.n || !p->objects.at[e->object].more)
        return;
    fore_gather_clear(p->clocks, &atomic_of(p, e->object)->head);
}

void fore_pass_memory_learn(struct fore_pass *p, const struct fore_event *e)
{
    if (p->o.mask & FORE_EDGE_ATOMIC && fore_event_order(e) != FORE_ORDER_PLAIN)
        atomic_learn(p, e);
    if (!(p->o.mask & FORE_EDGE_MEMORY) || e->kind == FORE_EV_FENCE)
        return;
    struct fore_pass_object *o = fore_pass_object(p, e->object);
    fore_pass_learn(p, e->thread, &o->last);
    if (writes(e))
        fore_pass_learn_all(p, e->thread, &o->many);
}

static void reads_from(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_object *o = fore_pass_object(p, e->object);
    bool plain = fore_event_order(e) == FORE_ORDER_PLAIN;
    if ((e->kind == FORE_EV_READ || e->kind == FORE_EV_RMW) &&
        (plain || p->o.results == FORE_RESULTS_ALL))
        fore_pass_learn(p, e->thread, &o->last);
    if (writes(e))
        fore_stamp_put(p->clocks, &o->last, fore_pass_now(p, e->thread));
}

void fore_pass_memory_leave(struct fore_pass *p, const struct fore_event *e)
{
    if (p->o.mask & FORE_EDGE_ATOMIC) {
        if (fore_event_order(e) != FORE_ORDER_PLAIN)
            atomic_leave(p, e);
        else
            plain_store(p, e);
    }
    if (e->kind == FORE_EV_FENCE)
        return;
    if (!(p->o.mask & FORE_EDGE_MEMORY)) {
        if (p->o.results)
            reads_from(p, e);
        return;
    }
    struct fore_pass_object *o = fore_pass_object(p, e->object);
    struct fore_stamp now = fore_pass_now(p, e->thread);
    if (writes(e)) {
        fore_gather_clear(p->clocks, &o->many);
        fore_stamp_put(p->clocks, &o->last, now);
    } else {
        fore_gather_add(p->clocks, &o->many, now);
    }
}
