#include "machine/program.h"

#include "base/hash.h"
#include "base/map.h"
#include "trace/format.h"

/* What the two passes know of each thread. */
struct thread_cursor {
    uint32_t next;  /* the operation to fill next */
    uint32_t begun; /* event of a pre that waits for its end, or FORE_NO_EVENT */
};

/* Sends of a channel whose receives have not come yet, first to last: `link` leads on. */
struct sent {
    uint32_t first, last;
};

struct builder {
    struct fore_program *p;
    const struct fore_trace *t;
    struct thread_cursor *at;
    struct sent *sent; /* by channel */
    struct fore_map
        open;          /* key of a message -> operation that waits for its other side */
    size_t early;      /* receives in `open` */
    uint32_t *list_at; /* place -> the list of cases that was last offered there */
    struct fore_map woken; /* condition -> the last signal or broadcast without a name */
    struct fore_map waiters; /* condition -> how many wait << 32 | of them, were woken */
    uint32_t *
        writer; /* place, timer -> operation that wrote, armed, fired it last, plus one */
    int64_t *count;   /* semaphore -> released minus acquired */
    bool one_outside; /* some outside thing is not known: it may be any of them */
    bool filling;     /* the second pass */
};

static bool begins_operation(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
}

/* Does `e` end what `pre` announced? */
static bool ends(const struct fore_event *pre, const struct fore_event *e)
{
    if (pre->kind == FORE_EV_PRE)
        return e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV ||
               e->kind == FORE_EV_SELECT;
    if (pre->kind == FORE_EV_CWAIT) /* it announces that it wants to be woken */
        return e->kind == FORE_EV_CWOKEN && e->object == pre->object;
    return e->kind == pre->kind && !begins_operation(e) && e->object == pre->object &&
           (e->kind != FORE_EV_JOIN || e->a == pre->a);
}

static bool may_follow_wait(const struct fore_event *e)
{
    return e->kind == FORE_EV_END || e->kind == FORE_EV_EXIT || e->kind == FORE_EV_PANIC;
}

static enum fore_status contradiction(const struct builder *b, const struct fore_event *e,
                                      const char *what, struct fore_err *err)
{
    struct fore_strbuf s = FORE_STRBUF_INIT, place = FORE_STRBUF_INIT;
    fore_event_text(&b->t->tables, e, b->t->cases.at, &s);
    fore_tables_place(&b->t->tables, e->where, &place);
    enum fore_status st =
        fore_fail(err, FORE_MEANING, "%s: thread %s: %s%s%s: %s", b->t->name,
                  fore_tables_label(&b->t->tables, e->thread), s.at,
                  place.n ? " at " : "", place.at, what);
    fore_strbuf_release(&s);
    fore_strbuf_release(&place);
    return st;
}

/* Is what an operation offered another thing than what it did? */
static bool offers_more(const struct fore_event *pre, const struct fore_event *e)
{
    bool send = pre->flags & FORE_F_SEND;
    return pre->flags & FORE_F_CASES ||
           (pre != e && pre->kind == FORE_EV_PRE &&
            (pre->object != e->object || send != (e->kind == FORE_EV_SEND)));
}

/* The list of what a select offers: mostly that of the last one at its place. */
static uint32_t list_of(struct builder *b, const struct fore_event *pre)
{
    struct fore_program *p = b->p;
    uint32_t *last = &b->list_at[pre->where];
    const struct fore_case *cases = b->t->cases.at;
    const struct fore_case_list *l = &p->lists.at[*last];
    if (!*last || l->n != pre->b ||
        memcmp(cases + l->first, cases + pre->a, l->n * sizeof *cases) != 0) {
        *last = (uint32_t)p->lists.n;
        fore_vec_push(&p->lists,
                      (struct fore_case_list){(uint32_t)pre->a, (uint32_t)pre->b});
    }
    return *last;
}

static void measure_cases(struct fore_program *p, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    uint32_t *w = &p->width[fore_insn_thread(p, op)];
    if (n > *w)
        *w = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_SEND && c[i].chan)
            p->puts[c[i].chan]++;
}

static uint32_t add_operation(struct builder *b, uint32_t thread, uint32_t pre,
                              uint32_t done)
{
    uint32_t op = b->at[thread].next++;
    if (!b->filling)
        return op;
    const struct fore_event *events = b->t->events.at;
    const struct fore_event *e = &events[done != FORE_NO_EVENT ? done : pre];
    const struct fore_event *first = pre != FORE_NO_EVENT ? &events[pre] : e;
    bool cases = pre != FORE_NO_EVENT && offers_more(first, e);
    bool select = first->kind == FORE_EV_PRE && first->flags & FORE_F_CASES;
    b->p->ops[op] =
        (struct fore_insn){.pre = pre,
                           .done = done,
                           .link = FORE_NO_OP,
                           .thread = thread,
                           .object = e->object,
                           .kind = e->kind,
                           .flags = (uint16_t)(e->flags | (cases ? FORE_F_CASES : 0)),
                           .where = first->where ? first->where : e->where,
                           .cases = select ? list_of(b, first) : 0};
    if (fore_insn_offers(b->p, op))
        measure_cases(b->p, op);
    return op;
}

/* A wait that never ended: only the end of the thread may follow. */
static enum fore_status leave_open(struct builder *b, const struct fore_event *e,
                                   struct fore_err *err)
{
    struct thread_cursor *c = &b->at[e->thread];
    if (!may_follow_wait(e) && !b->t->torn && !b->t->lost)
        return contradiction(
            b, e, "the thread goes on, but what it waited for never came", err);
    add_operation(b, e->thread, c->begun, FORE_NO_EVENT);
    c->begun = FORE_NO_EVENT;
    return FORE_OK;
}

/* One event, in either pass. `*op` is the operation that it ends, or FORE_NO_OP. */
static enum fore_status scan_operation(struct builder *b, uint32_t i, uint32_t *op,
                                       struct fore_err *err)
{
    const struct fore_event *e = &b->t->events.at[i];
    struct thread_cursor *c = &b->at[e->thread];
    *op = FORE_NO_OP;
    if (c->begun != FORE_NO_EVENT && !ends(&b->t->events.at[c->begun], e))
        FORE_TRY(leave_open(b, e, err));
    if (begins_operation(e)) {
        c->begun = i;
        return FORE_OK;
    }
    *op = add_operation(b, e->thread, c->begun, i);
    c->begun = e->kind == FORE_EV_CWAIT ? i : FORE_NO_EVENT;
    return FORE_OK;
}

static void finish_threads(struct builder *b)
{
    for (uint32_t t = 1; t <= b->p->threads; t++)
        if (b->at[t].begun != FORE_NO_EVENT) {
            add_operation(b, t, b->at[t].begun, FORE_NO_EVENT);
            b->at[t].begun = FORE_NO_EVENT;
        }
}

static uint64_t message_key(const struct fore_program *p, const struct fore_event *e)
{
    uint64_t h = fore_hash_u64((uint64_t)e->object << 32); /* never like a number's */
    if (fore_chan_capacity(p, e->object))
        return fore_hash_mix(h, e->a);
    bool send = e->kind == FORE_EV_SEND;
    h = fore_hash_mix(h, send ? e->thread : e->a);
    return fore_hash_mix(h, send ? e->a : e->b);
}

static void couple(struct fore_program *p, uint32_t a, uint32_t b)
{
    p->ops[a].link = b;
    p->ops[b].link = a;
}

/* Is `e` the receive of this send? */
static bool receives(const struct builder *b, const struct fore_event *e, uint32_t send)
{
    const struct fore_event *s = fore_insn_event(b->p, send);
    return fore_chan_capacity(b->p, e->object) ? s->a == e->a
                                               : s->thread == e->a && s->a == e->b;
}

static void link_send(struct builder *b, const struct fore_event *e, uint32_t op)
{
    struct sent *x = &b->sent[e->object];
    uint64_t key = b->early ? message_key(b->p, e) : 0;
    uint64_t *other = b->early ? fore_map_get(&b->open, key) : NULL;
    if (other && b->p->ops[*other].kind == FORE_EV_RECV) {
        couple(b->p, op, (uint32_t)*other);
        fore_map_remove(&b->open, key);
        b->early--;
        return;
    }
    if (x->first == FORE_NO_OP)
        x->first = op;
    else
        b->p->ops[x->last].link = op;
    x->last = op;
}

/* Nearly always the first that was sent is received first. If not, all go to `open`. */
static void link_receive(struct builder *b, const struct fore_event *e, uint32_t op)
{
    struct sent *x = &b->sent[e->object];
    uint32_t send = x->first;
    if (send != FORE_NO_OP && receives(b, e, send)) {
        x->first = b->p->ops[send].link;
        couple(b->p, op, send);
        return;
    }
    bool fresh;
    while (x->first != FORE_NO_OP) {
        send = x->first;
        x->first = b->p->ops[send].link;
        b->p->ops[send].link = FORE_NO_OP;
        uint64_t *at = fore_map_put(
            &b->open, message_key(b->p, fore_insn_event(b->p, send)), &fresh);
        if (fresh)
            *at = send;
    }
    uint64_t key = message_key(b->p, e), *other = fore_map_put(&b->open, key, &fresh);
    if (fresh) {
        *other = op;
        b->early++;
    } else if (b->p->ops[*other].kind == FORE_EV_SEND) {
        couple(b->p, op, (uint32_t)*other);
        fore_map_remove(&b->open, key);
    }
}

static void link_message(struct builder *b, const struct fore_event *e, uint32_t op)
{
    if (e->flags & FORE_F_CLOSED || !e->object)
        return;
    if (e->kind == FORE_EV_SEND)
        link_send(b, e, op);
    else
        link_receive(b, e, op);
}

/* What is still under way has no other side. Was there any? */
static bool unlink_sent(struct builder *b)
{
    bool any = b->open.n != 0;
    for (uint32_t x = 1; x <= b->p->objects; x++)
        for (uint32_t op = b->sent[x].first, next; op != FORE_NO_OP; op = next) {
            next = b->p->ops[op].link;
            b->p->ops[op].link = FORE_NO_OP;
            any = true;
        }
    return any;
}

static void link_memory(struct builder *b, const struct fore_event *e, uint32_t op)
{
    if (e->kind != FORE_EV_WRITE && b->writer[e->object])
        b->p->ops[op].link = b->writer[e->object] - 1;
    if (e->kind != FORE_EV_READ)
        b->writer[e->object] = op + 1;
}

/* An attempt that found the lock taken has found its latest acquisition. */
static void link_lock(struct builder *b, uint32_t lock, uint32_t op)
{
    uint32_t *last = &b->writer[lock];
    if (!(b->p->ops[op].flags & FORE_F_BUSY))
        *last = op + 1;
    else if (*last)
        b->p->ops[op].link = *last - 1;
}

/* Keys of `woken` that name a thread lie above those that are conditions. */
static uint64_t woken_key(const struct fore_event *e, uint64_t thread)
{
    return (uint64_t)e->object | thread << 32;
}

/* False if it woke without a signal, as conditions may. */
static bool count_waiters(struct builder *b, const struct fore_event *e)
{
    uint64_t *n = fore_map_put(&b->waiters, e->object, NULL);
    uint64_t waiting = *n >> 32, woken = (uint32_t)*n;
    bool signalled = e->kind != FORE_EV_CWOKEN || woken > 0;
    if (e->kind == FORE_EV_CWAIT)
        waiting++;
    else if (e->kind == FORE_EV_CBROADCAST)
        woken = waiting;
    else if (e->kind == FORE_EV_CSIGNAL)
        woken += woken < waiting;
    else
        woken -= woken > 0, waiting -= waiting > 0;
    *n = waiting << 32 | woken;
    return signalled;
}

/* It did not wait yet when it was signalled: it woke by itself, or took what was meant for another. */
static bool is_signalled_before(const struct builder *b, uint32_t op, uint32_t signal)
{
    const struct fore_insn *ops = b->p->ops;
    uint32_t first = b->p->first[ops[op].thread];
    return op > first && ops[op - 1].kind == FORE_EV_CWAIT &&
           ops[signal].done < ops[op - 1].done;
}

static void link_condition(struct builder *b, const struct fore_event *e, uint32_t op)
{
    bool signalled = count_waiters(b, e);
    if (e->kind == FORE_EV_CBROADCAST || (e->kind == FORE_EV_CSIGNAL && !e->a))
        *fore_map_put(&b->woken, woken_key(e, 0), NULL) = op;
    else if (e->kind == FORE_EV_CSIGNAL)
        *fore_map_put(&b->woken, woken_key(e, e->a), NULL) = op;
    if (e->kind != FORE_EV_CWOKEN || !signalled)
        return;
    uint64_t *by = fore_map_get(&b->woken, woken_key(e, e->thread));
    if (!by)
        by = fore_map_get(&b->woken, woken_key(e, 0));
    if (!by || is_signalled_before(b, op, (uint32_t)*by))
        return;
    b->p->ops[op].link = (uint32_t)*by;
    struct fore_insn *signal = &b->p->ops[*by];
    if (fore_insn_event(b->p, (uint32_t)*by)->kind == FORE_EV_CSIGNAL)
        signal->link = op;
}

static void link_semaphore(struct builder *b, const struct fore_event *e)
{
    enum { MOST_UNITS = 64 }; /* of one operation that are told apart */
    if (e->kind == FORE_EV_RELEASE)
        b->p->puts[e->object] += (uint32_t)(e->a < MOST_UNITS ? e->a : MOST_UNITS);
    int64_t *n = &b->count[e->object], by = (int64_t)e->a;
    *n += e->kind == FORE_EV_RELEASE ? by : -by;
    const struct fore_object *o = &b->t->tables.objects.at[e->object];
    if (o->init.type != FORE_VALUE_INT && -*n > b->p->initial[e->object])
        b->p->initial[e->object] = -*n;
}

/* Who runs a once holds a lock of it until it has run: the one given back right before. */
static void link_once(struct builder *b, const struct fore_event *e, uint32_t op)
{
    const struct fore_insn *ran = &b->p->ops[op], *before = ran - 1;
    if (!(e->flags & FORE_F_BUSY) && op > b->p->first[e->thread] && ran->where &&
        before->kind == FORE_EV_UNLOCK && before->where == ran->where)
        b->p->initial[e->object] = before->object;
}

/* The firings of a timer come one after the other, each with what it does: a tick is sent before
 * the next one fires. */
static void link_timer(struct builder *b, const struct fore_event *e, uint32_t op)
{
    uint32_t *last = &b->writer[e->object];
    if (e->kind == FORE_EV_FIRE && *last) {
        const struct fore_event *before = fore_insn_event(b->p, *last - 1);
        bool fired = before->kind == FORE_EV_FIRE && before->thread != e->thread;
        b->p->ops[op].link = fired ? b->at[before->thread].next - 1 : *last - 1;
    }
    *last = op + 1;
}

/* What goes to one thing and comes from it keeps its order. */
static void link_outside(struct builder *b, const struct fore_event *e, uint32_t op)
{
    uint32_t *last = &b->writer[b->one_outside ? 0 : e->object];
    b->p->ops[op].link = *last ? *last - 1 : FORE_NO_OP;
    *last = op + 1;
}

static enum fore_status link_creation(struct builder *b, const struct fore_event *e,
                                      uint32_t op, struct fore_err *err)
{
    if (!e->a || e->a > b->p->threads)
        return contradiction(b, e, "there is no such thread", err);
    if (b->p->gate[e->a] != FORE_NO_OP)
        return contradiction(b, e, "the thread was created before", err);
    b->p->gate[e->a] = op;
    return FORE_OK;
}

static enum fore_status link_event(struct builder *b, uint32_t op, struct fore_err *err)
{
    const struct fore_event *e = fore_insn_event(b->p, op);
    switch (e->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
        return link_creation(b, e, op, err);
    case FORE_EV_SEND:
    case FORE_EV_RECV:
        link_message(b, e, op);
        break;
    case FORE_EV_READ:
    case FORE_EV_WRITE:
    case FORE_EV_RMW:
        link_memory(b, e, op);
        break;
    case FORE_EV_LOCK:
    case FORE_EV_TRYLOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_TRYRLOCK:
        link_lock(b, e->object, op);
        break;
    case FORE_EV_CWAIT:
    case FORE_EV_CSIGNAL:
    case FORE_EV_CBROADCAST:
    case FORE_EV_CWOKEN:
        link_condition(b, e, op);
        if (e->kind == FORE_EV_CWOKEN)
            link_lock(b, (uint32_t)e->a, op);
        break;
    case FORE_EV_ACQUIRE:
    case FORE_EV_RELEASE:
        link_semaphore(b, e);
        break;
    case FORE_EV_ONCE:
        link_once(b, e, op);
        break;
    case FORE_EV_ARM:
    case FORE_EV_FIRE:
        link_timer(b, e, op);
        break;
    case FORE_EV_IN:
    case FORE_EV_OUT:
        link_outside(b, e, op);
        break;
    case FORE_EV_ASEND:
        *fore_map_put(&b->open, fore_hash_mix(1, e->a), NULL) = op;
        break;
    case FORE_EV_ARECV: {
        uint64_t *from = fore_map_get(&b->open, fore_hash_mix(1, e->a));
        b->p->ops[op].link = from ? (uint32_t)*from : FORE_NO_OP;
        break;
    }
    default:
        break;
    }
    return FORE_OK;
}

static void reset_cursors(struct builder *b)
{
    for (uint32_t t = 0; t <= b->p->threads; t++) {
        b->at[t].begun = FORE_NO_EVENT;
        b->at[t].next = b->filling ? b->p->first[t] : 0;
    }
}

/* First pass: how many operations each thread has. */
static enum fore_status count_ops(struct builder *b, struct fore_err *err)
{
    uint32_t op;
    reset_cursors(b);
    for (uint32_t i = 0; i < b->t->events.n; i++)
        FORE_TRY(scan_operation(b, i, &op, err));
    finish_threads(b);
    uint32_t sum = 0;
    for (uint32_t t = 0; t <= b->p->threads; t++) {
        b->p->first[t] = sum;
        sum += b->at[t].next;
    }
    b->p->first[b->p->threads + 1] = sum;
    b->p->op_count = sum;
    b->p->ops = fore_calloc((size_t)sum + 1, sizeof *b->p->ops);
    return FORE_OK;
}

static enum fore_status fill_ops(struct builder *b, struct fore_err *err)
{
    b->filling = true;
    reset_cursors(b);
    for (uint32_t i = 0; i < b->t->events.n; i++) {
        uint32_t op;
        FORE_TRY(scan_operation(b, i, &op, err));
        if (op != FORE_NO_OP)
            FORE_TRY(link_event(b, op, err));
    }
    finish_threads(b);
    return FORE_OK;
}

/* A buffer for one message, from which a later one was received than the one that was put before:
 * that one was taken out again, as stopping a timer does. Walks the events back to front. */
static void find_dropped(struct builder *b)
{
    struct fore_program *p = b->p;
    bool *passed = fore_calloc((size_t)p->objects + 1, sizeof *passed);
    for (uint32_t t = 1; t <= p->threads; t++)
        b->at[t].next = p->first[t + 1];
    for (size_t i = b->t->events.n; i-- > 0;) {
        const struct fore_event *e = &b->t->events.at[i];
        uint32_t *next = &b->at[e->thread].next;
        while (*next > p->first[e->thread] && p->ops[*next - 1].done == FORE_NO_EVENT)
            --*next;
        if (*next == p->first[e->thread] || p->ops[*next - 1].done != i)
            continue;
        uint32_t op = --*next;
        if (e->kind != FORE_EV_SEND || e->flags & FORE_F_CLOSED ||
            fore_chan_capacity(p, e->object) != 1)
            continue;
        if (p->ops[op].link != FORE_NO_OP)
            passed[e->object] = true;
        else if (passed[e->object])
            p->ops[op].link = op;
    }
    fore_free(passed);
}

static enum fore_status check_receives(const struct builder *b, struct fore_err *err)
{
    if (b->t->torn || b->t->lost)
        return FORE_OK;
    for (uint32_t op = 0; op < b->p->op_count; op++) {
        const struct fore_insn *o = &b->p->ops[op];
        if (o->kind == FORE_EV_RECV && !(o->flags & FORE_F_CLOSED) &&
            o->link == FORE_NO_OP)
            return contradiction(b, fore_insn_event(b->p, op), "nobody sent this message",
                                 err);
    }
    return FORE_OK;
}

static void allocate(struct builder *b)
{
    struct fore_program *p = b->p;
    size_t threads = (size_t)p->threads + 1, objects = (size_t)p->objects + 1;
    p->first = fore_calloc(threads + 1, sizeof *p->first);
    p->gate = fore_alloc(threads * sizeof *p->gate);
    memset(p->gate, 0xff, threads * sizeof *p->gate);
    p->width = fore_calloc(threads, sizeof *p->width);
    p->puts = fore_calloc(objects, sizeof *p->puts);
    p->initial = fore_calloc(objects, sizeof *p->initial);
    for (uint32_t i = 1; i <= p->objects; i++)
        if (b->t->tables.objects.at[i].init.type == FORE_VALUE_INT)
            p->initial[i] = (int64_t)b->t->tables.objects.at[i].init.bits;
    fore_vec_push(&p->lists, (struct fore_case_list){0, 0});
    b->at = fore_calloc(threads, sizeof *b->at);
    b->sent = fore_alloc(objects * sizeof *b->sent);
    memset(b->sent, 0xff, objects * sizeof *b->sent);
    b->list_at = fore_calloc(b->t->tables.wheres.n + 1, sizeof *b->list_at);
    b->writer = fore_calloc(objects, sizeof *b->writer);
    b->count = fore_calloc(objects, sizeof *b->count);
}

static void release_builder(struct builder *b)
{
    fore_map_release(&b->open);
    fore_map_release(&b->woken);
    fore_map_release(&b->waiters);
    fore_free(b->at);
    fore_free(b->sent);
    fore_free(b->list_at);
    fore_free(b->writer);
    fore_free(b->count);
}

/* What is known of the recording itself. */
static void look_at_recording(struct builder *b)
{
    struct fore_program *p = b->p;
    p->blind = p->ledger = !fore_trace_sees(b->t, FORE_SEES_MEMORY);
    p->ends = b->t->tables.sees & FORE_SEES_DECLARED && !b->t->tables.endless;
    for (size_t i = 0; i < b->t->events.n; i++) {
        const struct fore_event *e = &b->t->events.at[i];
        p->marked |= e->kind == FORE_EV_USE;
        p->ledger |= e->kind == FORE_EV_IN || e->kind == FORE_EV_OUT;
        b->one_outside |= !e->object && (e->kind == FORE_EV_IN || e->kind == FORE_EV_OUT);
    }
}

enum fore_status fore_program_build(struct fore_program *p, const struct fore_trace *t,
                                    struct fore_err *e)
{
    struct builder b = {.p = p, .t = t};
    *p = (struct fore_program){.trace = t,
                               .threads = (uint32_t)t->tables.threads.n - 1,
                               .objects = (uint32_t)t->tables.objects.n - 1};
    if (t->events.n >= FORE_NO_EVENT)
        return fore_fail(e, FORE_LIMIT, "%s: more than 2^32 - 2 events", t->name);
    allocate(&b);
    look_at_recording(&b);
    enum fore_status st = count_ops(&b, e);
    if (st == FORE_OK)
        st = fill_ops(&b, e);
    bool open = st == FORE_OK && unlink_sent(&b);
    if (open)
        st = check_receives(&b, e);
    if (open && st == FORE_OK)
        find_dropped(&b);
    release_builder(&b);
    if (st != FORE_OK)
        fore_program_release(p);
    return st;
}

void fore_program_release(struct fore_program *p)
{
    fore_free(p->ops);
    fore_free(p->first);
    fore_free(p->gate);
    fore_free(p->width);
    fore_free(p->puts);
    fore_free(p->initial);
    fore_free(p->causes);
    fore_vec_release(&p->lists);
    *p = (struct fore_program){0};
}

/* Of a select, of an offer that was never taken up, of a default. */
const struct fore_case *fore_insn_rare_cases(const struct fore_program *p, uint32_t op,
                                             struct fore_case *one, size_t *n)
{
    const struct fore_event *e = fore_insn_pre(p, op);
    if (e->kind == FORE_EV_PRE)
        return fore_trace_cases(p->trace, e, one, n);
    /* Without its pre: what was done is all that we know it offered. */
    *one = (struct fore_case){e->object, FORE_CASE_RECV};
    if (e->kind == FORE_EV_SEND)
        one->kind = FORE_CASE_SEND;
    if (e->kind == FORE_EV_SELECT)
        one->kind = e->flags & FORE_F_TIMEOUT ? FORE_CASE_TIMEOUT : FORE_CASE_DEFAULT;
    *n = 1;
    return one;
}

bool fore_insn_has_case(const struct fore_program *p, uint32_t op, uint32_t chan,
                        enum fore_case_kind kind)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == kind && c[i].chan == chan)
            return true;
    return false;
}

/* A wait for a condition is announced by the wait itself, which is an operation of its own. */
static bool has_own_pre(const struct fore_program *p, uint32_t op)
{
    uint32_t pre = p->ops[op].pre;
    return pre != FORE_NO_EVENT && (p->trace->events.at[pre].kind != FORE_EV_CWAIT);
}

uint64_t fore_insn_event_index(const struct fore_program *p, uint32_t op, bool announced)
{
    uint64_t n = 0;
    for (uint32_t i = p->first[fore_insn_thread(p, op)]; i < op; i++)
        n += has_own_pre(p, i) + (p->ops[i].done != FORE_NO_EVENT);
    const struct fore_insn *o = &p->ops[op];
    if (announced && o->pre != FORE_NO_EVENT)
        return n - !has_own_pre(p, op);
    return n + (has_own_pre(p, op) && o->done != FORE_NO_EVENT);
}

uint32_t fore_program_op_at(const struct fore_program *p, uint32_t thread, uint32_t at)
{
    uint32_t low = p->first[thread], high = p->first[thread + 1];
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct fore_insn *o = &p->ops[mid];
        if ((o->done != FORE_NO_EVENT ? o->done : o->pre) < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
