#include "causal/pass_state.h"

static struct fore_pass_message *queue_put(struct fore_pass_queue *q)
{
    if (q->head > 16 && q->head > q->v.n / 2) {
        memmove(q->v.at, q->v.at + q->head, (q->v.n - q->head) * sizeof *q->v.at);
        q->v.n -= q->head;
        q->head = 0;
    }
    fore_vec_ensure(&q->v, q->v.n + 1);
    return &fore_vec_last(&q->v);
}

static void queue_pop(struct fore_clocks *c, struct fore_pass_queue *q)
{
    fore_stamp_clear(c, &q->v.at[q->head++].stamp);
}

static struct fore_pass_channel *channel_of(struct fore_pass *p, uint32_t object)
{
    struct fore_pass_object *o = fore_pass_object(p, object);
    if (!o->more) {
        o->more = (uint32_t)p->channels.n;
        fore_vec_ensure(&p->channels, p->channels.n + 1);
    }
    return &p->channels.at[o->more];
}

static bool is_buffered_channel(const struct fore_pass *p, const struct fore_event *e)
{
    return p->tables->objects.at[e->object].capacity && !(e->flags & FORE_F_CLOSED);
}

/* The (k + capacity)-th send had to wait until the k-th receive had made room. */
static void send_learn(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_channel *c = channel_of(p, e->object);
    uint64_t capacity = p->tables->objects.at[e->object].capacity;
    if (c->sends < capacity)
        return;
    uint64_t made_room = c->sends - capacity;
    struct fore_pass_queue *q = &c->received;
    while (q->head < q->v.n && q->v.at[q->head].number <= made_room) {
        if (q->v.at[q->head].number == made_room)
            fore_pass_learn(p, e->thread, &q->v.at[q->head].stamp);
        queue_pop(p->clocks, q);
    }
}

static void receive_learn(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_channel *c = channel_of(p, e->object);
    struct fore_pass_queue *q = &c->sent;
    for (size_t i = q->head; i < q->v.n; i++) {
        if (q->v.at[i].number != e->a || !q->v.at[i].stamp.thread)
            continue;
        fore_pass_learn(p, e->thread, &q->v.at[i].stamp);
        fore_stamp_clear(p->clocks, &q->v.at[i].stamp); /* has been received */
        while (q->head < q->v.n && !q->v.at[q->head].stamp.thread)
            q->head++;
        return;
    }
}

/* Releases stay in the queue until their units are needed. */
void fore_pass_units_learn(struct fore_pass *p, const struct fore_event *e)
{
    const struct fore_object *o = &p->tables->objects.at[e->object];
    struct fore_pass_channel *c = channel_of(p, e->object);
    struct fore_gather *needed = &fore_pass_object(p, e->object)->many;
    uint64_t there = o->init.type == FORE_VALUE_INT ? o->init.bits : 0;
    struct fore_pass_queue *q = &c->sent;
    if (!(e->flags & FORE_F_BUSY))
        c->receives += e->a;
    while (q->head < q->v.n && there + q->v.at[q->head].number < c->receives) {
        fore_gather_add(p->clocks, needed, q->v.at[q->head].stamp);
        queue_pop(p->clocks, q);
    }
    fore_pass_learn_all(p, e->thread, needed);
}

void fore_pass_units_leave(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_pass_channel *c = channel_of(p, e->object);
    struct fore_pass_message *m = queue_put(&c->sent);
    m->number = c->sends;
    fore_stamp_put(p->clocks, &m->stamp, fore_pass_now(p, e->thread));
    c->sends += e->a;
}

void fore_pass_channel_learn(struct fore_pass *p, const struct fore_event *e)
{
    if (e->flags & FORE_F_CLOSED)
        fore_pass_learn(p, e->thread, &fore_pass_object(p, e->object)->last);
    else if (e->kind == FORE_EV_SEND && is_buffered_channel(p, e))
        send_learn(p, e);
    else if (e->kind == FORE_EV_RECV && is_buffered_channel(p, e))
        receive_learn(p, e);
}

void fore_pass_channel_leave(struct fore_pass *p, const struct fore_event *e)
{
    struct fore_stamp now = fore_pass_now(p, e->thread);
    if (e->kind == FORE_EV_CLOSE && !(e->flags & FORE_F_CLOSED)) {
        fore_stamp_put(p->clocks, &fore_pass_object(p, e->object)->last, now);
    } else if (e->kind == FORE_EV_SEND && is_buffered_channel(p, e)) {
        struct fore_pass_channel *c = channel_of(p, e->object);
        struct fore_pass_message *m = queue_put(&c->sent);
        m->number = e->a;
        fore_stamp_put(p->clocks, &m->stamp, now);
        c->sends++;
    } else if (e->kind == FORE_EV_RECV && is_buffered_channel(p, e)) {
        struct fore_pass_channel *c = channel_of(p, e->object);
        struct fore_pass_message *m = queue_put(&c->received);
        m->number = c->receives++;
        fore_stamp_put(p->clocks, &m->stamp, now);
    }
}

/* Both have the same clock afterwards, and so share it (definition 17 [goscout]). */
void fore_pass_pair(struct fore_pass *p, const struct fore_settled *send,
                    const struct fore_settled *recv)
{
    uint32_t i = send->event->thread, j = recv->event->thread;
    fore_pass_begin(p, send->event);
    fore_pass_begin(p, recv->event);
    struct fore_clock *mine = &p->threads.at[i].past, *other = &p->threads.at[j].past;
    if (i != j) {
        fore_clock_join(p->clocks, mine, *other);
        fore_clock_drop(p->clocks, other);
        fore_clock_raise(p->clocks, mine, i, p->threads.at[i].time);
        fore_clock_raise(p->clocks, mine, j, p->threads.at[j].time);
        *other = fore_clock_keep(p->clocks, *mine);
    }
    fore_pass_visit(p, send);
    fore_pass_visit(p, recv);
}
