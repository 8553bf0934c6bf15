/* A channel from the inside: what send, receive and select share. */
#ifndef FORE_CSP_CHAN_H
#define FORE_CSP_CHAN_H

#include "capture/csp/record.h"

#include <string.h>

struct foresee_chan {
    size_t size;  /* size of an element as stored */
    size_t plain; /* size of an element as users see it */
    size_t capacity, head, count;
    char *buffer;
    struct foresee_queue senders, receivers;
    uint64_t sent, received; /* completed operations: their tickets */
    uint32_t id;
    bool closed;
};

static inline void fore_chan_copy(void *to, const void *from, size_t n)
{
    if (!to)
        return;
    switch (n) {
    case 0:
        return;
    case 4:
        memcpy(to, from, 4);
        return;
    case 8:
        memcpy(to, from, 8);
        return;
    default:
        memcpy(to, from, n);
    }
}

static inline bool fore_chan_can_send(const foresee_chan *c)
{
    return c->closed || c->receivers.first || c->count < c->capacity;
}

static inline bool fore_chan_can_recv(const foresee_chan *c)
{
    return c->count || c->senders.first || c->closed;
}

/* The record of which this is the last word; not for short records. */
static inline struct fore_ring_record *fore_record_of(uint64_t *word)
{
    return (struct fore_ring_record *)(word - 1);
}

/* Completes the operation of a process that waits in `w` on c. */
static inline void fore_chan_commit(struct foresee_waiter *w, const foresee_chan *c,
                                    bool ok, unsigned flags, uint64_t ticket)
{
    w->ok = ok;
    if (w->word && FORE_RING_KIND(*w->word) == FORE_RING_PRE) {
        fore_record_of(w->word)->object = c->id;
        fore_record_done(w->word, flags, ticket);
    } else if (w->word) {
        fore_record_commit(w->proc, w->word, flags & ~(unsigned)FORE_RING_SEND, ticket);
    }
    fore_proc_wake(w);
}

static inline char *fore_chan_slot(const foresee_chan *c, size_t i)
{
    size_t at = c->head + i;
    return c->buffer + (at < c->capacity ? at : at - c->capacity) * c->size;
}

/* Does a send that can complete now, on an open channel. Its ticket is sent + 1. */
static inline void fore_chan_do_send(foresee_chan *c, const void *value)
{
    c->sent++;
    struct foresee_waiter *w = c->receivers.first;
    if (w) {
        fore_chan_copy(w->value, value, c->size);
        fore_chan_commit(w, c, true, 0, ++c->received);
    } else {
        fore_chan_copy(fore_chan_slot(c, c->count++), value, c->size);
    }
}

/* Does a receive that can complete now, and finds an element. Its ticket is received + 1. */
static inline void fore_chan_do_recv(foresee_chan *c, void *value)
{
    struct foresee_waiter *w = c->senders.first;
    c->received++;
    if (c->count) {
        fore_chan_copy(value, c->buffer + c->head * c->size, c->size);
        c->head = c->head + 1 < c->capacity ? c->head + 1 : 0;
        c->count--;
        if (w)
            fore_chan_copy(fore_chan_slot(c, c->count++), w->value, c->size);
    } else if (w) {
        fore_chan_copy(value, w->value, c->size);
    }
    if (w)
        fore_chan_commit(w, c, true, FORE_RING_SEND, ++c->sent);
}

/* Is there nothing left to receive, ever? */
static inline bool fore_chan_drained(const foresee_chan *c)
{
    return c->closed && !c->count && !c->senders.first;
}

/* Like foresee_send_at and foresee_recv_at, but without the clocks. */
void fore_chan_send(foresee_chan *c, const void *value, foresee_at at);
bool fore_chan_recv(foresee_chan *c, void *value, foresee_at at);
foresee_chan *fore_chan_make(size_t size, size_t capacity);
/* Parks the current process for ever, in an operation on a nil channel. */
void fore_chan_never(enum fore_wait why, foresee_at at);

#endif
