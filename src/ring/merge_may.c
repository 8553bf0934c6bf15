#include "ring/merge_may.h"

#include "trace/event.h"

enum { WAITS_UNITS = 1 };

bool fore_merge_is_channel(const struct fore_fsr_op *op)
{
    if (op->kind == FORE_RING_SEND_EVENT || op->kind == FORE_RING_RECV_EVENT)
        return !fore_merge_gave_up(op);
    return op->kind == FORE_RING_PRE &&
           !(op->flags & (FORE_RING_DEFAULT | FORE_RING_TIMEOUT));
}

/* Is it a step of a condition or wait group, which draws its ticket first, so that a record
 * without one was only begun? */
static bool takes_turn(unsigned kind)
{
    return kind == FORE_RING_CWAIT || kind == FORE_RING_CSIGNAL ||
           kind == FORE_RING_CBROADCAST || kind == FORE_RING_WGADD ||
           kind == FORE_RING_WGDONE;
}

bool fore_merge_waits(const struct fore_fsr_op *op)
{
    if (op->kind == FORE_RING_EXIT)
        return true;
    if (op->flags & FORE_RING_DONE || op->kind >= FORE_KINDS)
        return false;
    return op->kind == FORE_RING_PRE || op->kind == FORE_RING_SEND_EVENT ||
           op->kind == FORE_RING_RECV_EVENT || takes_turn(op->kind) ||
           fore_kind_blocks(op->kind);
}

static bool counter_reached(uint64_t counter, uint64_t until, enum fore_until what,
                            uint32_t of, struct fore_obstacle *o)
{
    if (counter >= until)
        return true;
    *o = (struct fore_obstacle){what, of, until, until - counter};
    return false;
}

/* Has every thread that gave up before this come out? Such a hold is no gap. */
static bool not_held(struct fore_merge *m, enum fore_fsr_hold what, uint32_t chan,
                     uint64_t n, struct fore_obstacle *o)
{
    uint64_t key = fore_fsr_hold_key(what, chan, n);
    if (!m->file.holds.n || !fore_map_get(&m->file.holds, key))
        return true;
    *o = (struct fore_obstacle){FORE_UNTIL_HELD, chan, key, 0};
    return false;
}

static bool channel_may(struct fore_merge *m, const struct fore_fsr_op *op,
                        struct fore_obstacle *o)
{
    const struct fore_merge_object *c = fore_merge_object(m, op->object, FORE_OBJ_CHAN);
    uint64_t n = op->ticket, before = n ? n - 1 : 0;
    bool sends = fore_merge_sends(op);
    if (op->flags & FORE_RING_CLOSED)
        return counter_reached(c->closed, 1, FORE_UNTIL_CLOSED, op->object, o) &&
               (sends || counter_reached(c->recvs, c->closed_sends, FORE_UNTIL_RECVS,
                                         op->object, o));
    if (!c->capacity)
        return counter_reached(sends ? c->sends : c->recvs, before,
                               sends ? FORE_UNTIL_SENDS : FORE_UNTIL_RECVS, op->object,
                               o);
    if (sends)
        return counter_reached(c->sends, before, FORE_UNTIL_SENDS, op->object, o) &&
               counter_reached(c->recvs, n > c->capacity ? n - c->capacity : 0,
                               FORE_UNTIL_RECVS, op->object, o) &&
               not_held(m, FORE_HOLD_SEND, op->object, before, o);
    return counter_reached(c->recvs, before, FORE_UNTIL_RECVS, op->object, o) &&
           counter_reached(c->sends, n, FORE_UNTIL_SENDS, op->object, o) &&
           not_held(m, FORE_HOLD_RECV, op->object, before, o);
}

/* A select gave up because its channels were full or empty: it must come after they were, and
 * before anything that would have made it succeed. */
struct giving_up {
    struct fore_merge *m;
    struct fore_obstacle *o;
    bool all; /* both counters are known */
    bool may;
};

static void check_counters(void *arg, uint32_t chan, bool sends,
                           const uint64_t counters[2])
{
    struct giving_up *g = arg;
    const struct fore_merge_object *c = fore_merge_object(g->m, chan, FORE_OBJ_CHAN);
    if (g->may && (g->all || !sends))
        g->may = counter_reached(c->sends, counters[0], FORE_UNTIL_SENDS, chan, g->o);
    if (g->may && (g->all || sends))
        g->may = counter_reached(c->recvs, counters[1], FORE_UNTIL_RECVS, chan, g->o);
}

static bool gave_up_may(struct fore_merge *m, const struct fore_fsr_op *op,
                        struct fore_obstacle *o)
{
    struct giving_up g = {m, o, op->kind == FORE_RING_PRE, true};
    fore_fsr_counters(op, check_counters, &g);
    return g.may;
}

static bool ticket_may(struct fore_merge *m, uint32_t object, unsigned kind,
                       uint64_t ticket, struct fore_obstacle *o)
{
    if (!ticket || !object)
        return true;
    const struct fore_merge_object *c = fore_merge_object(m, object, kind);
    return counter_reached(c->ticket, ticket - 1, FORE_UNTIL_TICKET, object, o);
}

static bool life_may(struct fore_merge *m, uint32_t number, uint8_t bit,
                     enum fore_until what, struct fore_obstacle *o)
{
    uint32_t id = fore_merge_thread_id(m, number);
    return counter_reached((m->life.at[id] & bit) != 0, 1, what, number, o);
}

static bool is_atomic(const struct fore_fsr_op *op)
{
    uint64_t flags = op->unit_count > 1 ? op->units[2]
                     : op->unit_count   ? op->units[1]
                                        : 0;
    return op->kind == FORE_RING_RMW ||
           (op->flags & FORE_RING_TYPES && flags >> FORE_F_ORDER_SHIFT & 7);
}

/* A place that was forgotten continues with the ticket of the first access that comes. That
 * would be wrong for an atomic, so these are never forgotten. */
static void go_on_with(struct fore_merge *m, const struct fore_fsr_op *op)
{
    struct fore_merge_object *c = fore_merge_object(m, op->object, FORE_OBJ_PLACE);
    c->atomic = c->atomic || is_atomic(op);
    if (!op->ticket && !op->after) /* it has no place among the others */
        return;
    if (c->lost_count && !c->atomic)
        c->ticket = op->ticket ? op->ticket - 1 : op->after;
    c->lost_count = false;
}

bool fore_merge_may(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                    struct fore_obstacle *o)
{
    if (m->file.streams && op->object && op->kind < FORE_KINDS &&
        fore_kind_object(op->kind) == FORE_OBJ_PLACE)
        go_on_with(m, op);
    if (op->kind == FORE_RING_AFTER)
        return ticket_may(m, op->object, FORE_OBJ_LOCK, op->ticket, o);
    if (op->kind >= FORE_KINDS) /* of a later version: counted and left out */
        return true;
    if (fore_merge_is_channel(op))
        return channel_may(m, op, o);
    if (fore_merge_gave_up(op))
        return gave_up_may(m, op, o);
    bool units = op->unit_count >= WAITS_UNITS;
    switch (op->kind) {
    case FORE_RING_WAIT:
        return life_may(m, m->file.threads.at[thread].number, FORE_LIFE_SIGNALLED,
                        FORE_UNTIL_CREATED, o);
    case FORE_RING_JOIN:
        return !units ||
               life_may(m, (uint32_t)op->units[0], FORE_LIFE_ENDED, FORE_UNTIL_ENDED, o);
    case FORE_RING_CLOSE_EVENT: {
        const struct fore_merge_object *c =
            fore_merge_object(m, op->object, FORE_OBJ_CHAN);
        return !units || (counter_reached(c->sends, op->units[0], FORE_UNTIL_SENDS,
                                          op->object, o) &&
                          counter_reached(c->recvs, op->units[1], FORE_UNTIL_RECVS,
                                          op->object, o) &&
                          not_held(m, FORE_HOLD_CLOSE, op->object, 0, o));
    }
    case FORE_RING_CWAIT:
    case FORE_RING_CWOKEN:
        if (units &&
            !ticket_may(m, (uint32_t)op->units[0], FORE_OBJ_LOCK, op->units[1], o))
            return false;
        break;
    case FORE_RING_PRE:
        return gave_up_may(m, op, o);
    default:
        break;
    }
    return ticket_may(m, op->object, fore_kind_object(op->kind),
                      op->after ? op->after + 1 : op->ticket, o) &&
           (fore_kind_group(op->kind) != FORE_GROUP_MEMORY ||
            not_held(m, FORE_HOLD_TICKET, op->object, op->ticket, o));
}

/* ---- which threads hold a lock ---- */

static void count_holders(struct fore_merge *m, uint32_t lock, int by)
{
    struct fore_merge_object *c = lock ? fore_merge_object(m, lock, FORE_OBJ_LOCK) : NULL;
    if (c && (by > 0 || c->holders))
        c->holders += (uint32_t)by;
}

void fore_merge_note_holders(struct fore_merge *m, const struct fore_fsr_op *op)
{
    switch (op->kind) {
    case FORE_RING_LOCK:
    case FORE_RING_RLOCK:
    case FORE_RING_TRYLOCK:
    case FORE_RING_TRYRLOCK:
        if (!(op->flags & FORE_RING_BUSY))
            count_holders(m, op->object, 1);
        break;
    case FORE_RING_UNLOCK:
    case FORE_RING_RUNLOCK:
        count_holders(m, op->object, -1);
        break;
    case FORE_RING_CWAIT:
    case FORE_RING_CWOKEN:
        if (op->unit_count)
            count_holders(m, (uint32_t)op->units[0],
                          op->kind == FORE_RING_CWOKEN ? 1 : -1);
        break;
    default:
        break;
    }
}

bool fore_merge_misplaced(struct fore_merge *m, const struct fore_fsr_op *op)
{
    return (op->kind == FORE_RING_TRYLOCK || op->kind == FORE_RING_TRYRLOCK) &&
           op->flags & FORE_RING_BUSY && !op->ticket && op->object &&
           !fore_merge_object(m, op->object, FORE_OBJ_LOCK)->holders;
}
