/* Predicts: which other receive each send could have met, and what a close could have come
 *           before.
 * Sound:    for threads and unbuffered channels; else it proposes, and the machine verifies.
 * Complete: for the replays of the trace, but that waits other than for channels and locks keep
 *           their observed causes.
 * Cost:     O(operations), and O(log) for each pair of an operation and a thread on the other,
 *           smaller side of its channel.
 * Source:   [goscout], definitions 16 and 17, with the test of docs/theory/channels.md.
 *
 * For a send s in thread i and a receive r in thread j, the paper's clocks are used so:
 *
 *     pre(r)[i] < post(s)[i]   and   pre(s)[j] < post(r)[j]
 *
 * r does not come after s is done, nor s after r. Seen from s alone, the receives of j that
 * satisfy both form one interval of j's operations: from the first that s.pre does not know to
 * the first whose pre knows s.post. The former is an entry of a forward clock, the latter of a
 * clock that runs backwards from the end of the trace (windows.h). So only the entries of
 * threads on one side of a channel are kept, and those of the side with fewer threads: a hundred
 * thousand senders and one receiver need one entry.
 *
 * Through a buffer, s may be done long before r takes it; what counts is that the receive that
 * was recorded for it is not known to r. */
#include "analysis/channel/clocks.h"

#include "analysis/channel/closes.h"
#include "analysis/channel/windows.h"
#include "base/search.h"

enum { MOST_ENTRIES = 48 * 1000 * 1000 }; /* entries kept at a time: 8 bytes each */

/* The state of a lane on the other side while the offers of one lane are looked at: these come
 * in program order, so each search begins where the last one ended. */
struct other {
    const struct fore_comm_lane *lane;
    uint64_t first; /* operation of its thread */
    uint32_t party; /* its number among the channel's parties, in windows */
    uint32_t open;  /* how many of its operations come before they know of a close */
    uint32_t lo, hi, link; /* where the last searches ended */
    uint32_t group;        /* of the pairs with it, or FORE_NO_GROUP */
};

struct finder {
    const struct fore_comm *c;
    const struct fore_program *p;
    struct fore_groups *out;
    struct fore_windows w;
    uint64_t most;            /* entries that are kept at a time */
    FORE_VEC(uint32_t) chans; /* of this round */
    FORE_VEC(struct other) others;
};

static const struct fore_comm_lane *lane_at(const struct finder *f, uint32_t chan,
                                            unsigned kind, uint32_t i)
{
    return &f->c->lanes.at[f->c->chans[chan].lane[kind] + i];
}

/* The kind of offers that look at the threads of the other kind. Through a buffer, sends look at
 * receivers, for the reason given above. */
static unsigned looking_kind(const struct finder *f, uint32_t chan)
{
    const struct fore_comm_chan *ch = &f->c->chans[chan];
    return fore_chan_capacity(f->p, chan) || ch->threads[0] <= ch->threads[1]
               ? FORE_CASE_SEND
               : FORE_CASE_RECV;
}

/* The position of the first operation in the lane that is not below `op`; `near` is a guess. */
static uint32_t first_not_below(const struct finder *f, const struct fore_comm_lane *l,
                                uint64_t op, uint32_t near)
{
    const uint32_t *ops = f->c->ops + l->first;
    uint32_t lo = 0, hi = l->n;
    if (near < l->n && ops[near] < op) {
        lo = near + 1;
        for (uint32_t step = 1; lo + step - 1 < l->n && lo + step > lo; step *= 2) {
            if (ops[lo + step - 1] >= op) {
                hi = lo + step - 1;
                break;
            }
            lo += step;
        }
    } else {
        hi = near < l->n ? near : l->n;
        for (uint32_t step = 1; step <= hi; step *= 2) {
            if (ops[hi - step] < op) {
                lo = hi - step + 1;
                break;
            }
            hi -= step;
        }
    }
    FORE_BISECT(lo, hi, mid, ops[mid] < op);
    return lo;
}

/* Does the offer's pre know that the channel was closed? */
static bool after_close(const struct finder *f, uint32_t chan, unsigned kind, uint32_t op)
{
    const struct fore_comm_chan *ch = &f->c->chans[chan];
    const struct fore_window *w =
        ch->closes ? fore_windows_of(&f->w, chan, kind, op) : NULL;
    for (uint32_t i = 0; w && i < ch->closes; i++) {
        uint32_t close = f->c->closes[ch->close + i], t = fore_insn_thread(f->p, close);
        if (w[fore_windows_index(&f->w, chan, t)].from > fore_insn_index(f->p, close))
            return true;
    }
    return false;
}

/* Counts the operations of the lane that do not know of a close yet; these are its
 * first ones. */
static uint32_t open_part(const struct finder *f, uint32_t chan, unsigned kind,
                          const struct fore_comm_lane *l)
{
    uint32_t lo = 0, hi = f->c->chans[chan].closes ? l->n : 0;
    if (!hi)
        return l->n;
    FORE_BISECT(lo, hi, mid, !after_close(f, chan, kind, f->c->ops[l->first + mid]));
    return lo;
}

/* ---- alternative communications ------------------------------------------------------------ */

/* Collects the lanes of the channel that offer the opposite of this kind: what the
 * offers of this kind may meet. */
static void gather_facing_lanes(struct finder *f, uint32_t chan, unsigned kind)
{
    fore_vec_clear(&f->others);
    for (uint32_t i = 0; i < f->c->chans[chan].lanes[!kind]; i++) {
        const struct fore_comm_lane *l = lane_at(f, chan, !kind, i);
        bool buffered = fore_chan_capacity(f->p, chan);
        fore_vec_push(&f->others,
                      (struct other){
                          .lane = l,
                          .first = f->p->first[l->thread],
                          .party = fore_windows_index(&f->w, chan, l->thread),
                          .open = buffered ? l->n : open_part(f, chan, !kind, l),
                          .group = FORE_NO_GROUP,
                      });
    }
}

static void add_range(const struct finder *f, struct fore_comm_range *r, struct other *o)
{
    r->lane = o->lane;
    r->group = &o->group;
    if (r->lo < r->hi)
        fore_groups_range(f->out, r);
}

static void unbuffered_pairs(struct finder *f, uint32_t chan, uint32_t op, unsigned kind)
{
    const struct fore_window *w = fore_windows_of(&f->w, chan, kind, op);
    uint32_t thread = fore_insn_thread(f->p, op);
    struct fore_comm_range r = {.x = {FORE_COMM_ALTERNATIVE, chan, 0, 0},
                                .op = op,
                                .op_is_a = kind == FORE_CASE_SEND,
                                .except = FORE_NO_OP};
    if (fore_comm_took(f->p, op, chan, kind))
        r.except = f->p->ops[op].link;
    if (after_close(f, chan, kind, op))
        return;
    for (struct other *o = f->others.at; o < f->others.at + f->others.n; o++) {
        if (o->lane->thread == thread)
            continue;
        r.lo = o->lo = first_not_below(f, o->lane, o->first + w[o->party].from, o->lo);
        r.hi = o->hi = first_not_below(f, o->lane, o->first + w[o->party].to, o->hi);
        r.hi = r.hi < o->open ? r.hi : o->open;
        add_range(f, &r, o);
    }
}

/* With one sender, a receive cannot take a message that was sent after the one it
 * recorded: that one would still be in front in the buffer. Sends keep their order, so
 * this position only moves forward. */
static uint32_t after_link(const struct finder *f, uint32_t chan, uint32_t send,
                           struct other *o)
{
    const struct fore_comm_chan *ch = &f->c->chans[chan];
    const uint32_t *ops = f->c->ops + o->lane->first;
    if (ch->threads[1] != 1 || ch->loose[0])
        return 0;
    while (o->link < o->lane->n &&
           fore_comm_took(f->p, ops[o->link], chan, FORE_CASE_RECV) &&
           f->p->ops[ops[o->link]].link <= send)
        o->link++;
    return o->link;
}

static void buffered_pairs(struct finder *f, uint32_t chan, uint32_t send)
{
    const struct fore_window *w = fore_windows_of(&f->w, chan, FORE_CASE_SEND, send);
    const struct fore_window *taken = NULL;
    struct fore_comm_range r = {.x = {FORE_COMM_ALTERNATIVE, chan, 0, 0},
                                .op = send,
                                .op_is_a = true,
                                .except = FORE_NO_OP};
    if (fore_comm_took(f->p, send, chan, FORE_CASE_SEND) &&
        f->p->ops[send].link != FORE_NO_OP) {
        r.except = f->p->ops[send].link;
        taken = fore_windows_of(&f->w, chan, FORE_CASE_RECV, r.except);
        if (!taken) /* cut off */
            return;
    }
    if (after_close(f, chan, FORE_CASE_SEND, send))
        return;
    for (struct other *o = f->others.at; o < f->others.at + f->others.n; o++) {
        bool exact = !f->c->unbounded;
        o->lo =
            exact ? first_not_below(f, o->lane, o->first + w[o->party].from, o->lo) : 0;
        uint32_t later = exact ? after_link(f, chan, send, o) : 0;
        r.lo = o->lo > later ? o->lo : later;
        r.hi = o->lane->n;
        if (taken)
            r.hi = o->hi =
                first_not_below(f, o->lane, o->first + taken[o->party].to, o->hi);
        add_range(f, &r, o);
    }
}

static void find_alternatives(struct finder *f, uint32_t chan)
{
    unsigned kind = looking_kind(f, chan);
    bool buffered = fore_chan_capacity(f->p, chan);
    for (uint32_t i = 0; i < f->c->chans[chan].lanes[kind]; i++) {
        const struct fore_comm_lane *l = lane_at(f, chan, kind, i);
        gather_facing_lanes(f, chan, kind);
        for (uint32_t k = 0; k < l->n && f->others.n; k++) {
            if (f->c->budget && fore_budget_spent(f->c->budget))
                return;
            if (buffered)
                buffered_pairs(f, chan, f->c->ops[l->first + k]);
            else
                unbuffered_pairs(f, chan, f->c->ops[l->first + k], kind);
        }
    }
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static uint64_t offers_on(const struct finder *f, uint32_t chan, unsigned kind)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->c->chans[chan].lanes[kind]; i++)
        n += lane_at(f, chan, kind, i)->n;
    return n;
}

static bool wants_both(const struct finder *f, uint32_t chan)
{
    return f->c->chans[chan].closes || fore_chan_capacity(f->p, chan);
}

static uint64_t entries_of(const struct finder *f, uint32_t chan)
{
    const struct fore_comm_chan *ch = &f->c->chans[chan];
    unsigned kind = looking_kind(f, chan);
    uint64_t n = offers_on(f, chan, kind);
    if (wants_both(f, chan))
        n += offers_on(f, chan, !kind);
    return n * ((uint64_t)ch->threads[!kind] + ch->closes);
}

/* Counts the operations of the lane that come before that step; these are its first
 * ones. */
static uint32_t begun_by(const struct finder *f, const struct fore_comm_lane *l,
                         uint32_t step)
{
    uint32_t lo = 0, hi = l->n;
    FORE_BISECT(lo, hi, mid, f->c->when[f->c->ops[l->first + mid]] < step);
    return lo;
}

/* Cuts the lanes of a channel off at the last step for which there is room. */
static void shorten_lanes(struct finder *f, struct fore_comm *c, uint32_t chan)
{
    const struct fore_comm_chan *ch = &c->chans[chan];
    unsigned kind = looking_kind(f, chan);
    uint64_t each = (uint64_t)ch->threads[!kind] + ch->closes;
    uint32_t lo = 0, hi = c->steps;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2 + 1;
        uint64_t n = 0;
        for (unsigned k = 0; k < 2; k++)
            for (uint32_t i = 0; i < ch->lanes[k]; i++)
                n += begun_by(f, lane_at(f, chan, k, i), mid);
        if (n * each <= f->most)
            lo = mid;
        else
            hi = mid - 1;
    }
    for (unsigned k = 0; k < 2; k++)
        for (uint32_t i = 0; i < ch->lanes[k]; i++) {
            struct fore_comm_lane *l = &c->lanes.at[ch->lane[k] + i];
            l->n = begun_by(f, l, lo);
        }
}

static void join_round(struct finder *f, uint32_t chan)
{
    const struct fore_comm_chan *ch = &f->c->chans[chan];
    unsigned kind = looking_kind(f, chan);
    for (uint32_t i = 0; i < ch->lanes[!kind]; i++)
        fore_windows_party(&f->w, chan, lane_at(f, chan, !kind, i)->thread);
    for (uint32_t i = 0; i < ch->closes; i++)
        fore_windows_party(&f->w, chan,
                           fore_insn_thread(f->p, f->c->closes[ch->close + i]));
    fore_windows_want(&f->w, chan, kind);
    if (wants_both(f, chan))
        fore_windows_want(&f->w, chan, !kind);
    fore_vec_push(&f->chans, chan);
}

static void finish_round(struct finder *f)
{
    if (f->chans.n)
        fore_windows_fill(&f->w);
    for (size_t i = 0; i < f->chans.n; i++)
        find_alternatives(f, f->chans.at[i]);
    fore_vec_clear(&f->chans);
    fore_windows_clear(&f->w);
}

uint64_t fore_comm_clocks(struct fore_comm *c, struct fore_groups *out)
{
    struct finder f = {
        .c = c, .p = c->p, .out = out, .most = c->most ? c->most : MOST_ENTRIES};
    uint64_t kept = 0, shortened = 0;
    fore_comm_sends_after_close(c, out);
    fore_comm_receives_after_close(c, out);
    fore_windows_init(&f.w, c);
    for (uint32_t x = 1; x <= c->p->objects; x++) {
        if (!c->chans[x].busy)
            continue;
        if (entries_of(&f, x) > f.most) {
            shortened++;
            shorten_lanes(&f, c, x);
        }
        uint64_t n = entries_of(&f, x);
        if (kept + n > f.most) {
            finish_round(&f);
            kept = 0;
        }
        join_round(&f, x);
        kept += n;
    }
    finish_round(&f);
    fore_windows_release(&f.w);
    fore_vec_release(&f.chans);
    fore_vec_release(&f.others);
    return shortened;
}
