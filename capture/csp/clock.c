#include "capture/csp/clock.h"

#include "capture/csp/chan.h"
#include "capture/csp/panic.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOG = 1 << 14,  /* entries of a process's log, which then begins again */
    ON_STACK = 512, /* bytes of an element that is built without allocating */
};

/* The clocks of events go to a log; the experiment includes writing it, not reading it. */
struct fore_vclock {
    uint32_t *at;
    size_t n;
    foresee_chan *answers;
    uint32_t *log;
    size_t logged;
};

/* What a message carries after its element. */
struct baggage {
    uint32_t *clock;
    size_t n;
    foresee_chan *answers;
};

static void *need(void *p)
{
    if (!p)
        fore_csp_fatal("out of memory for vector clocks");
    return p;
}

static struct fore_vclock *clock_new(void)
{
    struct fore_vclock *k = need(calloc(1, sizeof *k));
    k->answers = fore_chan_make(sizeof(struct baggage), 0);
    k->log = need(malloc(LOG * sizeof *k->log));
    return k;
}

static void widen_clock(struct fore_vclock *k, size_t n)
{
    if (n <= k->n)
        return;
    k->at = need(realloc(k->at, n * sizeof *k->at));
    memset(k->at + k->n, 0, (n - k->n) * sizeof *k->at);
    k->n = n;
}

static void step_clock(struct fore_proc *p)
{
    widen_clock(p->clock, p->id);
    p->clock->at[p->id - 1]++;
}

static void join_clock(struct fore_vclock *into, const uint32_t *from, size_t n)
{
    widen_clock(into, n);
    for (size_t i = 0; i < n; i++)
        if (into->at[i] < from[i])
            into->at[i] = from[i];
}

static struct baggage pack_baggage(const struct fore_vclock *k, foresee_chan *answers)
{
    struct baggage b = {need(malloc(k->n * sizeof *k->at)), k->n, answers};
    memcpy(b.clock, k->at, k->n * sizeof *k->at);
    return b;
}

static void log_event(struct fore_vclock *k)
{
    size_t n = k->n < LOG ? k->n : LOG;
    if (k->logged + n > LOG)
        k->logged = 0;
    memcpy(k->log + k->logged, k->at, n * sizeof *k->at);
    k->logged += n;
}

bool fore_clock_start(void)
{
    fore_csp.main.clock = clock_new();
    step_clock(&fore_csp.main);
    return true;
}

static size_t aligned(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

size_t fore_clock_size(size_t size)
{
    return aligned(size) + sizeof(struct baggage);
}

void fore_clock_inherit(struct fore_proc *parent, struct fore_proc *child)
{
    child->clock = clock_new();
    join_clock(child->clock, parent->clock->at, parent->clock->n);
    step_clock(parent);
    step_clock(child);
}

void fore_clock_drop(struct fore_proc *p)
{
    foresee_free(p->clock->answers);
    free(p->clock->at);
    free(p->clock->log);
    free(p->clock);
    p->clock = NULL;
}

static void *element(char *few, const foresee_chan *c)
{
    return c->size <= ON_STACK ? few : need(malloc(c->size));
}

static struct baggage *baggage_of(void *element, const foresee_chan *c)
{
    return (struct baggage *)((char *)element + c->size - sizeof(struct baggage));
}

void fore_clock_send(foresee_chan *c, const void *value, foresee_at at)
{
    _Alignas(8) char few[ON_STACK];
    struct fore_proc *p = fore_csp.current;
    struct baggage answer;
    char *m = element(few, c);
    step_clock(p);
    if (value)
        memcpy(m, value, c->plain);
    *baggage_of(m, c) = pack_baggage(p->clock, c->capacity ? NULL : p->clock->answers);
    fore_chan_send(c, m, at);
    if (!c->capacity) { /* a buffered send does not wait for its receiver */
        fore_chan_recv(p->clock->answers, &answer, at);
        join_clock(p->clock, answer.clock, answer.n);
        free(answer.clock);
    }
    log_event(p->clock);
    if (m != few)
        free(m);
}

bool fore_clock_recv(foresee_chan *c, void *value, foresee_at at)
{
    _Alignas(8) char few[ON_STACK];
    struct fore_proc *p = fore_csp.current;
    char *m = element(few, c);
    bool ok = fore_chan_recv(c, m, at);
    step_clock(p);
    if (value)
        memcpy(value, m, c->plain);
    if (ok) {
        struct baggage *b = baggage_of(m, c);
        if (b->answers) {
            struct baggage mine = pack_baggage(p->clock, NULL);
            fore_chan_send(b->answers, &mine, at);
        }
        join_clock(p->clock, b->clock, b->n);
        free(b->clock);
    }
    log_event(p->clock);
    if (m != few)
        free(m);
    return ok;
}
