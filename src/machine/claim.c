#include "machine/claim.h"

#include "machine/layout.h"
#include "machine/ledger.h"
#include "machine/quiet.h"

const char *const fore_clause_names[FORE_CLAUSES] = {
#define X(name, text, why) [FORE_CLAUSE_##name] = text,
    FORE_CLAUSE_LIST(X)
#undef X
};

static const char *const clause_words[FORE_CLAUSES] = {
#define X(name, text, why) [FORE_CLAUSE_##name] = why,
    FORE_CLAUSE_LIST(X)
#undef X
};

/* What may be added to the words, where they do not explain themselves. */
static const char *const clause_details[FORE_CLAUSES] = {
    [FORE_CLAUSE_SECTION] = "what it reads while it holds the lock was not recorded",
    [FORE_CLAUSE_AHEAD] = "reads and writes were not recorded, and may forbid this order",
};

/* A schedule that both machines play side by side. */
struct play {
    const struct fore_program *p;
    struct fore_machine lax, strict;
    struct fore_map since; /* thread -> 1 + operation by which it came to differ */
    enum fore_clause
        clause; /* of the first thread that left the strict machine's trace */
    uint32_t left_at, left_since;
    /* If memory was not seen: the first rank that was not taken, the ranks taken beyond it, and
     * the first operation that came before one recorded earlier, though something unrecorded may
     * have decided about it. */
    uint32_t frontier, ahead;
    uint8_t *taken; /* a bit per rank */
    bool all, last; /* did the strict machine take all steps? the last one? */
};

/* Both machines begin at a mark: threads have taken the ranks of the operations done until then. */
static void resume_play(struct play *x, const struct fore_run_mark *from)
{
    const struct fore_program *p = x->p;
    fore_run_resume(from, &x->lax);
    fore_run_resume(from, &x->strict);
    if (!p->blind)
        return;
    x->frontier = p->op_count;
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t next = get_thread(&x->lax, t, T_NEXT);
        if (next < p->first[t + 1] && p->rank[next] < x->frontier)
            x->frontier = p->rank[next];
    }
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t op = get_thread(&x->lax, t, T_NEXT);
        while (op-- > p->first[t] && p->rank[op] > x->frontier)
            x->taken[p->rank[op] / 8] |= (uint8_t)(1u << p->rank[op] % 8);
    }
}

static void play_init(struct play *x, const struct fore_program *p,
                      const struct fore_run_mark *from)
{
    *x = (struct play){.p = p,
                       .left_at = FORE_NO_OP,
                       .left_since = FORE_NO_OP,
                       .ahead = FORE_NO_OP,
                       .all = true,
                       .last = true};
    fore_machine_init(&x->lax, p);
    fore_machine_init_strict(&x->strict, p);
    fore_machine_forget(&x->lax);
    fore_machine_forget(&x->strict);
    if (p->blind)
        x->taken = fore_calloc(p->op_count / 8 + 1, sizeof *x->taken);
    if (from)
        resume_play(x, from);
}

static void play_release(struct play *x)
{
    fore_machine_release(&x->lax);
    fore_machine_release(&x->strict);
    fore_map_release(&x->since);
    fore_free(x->taken);
}

/* Notes an operation that comes before one recorded earlier: through a race its thread may have
 * learnt of the earlier one. */
static void watch_ahead(struct play *x, uint32_t op)
{
    bool straight = fore_insn_pre(x->p, op)->flags & FORE_F_STRAIGHT;
    if (x->p->blind && !straight && x->ahead == FORE_NO_OP &&
        x->p->rank[op] > x->frontier)
        x->ahead = op;
}

static void take_rank(struct play *x, uint32_t op)
{
    if (!x->p->blind)
        return;
    watch_ahead(x, op);
    if (x->p->rank[op] != x->frontier) {
        x->taken[x->p->rank[op] / 8] |= (uint8_t)(1u << x->p->rank[op] % 8);
        return;
    }
    do
        x->frontier++;
    while (x->taken[x->frontier / 8] >> x->frontier % 8 & 1);
}

/* Takes the ranks of both sides of a rendezvous together, the smaller one first. */
static void take_ranks(struct play *x, uint32_t op, uint32_t other)
{
    bool later = other != FORE_NO_OP && x->p->blind && x->p->rank[op] > x->p->rank[other];
    take_rank(x, later ? other : op);
    if (other != FORE_NO_OP)
        take_rank(x, later ? op : other);
}

static enum fore_clause clause_of(const struct fore_program *p, uint32_t op)
{
    unsigned kind = fore_insn_kind(p, op);
    bool access = kind == FORE_EV_READ || kind == FORE_EV_RMW;
    return access && !p->blind ? FORE_CLAUSE_VALUE : fore_ledger_clause(p, op);
}

/* Notes since when the thread differs, and whether it has left the trace because of that. */
static void watch_differing(struct play *x, uint32_t thread, uint32_t op, unsigned before)
{
    unsigned now = get_thread(&x->strict, thread, T_FLAGS);
    if (now & FORE_T_DIFFERS && !(before & FORE_T_DIFFERS))
        *fore_map_put(&x->since, thread, NULL) = op + 1ull;
    if (!(now & FORE_T_OFF) || before & FORE_T_OFF || x->clause != FORE_CLAUSE_NONE ||
        now & FORE_T_PANICKED)
        return;
    const uint64_t *since = fore_map_get(&x->since, thread);
    x->left_since = since ? (uint32_t)*since - 1 : op;
    x->left_at = get_thread(&x->strict, thread, T_NEXT);
    x->clause =
        now & FORE_T_OVERTAKEN ? FORE_CLAUSE_OVERTAKEN : clause_of(x->p, x->left_since);
}

/* Handles a thread that a differing thread has just created. */
static void watch_created(struct play *x, uint32_t op)
{
    unsigned kind = x->p->ops[op].kind;
    uint32_t child = (uint32_t)fore_insn_event(x->p, op)->a;
    if (kind == FORE_EV_SIGNAL || kind == FORE_EV_SPAWN)
        watch_differing(x, child, op, 0);
}

static bool strict_step(struct play *x, struct fore_move v, uint32_t op, uint32_t other)
{
    struct fore_machine *m = &x->strict;
    if (next_of(m, v.thread) != op || (v.other && next_of(m, v.other) != other) ||
        !fore_machine_can(m, v))
        return false;
    take_ranks(x, op, v.act == FORE_ACT_SYNC ? other : FORE_NO_OP);
    unsigned mine = get_thread(m, v.thread, T_FLAGS);
    unsigned others = v.other ? get_thread(m, v.other, T_FLAGS) : 0;
    fore_machine_step(m, v);
    watch_differing(x, v.thread, op, mine);
    if (v.act == FORE_ACT_SYNC)
        watch_differing(x, v.other, other, others);
    watch_created(x, op);
    return true;
}

/* False if the lax machine cannot take the schedule, which is then no run. */
static bool play_schedule(struct play *x, const struct fore_candidate *c)
{
    for (size_t i = 0; i < c->steps; i++) {
        struct fore_move v = c->schedule[i];
        if (fore_program_spent_at(x->p, i))
            return false;
        uint32_t op = next_of(&x->lax, v.thread);
        uint32_t other = v.other ? next_of(&x->lax, v.other) : FORE_NO_OP;
        if (!fore_machine_can(&x->lax, v))
            return false;
        x->last = strict_step(x, v, op, other);
        x->all &= x->last;
        fore_machine_step(&x->lax, v);
    }
    fore_machine_list(&x->lax);
    fore_machine_list(&x->strict);
    return true;
}

/* ---- waits ---------------------------------------------------------------------------------- */

static bool is_target(const struct fore_candidate *c, uint32_t thread)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->targets[i].thread == thread)
            return true;
    return false;
}

/* How often the thread holds the lock as a reader. */
static uint32_t read_holds(const struct fore_machine *m, uint32_t thread, uint32_t lock)
{
    uint32_t n = 0, end = get_thread(m, thread, T_NEXT);
    for (uint32_t op = m->p->first[thread]; op < end; op++) {
        const struct fore_insn *o = &m->p->ops[op];
        if (o->object != lock)
            continue;
        bool taken = o->kind == FORE_EV_RLOCK ||
                     (o->kind == FORE_EV_TRYRLOCK && !(o->flags & FORE_F_BUSY));
        n += taken;
        n -= o->kind == FORE_EV_RUNLOCK && n;
    }
    return n;
}

/* Do the targets alone hold what the thread waits for? Then no other thread can end the wait. */
static bool kept_by_targets(const struct fore_machine *m, const struct fore_candidate *c,
                            uint32_t thread)
{
    uint32_t lock, held = 0;
    if (!fore_waits_for_lock(m, thread, &lock))
        return false;
    uint32_t owner = get_object(m, lock, LOCK_OWNER);
    if (owner)
        return is_target(c, owner);
    for (size_t i = 0; i < c->n; i++)
        held += read_holds(m, c->targets[i].thread, lock);
    if (get_object(m, lock, LOCK_READERS) != held)
        return false;
    /* For a reader behind a waiting writer: is the writer one of the targets? */
    for (size_t i = 0; i < c->n && !held; i++) {
        uint32_t other;
        held = fore_waits_for_lock(m, c->targets[i].thread, &other) && other == lock &&
               get_thread(m, c->targets[i].thread, T_FLAGS) & FORE_T_ARRIVED;
    }
    return held;
}

/* Did the thread still run when the recording ended, and would it go on now? */
static bool was_cut_off(const struct fore_machine *m, uint32_t t)
{
    const struct fore_program *p = m->p;
    uint32_t next = get_thread(m, t, T_NEXT);
    if (!p->ends || next < p->first[t + 1])
        return false;
    if (next == p->first[t])
        return get_thread(m, t, T_FLAGS) & FORE_T_STARTED;
    unsigned last = p->ops[next - 1].kind;
    return last != FORE_EV_END && last != FORE_EV_EXIT && last != FORE_EV_PANIC;
}

/* The clause by which a thread might end the waits, or NONE. */
static enum fore_clause may_rescue(const struct fore_machine *m)
{
    const struct fore_program *p = m->p;
    if (p->cancels && fore_clause_holds(p, FORE_CLAUSE_LEFT))
        return FORE_CLAUSE_LEFT;
    for (uint32_t t = 1; t <= p->threads; t++) {
        unsigned flags = get_thread(m, t, T_FLAGS);
        bool off = flags & FORE_T_OFF && !(flags & FORE_T_PANICKED);
        if ((off || fore_would_leave(m, t)) && fore_clause_holds(p, FORE_CLAUSE_LEFT))
            return FORE_CLAUSE_LEFT;
        if (flags & FORE_T_STARTED && was_cut_off(m, t) &&
            fore_clause_holds(p, FORE_CLAUSE_RUNNING))
            return FORE_CLAUSE_RUNNING;
    }
    bool alive = !fore_machine_quiet(m) && fore_clause_holds(p, FORE_CLAUSE_ALIVE);
    return alive ? FORE_CLAUSE_ALIVE : FORE_CLAUSE_NONE;
}

static bool blocked_there(const struct fore_machine *m, const struct fore_candidate *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (next_of(m, c->targets[i].thread) != c->targets[i].op ||
            !fore_machine_blocked(m, c->targets[i].thread))
            return false;
    return c->n > 0;
}

static enum fore_clause blocked_for_ever(const struct fore_machine *m,
                                         const struct fore_candidate *c)
{
    bool closed = true;
    for (size_t i = 0; i < c->n && closed; i++)
        closed = kept_by_targets(m, c, c->targets[i].thread);
    return closed ? FORE_CLAUSE_NONE : may_rescue(m);
}

/* ---- the verdict ------------------------------------------------------------------------------ */

static bool next_there(const struct fore_machine *m, const struct fore_candidate *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (next_of(m, c->targets[i].thread) != c->targets[i].op)
            return false;
    return c->n > 0;
}

static bool reached_targets(const struct play *x, const struct fore_machine *m,
                            const struct fore_candidate *c)
{
    bool strict = m == &x->strict;
    switch (c->goal) {
    case FORE_GOAL_STEP:
        return (!strict || x->last) && (!c->n || next_there(m, c));
    case FORE_GOAL_ALL:
        return !strict || x->all;
    case FORE_GOAL_NEXT:
        return next_there(m, c);
    case FORE_GOAL_BLOCKED:
        return blocked_there(m, c);
    }
    return false;
}

/* If the capture does not see one of these, the clause is FORE_CLAUSE_UNSEEN; memory,
 * values, atomics and outside have their own. */
enum { OTHERS = FORE_SEES_THREADS | FORE_SEES_CHANNELS | FORE_SEES_LOCKS };

/* The clause about what the recording as a whole could not see; ablated clauses do not count. */
static enum fore_clause blind_spot(const struct fore_trace *t, uint32_t ablated)
{
    const struct {
        bool blind;
        enum fore_clause clause;
    } spots[] = {
        {t->lost || t->torn, FORE_CLAUSE_LOST},
        {t->tables.unseen.n || !fore_trace_sees(t, OTHERS), FORE_CLAUSE_UNSEEN},
        {!fore_trace_sees(t, FORE_SEES_ATOMICS), FORE_CLAUSE_ATOMICS},
        {!fore_trace_sees(t, FORE_SEES_OUTSIDE), FORE_CLAUSE_OUTSIDE},
    };
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++)
        if (spots[i].blind && !(ablated >> spots[i].clause & 1))
            return spots[i].clause;
    return FORE_CLAUSE_NONE;
}

/* Did something unseen start the thread (Go's runtime for finalizers, or a library)? In a
 * recorded program every thread but the first is created by another one, or begins with
 * something from outside (a timer's thread). A trace written by hand may have several first
 * threads. */
static bool is_unborn(const struct fore_program *p, uint32_t thread)
{
    const struct fore_tables *t = &p->trace->tables;
    uint32_t first = p->first[thread];
    bool called = first < p->first[thread + 1] && p->ops[first].kind == FORE_EV_IN;
    const struct fore_thread_info *info = &t->threads.at[thread];
    return t->merged && thread > 1 && !info->parent && !info->earlier && !called;
}

static bool is_any_unborn(const struct fore_program *p, const struct fore_candidate *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_unborn(p, c->targets[i].thread))
            return true;
    return false;
}

/* The first operation that may not come where the schedule has it, if the program has a race.
 * This matters only if the claim is that two operations come in the other order (a close before
 * a send): programs keep such an order by a flag that is read without a lock. Threads that wait
 * for each other need only that their sections overlap; such predictions hold for programs
 * without data races, and say so. */
static uint32_t find_ahead(const struct play *x, const struct fore_candidate *c)
{
    bool counts = c->goal == FORE_GOAL_STEP && fore_clause_holds(x->p, FORE_CLAUSE_AHEAD);
    return counts ? x->ahead : FORE_NO_OP;
}

static struct fore_claim judge_play(const struct play *x, const struct fore_candidate *c)
{
    struct fore_claim out = {
        .verdict = FORE_CLAIM_POSSIBLE, .at = FORE_NO_OP, .since = FORE_NO_OP};
    if (!reached_targets(x, &x->lax, c))
        return (struct fore_claim){.verdict = FORE_CLAIM_NONE};
    if (!reached_targets(x, &x->strict, c)) {
        out.clause = x->clause != FORE_CLAUSE_NONE ? x->clause : FORE_CLAUSE_PASS;
        out.at = x->left_at;
        out.since = x->left_since;
        return out;
    }
    if (c->goal == FORE_GOAL_BLOCKED)
        out.clause = blocked_for_ever(&x->strict, c);
    if (out.clause == FORE_CLAUSE_NONE)
        out.clause = blind_spot(x->p->trace, x->p->ablated);
    if (out.clause == FORE_CLAUSE_NONE && is_any_unborn(x->p, c))
        out.clause = FORE_CLAUSE_BORN;
    if (out.clause == FORE_CLAUSE_NONE && (out.since = find_ahead(x, c)) != FORE_NO_OP)
        out.clause = FORE_CLAUSE_AHEAD;
    if (out.clause == FORE_CLAUSE_NONE)
        out.verdict = FORE_CLAIM_PREDICTED;
    out.if_race_free = x->p->blind;
    return out;
}

struct fore_claim fore_claim_make(const struct fore_program *p,
                                  const struct fore_candidate *c)
{
    struct play x;
    struct fore_claim out = {.verdict = FORE_CLAIM_NONE};
    play_init(&x, p, c->from);
    if (play_schedule(&x, c))
        out = judge_play(&x, c);
    play_release(&x);
    return out;
}

struct fore_claim fore_claim_unplayed(enum fore_clause clause)
{
    return (struct fore_claim){.verdict = FORE_CLAIM_POSSIBLE,
                               .clause = clause,
                               .at = FORE_NO_OP,
                               .since = FORE_NO_OP};
}

struct fore_claim fore_claim_in_order(const struct fore_trace *t)
{
    struct fore_claim out = fore_claim_unplayed(blind_spot(t, 0));
    if (out.clause == FORE_CLAUSE_NONE)
        out.verdict = FORE_CLAIM_PREDICTED;
    out.if_race_free = !fore_trace_sees(t, FORE_SEES_MEMORY);
    return out;
}

struct fore_claim fore_claim_unordered(const struct fore_program *p, uint32_t one,
                                       uint32_t other)
{
    struct fore_claim out = fore_claim_in_order(p->trace);
    if (out.verdict == FORE_CLAIM_PREDICTED && (is_unborn(p, one) || is_unborn(p, other)))
        out = fore_claim_unplayed(FORE_CLAUSE_BORN);
    return out;
}

/* ---- words --------------------------------------------------------------------------------- */

static void place_text(const struct fore_program *p, uint32_t op, struct fore_strbuf *out)
{
    const struct fore_tables *t = &p->trace->tables;
    uint32_t where = p->ops[op].where;
    if (!t->wheres.at[where].file)
        return;
    fore_strbuf_puts(out, " at ");
    fore_tables_place(t, where, out);
}

/* "goroutine 7"; for other threads "thread 2". */
static void thread_text(const struct fore_tables *t, uint32_t thread,
                        struct fore_strbuf *out)
{
    uint32_t goroutine = t->threads.at[thread].goroutine;
    if (goroutine)
        fore_strbuf_printf(out, "goroutine %u", (unsigned)goroutine);
    else
        fore_strbuf_printf(out, "thread %s", fore_tables_label(t, thread));
}

static void unseen_text(const struct fore_program *p, struct fore_strbuf *out)
{
    const struct fore_tables *t = &p->trace->tables;
    const char *between = ": ";
    for (unsigned bit = 0; bit < FORE_SEES_BITS && !t->unseen.n; bit++)
        if (OTHERS >> bit & 1 && !fore_tables_sees(t, 1u << bit)) {
            fore_strbuf_printf(out, "%s%s", between, fore_sees_names[bit]);
            between = ", ";
        }
    if (!t->unseen.n)
        return;
    fore_strbuf_printf(out, ": %s", fore_tables_text(t, t->unseen.at[0].text));
    if (t->wheres.at[t->unseen.at[0].where].file) {
        fore_strbuf_puts(out, " at ");
        fore_tables_place(t, t->unseen.at[0].where, out);
    }
}

/* `p` is needed only if the claim names operations or things that were not seen. */
void fore_claim_reason(const struct fore_program *p, const struct fore_claim *c,
                       struct fore_strbuf *out)
{
    if (c->verdict == FORE_CLAIM_PREDICTED) {
        if (c->if_race_free)
            fore_strbuf_puts(out, "this holds if the program has no data race: its reads "
                                  "and writes were not recorded");
        return;
    }
    if (c->since != FORE_NO_OP && c->since < p->op_count) {
        thread_text(&p->trace->tables, fore_insn_thread(p, c->since), out);
        place_text(p, c->since, out);
        fore_strbuf_putc(out, ' ');
    }
    fore_strbuf_puts(out, clause_words[c->clause]);
    if (c->clause == FORE_CLAUSE_UNSEEN && p)
        unseen_text(p, out);
}

void fore_claim_details(const struct fore_program *p, const struct fore_claim *c,
                        struct fore_strbuf *out)
{
    if (c->verdict != FORE_CLAIM_POSSIBLE)
        return;
    if (clause_details[c->clause])
        fore_strbuf_printf(out, "; %s", clause_details[c->clause]);
    if (c->at == FORE_NO_OP || c->at >= p->op_count)
        return;
    fore_strbuf_puts(out, "; so it may not come to its next step");
    place_text(p, c->at, out);
}
