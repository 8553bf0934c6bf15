/* Decides: which channels have no alternatives, from who used them alone.
 * Sound:    yes. If all sends come one after the other by program order and creation, and so do
 *           all receives, and each took what it offered, then in every replay the k-th send meets
 *           the k-th receive.
 * Cost:     O(uses), plus that of hub.c. */
#include "analysis/channel/outline.h"

/* What is left over on one side of a channel. */
struct side {
    uint32_t users;
    uint64_t taken, loose, dangling;
    bool chose;    /* a select was among the offers */
    bool placed;   /* each user has one place, which is known */
    bool ordered;  /* by program order and creation: the users took turns */
    uint32_t last; /* user */
};

/* Is the thread's last event such an offer, which was never taken up? */
static bool is_dangling(const struct fore_outline *o, const struct fore_use *u,
                        unsigned kind)
{
    const struct fore_survey_thread *th = &o->s->threads.at[u->thread];
    const struct fore_event *e = &o->t->events.at[th->last];
    return th->open && e->kind == FORE_EV_PRE && !(e->flags & FORE_F_CASES) &&
           e->object == u->chan && !!(e->flags & FORE_F_SEND) == kind;
}

/* Was the later user created, by the earlier one or a child of its, after that had used the
 * channel for the last time? */
static bool hands_over(const struct fore_outline *o, const struct fore_use *from,
                       const struct fore_use *to)
{
    uint32_t at = to->thread;
    for (size_t i = 0; i < o->s->threads.n; i++) {
        const struct fore_survey_thread *th = &o->s->threads.at[at];
        if (!th->creation)
            return false;
        if (th->parent == from->thread)
            return th->creation - 1 > from->last;
        at = th->parent;
    }
    return false;
}

static struct side look_at(const struct fore_outline *o, uint32_t chan, unsigned kind)
{
    struct side x = {.ordered = true, .placed = true};
    const struct fore_use *before = NULL;
    for (uint32_t i = fore_survey_users(o->s, chan, kind); i;
         i = o->s->uses.at[i - 1].next) {
        const struct fore_use *u = &o->s->uses.at[i - 1];
        if (!u->offers) /* it only closed the channel */
            continue;
        uint64_t dangling = is_dangling(o, u, kind);
        x.users++;
        x.taken += u->taken;
        x.dangling += dangling;
        x.loose +=
            u->offers - u->taken - dangling - (kind == FORE_CASE_RECV ? u->closed : 0);
        x.chose |= u->chose;
        x.placed &= u->where && !u->mixed;
        x.ordered = x.ordered && (!before || hands_over(o, before, u));
        x.last = u->thread;
        before = u;
    }
    return x;
}

static bool is_quiet(const struct fore_outline *o, uint32_t chan, const struct side *recv,
                     const struct side *send)
{
    const struct fore_survey_chan *c = &o->s->chans.at[chan];
    uint64_t left = 0;
    if (o->t->tables.objects.at[chan].capacity)
        left = send->taken - recv->taken;
    if (!recv->ordered || !send->ordered || recv->loose || send->loose || c->closes > 1 ||
        (recv->dangling && (send->dangling || left)))
        return false;
    if (!c->closes)
        return true;
    return !recv->dangling && !send->dangling && !left &&
           (!send->users || c->closer == send->last);
}

enum fore_outline_shape fore_outline_shape(const struct fore_outline *o, uint32_t chan)
{
    struct side recv = look_at(o, chan, FORE_CASE_RECV);
    struct side send = look_at(o, chan, FORE_CASE_SEND);
    if (is_quiet(o, chan, &recv, &send))
        return FORE_OUTLINE_QUIET;
    bool hub = !o->t->tables.objects.at[chan].capacity && !o->s->chans.at[chan].closes &&
               !recv.loose && !send.loose && !recv.chose && !send.chose && recv.placed &&
               send.placed && (recv.users == 1) != (send.users == 1) &&
               !(recv.dangling && send.dangling);
    return hub ? FORE_OUTLINE_HUB : FORE_OUTLINE_OTHER;
}

/* ---- the trace as a whole ---- */

/* Threads, and channels without buffers: what hub.c knows the order of. */
static bool is_plain(const struct fore_outline *o)
{
    static const uint64_t known =
        1ull << FORE_EV_SIGNAL | 1ull << FORE_EV_WAIT | 1ull << FORE_EV_END |
        1ull << FORE_EV_EXIT | 1ull << FORE_EV_PANIC | 1ull << FORE_EV_JOIN |
        1ull << FORE_EV_PRE | 1ull << FORE_EV_SEND | 1ull << FORE_EV_RECV |
        1ull << FORE_EV_SELECT | 1ull << FORE_EV_CLOSE | 1ull << FORE_EV_FENCE |
        1ull << FORE_EV_ALLOC | 1ull << FORE_EV_FREE;
    if (o->s->kinds & ~known)
        return false;
    uint64_t taken[2] = {0};
    for (uint32_t x = 1; x < o->s->chans.n; x++)
        for (unsigned kind = 0; kind < 2; kind++) {
            struct side side = look_at(o, x, kind);
            if (side.users && o->t->tables.objects.at[x].capacity)
                return false;
            taken[kind] += side.taken;
        }
    return taken[0] == o->s->met && taken[1] == o->s->met;
}

/* The two sides of a communication stay together. */
static size_t cut_behind(const struct fore_trace *t, size_t n)
{
    if (n >= t->events.n)
        return t->events.n;
    const struct fore_event *e = &t->events.at[n], *before = e - 1;
    bool split = n && e->kind == FORE_EV_RECV && before->kind == FORE_EV_SEND &&
                 e->object == before->object;
    return n + split;
}

static void take_head(struct fore_outline *o, size_t least)
{
    o->head = least;
    for (size_t i = 0; i < o->groups.n; i++) {
        const struct fore_outline_group *g = &o->groups.at[i];
        size_t last = g->send > g->receive ? g->send : g->receive;
        o->head = last + 1 > o->head ? last + 1 : o->head;
    }
    o->head = cut_behind(o->t, o->head);
}

bool fore_outline_make(struct fore_outline *o, const struct fore_trace *t, size_t least,
                       struct fore_budget *budget)
{
    *o = (struct fore_outline){.t = t};
    o->s = fore_trace_survey(t, &o->own);
    if (t->torn || t->lost)
        return false;
    for (uint32_t x = 1; x < o->s->chans.n; x++)
        switch (fore_outline_shape(o, x)) {
        case FORE_OUTLINE_HUB:
            fore_vec_push(&o->hubs, x);
            break;
        case FORE_OUTLINE_OTHER:
            return false;
        default:
            break;
        }
    if (o->hubs.n && (!is_plain(o) || !fore_outline_count(o, budget)))
        return false;
    take_head(o, least);
    return true;
}

void fore_outline_release(struct fore_outline *o)
{
    fore_vec_release(&o->hubs);
    fore_vec_release(&o->groups);
    fore_survey_release(&o->own);
}
