/* Visits the states of the machine depth first, and takes only faithful steps, in
 * which each thread gets what it recorded. A step that is not faithful is something
 * that could have happened instead: it is noted, not taken.
 *
 * Two such steps show only later: a send into a buffer by a thread that did something else, and
 * a close that in the recorded run came second. They are taken, once on a path, and then only
 * what comes of them is noted. */
#include "analysis/channel/explore.h"

#include "base/hash.h"

/* With many threads a state has many moves: the room for them is bounded, too. */
enum { MOST_MOVES = 1 << 24 };

struct explorer {
    const struct fore_comm *c;
    struct fore_machine m;
    struct fore_map seen;    /* fingerprints */
    struct fore_map noted;   /* pairs */
    struct fore_moves moves; /* still to be tried, of the states on the path */
    struct fore_moves here;
    FORE_VEC(size_t) start; /* where those of each state begin */
    FORE_VEC(uint32_t) odd; /* per state: the operation that departed, or FORE_NO_OP */
    struct fore_comm_sink *out;
    bool enough;
    bool full; /* a state was left out */
    bool over; /* the sink has enough, and would refuse every other pair, too */
};

static void note_finding(struct explorer *x, unsigned rule, uint32_t chan, uint32_t a,
                         uint32_t b)
{
    struct fore_comm_pair p = {rule, chan, a, b};
    bool fresh;
    fore_map_put(&x->noted, fore_hash(&p, sizeof p), &fresh);
    if (fresh && !x->out->pair(x->out, p))
        x->enough = true;
}

static uint32_t case_chan(const struct explorer *x, uint32_t op, uint32_t at)
{
    struct fore_case one;
    size_t n;
    return fore_insn_cases(x->c->p, op, &one, &n)[at].chan;
}

/* The close that closed it. */
static uint32_t closer_of(const struct explorer *x, uint32_t chan)
{
    const struct fore_comm_chan *ch = &x->c->chans[chan];
    for (uint32_t i = 0; i < ch->closes; i++)
        if (!(fore_insn_event(x->c->p, x->c->closes[ch->close + i])->flags &
              FORE_F_CLOSED))
            return x->c->closes[ch->close + i];
    return FORE_NO_OP;
}

/* Notes a step that departs from the record, in a state that does not. */
static void note_departure(struct explorer *x, struct fore_move v, uint32_t op)
{
    bool channel = fore_insn_offers(x->c->p, op);
    uint32_t chan =
        channel ? case_chan(x, op, v.at) : fore_insn_event(x->c->p, op)->object;
    if (v.act == FORE_ACT_SYNC)
        note_finding(x, FORE_COMM_ALTERNATIVE, chan, op,
                     fore_machine_next(&x->m, v.other));
    else if (v.act == FORE_ACT_TAKE)
        note_finding(x, FORE_COMM_ALTERNATIVE, chan, fore_machine_head(&x->m, chan), op);
    else if (v.act == FORE_ACT_PANIC && channel && closer_of(x, chan) != FORE_NO_OP)
        note_finding(x, FORE_COMM_SEND, chan, closer_of(x, chan), op);
    else if (v.act == FORE_ACT_CLOSED && closer_of(x, chan) != FORE_NO_OP)
        note_finding(x, FORE_COMM_RECEIVE, chan, closer_of(x, chan), op);
}

/* Notes the consequences of an operation that departed before. */
static void note_sequel(struct explorer *x, struct fore_move v, uint32_t op, uint32_t odd)
{
    bool channel = fore_insn_offers(x->c->p, op);
    uint32_t chan =
        channel ? case_chan(x, op, v.at) : fore_insn_event(x->c->p, op)->object;
    if (v.act == FORE_ACT_TAKE && fore_machine_head(&x->m, chan) == odd)
        note_finding(x, FORE_COMM_ALTERNATIVE, chan, odd, op);
    if (v.act == FORE_ACT_PANIC && !channel &&
        fore_insn_event(x->c->p, odd)->object == chan &&
        fore_insn_kind(x->c->p, odd) == FORE_EV_CLOSE)
        note_finding(x, FORE_COMM_CLOSE, chan, odd, op);
}

static bool shows_later(const struct explorer *x, struct fore_move v, uint32_t op)
{
    return v.act == FORE_ACT_PUT ||
           (v.act == FORE_ACT_OP && fore_insn_kind(x->c->p, op) == FORE_EV_CLOSE);
}

/* A writer that announces itself only keeps others out; replays can do without that. */
static bool is_idle(const struct explorer *x, struct fore_move v, uint32_t op)
{
    return v.act == FORE_ACT_ARRIVE && fore_insn_kind(x->c->p, op) == FORE_EV_LOCK;
}

static void look_at_state(struct explorer *x, uint32_t odd)
{
    fore_vec_clear(&x->here.list);
    for (uint32_t t = 1; t <= x->c->p->threads; t++)
        fore_machine_moves(&x->m, t, false, &x->here);
    for (size_t i = 0; i < x->here.list.n; i++) {
        struct fore_move v = x->here.list.at[i];
        uint32_t op = fore_machine_next(&x->m, v.thread);
        if (is_idle(x, v, op))
            continue;
        bool faithful = fore_machine_faithful(&x->m, v);
        if (!faithful && odd == FORE_NO_OP)
            note_departure(x, v, op);
        else if (!faithful)
            note_sequel(x, v, op, odd);
        if (faithful || (odd == FORE_NO_OP && shows_later(x, v, op)))
            fore_vec_push(&x->moves.list, v);
    }
}

/* Operations that only let others go on can be done at once: no other state shows more. */
static bool is_harmless(unsigned kind)
{
    return kind == FORE_EV_SIGNAL || kind == FORE_EV_WAIT || kind == FORE_EV_SPAWN;
}

static bool harmless_step(const struct explorer *x, struct fore_move *v)
{
    for (uint32_t t = 1; t <= x->c->p->threads; t++) {
        uint32_t op = fore_machine_next(&x->m, t);
        if (op != FORE_NO_OP && is_harmless(fore_insn_kind(x->c->p, op)) &&
            fore_machine_recorded(&x->m, t, v))
            return true;
    }
    return false;
}

static bool enter_state(struct explorer *x, uint32_t odd, size_t most)
{
    bool fresh;
    struct fore_move v;
    uint64_t print = fore_hash_mix(fore_machine_fingerprint(&x->m), odd);
    fore_map_put(&x->seen, print, &fresh);
    if (!fresh)
        return false;
    x->over = x->seen.n > most || x->noted.n > MOST_MOVES ||
              (x->c->budget && fore_budget_spent(x->c->budget));
    if (x->over || x->moves.list.n > MOST_MOVES) {
        x->full = true;
        return false;
    }
    fore_vec_push(&x->start, x->moves.list.n);
    fore_vec_push(&x->odd, odd);
    if (harmless_step(x, &v))
        fore_vec_push(&x->moves.list, v);
    else
        look_at_state(x, odd);
    return true;
}

static void explore_step(struct explorer *x, size_t most)
{
    struct fore_move v = fore_vec_pop(&x->moves.list);
    uint32_t odd = fore_vec_last(&x->odd), op = fore_machine_next(&x->m, v.thread);
    if (!fore_machine_faithful(&x->m, v))
        odd = op;
    fore_machine_step(&x->m, v);
    if (!enter_state(x, odd, most))
        fore_machine_undo(&x->m);
}

bool fore_comm_explore(const struct fore_comm *c, size_t most_states,
                       struct fore_comm_sink *out)
{
    struct explorer x = {.c = c, .out = out};
    fore_machine_init(&x.m, c->p);
    enter_state(&x, FORE_NO_OP, most_states);
    while (x.start.n && !x.enough && !x.over) {
        if (x.moves.list.n > fore_vec_last(&x.start)) {
            explore_step(&x, most_states);
            continue;
        }
        x.start.n--;
        x.odd.n--;
        if (x.start.n)
            fore_machine_undo(&x.m);
    }
    bool complete = !x.full && !x.enough;
    fore_machine_release(&x.m);
    fore_map_release(&x.seen);
    fore_map_release(&x.noted);
    fore_vec_release(&x.moves.list);
    fore_vec_release(&x.here.list);
    fore_vec_release(&x.start);
    fore_vec_release(&x.odd);
    return complete;
}
