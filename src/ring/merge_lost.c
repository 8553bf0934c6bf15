/* Handles missing records: which thread goes on without what it waits for, and which operations
 * never ended. */
#include "ring/merge.h"
#include "ring/merge_may.h"

#include <string.h>

/* A partner that did not run again before the program ended has not marked its operation as
 * done; the other side shows that it is. */
static bool could_be_partner(struct fore_merge *m, uint32_t thread, bool sends,
                             uint32_t object, struct fore_fsr_op *op)
{
    if (m->threads.at[thread].state != FORE_MERGE_PENDING ||
        !fore_fsr_peek(&m->file, thread, op))
        return false;
    if (op->kind == FORE_RING_SEND_EVENT || op->kind == FORE_RING_RECV_EVENT)
        return op->object == object && fore_merge_sends(op) == sends;
    if (op->kind != FORE_RING_PRE)
        return false;
    const struct fore_ring_case *c = (const struct fore_ring_case *)op->units;
    for (size_t i = 0; i < (size_t)op->unit_count * 2; i++)
        if (c[i].chan == object &&
            (c[i].kind & 0xff) == (sends ? FORE_CASE_SEND : FORE_CASE_RECV)) {
            op->object = object;
            op->flags |= sends ? FORE_RING_SEND : 0;
            return true;
        }
    return false;
}

static bool find_partner(struct fore_merge *m, uint32_t thread,
                         const struct fore_fsr_op *op)
{
    const struct fore_merge_object *c;
    struct fore_fsr_op theirs;
    bool sends = fore_merge_sends(op);
    if (!fore_merge_is_channel(op) || op->flags & FORE_RING_CLOSED)
        return false;
    c = fore_merge_object(m, op->object, FORE_OBJ_CHAN);
    if ((sends ? c->sends : c->recvs) + 1 != op->ticket || (c->capacity && sends))
        return false;
    for (uint32_t i = 0; i < m->threads.n; i++) {
        if (!could_be_partner(m, i, !sends, op->object, &theirs))
            continue;
        theirs.flags |= FORE_RING_DONE;
        theirs.ticket = op->ticket;
        m->threads.at[i].state = FORE_MERGE_OVER;
        if (c->capacity)
            fore_merge_emit_in_turn(m, i, &theirs);
        else if (sends)
            fore_merge_emit_together(m, thread, op, i, &theirs);
        else
            fore_merge_emit_together(m, i, &theirs, thread, op);
        fore_merge_enqueue(m, thread);
        return true;
    }
    return false;
}

/* Finds the least blocked thread; its gap is the number of records that must have been lost. */
static bool least_blocked(struct fore_merge *m, uint32_t *least, struct fore_fsr_op *its,
                          uint64_t *gap)
{
    bool found = false;
    for (uint32_t i = 0; i < m->threads.n; i++) {
        struct fore_fsr_op op;
        struct fore_obstacle o = {.gap = 1};
        if (m->threads.at[i].state != FORE_MERGE_BLOCKED ||
            !fore_fsr_peek(&m->file, i, &op))
            continue;
        if (find_partner(m, i, &op))
            return false;
        fore_merge_may(m, i, &op, &o);
        if (!found || o.gap < *gap) {
            *least = i;
            *its = op;
            *gap = o.gap;
            found = true;
        }
    }
    return found;
}

void fore_merge_wake_all(struct fore_merge *m)
{
    fore_map_clear(&m->waiting);
    for (size_t i = 0; i < m->touched.n; i++) {
        struct fore_merge_object *c = &m->objects.at[m->touched.at[i]];
        c->offer[0] = c->offer[1] = 0;
        memset(c->waiting, 0, sizeof c->waiting);
        c->touched = false;
    }
    fore_vec_clear(&m->touched);
    for (uint32_t i = 0; i < m->threads.n; i++)
        if (m->threads.at[i].state == FORE_MERGE_BLOCKED)
            fore_merge_enqueue(m, i);
}

/* The least blocked thread goes on; false if none is blocked. */
bool fore_merge_untangle_one(struct fore_merge *m)
{
    uint32_t thread = 0;
    uint64_t gap = 0;
    struct fore_fsr_op op;
    if (!least_blocked(m, &thread, &op, &gap))
        return false;
    m->lost += gap;
    if (!fore_merge_leave_out(m, thread, &op))
        fore_merge_emit_in_turn(m, thread, &op);
    m->lost += fore_fsr_skip_again(&m->file, thread);
    fore_merge_enqueue(m, thread);
    fore_merge_wake_all(m);
    return true;
}

void fore_merge_untangle(struct fore_merge *m)
{
    do
        fore_merge_run_queue(m);
    while (!m->stopped && (fore_merge_untangle_one(m) || m->queue_at < m->queue.n));
}

/* Emits the operations that never completed, in the order of the threads, and then the exit. */
void fore_merge_emit_pending(struct fore_merge *m)
{
    struct fore_fsr_op op;
    for (int exits = 0; exits < 2; exits++)
        for (uint32_t i = 0; i < m->threads.n; i++) {
            if (m->threads.at[i].state != FORE_MERGE_PENDING ||
                !fore_fsr_peek(&m->file, i, &op) || (op.kind == FORE_RING_EXIT) != exits)
                continue;
            if (exits) {
                fore_merge_emit(m, i, &op, 0, 0);
                continue;
            }
            m->waits_at = fore_merge_waits_at(m, m->file.threads.at[i].number, op.where);
            fore_merge_emit_pre(m, i, &op);
            m->waits_at = 0;
        }
}
