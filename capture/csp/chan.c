#include "capture/csp/chan.h"

#include "capture/csp/clock.h"
#include "capture/csp/force.h"
#include "capture/csp/panic.h"

#include <stdlib.h>

foresee_chan *fore_chan_make(size_t size, size_t capacity)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, capacity, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(foresee_chan), &bytes))
        fore_csp_fatal("a channel's capacity is out of range");
    foresee_chan *c = malloc(bytes);
    if (!c)
        fore_csp_fatal("out of memory for a channel");
    *c = (foresee_chan){
        .size = size, .plain = size, .capacity = capacity, .buffer = (char *)(c + 1)};
    return c;
}

foresee_chan *foresee_make_at(size_t size, size_t capacity, const char *name,
                              foresee_at at)
{
    fore_csp_need();
    bool clocks = fore_csp.mode & FORE_CSP_CLOCKS;
    foresee_chan *c = fore_chan_make(clocks ? fore_clock_size(size) : size, capacity);
    c->plain = size;
    if (fore_csp.mode & FORE_CSP_TRACED)
        c->id = fore_record_object(FORE_RING_OBJ_CHAN, capacity, name, at);
    return c;
}

void foresee_free(foresee_chan *c)
{
    if (c && (c->senders.first || c->receivers.first))
        fore_csp_fatal("a channel is freed while a process waits on it");
    free(c);
}

size_t foresee_len(const foresee_chan *c)
{
    return c ? c->count : 0;
}

size_t foresee_cap(const foresee_chan *c)
{
    return c ? c->capacity : 0;
}

/* Joins a queue of c and waits there. */
static bool wait_in(struct foresee_queue *q, const foresee_chan *c, void *value,
                    enum fore_wait why, foresee_at at)
{
    struct fore_proc *p = fore_csp.current;
    struct foresee_waiter w;
    w.proc = p;
    w.value = value;
    w.word = NULL;
    if (fore_csp.mode & FORE_CSP_TRACED)
        w.word = fore_record_channel(
            p, why == FORE_WAIT_SEND ? FORE_RING_SEND_EVENT : FORE_RING_RECV_EVENT, 0, at,
            c->id, 0);
    p->waiters = &w;
    p->waiter_count = 1;
    fore_queue_push(q, &w);
    fore_proc_park(why, c, at);
    return w.ok;
}

void fore_chan_never(enum fore_wait why, foresee_at at)
{
    fore_csp.current->waiter_count = 0;
    for (;;)
        fore_proc_park(why, NULL, at);
}

_Noreturn static void send_on_closed(foresee_at at)
{
    foresee_panic_at("send on closed channel", at);
}

void fore_chan_send(foresee_chan *c, const void *value, foresee_at at)
{
    unsigned traced = fore_csp.mode & FORE_CSP_TRACED;
    if (FORE_UNLIKELY(!c)) {
        if (traced)
            fore_record_channel(fore_csp.current, FORE_RING_SEND_EVENT, 0, at, 0, 0);
        fore_chan_never(FORE_WAIT_SEND, at);
    }
    if (FORE_UNLIKELY(c->closed)) {
        if (traced)
            fore_record_channel(fore_csp.current, FORE_RING_SEND_EVENT,
                                FORE_RING_DONE | FORE_RING_CLOSED, at, c->id, 0);
        send_on_closed(at);
    }
    if (!c->receivers.first && c->count >= c->capacity) {
        if (!wait_in(&c->senders, c, (void *)(uintptr_t)value, FORE_WAIT_SEND, at))
            send_on_closed(at);
        return;
    }
    /* Recorded before its partner's operation: if the program is killed in between, one record
     * then says what happened, and the other waits. */
    if (traced)
        fore_record_channel(fore_csp.current, FORE_RING_SEND_EVENT, FORE_RING_DONE, at,
                            c->id, c->sent + 1);
    fore_chan_do_send(c, value);
}

bool fore_chan_recv(foresee_chan *c, void *value, foresee_at at)
{
    unsigned traced = fore_csp.mode & FORE_CSP_TRACED;
    if (FORE_UNLIKELY(!c)) {
        if (traced)
            fore_record_channel(fore_csp.current, FORE_RING_RECV_EVENT, 0, at, 0, 0);
        fore_chan_never(FORE_WAIT_RECV, at);
    }
    if (c->count || c->senders.first) {
        if (traced)
            fore_record_channel(fore_csp.current, FORE_RING_RECV_EVENT, FORE_RING_DONE,
                                at, c->id, c->received + 1);
        fore_chan_do_recv(c, value);
        return true;
    }
    if (FORE_LIKELY(!c->closed))
        return wait_in(&c->receivers, c, value, FORE_WAIT_RECV, at);
    if (value)
        memset(value, 0, c->size);
    if (traced)
        fore_record_channel(fore_csp.current, FORE_RING_RECV_EVENT,
                            FORE_RING_DONE | FORE_RING_CLOSED, at, c->id, 0);
    return false;
}

/* In a run on a schedule every operation waits for its turn. */
static void turn(unsigned kind, foresee_at at)
{
    if (fore_csp.mode & FORE_CSP_FORCED)
        fore_force_turn(kind, at);
}

void foresee_send_at(foresee_chan *c, const void *value, foresee_at at)
{
    fore_proc_enter();
    if (FORE_UNLIKELY(fore_csp.mode & ~(unsigned)FORE_CSP_TRACED)) {
        if (fore_csp.mode & FORE_CSP_CLOCKS && c) {
            fore_clock_send(c, value, at);
            return;
        }
        turn(FORE_RING_SEND_EVENT, at);
    }
    fore_chan_send(c, value, at);
}

bool foresee_recv_at(foresee_chan *c, void *value, foresee_at at)
{
    fore_proc_enter();
    if (FORE_UNLIKELY(fore_csp.mode & ~(unsigned)FORE_CSP_TRACED)) {
        if (fore_csp.mode & FORE_CSP_CLOCKS && c)
            return fore_clock_recv(c, value, at);
        turn(FORE_RING_RECV_EVENT, at);
    }
    return fore_chan_recv(c, value, at);
}

/* Processes that wait to receive get zeros; those that wait to send panic when they run. */
void foresee_close_at(foresee_chan *c, foresee_at at)
{
    struct fore_proc *p = fore_proc_enter();
    turn(FORE_RING_CLOSE_EVENT, at);
    if (!c)
        foresee_panic_at("close of nil channel", at);
    if (fore_csp.mode & FORE_CSP_TRACED)
        fore_record_with(p, FORE_RING_CLOSE_EVENT,
                         FORE_RING_DONE | (c->closed ? FORE_RING_CLOSED : 0), at, c->id,
                         0, c->sent, c->received);
    if (c->closed)
        foresee_panic_at("close of closed channel", at);
    c->closed = true;
    for (struct foresee_waiter *w; (w = c->receivers.first);) {
        if (w->value)
            memset(w->value, 0, c->size);
        fore_chan_commit(w, c, false, FORE_RING_CLOSED, 0);
    }
    for (struct foresee_waiter *w; (w = c->senders.first);)
        fore_chan_commit(w, c, false, FORE_RING_CLOSED | FORE_RING_SEND, 0);
}
