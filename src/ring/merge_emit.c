/* Turns one operation of a ring file into events, and gives its ids their numbers in the tables. */
#include "ring/merge.h"
#include "trace/event.h"

#include <stdio.h>

enum { MOST_CASES = 65536 /* that a select may have */ };

#define SAME(ring, event)                                                                \
    _Static_assert((int)FORE_RING_##ring == (int)FORE_EV_##event, "numbers of kinds")
SAME(SIGNAL, SIGNAL);
SAME(WAIT, WAIT);
SAME(JOIN, JOIN);
SAME(PRE, PRE);
SAME(SEND_EVENT, SEND);
SAME(RECV_EVENT, RECV);
SAME(CLOSE_EVENT, CLOSE);
SAME(LOCK, LOCK);
SAME(RUNLOCK, RUNLOCK);
SAME(CWAIT, CWAIT);
SAME(CBROADCAST, CBROADCAST);
SAME(RELEASE, RELEASE);
SAME(BARRIER, BARRIER);
SAME(WGWAIT, WGWAIT);
SAME(FIRE, FIRE);
SAME(READ, READ);
SAME(WRITE, WRITE);
SAME(RMW, RMW);
SAME(INVOKE, INVOKE);
SAME(FAIL, FAIL);
SAME(USE, USE);
SAME(OUT, OUT);
SAME(MISUSE, MISUSE);
SAME(BY_RETURN, NONE + (int)FORE_ENDED_RETURNED);
SAME(BY_PANIC, NONE + (int)FORE_ENDED_PANIC);
SAME(OBJ_CHAN, NONE + (int)FORE_OBJ_CHAN);
SAME(OBJ_PLACE, NONE + (int)FORE_OBJ_PLACE);
SAME(OBJ_WRITERS_FIRST, NONE + (int)FORE_OBJ_WRITERS_FIRST);
SAME(OBJ_HIDDEN, NONE + (int)FORE_OBJ_HIDDEN);
SAME(OBJ_OBJECT, NONE + (int)FORE_OBJ_OBJECT);
SAME(OBJ_OUTSIDE, NONE + (int)FORE_OBJ_OUTSIDE);
SAME(OBJ_ROBUST, NONE + (int)FORE_OBJ_ROBUST);
SAME(SEES_OUTSIDE, NONE + (int)FORE_SEES_OUTSIDE);
SAME(SEES_DECLARED, NONE + (int)FORE_SEES_DECLARED);
SAME(VALUE_LIST, NONE + (int)FORE_VALUE_LIST);
SAME(VALUE_BOOL, NONE + (int)FORE_VALUE_BOOL);
SAME(CASE_TIMEOUT, NONE + (int)FORE_CASE_TIMEOUT);
_Static_assert((int)FORE_KINDS < (int)FORE_RING_AFTER, "kinds and marks are apart");

/* ---- ids ---- */

static uint32_t where_id(struct fore_merge *m, uint32_t where)
{
    return fore_merge_where_of(m, where).id;
}

uint32_t fore_merge_where_id(struct fore_merge *m, uint32_t where)
{
    return where_id(m, where);
}

/* An instruction, whose place in the source is looked up when it is asked for; see
 * FORE_WHERE_ITSELF. */
static uint32_t frame_id(struct fore_merge *m, const struct fore_fsr_where *w,
                         uint32_t parent)
{
    const struct fore_strbuf *file = fore_fsr_string(&m->file, w->file);
    const char *executable = m->file.header->executable;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_strbuf_printf(&b, "%s+0x%x%s", file->n ? file->at : executable, w->line,
                       w->column ? FORE_WHERE_ITSELF : "");
    struct fore_where to = {.file = fore_tables_string(m->tables, b.at, b.n),
                            .parent = parent};
    fore_strbuf_release(&b);
    return fore_tables_where(m->tables, to);
}

/* The id, and in the upper bits the flags of events there. */
static uint64_t find_where(struct fore_merge *m, uint32_t where)
{
    bool fresh;
    if (!where)
        return 0;
    uint64_t *slot = fore_map_put(&m->where_ids, where, &fresh);
    if (!fresh)
        return *slot;
    const struct fore_fsr_where *w = fore_fsr_where(&m->file, where);
    uint64_t id = 0;
    if (w) {
        const struct fore_strbuf *file = fore_fsr_string(&m->file, w->file);
        const struct fore_strbuf *function = fore_fsr_string(&m->file, w->function);
        struct fore_where to = {.line = w->line, .column = w->column};
        if (file->n)
            to.file = fore_tables_string(m->tables, file->at, file->n);
        if (function->n)
            to.function = fore_tables_string(m->tables, function->at, function->n);
        to.parent = w->parent < where ? where_id(m, w->parent) : 0;
        id = (w->address ? frame_id(m, w, to.parent) : fore_tables_where(m->tables, to)) |
             (w->straight ? (uint64_t)FORE_F_STRAIGHT << 32 : 0);
    } else if (m->resolver) {
        id = m->resolver->resolve(m->resolver, m->tables, where);
    }
    *fore_map_put(&m->where_ids, where, &fresh) = id;
    return id;
}

struct fore_merge_where fore_merge_find_where(struct fore_merge *m, uint32_t where)
{
    uint64_t found = find_where(m, where);
    return m->recent[where * 0x9e3779b1u >> 24] =
               (struct fore_merge_where){where, (uint32_t)found, (uint16_t)(found >> 32)};
}

/* The place of a wait that never ended, with all its callers if they are known and lead there. */
uint32_t fore_merge_waits_at(struct fore_merge *m, uint32_t number, uint32_t where)
{
    size_t n;
    const uint32_t *stack = fore_fsr_rests(&m->file, number, &n);
    if (!stack || !m->resolver)
        return 0;
    uint32_t at = m->resolver->callers(m->resolver, m->tables, stack, n);
    uint32_t known = where_id(m, where);
    const struct fore_where *a = &m->tables->wheres.at[at],
                            *b = &m->tables->wheres.at[known];
    return a->file == b->file && a->line == b->line ? at : 0;
}

uint32_t fore_merge_taken_at(struct fore_merge *m, uint32_t lock, uint64_t ticket,
                             uint32_t owner, uint32_t where)
{
    const uint64_t *i = fore_map_get(&m->file.taken, lock);
    const struct fore_fsr_taken *t = i ? &m->file.taken_list.at[*i] : NULL;
    if (!t || !t->n || !m->resolver || t->owner != owner ||
        (ticket && t->ticket != ticket) || m->file.callers.at[t->first] != where)
        return 0;
    return m->resolver->callers(m->resolver, m->tables, m->file.callers.at + t->first,
                                t->n);
}

static uint32_t object_id(struct fore_merge *m, uint32_t id, unsigned kind)
{
    if (!id)
        return 0;
    struct fore_merge_object *o = fore_merge_object(m, id, kind);
    if (!o->id)
        fore_merge_name_again(m, o);
    return o->id;
}

uint32_t fore_merge_object_id(struct fore_merge *m, uint32_t id, unsigned kind)
{
    return object_id(m, id, kind);
}

static uint32_t string_id(struct fore_merge *m, uint32_t id)
{
    const struct fore_strbuf *s = fore_fsr_string(&m->file, id);
    return s->n ? fore_tables_string(m->tables, s->at, s->n) : 0;
}

/* ---- events ---- */

void fore_merge_flush(struct fore_merge *m)
{
    struct fore_batch b = {m->tables, m->events.at, m->events.n, m->cases.at, false};
    if (m->carry)
        b = fore_carry_events(m->carry, m->tables, &b);
    if (b.n && !m->stopped && m->sink->events(m->sink, &b) == FORE_STOP)
        m->stopped = true;
    fore_vec_clear(&m->events);
    fore_vec_clear(&m->cases);
}

static void push_event(struct fore_merge *m, struct fore_event e)
{
    m->pushed++;
    fore_vec_push(&m->events, e);
    if (m->events.n >= FORE_MERGE_BATCH)
        fore_merge_flush(m);
}

void fore_merge_tell_unseen(struct fore_merge *m)
{
    for (; m->unseen < m->file.unseen.n; m->unseen++) {
        const struct fore_fsr_unseen *u = &m->file.unseen.at[m->unseen];
        uint32_t text = fore_tables_string(m->tables, u->text.at, u->text.n);
        uint32_t where = where_id(m, u->where);
        if (u->member)
            fore_tables_unseen_member(m->tables, text, where);
        else
            fore_vec_push(&m->tables->unseen,
                          (struct fore_unseen){.text = text, .where = where});
    }
}

static struct fore_event begin_event(struct fore_merge *m, uint32_t thread,
                                     const struct fore_fsr_op *op)
{
    struct fore_merge_where where = fore_merge_where_of(m, op->where);
    uint32_t whole = m->waits_at;
    if (!whole && m->file.taken.n)
        whole = fore_merge_taken_at(m, op->object, op->ticket,
                                    m->file.threads.at[thread].number, op->where);
    if (whole)
        where.id = whole;
    return (struct fore_event){.thread = m->threads.at[thread].id,
                               .kind = (uint16_t)op->kind,
                               .flags = where.flags,
                               .where = where.id};
}

static const struct fore_ring_case *cases_of(const struct fore_fsr_op *op, size_t *n)
{
    /* The counters of a select that gave up come after its cases. */
    bool counted = op->flags & (FORE_RING_DEFAULT | FORE_RING_TIMEOUT) && op->ticket &&
                   op->ticket <= op->unit_count;
    *n = counted ? (size_t)op->ticket : (size_t)op->unit_count * 2;
    return (const struct fore_ring_case *)op->units;
}

/* Adds a case of a select in the form of the model. A receive from a timer may find that the
 * time has come, whether it had in this run or not. */
static bool add_case(struct fore_merge *m, const struct fore_ring_case *from, bool *timed)
{
    unsigned kind = from->kind & 0xff;
    if (kind > FORE_CASE_TIMEOUT)
        return false;
    struct fore_case c = {0, kind};
    if (kind <= FORE_CASE_SEND && from->chan) {
        const struct fore_merge_object *o =
            fore_merge_object(m, from->chan, FORE_OBJ_CHAN);
        c.chan = o->id;
        *timed |= o->timed && kind == FORE_CASE_RECV;
    }
    fore_vec_push(&m->cases, c);
    return kind > FORE_CASE_SEND;
}

/* A select of one case becomes what the model stores in the event itself. */
static void pre_select(struct fore_merge *m, struct fore_event e,
                       const struct fore_fsr_op *op)
{
    size_t n, first = m->cases.n;
    const struct fore_ring_case *from = cases_of(op, &n);
    bool timed = false, otherwise = false;
    for (size_t i = 0; i < n; i++)
        otherwise |= add_case(m, &from[i], &timed);
    if (timed && !otherwise && n < MOST_CASES)
        fore_vec_push(&m->cases, (struct fore_case){0, FORE_CASE_TIMEOUT});
    e.a = first;
    e.b = m->cases.n - first;
    unsigned straight = e.flags & FORE_F_STRAIGHT;
    e.flags = (uint16_t)(straight | FORE_F_CASES);
    if (e.b == 1 && m->cases.at[first].kind <= FORE_CASE_SEND) {
        struct fore_case one = fore_vec_pop(&m->cases);
        e.object = one.chan;
        e.flags = (uint16_t)(straight | (one.kind == FORE_CASE_SEND ? FORE_F_SEND : 0));
        e.a = e.b = 0;
    }
    push_event(m, e);
}

/* Emits the one case, and default. */
static void pre_try(struct fore_merge *m, struct fore_event *e)
{
    struct fore_case one = {e->object,
                            e->flags & FORE_F_SEND ? FORE_CASE_SEND : FORE_CASE_RECV};
    e->a = m->cases.n;
    e->b = 2;
    e->flags = (uint16_t)((e->flags & FORE_F_STRAIGHT) | FORE_F_CASES);
    e->object = 0;
    fore_vec_push(&m->cases, one);
    fore_vec_push(&m->cases, (struct fore_case){0, FORE_CASE_DEFAULT});
}

void fore_merge_emit_pre(struct fore_merge *m, uint32_t thread,
                         const struct fore_fsr_op *op)
{
    struct fore_event e = begin_event(m, thread, op);
    switch (op->kind) {
    case FORE_RING_PRE:
        pre_select(m, e, op);
        return;
    case FORE_RING_SEND_EVENT:
    case FORE_RING_RECV_EVENT:
        e.kind = FORE_EV_PRE;
        e.flags |= op->kind == FORE_RING_SEND_EVENT ? FORE_F_SEND : 0;
        e.object = object_id(m, op->object, FORE_OBJ_CHAN);
        if (op->flags & FORE_RING_TRY)
            pre_try(m, &e);
        break;
    default:
        if (!fore_kind_blocks(op->kind))
            return; /* there is nothing to wait for: the operation was only begun */
        e.flags |= FORE_F_PRE;
        e.object = object_id(m, op->object, fore_kind_object(op->kind));
        if (op->kind == FORE_RING_JOIN && op->unit_count)
            e.a = fore_merge_thread_id(m, (uint32_t)op->units[0]);
        else if (op->kind == FORE_RING_CWOKEN && op->unit_count)
            e.a = object_id(m, (uint32_t)op->units[0], FORE_OBJ_LOCK);
        else if (op->unit_count)
            e.a = op->units[0];
    }
    push_event(m, e);
}

/* The place of the case that was taken, if the capture or the source has it. */
static uint32_t chosen_where(struct fore_merge *m, const struct fore_fsr_op *op,
                             uint32_t otherwise)
{
    size_t n, counts[2] = {0, 0}, found = 0, k = 0;
    const struct fore_ring_case *c = cases_of(op, &n);
    bool none = op->flags & (FORE_RING_DEFAULT | FORE_RING_TIMEOUT);
    unsigned kind = none                         ? FORE_CASE_DEFAULT
                    : op->flags & FORE_RING_SEND ? FORE_CASE_SEND
                                                 : FORE_CASE_RECV;
    for (size_t i = 0; i < n; i++) {
        unsigned is = c[i].kind & 0xff;
        if (!none && is == kind && c[i].chan == op->object) {
            if (c[i].kind >> 8)
                return where_id(m, c[i].kind >> 8);
            k = found++ ? k : counts[is];
        }
        if (is <= FORE_CASE_SEND)
            counts[is]++;
    }
    /* the same channel twice: it is not known which case it was */
    if (!m->resolver || (!none && found != 1))
        return otherwise;
    return m->resolver->choice(m->resolver, m->tables, otherwise, kind, k, counts);
}

static void emit_channel(struct fore_merge *m, struct fore_event e,
                         const struct fore_fsr_op *op, uint32_t peer, uint64_t k)
{
    bool sends = fore_merge_sends(op);
    if (op->kind == FORE_RING_PRE)
        e.where = chosen_where(m, op, e.where);
    if (op->flags & (FORE_RING_DEFAULT | FORE_RING_TIMEOUT)) {
        e.kind = FORE_EV_SELECT;
        e.flags |= op->flags & FORE_RING_TIMEOUT ? FORE_F_TIMEOUT : 0;
        push_event(m, e);
        return;
    }
    e.kind = sends ? FORE_EV_SEND : FORE_EV_RECV;
    e.flags |= op->flags & FORE_RING_CLOSED ? FORE_F_CLOSED : 0;
    struct fore_merge_object *o = fore_merge_object(m, op->object, FORE_OBJ_CHAN);
    e.object = o->id;
    if (e.flags & FORE_F_CLOSED) {
        push_event(m, e);
        return;
    }
    if (o->capacity) {
        e.a = op->ticket;
    } else if (sends) {
        e.a = k;
    } else {
        e.a = peer;
        e.b = k;
    }
    push_event(m, e);
}

/* Field by field in place: a copy would have to wait for what was just written. */
static void put_fields(struct fore_event *to, uint32_t thread, unsigned kind,
                       unsigned flags, uint32_t object, uint32_t where, uint64_t a,
                       uint64_t b)
{
    to->thread = thread;
    to->kind = (uint16_t)kind;
    to->flags = (uint16_t)flags;
    to->object = object;
    to->where = where;
    to->a = a;
    to->b = b;
}

void fore_merge_emit_pair(struct fore_merge *m, uint32_t sender,
                          const struct fore_fsr_op *send, uint32_t receiver,
                          const struct fore_fsr_op *recv, uint64_t k)
{
    uint32_t s = m->threads.at[sender].id, r = m->threads.at[receiver].id;
    uint32_t from = where_id(m, send->where), to = where_id(m, recv->where);
    uint32_t chan = fore_merge_object(m, send->object, FORE_OBJ_CHAN)->id;
    struct fore_event *e = fore_vec_extend(&m->events, 4);
    put_fields(&e[0], s, FORE_EV_PRE, FORE_F_SEND, chan, from, 0, 0);
    put_fields(&e[1], r, FORE_EV_PRE, 0, chan, to, 0, 0);
    put_fields(&e[2], s, FORE_EV_SEND, 0, chan, from, k, 0);
    put_fields(&e[3], r, FORE_EV_RECV, 0, chan, to, s, k);
    m->pushed += 4;
    if (m->events.n >= FORE_MERGE_BATCH)
        fore_merge_flush(m);
}

/* Among values, strings are ids of the capture. */
static uint64_t value_of(struct fore_merge *m, unsigned type, uint64_t bits)
{
    bool text = type == FORE_VALUE_STRING || type == FORE_VALUE_LIST;
    return text ? string_id(m, (uint32_t)bits) : bits;
}

static void set_operands(struct fore_merge *m, struct fore_event *e,
                         const struct fore_fsr_op *op)
{
    bool run =
        op->flags & FORE_RING_RUN && fore_kind_group(op->kind) == FORE_GROUP_MEMORY;
    uint64_t a = op->unit_count && !run ? op->units[0] : 0;
    uint64_t b = op->unit_count && !run ? op->units[1] : 0;
    enum fore_group group = fore_kind_group(op->kind);
    if (op->flags & FORE_RING_TYPES && op->unit_count > 1 &&
        (group == FORE_GROUP_MEMORY || group == FORE_GROUP_OPERATION ||
         group == FORE_GROUP_OUTSIDE))
        e->flags |= (uint16_t)(op->units[2] & 0x7fc0);
    if (op->flags & FORE_RING_TYPES && op->unit_count == 1 &&
        (group == FORE_GROUP_MEMORY || group == FORE_GROUP_OUTSIDE)) {
        e->flags |= (uint16_t)(b & 0x7fc0);
        b = 0;
    }
    if (op->brief) {
        e->flags |= (uint16_t)(FORE_RING_BRIEF_TYPE(op->brief) << FORE_F_VALUE_SHIFT);
        a = (uint64_t)FORE_RING_BRIEF_VALUE(op->brief);
    }
    switch (op->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_JOIN:
    case FORE_EV_SPAWN:
    case FORE_EV_CSIGNAL:
        e->a = a ? fore_merge_thread_id(m, (uint32_t)a) : 0;
        break;
    case FORE_EV_CWAIT:
    case FORE_EV_CWOKEN:
        e->a = object_id(m, (uint32_t)a, FORE_OBJ_LOCK);
        break;
    case FORE_EV_MISUSE:
        e->flags |= FORE_VALUE_STRING << FORE_F_VALUE_SHIFT;
        e->a = string_id(m, (uint32_t)a);
        break;
    case FORE_EV_INVOKE:
        e->a = string_id(m, (uint32_t)a) | (uint64_t)string_id(m, (uint32_t)(a >> 32))
                                               << 32;
        e->b = b;
        break;
    case FORE_EV_ASEND:
        e->a = a;
        e->b = fore_merge_thread_id(m, (uint32_t)b);
        e->object = string_id(m, op->object);
        break;
    case FORE_EV_CLOSE:
        break;
    default:
        e->a = value_of(m, e->flags >> FORE_F_VALUE_SHIFT & 7, a);
        e->b = value_of(m, e->flags >> FORE_F_VALUE2_SHIFT & 7, b);
    }
}

static void emit_use(struct fore_merge *m, uint32_t thread, bool used)
{
    struct fore_event e = {.thread = m->threads.at[thread].id, .kind = FORE_EV_USE};
    if (used && m->file.header->sees & FORE_RING_MARKS_USES)
        push_event(m, e);
}

void fore_merge_emit(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                     uint32_t peer, uint64_t k)
{
    emit_use(m, thread, op->unsure); /* before anything is looked up */
    struct fore_event e = begin_event(m, thread, op);
    switch (op->kind) {
    case FORE_RING_SEND_EVENT:
    case FORE_RING_RECV_EVENT:
    case FORE_RING_PRE:
        emit_channel(m, e, op, peer, k);
        return;
    case FORE_RING_WAIT:
        e.a = e.thread;
        push_event(m, e);
        return;
    default:
        break;
    }
    if (op->flags & FORE_RING_CLOSED)
        e.flags |= FORE_F_CLOSED;
    if (op->flags & FORE_RING_BUSY)
        e.flags |= FORE_F_BUSY;
    if (op->near)
        e.flags |= FORE_F_NEAR;
    if (op->past)
        e.flags |= FORE_F_LAST;
    if (fore_kind_object(op->kind) != FORE_OBJ_NONE)
        e.object = object_id(m, op->object, fore_kind_object(op->kind));
    set_operands(m, &e, op);
    if (m->sees_memory && (e.kind == FORE_EV_READ || e.kind == FORE_EV_WRITE) &&
        fore_event_order(&e) == FORE_ORDER_PLAIN)
        m->tables->sees |= FORE_SEES_LEGACY_MEMORY;
    push_event(m, e);
    /* A value of an access that another thread recorded may have been used at once. */
    emit_use(m, thread, op->past && op->kind == FORE_RING_READ);
}
