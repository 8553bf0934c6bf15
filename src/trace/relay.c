#include "trace/relay.h"

/* ---- the other thread ---- */

static struct fore_relay_batch *next_batch(struct fore_relay *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->taken == r->pushed && !r->over)
        pthread_cond_wait(&r->changed, &r->lock);
    bool any = r->taken < r->pushed;
    pthread_mutex_unlock(&r->lock);
    return any ? &r->batches[r->taken % FORE_RELAY_BATCHES] : NULL;
}

static void *take_batches(void *arg)
{
    struct fore_relay *r = arg;
    struct fore_relay_batch *x;
    bool stopped = false;
    while ((x = next_batch(r))) {
        struct fore_batch b = {NULL, x->events.at, x->events.n, x->cases.at, false};
        stopped = stopped || r->to->events(r->to, &b) == FORE_STOP;
        pthread_mutex_lock(&r->lock);
        r->taken++;
        r->stopped = stopped;
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(&r->lock);
    }
    return NULL;
}

/* ---- the source's thread ---- */

static void copy_batch(struct fore_relay_batch *to, const struct fore_batch *from)
{
    size_t cases = 0;
    fore_vec_clear(&to->events);
    fore_vec_clear(&to->cases);
    memcpy(fore_vec_extend(&to->events, from->n), from->events,
           from->n * sizeof *from->events);
    for (size_t i = 0; i < from->n; i++)
        if (from->events[i].flags & FORE_F_CASES &&
            from->events[i].a + from->events[i].b > cases)
            cases = (size_t)(from->events[i].a + from->events[i].b);
    if (cases)
        memcpy(fore_vec_extend(&to->cases, cases), from->cases,
               cases * sizeof *from->cases);
}

static enum fore_flow relay_batch(struct fore_sink *s, const struct fore_batch *b)
{
    struct fore_relay *r = (struct fore_relay *)s;
    if (!r->running)
        return r->to->events(r->to, b);
    pthread_mutex_lock(&r->lock);
    while (r->pushed - r->taken == FORE_RELAY_BATCHES)
        pthread_cond_wait(&r->changed, &r->lock);
    bool stopped = r->stopped;
    pthread_mutex_unlock(&r->lock);
    copy_batch(&r->batches[r->pushed % FORE_RELAY_BATCHES], b);
    pthread_mutex_lock(&r->lock);
    r->pushed++;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return stopped ? FORE_STOP : FORE_CONTINUE;
}

static void finish_relay(struct fore_relay *r)
{
    if (!r->running)
        return;
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    r->running = false;
}

static enum fore_status relay_end(struct fore_sink *s, const struct fore_trace_end *end,
                                  struct fore_err *e)
{
    struct fore_relay *r = (struct fore_relay *)s;
    finish_relay(r);
    return r->to->end(r->to, end, e);
}

void fore_relay_init(struct fore_relay *r, struct fore_sink *to)
{
    *r = (struct fore_relay){.sink = {relay_batch, relay_end}, .to = to};
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->running = pthread_create(&r->thread, NULL, take_batches, r) == 0;
}

void fore_relay_release(struct fore_relay *r)
{
    finish_relay(r);
    for (size_t i = 0; i < FORE_RELAY_BATCHES; i++) {
        fore_vec_release(&r->batches[i].events);
        fore_vec_release(&r->batches[i].cases);
    }
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
}
