#include "analysis/channel/comm.h"

#include "base/search.h"

/* Does the kind concern threads and channels only, and nothing that waits for other things or is
 * seen by them? */
static bool is_simple(unsigned kind)
{
    switch (fore_kind_group(kind)) {
    case FORE_GROUP_LOCK:
        return false;
    case FORE_GROUP_MEMORY:
        return kind == FORE_EV_FENCE || kind == FORE_EV_ALLOC || kind == FORE_EV_FREE;
    default:
        return true;
    }
}

static bool case_communicates(const struct fore_case *x)
{
    return x->chan && x->kind <= FORE_CASE_SEND;
}

/* Is there an earlier case of the same operation that offers the same? */
static bool is_repeated(const struct fore_case *cases, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (cases[k].chan == cases[i].chan && cases[k].kind == cases[i].kind)
            return true;
    return false;
}

static void survey_offer(struct fore_comm *c, uint32_t op, const struct fore_case *x)
{
    const struct fore_program *p = c->p;
    struct fore_comm_chan *ch = &c->chans[x->chan];
    uint32_t thread = fore_insn_thread(p, op), kind = x->kind;
    if (!ch->threads[kind] || ch->only[kind] != thread) {
        ch->threads[kind]++;
        ch->only[kind] = thread;
        fore_vec_push(&c->parties,
                      (struct fore_comm_party){thread, op, op, ch->party[kind]});
        ch->party[kind] = (uint32_t)c->parties.n;
    }
    c->parties.at[ch->party[kind] - 1].last = op;
    ch->offers[kind] += op < c->limit[thread];
    if (fore_chan_capacity(p, x->chan))
        c->queues = true;
    if (fore_comm_took(p, op, x->chan, kind)) {
        if (p->ops[op].link == FORE_NO_OP) /* still in the buffer */
            ch->dangling[kind]++;
        return;
    }
    const struct fore_insn *e = &p->ops[op];
    bool found_closed =
        kind == FORE_CASE_RECV && e->kind == FORE_EV_RECV && e->object == x->chan;
    if (!fore_insn_ended(p, op))
        ch->dangling[kind]++;
    else if (!found_closed)
        ch->loose[kind]++;
}

/* Could the channel have an alternative? Not with one sender and one receiver that always took
 * the case they offered: the k-th send met the k-th receive, and nothing else is possible. If
 * the sender closes the channel itself, its sends come before the close. */
static bool is_busy(const struct fore_comm *c, const struct fore_comm_chan *ch)
{
    if (ch->threads[0] > 1 || ch->threads[1] > 1 || ch->loose[0] || ch->loose[1] ||
        (ch->dangling[0] && ch->dangling[1]) || ch->closes > 1)
        return true;
    if (!ch->closes)
        return false;
    uint32_t closer = fore_insn_thread(c->p, c->closes[ch->close]);
    return ch->dangling[0] || ch->dangling[1] ||
           (ch->threads[1] && closer != ch->only[1]);
}

struct close_list {
    FORE_VEC(uint32_t) v; /* operations */
};

static void survey_lanes(struct fore_comm *c, struct close_list *closes)
{
    c->simple = true;
    for (uint32_t op = 0; op < c->p->op_count; op++) {
        struct fore_case one;
        size_t n;
        const struct fore_case *cases = fore_insn_cases(c->p, op, &one, &n);
        for (size_t i = 0; i < n; i++)
            if (case_communicates(&cases[i]) && !is_repeated(cases, i))
                survey_offer(c, op, &cases[i]);
        const struct fore_insn *e = &c->p->ops[op];
        c->simple = c->simple && is_simple(e->kind);
        if (fore_comm_is_noted(c, op)) {
            c->offer[op] = c->offers;
            c->offers += (uint32_t)n;
        }
        if (e->kind == FORE_EV_CLOSE && e->object) {
            c->chans[e->object].closes++;
            fore_vec_push(&closes->v, op);
        }
    }
}

static void index_closes(struct fore_comm *c, const struct close_list *closes)
{
    uint32_t at = 0;
    c->closes = fore_calloc(closes->v.n + 1, sizeof *c->closes);
    for (uint32_t x = 1; x <= c->p->objects; x++) {
        c->chans[x].close = at;
        at += c->chans[x].closes;
        c->chans[x].closes = 0;
    }
    for (size_t i = 0; i < closes->v.n; i++) {
        struct fore_comm_chan *ch = &c->chans[c->p->ops[closes->v.at[i]].object];
        c->closes[ch->close + ch->closes++] = closes->v.at[i];
    }
}

/* Offers of busy channels, sorted by channel, kind, thread and place: a counting sort, since
 * operations already come thread by thread. */
struct sorter {
    struct fore_comm *c;
    uint32_t *at; /* channel * 2 + kind -> where its next offer goes in `by_chan` */
    uint32_t *by_chan;
};

static void place_offers(struct sorter *s, uint32_t op)
{
    struct fore_comm *c = s->c;
    struct fore_case one;
    size_t n;
    const struct fore_case *cases = fore_insn_cases(c->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (case_communicates(&cases[i]) && c->chans[cases[i].chan].busy &&
            !is_repeated(cases, i))
            s->by_chan[s->at[cases[i].chan * 2 + cases[i].kind]++] = op;
}

static void sort_by_chan(struct sorter *s)
{
    struct fore_comm *c = s->c;
    uint32_t sum = 0;
    for (uint32_t x = 1; x <= c->p->objects; x++)
        for (unsigned kind = 0; kind < 2; kind++) {
            s->at[x * 2 + kind] = sum;
            sum += c->chans[x].busy ? c->chans[x].offers[kind] : 0;
        }
    s->by_chan = fore_calloc((size_t)sum + 1, sizeof *s->by_chan);
    c->ops = fore_calloc((size_t)sum + 1, sizeof *c->ops);
    for (uint32_t t = 1; t <= c->p->threads && sum; t++)
        for (uint32_t op = c->p->first[t]; op < c->limit[t]; op++)
            if (fore_insn_offers(c->p, op))
                place_offers(s, op);
}

/* The offers of one thread, by_chan[from .. to - 1], split by place. */
static void split_by_place(struct sorter *s, uint32_t from, uint32_t to)
{
    struct fore_comm *c = s->c;
    size_t first = c->lanes.n;
    uint32_t thread = fore_insn_thread(c->p, s->by_chan[from]), next = from;
    for (uint32_t i = from; i < to; i++) {
        uint32_t where = fore_comm_where(c->p, s->by_chan[i]);
        size_t l = first;
        while (l < c->lanes.n && c->lanes.at[l].where != where)
            l++;
        if (l == c->lanes.n)
            fore_vec_push(&c->lanes, (struct fore_comm_lane){thread, where, 0, 0});
        c->lanes.at[l].n++;
    }
    if (c->lanes.n == first + 1) { /* mostly: one place */
        c->lanes.at[first].first = from;
        memcpy(c->ops + from, s->by_chan + from, (to - from) * sizeof *c->ops);
        return;
    }
    for (size_t l = first; l < c->lanes.n; l++) {
        c->lanes.at[l].first = next;
        next += c->lanes.at[l].n;
        c->lanes.at[l].n = 0;
    }
    for (uint32_t i = from; i < to; i++) {
        uint32_t where = fore_comm_where(c->p, s->by_chan[i]);
        size_t l = first;
        while (c->lanes.at[l].where != where)
            l++;
        c->ops[c->lanes.at[l].first + c->lanes.at[l].n++] = s->by_chan[i];
    }
}

static void make_lanes(struct sorter *s, uint32_t chan, unsigned kind, uint32_t from,
                       uint32_t to)
{
    struct fore_comm *c = s->c;
    struct fore_comm_chan *ch = &c->chans[chan];
    ch->lane[kind] = (uint32_t)c->lanes.n;
    while (from < to) {
        uint32_t end = from + 1, thread = fore_insn_thread(c->p, s->by_chan[from]);
        while (end < to && s->by_chan[end] < c->p->first[thread + 1])
            end++;
        split_by_place(s, from, end);
        from = end;
    }
    ch->lanes[kind] = (uint32_t)c->lanes.n - ch->lane[kind];
}

static void index_offers(struct fore_comm *c)
{
    struct sorter s = {.c = c};
    s.at = fore_calloc(((size_t)c->p->objects + 1) * 2, sizeof *s.at);
    sort_by_chan(&s);
    uint32_t from = 0;
    for (uint32_t x = 1; x <= c->p->objects; x++)
        for (unsigned kind = 0; kind < 2; kind++) {
            make_lanes(&s, x, kind, from, s.at[x * 2 + kind]);
            from = s.at[x * 2 + kind];
        }
    fore_free(s.at);
    fore_free(s.by_chan);
}

/* Computes where each thread's operations end that notes are about. */
static void limit_threads(struct fore_comm *c)
{
    const struct fore_program *p = c->p;
    c->limit = fore_calloc((size_t)p->threads + 1, sizeof *c->limit);
    if (!c->noted || c->noted > c->steps)
        c->noted = c->steps;
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t lo = p->first[t], hi = p->first[t + 1];
        if (c->noted < c->steps)
            FORE_BISECT(lo, hi, mid, c->when[mid] < c->noted);
        c->limit[t] = hi;
    }
}

void fore_comm_build(struct fore_comm *c, struct fore_run *o)
{
    const struct fore_program *p = &o->p;
    c->run = o;
    c->p = p;
    c->t = p->trace;
    c->order = o->order;
    c->when = o->when;
    c->steps = o->steps;
    limit_threads(c);
    c->chans = fore_calloc((size_t)p->objects + 1, sizeof *c->chans);
    c->offer = fore_alloc(((size_t)p->op_count + 1) * sizeof *c->offer);
    struct close_list closes = {{0}};
    survey_lanes(c, &closes);
    index_closes(c, &closes);
    fore_vec_release(&closes.v);
    for (uint32_t x = 1; x <= p->objects; x++) {
        c->chans[x].busy =
            is_busy(c, &c->chans[x]) || (c->unbounded && fore_chan_capacity(p, x));
        c->busy |= c->chans[x].busy;
    }
    index_offers(c);
}

void fore_comm_release(struct fore_comm *c)
{
    fore_free(c->chans);
    fore_free(c->limit);
    fore_vec_release(&c->parties);
    fore_free(c->offer);
    fore_vec_release(&c->lanes);
    fore_free(c->ops);
    fore_free(c->closes);
}
