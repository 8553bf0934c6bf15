/* What the pre of a close does not know to be done could come after it. Of each thread the close
 * knows the first operations, so these are the last ones.
 *
 * Most closes know of all sends: of the last one of each thread. To see that, the steps from
 * there to the close are enough. Only the channels for which this fails are looked at from the
 * beginning. */
#include "analysis/channel/closes.h"

#include "analysis/channel/knowledge.h"

struct closing {
    const struct fore_comm *c;
    const struct fore_program *p;
    struct fore_groups *out;
    unsigned kind; /* kind of the offers that may come after a close */
    bool *wanted;  /* channel -> its closes are looked at */
    bool *late;    /* channel -> some offer may come after a close */
    bool adds;     /* what may come after a close is reported, not only noted in `late` */
    uint32_t *dim; /* see knowledge.h */
    uint32_t from, to; /* the range of steps that is gone through */
    struct fore_knowledge k;
};

/* A close that worked. */
static bool is_close(const struct fore_insn *o)
{
    return o->kind == FORE_EV_CLOSE && !(o->flags & FORE_F_CLOSED);
}

/* Was the operation recorded as one that found the channel closed? */
static bool found_closed(const struct closing *x, uint32_t chan, uint32_t op)
{
    const struct fore_insn *o = &x->p->ops[op];
    return o->object == chan && o->flags & FORE_F_CLOSED &&
           o->kind == (x->kind == FORE_CASE_SEND ? FORE_EV_SEND : FORE_EV_RECV);
}

/* Adds the pairs of the close with each operation of the party from `op` on. */
static void add_late(struct closing *x, uint32_t close, const struct fore_comm_party *y,
                     uint32_t op)
{
    uint32_t chan = x->p->ops[close].object;
    bool send = x->kind == FORE_CASE_SEND;
    for (op = op > y->first ? op : y->first; op <= y->last; op++)
        if (fore_insn_offers(x->p, op) && fore_insn_has_case(x->p, op, chan, x->kind) &&
            !found_closed(x, chan, op) && (send || fore_comm_is_noted(x->c, op)))
            fore_groups_add(
                x->out, (struct fore_comm_pair){send ? FORE_COMM_SEND : FORE_COMM_RECEIVE,
                                                chan, close, op});
}

/* The closing thread has come to its close, or will never come to it. */
static void look_at_close(struct closing *x, uint32_t close)
{
    uint32_t chan = x->p->ops[close].object, closer = x->p->ops[close].thread;
    const struct fore_comm_party *y;
    for (uint32_t i = x->c->chans[chan].party[x->kind]; i; i = y->next) {
        y = &x->c->parties.at[i - 1];
        if (x->c->budget && fore_budget_spent(x->c->budget))
            return;
        uint32_t known = y->thread == closer
                             ? fore_insn_index(x->p, close)
                             : fore_knowledge_of(&x->k, closer, y->thread);
        uint32_t unknown = x->p->first[y->thread] + known;
        if (y->last < unknown)
            continue;
        x->late[chan] = true;
        if (x->adds)
            add_late(x, close, y, unknown);
    }
}

static bool is_looked_at(const struct closing *x, uint32_t op)
{
    const struct fore_insn *o = &x->p->ops[op];
    return is_close(o) && x->wanted[o->object];
}

/* Handles closes that were not done in the replay: their threads stand before them, at its end. */
static void look_at_undone(struct closing *x)
{
    const struct fore_comm *c = x->c;
    for (uint32_t chan = 1; chan <= x->p->objects; chan++)
        for (uint32_t i = 0; x->wanted[chan] && i < c->chans[chan].closes; i++) {
            uint32_t close = c->closes[c->chans[chan].close + i];
            if (c->when[close] == FORE_NO_OP && is_looked_at(x, close))
                look_at_close(x, close);
        }
}

/* Looks at the closes of all wanted channels, in one pass. */
static void look_at_closes(struct closing *x)
{
    const struct fore_comm *c = x->c;
    uint32_t dims = 0;
    memset(x->dim, 0, ((size_t)x->p->threads + 1) * sizeof *x->dim);
    for (uint32_t chan = 1; chan <= x->p->objects; chan++) {
        uint32_t i = x->wanted[chan] ? c->chans[chan].party[x->kind] : 0;
        for (; i; i = c->parties.at[i - 1].next) {
            uint32_t *dim = &x->dim[c->parties.at[i - 1].thread];
            *dim = *dim ? *dim : ++dims;
        }
    }
    fore_knowledge_init(&x->k, c, x->dim, false, x->from);
    for (uint32_t i = x->from; i < x->to; i++) {
        if (is_looked_at(x, c->order[i]))
            look_at_close(x, c->order[i]);
        fore_knowledge_step(&x->k, i);
    }
    if (x->to == c->steps)
        look_at_undone(x);
    fore_knowledge_release(&x->k);
}

/* ---- which channels, and which steps --------------------------------------------------------- */

static void closing_init(struct closing *x, const struct fore_comm *c, unsigned kind,
                         struct fore_groups *out)
{
    size_t objects = (size_t)c->p->objects + 1;
    *x = (struct closing){.c = c, .p = c->p, .out = out, .kind = kind};
    x->wanted = fore_calloc(objects, sizeof *x->wanted);
    x->late = fore_calloc(objects, sizeof *x->late);
    x->dim = fore_calloc((size_t)c->p->threads + 1, sizeof *x->dim);
}

static void closing_release(struct closing *x)
{
    fore_free(x->wanted);
    fore_free(x->late);
    fore_free(x->dim);
}

static bool is_wanted(const struct fore_comm *c, uint32_t chan, unsigned kind)
{
    return c->chans[chan].busy && c->chans[chan].party[kind];
}

/* Marks the channels that have offers and were closed before that step as wanted; if
 * the step is the end, also those that are closed later. */
static bool want_channels(struct closing *x, uint32_t before)
{
    const struct fore_comm *c = x->c;
    bool any = false;
    x->to = 0;
    for (uint32_t chan = 1; chan <= x->p->objects; chan++)
        for (uint32_t i = 0; is_wanted(c, chan, x->kind) && i < c->chans[chan].closes;
             i++) {
            uint32_t op = c->closes[c->chans[chan].close + i], when = c->when[op];
            if (!is_close(&x->p->ops[op]) || (when >= before && before < c->steps))
                continue;
            x->wanted[chan] = any = true;
            uint32_t end = when == FORE_NO_OP ? c->steps : when + 1;
            x->to = end > x->to ? end : x->to;
        }
    return any;
}

/* The first step that matters for deciding whether all offers come before the closes: the last
 * offer of some thread. After a close that comes still earlier there was an offer. */
static uint32_t last_offers(struct closing *x)
{
    const struct fore_comm *c = x->c;
    uint32_t first = x->to;
    for (uint32_t chan = 1; chan <= x->p->objects; chan++) {
        uint32_t i = x->wanted[chan] ? c->chans[chan].party[x->kind] : 0;
        for (; i; i = c->parties.at[i - 1].next) {
            uint32_t when = c->when[c->parties.at[i - 1].last];
            first = when < first ? when : first;
        }
    }
    for (uint32_t chan = 1; chan <= x->p->objects; chan++)
        for (uint32_t i = 0; x->wanted[chan] && i < x->c->chans[chan].closes; i++) {
            uint32_t close = x->c->closes[x->c->chans[chan].close + i];
            x->late[chan] |= is_close(&x->p->ops[close]) && x->c->when[close] < first;
        }
    return first;
}

static void add_double_closes(const struct fore_comm *c, struct fore_groups *out)
{
    for (uint32_t chan = 1; chan <= c->p->objects; chan++) {
        const uint32_t *ops = c->closes + c->chans[chan].close;
        uint32_t n = c->chans[chan].busy ? c->chans[chan].closes : 0;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n && is_close(&c->p->ops[ops[i]]); k++)
                if (k != i) /* the other way round is what was observed */
                    fore_groups_add(out, (struct fore_comm_pair){FORE_COMM_CLOSE, chan,
                                                                 ops[k], ops[i]});
    }
}

void fore_comm_sends_after_close(const struct fore_comm *c, struct fore_groups *out)
{
    struct closing x;
    bool late = false;
    add_double_closes(c, out);
    closing_init(&x, c, FORE_CASE_SEND, out);
    if (want_channels(&x, c->steps)) {
        x.from = last_offers(&x);
        look_at_closes(&x);
    }
    for (uint32_t chan = 1; chan <= c->p->objects; chan++)
        late |= x.wanted[chan] = x.late[chan];
    if (late) {
        x.from = 0;
        x.adds = true;
        look_at_closes(&x);
    }
    closing_release(&x);
}

void fore_comm_receives_after_close(const struct fore_comm *c, struct fore_groups *out)
{
    struct closing x;
    closing_init(&x, c, FORE_CASE_RECV, out);
    x.adds = true;
    if (want_channels(&x, c->noted))
        look_at_closes(&x);
    closing_release(&x);
}
