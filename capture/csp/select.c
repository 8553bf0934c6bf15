#include "capture/csp/select.h"

#include "capture/csp/chan.h"
#include "capture/csp/force.h"
#include "capture/csp/panic.h"
#include "capture/csp/timer.h"

#include <stdlib.h>

enum {
    ON_STACK = 8,
    NONE = -1,
    RECORDED = 60, /* number of cases that fit into a chunk of the ring file */
    COUNTED = 20,  /* the same with counters */
};

_Static_assert((int)FORESEE_CASE_TIMEOUT == (int)FORE_RING_CASE_TIMEOUT &&
                   (int)FORESEE_CASE_SEND == (int)FORE_RING_CASE_SEND,
               "cases have the same numbers in the header and in the file");

/* A select in progress. */
struct fore_choice {
    const foresee_case *cases;
    size_t n;
    int fallback; /* index of default or timeout, or NONE */
    foresee_at at;
    struct fore_ring_record *record;
    size_t counted; /* number of cases whose channels' counters fit behind the cases */
};

static bool is_ready(const foresee_case *k)
{
    if (!k->chan)
        return false;
    return k->kind == FORESEE_CASE_SEND   ? fore_chan_can_send(k->chan)
           : k->kind == FORESEE_CASE_RECV ? fore_chan_can_recv(k->chan)
                                          : false;
}

/* Picks one of the ready cases, each with the same probability; NONE if there is none. */
static int pick_case(const struct fore_choice *s)
{
    size_t ready = 0;
    int first = NONE;
    for (size_t i = 0; i < s->n; i++)
        if (is_ready(&s->cases[i]) && !ready++)
            first = (int)i;
    if (ready <= 1)
        return first;
    size_t skip = fore_proc_random() % ready;
    for (size_t i = 0; i < s->n; i++)
        if (is_ready(&s->cases[i]) && !skip--)
            return (int)i;
    return NONE;
}

static struct fore_ring_case ring_case(const foresee_case *k)
{
    struct fore_ring_case r = {k->chan ? k->chan->id : 0, (uint32_t)k->kind};
    return r;
}

/* Records the select; of more cases than a chunk holds, only the first ones. */
static void record_pre(struct fore_choice *s)
{
    if (!(fore_csp.mode & FORE_CSP_TRACED))
        return;
    size_t n = s->n < RECORDED ? s->n : RECORDED, units = (n + 1) / 2;
    s->counted = s->fallback != NONE && s->n <= COUNTED ? n : 0;
    units += s->counted;
    fore_record_where(s->at);
    s->record = fore_record_take(fore_csp.current, units);
    struct fore_ring_case *to = (struct fore_ring_case *)(s->record + 1);
    for (size_t i = 0; i < 2 * units; i++)
        to[i] = i < n ? ring_case(&s->cases[i])
                      : (struct fore_ring_case){0, FORE_RING_CASE_NONE};
    fore_record_put(s->record, s->at, 0, FORE_RING_WORD(FORE_RING_PRE, 0, units, 0));
}

static void record_post(const struct fore_choice *s, uint32_t object, unsigned flags,
                        uint64_t ticket)
{
    if (!s->record)
        return;
    s->record->object = object;
    fore_record_done(&s->record->word, flags, ticket);
}

static void set_ok(const foresee_case *k, bool ok)
{
    if (k->ok)
        *k->ok = ok;
}

/* Does a case that is ready. */
static int take_case(const struct fore_choice *s, int i)
{
    const foresee_case *k = &s->cases[i];
    foresee_chan *c = k->chan;
    if (k->kind == FORESEE_CASE_SEND) {
        if (c->closed) {
            record_post(s, c->id, FORE_RING_SEND | FORE_RING_CLOSED, 0);
            foresee_panic_at("send on closed channel", s->at);
        }
        record_post(s, c->id, FORE_RING_SEND, c->sent + 1);
        fore_chan_do_send(c, k->value);
    } else if (fore_chan_drained(c)) {
        if (k->value)
            memset(k->value, 0, c->size);
        set_ok(k, false);
        record_post(s, c->id, FORE_RING_CLOSED, 0);
    } else {
        record_post(s, c->id, 0, c->received + 1);
        fore_chan_do_recv(c, k->value);
        set_ok(k, true);
    }
    return i;
}

/* If nothing was ready, the channels' counters tell when that was. */
static void record_counters(const struct fore_choice *s)
{
    uint64_t *to = (uint64_t *)(s->record + 1) + (s->counted + 1) / 2 * 2;
    for (size_t i = 0; i < s->counted; i++) {
        const foresee_chan *c = s->cases[i].chan;
        *to++ = c ? c->sent : 0;
        *to++ = c ? c->received : 0;
    }
}

static bool is_timeout(const struct fore_choice *s)
{
    return s->cases[s->fallback].kind == FORESEE_CASE_TIMEOUT;
}

static void record_fallback(const struct fore_choice *s)
{
    if (s->counted)
        record_counters(s);
    record_post(s, 0, is_timeout(s) ? FORE_RING_TIMEOUT : FORE_RING_DEFAULT, s->counted);
}

void fore_select_expired(struct fore_proc *p)
{
    record_fallback(p->choice);
}

static int fall_back(const struct fore_choice *s)
{
    record_fallback(s);
    if (!is_timeout(s))
        fore_csp.ticks = 0; /* a loop around a default must let others run */
    return s->fallback;
}

/* Waits on all channels, until a partner, a close or the timeout ends it. */
static int wait_all(const struct fore_choice *s, struct foresee_waiter *waiters)
{
    struct fore_proc *p = fore_csp.current;
    uint32_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const foresee_case *k = &s->cases[i];
        if (!k->chan || k->kind > FORESEE_CASE_SEND)
            continue;
        struct foresee_waiter *w = &waiters[n++];
        *w = (struct foresee_waiter){.proc = p,
                                     .value = k->value,
                                     .word = s->record ? &s->record->word : NULL,
                                     .number = (uint32_t)i};
        fore_queue_push(
            k->kind == FORESEE_CASE_SEND ? &k->chan->senders : &k->chan->receivers, w);
    }
    p->waiters = waiters;
    p->waiter_count = n;
    p->woken = NULL;
    if (s->fallback != NONE)
        fore_timer_arm(p, fore_timer_in(s->cases[s->fallback].ns));
    else if (!n)
        fore_chan_never(FORE_WAIT_SELECT, s->at);
    p->choice = s;
    fore_proc_park(FORE_WAIT_SELECT, NULL, s->at);
    p->choice = NULL;
    if (!p->woken)
        return s->fallback;
    int i = (int)p->woken->number;
    if (s->cases[i].kind == FORESEE_CASE_RECV)
        set_ok(&s->cases[i], p->woken->ok);
    else if (!p->woken->ok)
        foresee_panic_at("send on closed channel", s->at);
    return i;
}

static int wait_any(const struct fore_choice *s)
{
    struct foresee_waiter few[ON_STACK];
    if (s->n <= ON_STACK)
        return wait_all(s, few);
    struct foresee_waiter *many = malloc(s->n * sizeof *many);
    if (!many)
        fore_csp_fatal("out of memory for a select");
    int i = wait_all(s, many);
    free(many);
    return i;
}

/* A select of one case is a plain send or receive. */
static int do_only_case(const foresee_case *k, foresee_at at)
{
    if (k->kind == FORESEE_CASE_SEND)
        foresee_send_at(k->chan, k->value, at);
    else
        set_ok(k, foresee_recv_at(k->chan, k->value, at));
    return 0;
}

int foresee_select_at(const foresee_case *cases, size_t n, foresee_at at)
{
    struct fore_choice s = {cases, n, NONE, at, NULL, 0};
    if (n == 1 && cases->kind <= FORESEE_CASE_SEND)
        return do_only_case(cases, at);
    fore_proc_enter();
    if (fore_csp.mode & FORE_CSP_CLOCKS)
        fore_csp_fatal("the vector clock method knows no select");
    int forced = NONE;
    if (fore_csp.mode & FORE_CSP_FORCED)
        forced = fore_force_turn(FORE_RING_PRE, at);
    for (size_t i = 0; i < n; i++)
        if (cases[i].kind >= FORESEE_CASE_DEFAULT)
            s.fallback = (int)i;
    record_pre(&s);
    if (forced >= 0 && (size_t)forced < n) {
        /* Only the case that the schedule names exists; its index is counted from there. */
        struct fore_choice only = {cases + forced, 1, NONE, at, s.record, 0};
        if (forced == s.fallback)
            return fall_back(&s);
        return forced + (is_ready(only.cases) ? take_case(&only, 0) : wait_any(&only));
    }
    int i = pick_case(&s);
    if (i != NONE)
        return take_case(&s, i);
    if (s.fallback != NONE && cases[s.fallback].kind == FORESEE_CASE_DEFAULT)
        return fall_back(&s);
    return wait_any(&s);
}
