#include "trace/survey.h"

#include "trace/waits.h"

void fore_survey_release(struct fore_survey *s)
{
    fore_vec_release(&s->threads);
    fore_vec_release(&s->chans);
    fore_vec_release(&s->uses);
    fore_vec_release(&s->user);
    fore_vec_release(&s->groups);
    fore_vec_release(&s->dones);
    fore_vec_release(&s->faults);
    fore_vec_release(&s->log);
    fore_map_release(&s->index);
    fore_map_release(&s->done);
    *s = (struct fore_survey){0};
}

static void note_user(uint32_t *user, uint32_t thread)
{
    *user = *user && *user != thread ? FORE_SHARED : thread;
}

static void use_object(struct fore_survey *s, uint32_t object, uint32_t thread)
{
    fore_vec_ensure(&s->user, (size_t)object + 1);
    note_user(&s->user.at[object], thread);
}

/* ---- uses ---- */

static uint32_t new_use(struct fore_survey *s, uint32_t thread, uint32_t chan,
                        unsigned kind)
{
    fore_vec_ensure(&s->chans, (size_t)chan + 1);
    struct fore_survey_chan *c = &s->chans.at[chan];
    use_object(s, chan, thread);
    fore_vec_push(&s->uses, (struct fore_use){.chan = chan, .thread = thread});
    uint32_t use = (uint32_t)s->uses.n;
    if (c->last[kind])
        s->uses.at[c->last[kind] - 1].next = use;
    else
        c->first[kind] = use;
    return c->last[kind] = use;
}

/* Mostly the use that the thread had last in this direction. */
static struct fore_use *use_of(struct fore_survey *s, uint32_t thread, uint32_t chan,
                               unsigned kind)
{
    struct fore_survey_thread *th = &s->threads.at[thread];
    uint32_t last = th->use[kind];
    if (last && s->uses.at[last - 1].chan == chan)
        return &s->uses.at[last - 1];
    uint64_t key = (uint64_t)thread << 32 | (uint64_t)chan << 1 | kind;
    uint64_t *at = fore_map_put(&s->index, key, NULL);
    if (!*at)
        *at = new_use(s, thread, chan, kind);
    th->use[kind] = (uint32_t)*at;
    return &s->uses.at[*at - 1];
}

static void count_offer(struct fore_use *u, uint32_t where, uint32_t at)
{
    if (!u->offers++)
        u->where = where;
    u->mixed |= u->where != where;
    u->last = at;
}

static void serve_use(struct fore_use *u, const struct fore_event *e, uint32_t at,
                      uint64_t index)
{
    if (!u->serves++)
        u->served = at;
    u->last = u->served_at = at;
    u->served_index = index;
    u->done = *e;
}

static void survey_announcement(struct fore_survey *s, const struct fore_event *e,
                                uint32_t at, const struct fore_case *cases)
{
    s->threads.at[e->thread].open = true;
    if (!(e->flags & FORE_F_CASES)) {
        if (e->object)
            count_offer(use_of(s, e->thread, e->object, !!(e->flags & FORE_F_SEND)),
                        e->where, at);
        return;
    }
    for (const struct fore_case *c = cases + e->a; c < cases + e->a + e->b; c++) {
        use_object(s, c->chan, FORE_SHARED);
        if (c->kind > FORE_CASE_SEND || !c->chan)
            continue;
        struct fore_use *u = use_of(s, e->thread, c->chan, c->kind);
        count_offer(u, e->where, at);
        u->chose |= e->b > 1;
    }
}

static void note_fault(struct fore_survey *s, const struct fore_event *e, uint32_t at)
{
    struct fore_survey_thread *th = &s->threads.at[e->thread];
    fore_vec_push(&s->faults, (struct fore_fault){at, th->count, th->fault});
    th->fault = e->kind != FORE_EV_PANIC;
}

/* Is `e` the receive of the message just sent, on an unbuffered channel? */
static bool is_meeting(const struct fore_event *e, const struct fore_event *before)
{
    return before->kind == FORE_EV_SEND && before->object == e->object &&
           before->thread == e->a && before->a == e->b &&
           !(before->flags & FORE_F_CLOSED);
}

bool fore_link_of(const struct fore_event *e, const struct fore_event *before,
                  uint32_t at, struct fore_link *out)
{
    *out = (struct fore_link){at, FORE_LINK_CLOSED, e->thread, (uint32_t)e->a, e->object};
    bool closed = e->flags & FORE_F_CLOSED;
    switch (e->kind) {
    case FORE_EV_RECV:
        if (closed || !e->object)
            return closed;
        *out =
            (struct fore_link){at, FORE_LINK_MEET, before->thread, e->thread, e->object};
        return true;
    case FORE_EV_SEND:
        return closed;
    case FORE_EV_CLOSE:
        out->kind = closed ? FORE_LINK_CLOSED : FORE_LINK_CLOSE;
        return true;
    case FORE_EV_SIGNAL:
        out->kind = FORE_LINK_CREATE;
        return true;
    case FORE_EV_JOIN:
        out->kind = FORE_LINK_JOIN;
        return !(e->flags & FORE_F_PRE);
    default:
        return false;
    }
}

static void survey_communication(struct fore_survey *s, const struct fore_event *e,
                                 const struct fore_event *before, uint32_t at)
{
    struct fore_survey_thread *th = &s->threads.at[e->thread];
    bool announced = th->open;
    th->open = false;
    if (e->flags & FORE_F_CLOSED && e->kind == FORE_EV_SEND)
        note_fault(s, e, at);
    if (!e->object)
        return;
    struct fore_use *u = use_of(s, e->thread, e->object, e->kind == FORE_EV_SEND);
    if (!announced) {
        count_offer(u, e->where, at);
        u->mixed = true;
    }
    serve_use(u, e, at, th->count);
    if (e->flags & FORE_F_CLOSED) {
        u->closed_at = u->closed++ ? u->closed_at : at;
        return;
    }
    u->taken++;
    u->taken_at = at;
    s->met += e->kind == FORE_EV_RECV && is_meeting(e, before);
}

static void note_closed(struct fore_survey *s, const struct fore_event *e, uint32_t at)
{
    if (e->flags & FORE_F_CLOSED)
        note_fault(s, e, at);
    if (!e->object)
        return;
    struct fore_use *u = use_of(s, e->thread, e->object, FORE_CASE_SEND);
    serve_use(u, e, at, s->threads.at[e->thread].count);
    s->chans.at[e->object].closes++;
    s->chans.at[e->object].closer = e->thread;
    s->chans.at[e->object].close_at = at;
}

/* ---- threads, locks, faults ---- */

static void survey_creation(struct fore_survey *s, const struct fore_event *e,
                            uint32_t at)
{
    if (e->a > UINT32_MAX - 1)
        return;
    fore_vec_ensure(&s->threads, (size_t)e->a + 1);
    s->threads.at[e->a].parent = e->thread;
    s->threads.at[e->a].creation = at + 1;
}

/* Announcements, and operations that may wait without one. */
static bool may_wait(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE ||
           (e->kind >= FORE_EV_SEND && e->kind <= FORE_EV_SELECT) ||
           e->kind == FORE_EV_TRYLOCK || e->kind == FORE_EV_TRYRLOCK ||
           fore_kind_blocks(e->kind);
}

/* The others are survey_locks'. */
static void survey_try(struct fore_survey *s, const struct fore_event *e)
{
    struct fore_survey_thread *th = &s->threads.at[e->thread];
    if (e->flags & FORE_F_PRE)
        return;
    switch (e->kind) {
    case FORE_EV_TRYLOCK:
    case FORE_EV_TRYRLOCK:
        th->held += !(e->flags & FORE_F_BUSY);
        break;
    case FORE_EV_CWOKEN:
        th->held += e->a != 0;
        break;
    case FORE_EV_CWAIT:
        th->held -= th->held > 0;
        break;
    default:
        break;
    }
}

static void survey_other(struct fore_survey *s, const struct fore_event *e)
{
    if (e->object && e->kind != FORE_EV_ASEND)
        use_object(s, e->object, e->thread);
    if ((e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN) && e->a < UINT32_MAX)
        use_object(s, (uint32_t)e->a, FORE_SHARED);
    survey_try(s, e);
}

static void note_done(struct fore_survey *s, const struct fore_event *e, uint32_t at)
{
    struct fore_survey_thread *th = &s->threads.at[e->thread];
    if (!th->done || s->dones.at[th->done - 1].group != e->object) {
        uint64_t *x = fore_map_put(&s->done, (uint64_t)e->thread << 32 | e->object, NULL);
        if (!*x) {
            struct fore_survey_group *g = &s->groups.at[e->object];
            fore_vec_push(&s->dones, (struct fore_survey_done){e->object, e->thread, at,
                                                               g->first, th->last_done});
            *x = g->first = th->last_done = (uint32_t)s->dones.n;
        }
        th->done = (uint32_t)*x;
    }
    s->dones.at[th->done - 1].last = at;
}

static void note_group(struct fore_survey *s, const struct fore_event *e, uint32_t at)
{
    fore_vec_ensure(&s->groups, (size_t)e->object + 1);
    struct fore_survey_group *g = &s->groups.at[e->object];
    int64_t by = e->kind == FORE_EV_WGADD ? (int64_t)e->a : -1;
    if (e->kind == FORE_EV_WGWAIT) {
        note_user(&g->waiter, e->thread);
        if (e->flags & FORE_F_PRE)
            return;
        g->first_wait = g->waits++ ? g->first_wait : at;
        g->last_wait = at;
        return;
    }
    if (by > 0) {
        note_user(&g->adder, e->thread);
        g->last_add = at;
    } else if (by < 0) {
        note_done(s, e, at);
    }
    g->sum = (int64_t)((uint64_t)g->sum + (uint64_t)by);
}

/* Operations that are not only about channels. */
static void by_kind(struct fore_survey *s, const struct fore_event *e, uint32_t at)
{
    struct fore_survey_thread *th = &s->threads.at[e->thread];
    switch (e->kind) {
    case FORE_EV_SELECT:
        th->open = false;
        break;
    case FORE_EV_CLOSE:
        note_closed(s, e, at);
        break;
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
        survey_creation(s, e, at);
        break;
    case FORE_EV_PANIC:
    case FORE_EV_EXIT:
        if (e->kind == FORE_EV_PANIC)
            note_fault(s, e, at);
        s->exited |= !th->over;
        th->over = true;
        break;
    case FORE_EV_END:
        th->over = true;
        break;
    case FORE_EV_WGADD:
    case FORE_EV_WGDONE:
    case FORE_EV_WGWAIT:
        note_group(s, e, at);
        survey_other(s, e);
        break;
    case FORE_EV_FIRE: /* a thread that only stands for a timer */
        th->over |= !th->count;
        survey_other(s, e);
        break;
    default:
        survey_other(s, e);
        break;
    }
}

static void survey_one(struct fore_survey *s, const struct fore_event *e,
                       const struct fore_event *before, const struct fore_case *cases)
{
    uint32_t at = (uint32_t)s->events++;
    struct fore_survey_thread *th = &s->threads.at[e->thread];
    size_t faults = s->faults.n;
    s->kinds |= UINT64_C(1) << (e->kind & 63);
    if (th->held)
        s->waited_locked |= may_wait(e);
    if (!th->count)
        th->first = at;
    if (e->kind == FORE_EV_PRE)
        survey_announcement(s, e, at, cases);
    else if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV)
        survey_communication(s, e, before, at);
    else
        by_kind(s, e, at);
    th = &s->threads.at[e->thread]; /* there may be more of them now */
    th->fault &= s->faults.n > faults;
    th->last = at;
    th->end = *e;
    th->count++;
    /* Written in place: copying it would mean waiting for it. */
    if (s->logs && !fore_link_of(e, before, at, fore_vec_extend(&s->log, 1)))
        s->log.n--;
}

/* ---- the most frequent events, without asking of each what it may be ---- */

/* Marks these events of the thread, from the next one on, as examined: no fault is among them. */
static void count_events(struct fore_survey *s, uint32_t thread,
                         const struct fore_event *e, size_t n)
{
    struct fore_survey_thread *th = &s->threads.at[thread];
    if (!th->count)
        th->first = (uint32_t)s->events;
    s->events += n;
    th->last = (uint32_t)s->events - 1;
    th->end = e[n - 1];
    th->count += n;
    th->fault = false;
}

/* Locks that the thread of the first event takes and gives back, one after the other: returns
 * the number of events. */
static size_t survey_locks(struct fore_survey *s, const struct fore_event *e, size_t n)
{
    static const uint64_t taking = 1ull << FORE_EV_LOCK | 1ull << FORE_EV_RLOCK,
                          giving = 1ull << FORE_EV_UNLOCK | 1ull << FORE_EV_RUNLOCK;
    uint32_t thread = e->thread, held = s->threads.at[thread].held, object = 0;
    bool nested = false;
    size_t i = 0;
    for (; i < n && e[i].thread == thread; i++) {
        uint64_t kind = UINT64_C(1) << (e[i].kind & 63);
        bool done = !(e[i].flags & FORE_F_PRE);
        if (!(kind & (taking | giving)) || (kind & giving && !done))
            break;
        s->kinds |= kind;
        if (e[i].object != object)
            use_object(s, object = e[i].object, thread);
        nested |= held && kind & taking;
        held = kind & taking ? held + done : held - (held > 0);
    }
    if (!i)
        return 0;
    s->threads.at[thread].held = held;
    s->waited_locked |= nested;
    count_events(s, thread, e, i);
    return i;
}

/* A message that the thread of the first event announces and then sends or receives: returns the
 * number of events. */
static size_t survey_message(struct fore_survey *s, const struct fore_event *e, size_t n)
{
    uint32_t at = (uint32_t)s->events;
    unsigned kind = e->flags & FORE_F_SEND ? FORE_EV_SEND : FORE_EV_RECV;
    const struct fore_event *done = e + 1;
    if (n < 2 || e->kind != FORE_EV_PRE || e->flags & FORE_F_CASES || !e->object ||
        done->thread != e->thread || done->kind != kind || done->object != e->object ||
        done->flags & FORE_F_CLOSED || s->logs || s->threads.at[e->thread].held)
        return 0;
    struct fore_use *u = use_of(s, e->thread, e->object, kind == FORE_EV_SEND);
    count_offer(u, e->where, at);
    serve_use(u, done, at + 1, s->threads.at[e->thread].count + 1);
    u->taken++;
    u->taken_at = at + 1;
    s->threads.at[e->thread].open = false;
    s->kinds |= UINT64_C(1) << FORE_EV_PRE | UINT64_C(1) << kind;
    count_events(s, e->thread, e, 2);
    return 2;
}

void fore_survey_events(struct fore_survey *s, const struct fore_event *e, size_t n,
                        const struct fore_case *cases)
{
    for (size_t i = 0; i < n;) {
        fore_vec_ensure(&s->threads, (size_t)e[i].thread + 1);
        size_t usual = survey_message(s, e + i, n - i);
        if (!usual)
            usual = survey_locks(s, e + i, n - i);
        if (!usual) {
            survey_one(s, e + i, i ? e + i - 1 : &s->before, cases);
            usual = 1;
        }
        i += usual;
    }
    if (n)
        s->before = e[n - 1];
}

/* ---- what it tells ---- */

/* Is the thread's last event an offer that was never taken up? */
static bool is_dangling(const struct fore_survey *s, const struct fore_use *u,
                        unsigned kind)
{
    const struct fore_survey_thread *th = &s->threads.at[u->thread];
    return th->open && th->end.kind == FORE_EV_PRE && !(th->end.flags & FORE_F_CASES) &&
           th->end.object == u->chan && !!(th->end.flags & FORE_F_SEND) == kind;
}

/* Was the thread created by the other one, or by a child of it, after that event? */
static bool began_after(const struct fore_survey *s, uint32_t thread, uint32_t other,
                        uint32_t event)
{
    for (size_t i = 0; i < s->threads.n && thread < s->threads.n; i++) {
        const struct fore_survey_thread *th = &s->threads.at[thread];
        if (!th->creation)
            return false;
        if (th->parent == other)
            return th->creation - 1 > event;
        thread = th->parent;
    }
    return false;
}

struct fore_side fore_survey_side(const struct fore_survey *s, uint32_t chan,
                                  unsigned kind)
{
    struct fore_side x = {.ordered = true, .placed = true};
    const struct fore_use *before = NULL;
    for (uint32_t i = fore_survey_users(s, chan, kind); i; i = s->uses.at[i - 1].next) {
        const struct fore_use *u = &s->uses.at[i - 1];
        if (!u->offers) /* it only closed the channel */
            continue;
        uint64_t dangling = is_dangling(s, u, kind);
        x.users++;
        x.taken += u->taken;
        x.dangling += dangling;
        x.loose +=
            u->offers - u->taken - dangling - (kind == FORE_CASE_RECV ? u->closed : 0);
        x.chose |= u->chose;
        x.placed &= u->where && !u->mixed;
        x.ordered = x.ordered &&
                    (!before || began_after(s, u->thread, before->thread, before->last));
        x.last = u->thread;
        before = u;
    }
    return x;
}

bool fore_survey_adds_first(const struct fore_survey *s,
                            const struct fore_survey_group *g)
{
    return g->adder != FORE_SHARED && g->waiter != FORE_SHARED &&
           (g->adder == g->waiter || began_after(s, g->waiter, g->adder, g->last_add));
}

/* Does the group's last wait come after all additions and all counts down, in every order? */
static bool waits_for_all(const struct fore_survey *s, const struct fore_survey_group *g)
{
    return g->adder && g->waits && !g->sum && fore_survey_adds_first(s, g) &&
           (g->adder != g->waiter || g->last_add < g->last_wait);
}

/* Did the channel's closer, before the close, wait for a wait group that the thread counted down
 * after that event? Only the newest groups of a thread are checked. */
static bool waited_for(const struct fore_survey *s, const struct fore_survey_chan *c,
                       uint32_t thread, uint32_t event)
{
    uint32_t at = s->threads.at[thread].last_done;
    for (int tries = 0; at && tries < 64; tries++) {
        const struct fore_survey_done *d = &s->dones.at[at - 1];
        const struct fore_survey_group *g = &s->groups.at[d->group];
        if (d->last > event && g->waiter == c->closer && g->last_wait < c->close_at &&
            waits_for_all(s, g))
            return true;
        at = d->older;
    }
    return false;
}

bool fore_survey_closed_last(const struct fore_survey *s, uint32_t chan)
{
    const struct fore_survey_chan *c = &s->chans.at[chan];
    if (c->closes > 1)
        return false;
    for (uint32_t i = c->closes ? c->first[FORE_CASE_SEND] : 0; i;) {
        const struct fore_use *u = &s->uses.at[i - 1];
        bool before =
            !u->offers ||
            (u->thread == c->closer ? u->last == c->close_at
                                    : began_after(s, c->closer, u->thread, u->last) ||
                                          waited_for(s, c, u->thread, u->last));
        if (!before)
            return false;
        i = u->next;
    }
    return true;
}

bool fore_survey_is_plain(const struct fore_survey *s)
{
    static const uint64_t plain =
        1ull << FORE_EV_SIGNAL | 1ull << FORE_EV_WAIT | 1ull << FORE_EV_END |
        1ull << FORE_EV_EXIT | 1ull << FORE_EV_PANIC | 1ull << FORE_EV_JOIN |
        1ull << FORE_EV_PRE | 1ull << FORE_EV_SEND | 1ull << FORE_EV_RECV |
        1ull << FORE_EV_SELECT | 1ull << FORE_EV_CLOSE | 1ull << FORE_EV_FENCE |
        1ull << FORE_EV_ALLOC | 1ull << FORE_EV_FREE;
    return !(s->kinds & ~plain);
}

/* `*hubs`: how many of the channels are used by one thread on one side and by many on the other. */
static bool chan_calm(const struct fore_survey *s, uint32_t chan, size_t *hubs,
                      size_t *others)
{
    struct fore_side recv = fore_survey_side(s, chan, FORE_CASE_RECV);
    struct fore_side send = fore_survey_side(s, chan, FORE_CASE_SEND);
    bool quiet = recv.ordered && send.ordered;
    bool hub = recv.placed && send.placed && !s->chans.at[chan].closes &&
               (recv.users == 1) != (send.users == 1);
    *hubs += !quiet && hub;
    *others += !quiet && !hub;
    return fore_side_is_even(&recv) && fore_side_is_even(&send);
}

static bool met_all(const struct fore_survey *s)
{
    uint64_t taken = 0;
    for (size_t i = 0; i < s->uses.n; i++)
        taken += s->uses.at[i].taken;
    return fore_survey_is_plain(s) && taken / 2 == s->met;
}

enum fore_calm fore_survey_calm(const struct fore_survey *s)
{
    size_t hubs = 0, others = 0;
    if (s->waited_locked || s->faults.n || fore_survey_has(s, FORE_EV_CSIGNAL) ||
        fore_survey_has(s, FORE_EV_CBROADCAST) || fore_survey_has(s, FORE_EV_ACQUIRE) ||
        s->kinds >> FORE_EV_ARM)
        return FORE_NOT_CALM;
    for (uint32_t x = 1; x < s->chans.n; x++)
        if (!chan_calm(s, x, &hubs, &others))
            return FORE_NOT_CALM;
    if (hubs && !others && met_all(s))
        return FORE_CALM_BY_LINKS;
    if (!hubs && !others)
        return FORE_CALM;
    return fore_survey_waits_end(s, true) ? FORE_CALM_IN_PART : FORE_NOT_CALM;
}
