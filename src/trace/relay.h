/* Hands the events of a source to another thread, so that a trace is read and its events are
 * processed side by side. The sink behind it must not look at the tables before its end, because
 * the source still fills them. */
#ifndef FORE_TRACE_RELAY_H
#define FORE_TRACE_RELAY_H

#include "base/vec.h"
#include "trace/sink.h"

#include <pthread.h>

enum { FORE_RELAY_BATCHES = 16 };

struct fore_relay_batch {
    FORE_VEC(struct fore_event) events;
    FORE_VEC(struct fore_case) cases;
};

struct fore_relay {
    struct fore_sink sink;
    struct fore_sink *to;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fore_relay_batch batches[FORE_RELAY_BATCHES];
    size_t pushed, taken;
    bool running, over; /* whether the thread was started; whether the source has ended */
    bool stopped;       /* `to` has had enough */
};

/* If no second thread can be started, events go to `to` at once. */
void fore_relay_init(struct fore_relay *r, struct fore_sink *to);
/* Waits for the other thread, if the source did not end. */
void fore_relay_release(struct fore_relay *r);

#endif
