/* Hands what a source pushes to another thread, so that reading a trace and what is done with
 * its events take place side by side. The sink behind it must not look at the tables before
 * its end: the source still fills them. */
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
    bool running, over; /* the thread was started; nothing more will come */
    bool stopped;       /* `to` has had enough */
};

/* Without a second thread to be had, events go to `to` at once. */
void fore_relay_init(struct fore_relay *r, struct fore_sink *to);
/* Waits for the other thread, if the end did not come. */
void fore_relay_release(struct fore_relay *r);

#endif
