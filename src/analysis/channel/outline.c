/* Decides which channels have no alternatives, from the threads that use them alone, and which
 * can have nothing worse than notes.
 * Sound:    yes. If all sends come one after the other by program order and creation, and so do
 *           all receives, and each took what it offered, then in every replay the k-th send meets
 *           the k-th receive.
 * Cost:     O(uses), plus that of hub.c. */
#include "analysis/channel/outline.h"

static bool is_quiet(const struct fore_outline *o, uint32_t chan,
                     const struct fore_side *recv, const struct fore_side *send)
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
    struct fore_side recv = fore_survey_side(o->s, chan, FORE_CASE_RECV);
    struct fore_side send = fore_survey_side(o->s, chan, FORE_CASE_SEND);
    if (is_quiet(o, chan, &recv, &send))
        return FORE_OUTLINE_QUIET;
    bool even = fore_side_is_even(&recv) && fore_side_is_even(&send);
    bool hub = !o->t->tables.objects.at[chan].capacity && !o->s->chans.at[chan].closes &&
               even && recv.placed && send.placed &&
               (recv.users == 1) != (send.users == 1) &&
               !(recv.dangling && send.dangling);
    if (hub)
        return FORE_OUTLINE_HUB;
    return even && fore_survey_closed_last(o->s, chan) ? FORE_OUTLINE_NOTED
                                                       : FORE_OUTLINE_OTHER;
}

/* ---- the trace as a whole ---- */

/* Does the trace have only threads and unbuffered channels, which hub.c can handle? */
static bool is_plain(const struct fore_outline *o)
{
    if (!fore_survey_is_plain(o->s) || (o->t->brief && !o->s->logs))
        return false;
    uint64_t taken[2] = {0};
    for (uint32_t x = 1; x < o->s->chans.n; x++)
        for (unsigned kind = 0; kind < 2; kind++) {
            struct fore_side side = fore_survey_side(o->s, x, kind);
            if (side.users && o->t->tables.objects.at[x].capacity)
                return false;
            taken[kind] += side.taken;
        }
    return taken[0] == o->s->met && taken[1] == o->s->met;
}

/* Cuts so that the two sides of a communication stay together. */
static size_t cut_behind(const struct fore_trace *t, size_t n)
{
    if (n >= t->events.n)
        return t->events.n;
    const struct fore_event *e = &t->events.at[n], *before = e - 1;
    bool split = n && e->kind == FORE_EV_RECV && before->kind == FORE_EV_SEND &&
                 e->object == before->object;
    return n + split;
}

/* False if an example is not among the events that are there. */
static bool take_head(struct fore_outline *o, size_t least)
{
    o->head = least;
    for (size_t i = 0; i < o->groups.n; i++) {
        const struct fore_outline_group *g = &o->groups.at[i];
        size_t last = g->send > g->receive ? g->send : g->receive;
        o->head = last + 1 > o->head ? last + 1 : o->head;
    }
    if (o->t->brief && o->head > o->t->events.n)
        return false;
    o->head = cut_behind(o->t, o->head);
    return true;
}

bool fore_outline_make(struct fore_outline *o, const struct fore_trace *t, size_t least,
                       bool part, struct fore_budget *budget)
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
        case FORE_OUTLINE_NOTED:
            o->in_part = true;
            break;
        case FORE_OUTLINE_OTHER:
            return false;
        default:
            break;
        }
    if (o->hubs.n && !o->in_part && (!is_plain(o) || !fore_outline_count(o, budget)))
        o->in_part = true;
    if (o->in_part)
        fore_vec_clear(&o->groups);
    return (part || !o->in_part) && take_head(o, least);
}

void fore_outline_release(struct fore_outline *o)
{
    fore_vec_release(&o->hubs);
    fore_vec_release(&o->groups);
    fore_survey_release(&o->own);
}
