#include "oracle/verdict/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    KNOWN = FORE_SEES_THREADS | FORE_SEES_CHANNELS | FORE_SEES_LOCKS,
    BLIND = KNOWN | FORE_SEES_ATOMICS | FORE_SEES_OUTSIDE,
};

const struct sees all_sees[SEES] = {
    {.name = "everything, with use", .mask = FORE_SEES_ALL, .use = true},
    {.name = "everything", .mask = FORE_SEES_ALL},
    {.name = "no values, with use",
     .mask = FORE_SEES_ALL & ~FORE_SEES_VALUES,
     .use = true},
    {.name = "no memory", .mask = BLIND},
    {.name = "no memory, with straight", .mask = BLIND, .straight = true},
    {.name = "no memory, values of atomics",
     .mask = BLIND | FORE_SEES_VALUES,
     .straight = true},
    {.name = "threads, channels and locks", .mask = KNOWN},
    {.name = "no atomics, with use",
     .mask = FORE_SEES_ALL & ~FORE_SEES_ATOMICS,
     .use = true},
    {.name = "nothing outside, with use",
     .mask = FORE_SEES_ALL & ~FORE_SEES_OUTSIDE,
     .use = true},
    {.name = "a thread's memory unseen",
     .mask = FORE_SEES_ALL,
     .use = true,
     .unseen = true},
    {.name = "torn", .mask = FORE_SEES_ALL, .use = true, .torn = true},
    {.name = "unknown things outside",
     .mask = FORE_SEES_ALL,
     .use = true,
     .anonymous = true},
};

/* ---- events -------------------------------------------------------------------------------- */

struct recorder {
    const struct program *p;
    struct state s;
    struct recording *out;
    bool branch[THREADS];    /* since the thread's last record */
    bool announced[THREADS]; /* its pre is written */
    bool negative;
    unsigned sent[CHANS], received[CHANS];
};

FORE_PRINTF(6, 7)
static void say(struct recorder *r, unsigned t, unsigned pc, enum sight sight,
                const char *value, const char *fmt, ...)
{
    struct record x = {.thread = (uint8_t)t, .pc = (uint8_t)pc, .sight = (uint8_t)sight};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x.blind, sizeof x.blind, fmt, ap);
    va_end(ap);
    snprintf(x.text, sizeof x.text, "%.40s%s", x.blind, value);
    x.branch = r->branch[t];
    r->branch[t] = false;
    fore_vec_push(&r->out->list, x);
}

static void describe_cases(const struct program *p, const struct choice *c, char *out,
                           size_t size)
{
    size_t n = 0;
    for (unsigned k = 0; k < c->n; k++)
        n += (size_t)snprintf(out + n, size - n, "%s%s%c", k ? ", " : "",
                              chan_names[c->chan[k]], c->send[k] ? '!' : '?');
    if (c->otherwise || c->timeout)
        snprintf(out + n, size - n, ", %s", c->otherwise ? "default" : "timeout");
    (void)p;
}

/* What the operation announces before it waits; false if it announces nothing. */
static bool describe_wait(const struct program *p, const struct insn *x, char *out,
                          size_t size)
{
    char cases[48];
    switch (x->op) {
    case OP_LOCK:
    case OP_RLOCK:
        return snprintf(out, size, "pre(%s(%s))", x->op == OP_LOCK ? "lock" : "rlock",
                        lock_names[x->a]) > 0;
    case OP_CWAIT:
        return snprintf(out, size, "pre(cwoken(q, %s))", lock_names[x->b]) > 0;
    case OP_ACQUIRE:
        return snprintf(out, size, "pre(acquire(s))") > 0;
    case OP_BARRIER:
        return snprintf(out, size, "pre(barrier(b, %u))", x->b) > 0;
    case OP_ONCE:
        return snprintf(out, size, "pre(once(o))") > 0;
    case OP_WGWAIT:
        return snprintf(out, size, "pre(wgwait(w))") > 0;
    case OP_SEND:
    case OP_RECV:
        return snprintf(out, size, "pre(%s%c)", chan_names[x->a],
                        x->op == OP_SEND ? '!' : '?') > 0;
    case OP_SELECT:
        describe_cases(p, &p->selects[x->a], cases, sizeof cases);
        return snprintf(out, size, "pre(%s)", cases) > 0;
    case OP_JOIN:
        return snprintf(out, size, "pre(join(%u))", x->a + 1) > 0;
    default:
        return false;
    }
}

static void say_wait(struct recorder *r, unsigned t)
{
    char text[64];
    unsigned pc = r->s.pc[t];
    if (!r->announced[t] && describe_wait(r->p, &r->p->code[t][pc], text, sizeof text))
        say(r, t, pc, SIGHT_ALWAYS, "", "%s", text);
    r->announced[t] = true;
}

/* The half of a communication that the operation at `pc` does. */
static void say_sent(struct recorder *r, unsigned t, unsigned pc, unsigned chan)
{
    char number[16] = "";
    if (r->p->capacity[chan])
        snprintf(number, sizeof number, "#%u", ++r->sent[chan]);
    say(r, t, pc, SIGHT_ALWAYS, "", "post(%s!%s)", chan_names[chan], number);
}

static void say_received(struct recorder *r, unsigned t, unsigned pc, unsigned chan,
                         unsigned sender)
{
    unsigned from = sender < THREADS  ? sender + 1
                    : r->s.fill[chan] ? ++r->received[chan]
                                      : 0;
    say(r, t, pc, SIGHT_ALWAYS, "", "post(%u#%s?)", from, chan_names[chan]);
}

static void say_meeting(struct recorder *r, struct move m, unsigned chan)
{
    say_wait(r, m.partner);
    say_sent(r, m.thread, r->s.pc[m.thread], chan);
    say_received(r, m.partner, r->s.pc[m.partner], chan, m.thread);
    r->announced[m.partner] = false;
}

static void say_channel(struct recorder *r, struct move m, const struct insn *x)
{
    unsigned t = m.thread, pc = r->s.pc[t], chan = x->a;
    bool sends = x->op == OP_SEND;
    if (x->op == OP_SELECT) {
        const struct choice *c = &r->p->selects[x->a];
        if (m.which == c->n) {
            say(r, t, pc, SIGHT_ALWAYS, "", "post(select)");
            return;
        }
        chan = c->chan[m.which];
        sends = c->send[m.which];
    }
    if (m.fault)
        say(r, t, pc, SIGHT_ALWAYS, "", "post(%s!closed)", chan_names[chan]);
    else if (m.partner < THREADS)
        say_meeting(r, m, chan);
    else if (sends)
        say_sent(r, t, pc, chan);
    else
        say_received(r, t, pc, chan, THREADS);
}

static uint8_t value_in(const struct recorder *r, unsigned t, uint8_t v)
{
    return v < FROM_REG ? v : r->s.reg[t][v - FROM_REG];
}

/* `after`: the state that the step leads to. */
static void say_memory(struct recorder *r, unsigned t, const struct insn *x,
                       const struct state *after)
{
    char value[24];
    bool plain = x->op <= OP_WRITE;
    const char *name = plain ? var_names[x->a] : atomic_names[x->a];
    unsigned pc = r->s.pc[t], old = plain ? 0 : r->s.atomic[x->a],
             new = plain ? 0 : after->atomic[x->a];
    bool failed = x->op == OP_CAS && !after->reg[t][x->d];
    switch (x->op) {
    case OP_READ:
        snprintf(value, sizeof value, "=%u", r->s.var[x->a]);
        say(r, t, pc, SIGHT_MEMORY, value, "read(%s)", name);
        break;
    case OP_WRITE:
        snprintf(value, sizeof value, "=%u", value_in(r, t, x->b));
        say(r, t, pc, SIGHT_MEMORY, value, "write(%s)", name);
        break;
    case OP_STORE:
        snprintf(value, sizeof value, "=%u", new);
        say(r, t, pc, SIGHT_ATOMIC, value, "write.sc(%s)", name);
        break;
    case OP_LOAD:
        failed = true;
        /* fall through */
    default:
        snprintf(value, sizeof value, failed ? "=%u" : "=%u->%u", old, new);
        say(r, t, pc, SIGHT_ATOMIC, value, failed ? "read.sc(%s)" : "rmw.sc(%s)", name);
    }
}

static void say_outside(struct recorder *r, unsigned t, const struct insn *x,
                        const struct state *after)
{
    char value[24];
    bool in = x->op == OP_IN;
    snprintf(value, sizeof value, "=%u", in ? after->reg[t][x->b] : value_in(r, t, x->b));
    say(r, t, r->s.pc[t], SIGHT_OUTSIDE, value, in ? "in(%s)" : "out(%s)",
        thing_names[x->a]);
}

static void say_sync(struct recorder *r, struct move m, const struct insn *x,
                     const struct state *after)
{
    unsigned t = m.thread, pc = r->s.pc[t];
    const char *lock = x->a < LOCKS ? lock_names[x->a] : "";
    switch (x->op) {
    case OP_LOCK:
        say(r, t, pc, SIGHT_ALWAYS, "", "lock(%s)", lock);
        break;
    case OP_UNLOCK:
        say(r, t, pc, SIGHT_ALWAYS, "", "unlock(%s)", lock);
        break;
    case OP_RLOCK:
        say(r, t, pc, SIGHT_ALWAYS, "", "rlock(%s)", lock);
        break;
    case OP_RUNLOCK:
        say(r, t, pc, SIGHT_ALWAYS, "", "runlock(%s)", lock);
        break;
    case OP_TRYLOCK:
    case OP_TRYRLOCK:
        say(r, t, pc, SIGHT_ALWAYS, "", "%s(%s)=%s",
            x->op == OP_TRYLOCK ? "trylock" : "tryrlock", lock,
            after->reg[t][x->b] ? "ok" : "busy");
        break;
    case OP_CWAIT:
        say(r, t, pc, SIGHT_ALWAYS, "", r->s.asleep[t] ? "cwoken(q, %s)" : "cwait(q, %s)",
            lock_names[x->b]);
        break;
    case OP_CSIGNAL:
        if (m.which < THREADS)
            say(r, t, pc, SIGHT_ALWAYS, "", "csignal(q, %u)", m.which + 1);
        else
            say(r, t, pc, SIGHT_ALWAYS, "", "csignal(q)");
        break;
    case OP_CBROADCAST:
        say(r, t, pc, SIGHT_ALWAYS, "", "cbroadcast(q)");
        break;
    default:
        break;
    }
}

static void say_barrier(struct recorder *r, struct move m, const struct insn *x)
{
    for (unsigned u = 0; u < THREADS; u++)
        if (m.which & 1u << u)
            say_wait(r, u);
    for (unsigned u = 0; u < THREADS; u++)
        if (m.which & 1u << u) {
            say(r, u, r->s.pc[u], SIGHT_ALWAYS, "", "barrier(b, %u)", x->b);
            r->announced[u] = false;
        }
}

static void say_counts(struct recorder *r, struct move m, const struct insn *x)
{
    unsigned t = m.thread, pc = r->s.pc[t];
    r->negative |= m.fault == FAULT_NEGATIVE;
    switch (x->op) {
    case OP_ACQUIRE:
        say(r, t, pc, SIGHT_ALWAYS, "", "acquire(s)");
        break;
    case OP_RELEASE:
        say(r, t, pc, SIGHT_ALWAYS, "", "release(s, %u)", x->b);
        break;
    case OP_WGADD:
        say(r, t, pc, SIGHT_ALWAYS, "", "wgadd(w, %u)", x->b);
        break;
    case OP_WGDONE:
        say(r, t, pc, SIGHT_ALWAYS, "", "wgdone(w)");
        break;
    case OP_WGWAIT:
        say(r, t, pc, SIGHT_ALWAYS, "", "wgwait(w)");
        break;
    default:
        break;
    }
}

static void say_thread(struct recorder *r, struct move m, const struct insn *x)
{
    unsigned t = m.thread, pc = r->s.pc[t];
    switch (x->op) {
    case OP_EXIT:
        say(r, t, pc, SIGHT_ALWAYS, "", "exit");
        break;
    case OP_RAN:
        say(r, t, pc, SIGHT_ALWAYS, "", "once(o)=ran");
        break;
    case OP_ONCE: /* who runs it says so when it is done */
        if (r->s.once[x->a] == 2)
            say(r, t, pc, SIGHT_ALWAYS, "", "once(o)=waited");
        break;
    case OP_CLOSE:
        say(r, t, pc, SIGHT_ALWAYS, "", "close(%s)%s", chan_names[x->a],
            m.fault ? "=closed" : "");
        break;
    case OP_ARM:
    case OP_FIRE:
        say(r, t, pc, SIGHT_ALWAYS, "", x->op == OP_ARM ? "arm(t)" : "fire(t)");
        break;
    case OP_FORK:
        say(r, t, pc, SIGHT_ALWAYS, "", "signal(%u)", x->a + 1);
        say(r, x->a, 0, SIGHT_ALWAYS, "", "wait(%u)", x->a + 1);
        break;
    case OP_JOIN:
        say(r, t, pc, SIGHT_ALWAYS, "", "join(%u)", x->a + 1);
        break;
    default:
        break;
    }
}

static void say_move(struct recorder *r, struct move m, const struct state *after)
{
    const struct insn *x = &r->p->code[m.thread][r->s.pc[m.thread]];
    bool runs_once = x->op == OP_ONCE && r->s.once[x->a] != 2;
    bool sleeps = x->op == OP_CWAIT && !r->s.asleep[m.thread];
    if (!runs_once && !sleeps)
        say_wait(r, m.thread);
    if (m.announce)
        return;
    switch (x->op) {
    case OP_SEND:
    case OP_RECV:
    case OP_SELECT:
        say_channel(r, m, x);
        break;
    case OP_BARRIER:
        say_barrier(r, m, x);
        break;
    case OP_IN:
    case OP_OUT:
        say_outside(r, m.thread, x, after);
        break;
    default:
        say_sync(r, m, x, after);
        say_counts(r, m, x);
        say_thread(r, m, x);
        if (x->op >= OP_READ && x->op <= OP_FADD)
            say_memory(r, m.thread, x, after);
    }
    r->announced[m.thread] = false;
    if (runs_once) /* to run it or not is a branch */
        r->branch[m.thread] = true;
}

/* ---- the run ------------------------------------------------------------------------------- */

static void say_branches(struct recorder *r, const struct branches *b)
{
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned i = 0; i < b->n[t]; i++) {
            say(r, t, b->at[t][i], SIGHT_USE, "", "use");
            r->branch[t] = true;
        }
}

/* The threads whose place has changed go on along their paths, or end. */
static void note_paths(struct recorder *r, const struct state *after)
{
    for (unsigned t = 0; t < r->p->threads; t++) {
        unsigned was = r->s.pc[t], is = after->pc[t];
        if (after->started[t] && !r->s.started[t])
            r->out->paths.first[t] = (uint8_t)is;
        else if (was != is)
            r->out->paths.next[t][was] = (uint8_t)is;
        if (r->s.started[t] && was != is)
            r->out->recorded[op_id(t, was)] = true;
    }
}

static void say_ends(struct recorder *r, const struct state *before)
{
    for (unsigned t = 0; t < r->p->threads; t++)
        if (world_ended(r->p, &r->s, t) && !world_ended(r->p, before, t) && !r->s.exited)
            say(r, t, r->s.pc[t], SIGHT_ALWAYS, "", "end");
}

static void take_step(struct recorder *r, struct move m)
{
    struct state before = r->s, after = r->s;
    struct branches b = {{0}, {{0}}};
    world_step(r->p, &after, m, &b);
    say_move(r, m, &after);
    say_branches(r, &b);
    note_paths(r, &after);
    r->s = after;
    say_ends(r, &before);
}

/* One of the moves, rather of the thread that moved last. */
static struct move pick_move(struct fore_rng *r, const struct move *moves, unsigned n,
                             unsigned last)
{
    struct move m = moves[fore_rng_below(r, n)];
    for (unsigned i = 0; i < n && fore_rng_below(r, 3); i++)
        if (moves[i].thread == last)
            return moves[i];
    return m;
}

/* `crashed`: the thread that ended it all, or THREADS. */
static void say_waiting(struct recorder *r, unsigned crashed)
{
    r->s.dead = 0;
    for (unsigned t = 0; t < r->p->threads; t++) {
        if (t == crashed || !world_waits(r->p, &r->s, t))
            continue;
        say_wait(r, t);
        r->out->recorded[op_id(t, r->s.pc[t])] = true;
        r->out->waits.in[t] = true;
        r->out->waits.pc[t] = r->s.pc[t];
    }
}

static void run_once(const struct program *p, struct fore_rng *rng, bool cut,
                     struct recording *out)
{
    struct recorder r = {.p = p, .out = out};
    struct move moves[MOVES];
    unsigned n, last = THREADS, steps = 0;
    unsigned most = cut ? 2 + (unsigned)fore_rng_below(rng, 24) : UINT32_MAX;
    bool by_main = cut && fore_rng_below(rng, 2);
    fore_vec_clear(&out->list);
    memset(out->recorded, 0, sizeof out->recorded);
    memset(&out->paths, CODE, sizeof out->paths);
    out->waits = (struct waits){{false}, {0}};
    world_start(p, &r.s);
    for (unsigned t = 0; t < p->threads; t++)
        if (r.s.started[t])
            out->paths.first[t] = r.s.pc[t];
    while ((n = world_moves(p, &r.s, moves)) && !r.s.exited) {
        if (by_main ? world_ended(p, &r.s, 0) : steps++ >= most)
            break;
        struct move m = pick_move(rng, moves, n, last);
        last = m.thread;
        take_step(&r, m);
    }
    out->cut = n > 0 || r.s.dead;
    out->green = !r.s.dead;
    out->negative = r.negative;
    say_waiting(&r, r.s.dead ? last : THREADS);
    for (unsigned t = 0; t < p->threads; t++)
        out->green &= !out->waits.in[t];
}

void record_run(const struct program *p, struct fore_rng *rng, bool cut,
                struct recording *out)
{
    unsigned tries = 1 + (unsigned)fore_rng_below(rng, 12);
    do
        run_once(p, rng, cut, out);
    while (!out->green && --tries);
}

void recording_release(struct recording *r)
{
    fore_vec_release(&r->list);
}

/* ---- its trace ----------------------------------------------------------------------------- */

/* `i`: the record's position. */
static bool is_lost(const struct sees *s, const struct record *x, size_t i)
{
    if (x->sight == SIGHT_ALWAYS || x->sight == SIGHT_USE)
        return false;
    return (s->unseen && x->sight != SIGHT_OUTSIDE && x->thread == 1) ||
           (s->torn && i * 7 % 3 == 0);
}

static bool is_seen(const struct sees *s, const struct record *x)
{
    static const unsigned needs[] = {[SIGHT_MEMORY] = FORE_SEES_MEMORY,
                                     [SIGHT_ATOMIC] = FORE_SEES_ATOMICS,
                                     [SIGHT_OUTSIDE] = FORE_SEES_OUTSIDE};
    if (x->sight == SIGHT_ALWAYS)
        return true;
    return x->sight == SIGHT_USE ? s->use : (s->mask & needs[x->sight]) != 0;
}

static void write_declarations(const struct program *p, const struct sees *sees,
                               struct fore_strbuf *out)
{
    static const char *const kinds[] = {"", " rw readers-first", " rw writers-first"};
    fore_strbuf_puts(out, "sees");
    for (unsigned i = 0; i < FORE_SEES_BITS; i++)
        if (sees->mask & 1u << i)
            fore_strbuf_printf(out, " %s", fore_sees_names[i]);
    fore_strbuf_puts(out, sees->unseen ? "\nunseen \"a library\"@p:1\n" : "\n");
    for (unsigned i = 0; i < CHANS; i++)
        fore_strbuf_printf(out, "chan %s cap=%u\n", chan_names[i], p->capacity[i]);
    for (unsigned i = 0; i < LOCKS; i++)
        fore_strbuf_printf(out, "lock %s%s\n", lock_names[i], kinds[p->locks[i]]);
    if (!(sees->mask & FORE_SEES_VALUES))
        return;
    for (unsigned i = 0; i < VARS && sees->mask & FORE_SEES_MEMORY; i++)
        fore_strbuf_printf(out, "init %s=0\n", var_names[i]);
    for (unsigned i = 0; i < ATOMICS; i++)
        fore_strbuf_printf(out, "init %s=0\n", atomic_names[i]);
}

static void write_event(const struct sees *sees, const struct record *x,
                        struct fore_strbuf *out)
{
    const char *text = sees->mask & FORE_SEES_VALUES ? x->text : x->blind;
    if (sees->anonymous && x->sight == SIGHT_OUTSIDE) /* in(p)=1: in("")=1 */
        fore_strbuf_printf(out, "%.*s(\"\"%s", (int)strcspn(text, "("), text,
                           strchr(text, ')'));
    else
        fore_strbuf_puts(out, text);
    fore_strbuf_printf(out, "@p:%u\n", op_line(x->thread, x->pc));
}

void record_write(const struct program *p, const struct recording *r,
                  const struct sees *sees, struct fore_strbuf *out)
{
    bool branch[THREADS] = {false};
    unsigned lost = 0;
    fore_strbuf_clear(out);
    write_declarations(p, sees, out);
    for (size_t i = 0; i < r->list.n; i++) {
        const struct record *x = &r->list.at[i];
        branch[x->thread] |= x->branch;
        bool gone = is_lost(sees, x, i);
        lost += gone;
        if (gone || !is_seen(sees, x))
            continue;
        fore_strbuf_printf(out, "%u: ", x->thread + 1);
        if (sees->straight && !branch[x->thread])
            fore_strbuf_puts(out, "straight ");
        write_event(sees, x, out);
        branch[x->thread] = false;
    }
    if (sees->torn)
        fore_strbuf_printf(out, "# torn: %u events lost\n", lost);
}
