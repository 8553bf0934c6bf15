#include "analysis/channel/windows.h"

#include "analysis/channel/knowledge.h"
#include "base/search.h"

#include <pthread.h>

struct window_pass {
    struct fore_windows *w;
    const struct fore_program *p;
    const uint32_t *dim;
    struct fore_knowledge k;
    bool backward;
    bool few; /* entries: a clock is one leaf */
};

static void keep_one(struct window_pass *r, uint32_t op, uint32_t chan,
                     struct fore_window *w)
{
    uint32_t thread = fore_insn_thread(r->p, op), index = op - r->p->first[thread];
    const uint32_t *party = r->w->threads.at + r->w->party[chan];
    const struct fore_knowledge *k = &r->k;
    struct fore_clock now = k->of_thread[thread];
    const uint32_t *few = r->few ? k->clocks.node[now.root] - 1 : NULL;
    for (uint32_t i = 0; i < r->w->parties[chan]; i++) {
        uint32_t j = party[i];
        uint32_t v = few ? few[k->dim[j]] : fore_clock_get(&k->clocks, now, k->dim[j]);
        if (!k->backward)
            w[i].from = j == thread ? index : v;
        else
            w[i].to = j == thread ? index + 1 : UINT32_MAX - v;
    }
}

/* Keeps, forward, what the operation's pre knows; backward, which operations know its post. */
static void keep_knowledge(struct window_pass *r, uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(r->p, op, &one, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = r->w->slot[r->w->c->offer[op] + i];
        if (slot != FORE_NO_OFFER)
            keep_one(r, op, c[i].chan, r->w->list.at + slot);
    }
    const struct fore_insn *e = &r->p->ops[op];
    if (e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED) &&
        !fore_chan_capacity(r->p, e->object) && r->p->ops[op].link != FORE_NO_OP &&
        r->p->ops[r->p->ops[op].link].kind == FORE_EV_RECV)
        keep_knowledge(r, r->p->ops[op].link);
}

/* Handles operations that never ended, at the end of the run. */
static void keep_dangling(struct window_pass *r)
{
    if (r->w->c->noted < r->w->c->steps)
        return;
    for (uint32_t t = 1; t <= r->p->threads; t++)
        for (uint32_t op = r->p->first[t]; op < r->p->first[t + 1]; op++)
            if (!fore_insn_ended(r->p, op) && fore_insn_offers(r->p, op))
                keep_knowledge(r, op);
}

static void pass_forward(struct window_pass *r)
{
    const struct fore_comm *c = r->w->c;
    for (uint32_t i = 0; i < c->noted; i++) {
        keep_knowledge(r, c->order[i]);
        fore_knowledge_step(&r->k, i);
    }
    keep_dangling(r);
}

/* A rendezvous joins first and is kept then: its post is that of both. */
static void pass_backward(struct window_pass *r)
{
    const struct fore_comm *c = r->w->c;
    keep_dangling(r);
    for (uint32_t i = c->noted; i-- > 0;) {
        fore_knowledge_step(&r->k, i);
        keep_knowledge(r, c->order[i]);
    }
}

static void *run_pass(void *arg)
{
    struct window_pass *r = arg;
    const struct fore_comm *c = r->w->c;
    fore_knowledge_init(&r->k, c, r->dim, r->backward, r->backward ? c->noted : 0);
    (r->backward ? pass_backward : pass_forward)(r);
    fore_knowledge_release(&r->k);
    return NULL;
}

/* ---- life --------------------------------------------------------------------------------- */

void fore_windows_init(struct fore_windows *w, const struct fore_comm *c)
{
    *w = (struct fore_windows){.c = c};
    w->party = fore_calloc((size_t)c->p->objects + 1, sizeof *w->party);
    w->parties = fore_calloc((size_t)c->p->objects + 1, sizeof *w->parties);
    w->slot = fore_alloc(((size_t)c->offers + 1) * sizeof *w->slot);
    fore_windows_clear(w);
}

void fore_windows_release(struct fore_windows *w)
{
    fore_free(w->party);
    fore_free(w->parties);
    fore_free(w->slot);
    fore_vec_release(&w->threads);
    fore_vec_release(&w->list);
}

void fore_windows_clear(struct fore_windows *w)
{
    memset(w->parties, 0, ((size_t)w->c->p->objects + 1) * sizeof *w->parties);
    memset(w->slot, 0xff, ((size_t)w->c->offers + 1) * sizeof *w->slot);
    fore_vec_clear(&w->threads);
    fore_vec_clear(&w->list);
}

/* The thread's position among the channel's parties, or where it would be: they are sorted. */
static uint32_t place_of(const struct fore_windows *w, uint32_t chan, uint32_t thread)
{
    const uint32_t *at = w->threads.at + w->party[chan];
    uint32_t lo = 0, hi = w->parties[chan];
    FORE_BISECT(lo, hi, mid, at[mid] < thread);
    return lo;
}

uint32_t fore_windows_index(const struct fore_windows *w, uint32_t chan, uint32_t thread)
{
    uint32_t i = place_of(w, chan, thread);
    FORE_BUG_IF(i == w->parties[chan] || w->threads.at[w->party[chan] + i] != thread);
    return i;
}

void fore_windows_party(struct fore_windows *w, uint32_t chan, uint32_t thread)
{
    if (!w->parties[chan])
        w->party[chan] = (uint32_t)w->threads.n;
    uint32_t n = w->parties[chan], i = place_of(w, chan, thread);
    if (i < n && w->threads.at[w->party[chan] + i] == thread)
        return;
    fore_vec_push(&w->threads, thread);
    uint32_t *at = w->threads.at + w->party[chan];
    memmove(at + i + 1, at + i, (n - i) * sizeof *at);
    at[i] = thread;
    w->parties[chan]++;
}

/* The number of the first case of the operation that offers this. */
static uint32_t offer_number(const struct fore_comm *c, uint32_t chan, unsigned kind,
                             uint32_t op)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *cases = fore_insn_cases(c->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (cases[i].chan == chan && cases[i].kind == kind)
            return c->offer[op] + (uint32_t)i;
    return FORE_NO_OFFER;
}

void fore_windows_want(struct fore_windows *w, uint32_t chan, unsigned kind)
{
    const struct fore_comm_chan *ch = &w->c->chans[chan];
    for (uint32_t l = 0; l < ch->lanes[kind]; l++) {
        const struct fore_comm_lane *lane = &w->c->lanes.at[ch->lane[kind] + l];
        for (uint32_t i = 0; i < lane->n; i++) {
            uint32_t op = w->c->ops[lane->first + i];
            w->slot[offer_number(w->c, chan, kind, op)] = (uint32_t)w->list.n;
            struct fore_window *at = fore_vec_extend(&w->list, w->parties[chan]);
            for (uint32_t k = 0; k < w->parties[chan]; k++)
                at[k] = (struct fore_window){0, UINT32_MAX};
        }
    }
}

const struct fore_window *fore_windows_of(const struct fore_windows *w, uint32_t chan,
                                          unsigned kind, uint32_t op)
{
    if (!fore_comm_is_noted(w->c, op))
        return NULL;
    uint32_t number = offer_number(w->c, chan, kind, op);
    if (number == FORE_NO_OFFER || w->slot[number] == FORE_NO_OFFER)
        return NULL;
    return w->list.at + w->slot[number];
}

/* The passes write different halves of the windows, and share nothing else that they change. */
void fore_windows_fill(struct fore_windows *w)
{
    uint32_t *dim = fore_calloc((size_t)w->c->p->threads + 1, sizeof *dim), dims = 0;
    for (size_t i = 0; i < w->threads.n; i++)
        if (!dim[w->threads.at[i]])
            dim[w->threads.at[i]] = ++dims;
    struct window_pass forward = {
        .w = w, .p = w->c->p, .dim = dim, .few = dims <= FORE_CLOCK_FAN};
    struct window_pass backward = forward;
    pthread_t other;
    backward.backward = true;
    bool apart = w->c->jobs > 1 && pthread_create(&other, NULL, run_pass, &backward) == 0;
    run_pass(&forward);
    if (apart)
        pthread_join(other, NULL);
    else
        run_pass(&backward);
    fore_free(dim);
}
