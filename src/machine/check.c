/* The checker of witnesses. It shares only the machine with the analysis that made the witness:
 * it reads the witness as a trace, plays it by itself, and takes each of its steps on the
 * machine of the trace from which it was predicted. */
#include "machine/replay.h"
#include "machine/witness.h"

#include "machine/layout.h"
#include "trace/format.h"

/* states looked at to see whether a blocked thread can go on */
enum { MOST_STATES = 200000 };

struct checker {
    const struct fore_trace *w, *t;
    struct fore_program of_w;
    const struct fore_program *of_t;
    struct fore_machine m;     /* of t */
    struct fore_moves taken;   /* on it */
    uint32_t *thread, *object; /* of w -> of t; 0: t has none */
};

static enum fore_status reject_step(const struct checker *c, uint32_t op, const char *why,
                                    struct fore_err *e)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    fore_insn_text(&c->of_w, op, &s);
    enum fore_status st = fore_fail(e, FORE_MEANING, "%s: not a run of %s: %s: %s",
                                    c->w->name, c->t->name, s.at, why);
    fore_strbuf_release(&s);
    return st;
}

static void match_names(struct checker *c)
{
    const struct fore_tables *a = &c->w->tables, *b = &c->t->tables;
    c->thread = fore_calloc(a->threads.n, sizeof *c->thread);
    c->object = fore_calloc(a->objects.n, sizeof *c->object);
    for (size_t i = 1; i < a->threads.n; i++) {
        struct fore_bytes s = fore_intern_bytes(&a->strings, a->threads.at[i].label);
        uint32_t text = fore_intern_find(&b->strings, s.at, s.n);
        c->thread[i] = fore_tables_find_thread(b, text);
    }
    for (size_t i = 1; i < a->objects.n; i++) {
        struct fore_bytes s = fore_intern_bytes(&a->strings, a->objects.at[i].name);
        uint32_t text = fore_intern_find(&b->strings, s.at, s.n);
        uint64_t key = (uint64_t)a->objects.at[i].kind << 32 | text;
        uint64_t *id = text ? fore_map_get(&b->object_by_name, key) : NULL;
        c->object[i] = id ? (uint32_t)*id : 0;
    }
}

/* Do two operations offer the same cases, under the matching of names? */
static bool same_offer(const struct checker *c, uint32_t w, uint32_t t)
{
    struct fore_case one, two;
    size_t n, k;
    const struct fore_case *a = fore_insn_cases(&c->of_w, w, &one, &n);
    const struct fore_case *b = fore_insn_cases(c->of_t, t, &two, &k);
    if (n != k)
        return false;
    for (size_t i = 0; i < n; i++)
        if (a[i].kind != b[i].kind || (a[i].chan && c->object[a[i].chan] != b[i].chan) ||
            (!a[i].chan && b[i].chan))
            return false;
    return true;
}

static bool same_operand(const struct checker *c, const struct fore_event *a,
                         const struct fore_event *b)
{
    switch (a->kind) {
    case FORE_EV_SIGNAL:
    case FORE_EV_WAIT:
    case FORE_EV_JOIN:
    case FORE_EV_SPAWN:
        return c->thread[a->a] == b->a;
    case FORE_EV_CWAIT:
    case FORE_EV_CWOKEN:
        return (a->a ? c->object[a->a] : 0) == b->a;
    case FORE_EV_ACQUIRE:
    case FORE_EV_RELEASE:
    case FORE_EV_BARRIER:
    case FORE_EV_WGADD:
        return a->a == b->a;
    default:
        return true;
    }
}

static bool same_operation(const struct checker *c, uint32_t w, uint32_t t)
{
    const struct fore_event *a = fore_insn_event(&c->of_w, w);
    const struct fore_event *b = fore_insn_event(c->of_t, t);
    if (fore_insn_offers(&c->of_w, w) || fore_insn_offers(c->of_t, t))
        return fore_insn_offers(&c->of_w, w) && fore_insn_offers(c->of_t, t) &&
               same_offer(c, w, t);
    if (fore_insn_kind(&c->of_w, w) != fore_insn_kind(c->of_t, t))
        return false;
    return (a->object ? c->object[a->object] : 0) == b->object && same_operand(c, a, b);
}

static enum fore_status compare_threads(const struct checker *c, struct fore_err *e)
{
    for (uint32_t t = 1; t <= c->of_w.threads; t++) {
        uint32_t from = c->of_w.first[t], n = c->of_w.first[t + 1] - from,
                 other = c->thread[t];
        if (!n)
            continue;
        if (!other)
            return reject_step(c, from, "there is no such thread", e);
        uint32_t base = c->of_t->first[other], have = c->of_t->first[other + 1] - base;
        for (uint32_t i = 0; i < n; i++)
            if (i >= have || !same_operation(c, from + i, base + i))
                return reject_step(c, from + i, "the thread did something else there", e);
    }
    return FORE_OK;
}

/* Takes the witness's step on the machine of the trace. */
static enum fore_status take_checked(struct checker *c, struct fore_move v, uint32_t op,
                                     struct fore_err *e)
{
    struct fore_move x = v;
    x.thread = c->thread[v.thread];
    x.other = v.other ? c->thread[v.other] : 0;
    if (v.act == FORE_ACT_ARRIVE && !fore_machine_can(&c->m, x))
        return FORE_OK;
    uint32_t gone = fore_machine_next(&c->m, x.thread) == FORE_NO_OP ? x.thread : 0;
    if (v.act == FORE_ACT_SYNC && fore_machine_next(&c->m, x.other) == FORE_NO_OP)
        gone = x.other;
    if (gone)
        return reject_step(
            c, op,
            fore_machine_flags(&c->m, gone) & FORE_T_OFF
                ? "the thread had left the trace before, it may have branched"
                : "the thread has nothing left to do",
            e);
    if (!fore_machine_can(&c->m, x)) {
        struct fore_strbuf s = FORE_STRBUF_INIT;
        fore_strbuf_puts(&s, "the thread must still wait ");
        fore_machine_why(&c->m, x.thread, &s);
        enum fore_status st = reject_step(c, op, s.at, e);
        fore_strbuf_release(&s);
        return st;
    }
    fore_machine_step(&c->m, x);
    fore_vec_push(&c->taken.list, x);
    return FORE_OK;
}

/* The search for a state in which a thread that should be blocked can go on. */
struct prefix_search {
    struct fore_machine *m;
    struct fore_map seen;
    /* the moves of the states on the path, one state after another */
    struct fore_moves moves;
    FORE_VEC(size_t) start; /* where the moves of each state begin */
};

/* False if the state was seen before. */
static bool enter_configuration(struct prefix_search *s)
{
    bool fresh;
    fore_map_put(&s->seen, fore_machine_fingerprint(s->m), &fresh);
    if (!fresh || s->seen.n > MOST_STATES)
        return false;
    fore_vec_push(&s->start, s->moves.list.n);
    for (uint32_t t = 1; t <= s->m->p->threads; t++)
        fore_machine_moves(s->m, t, false, &s->moves);
    return true;
}

static uint32_t first_unblocked(const struct fore_machine *m, const uint32_t *who,
                                size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!fore_machine_blocked(m, who[i]))
            return who[i];
    return 0;
}

/* One of the threads `who` that can go on in some continuation by the others, or 0. Depth first,
 * over states not seen before; the machine is left in some state. */
static uint32_t find_unblocked(struct prefix_search *s, const uint32_t *who, size_t n)
{
    uint32_t found = first_unblocked(s->m, who, n);
    enter_configuration(s);
    while (!found && s->start.n) {
        if (s->moves.list.n == fore_vec_last(&s->start)) {
            s->start.n--;
            if (s->start.n)
                fore_machine_undo(s->m);
            continue;
        }
        fore_machine_step(s->m, fore_vec_pop(&s->moves.list));
        found = first_unblocked(s->m, who, n);
        if (!enter_configuration(s))
            fore_machine_undo(s->m);
    }
    return found;
}

static enum fore_status expect_blocked(struct checker *c, const uint32_t *who, size_t n,
                                       struct fore_err *e)
{
    struct prefix_search s = {.m = &c->m};
    uint32_t which = find_unblocked(&s, who, n);
    bool all = s.seen.n <= MOST_STATES;
    fore_map_release(&s.seen);
    fore_vec_release(&s.moves.list);
    fore_vec_release(&s.start);
    if (!which && !all)
        return fore_fail(e, FORE_SPENT,
                         "whether thread %s stays blocked was looked into for %d "
                         "states, and there are more",
                         fore_tables_label(&c->t->tables, who[0]), MOST_STATES);
    if (!which)
        return FORE_OK;
    return fore_fail(e, FORE_MEANING, "%s: thread %s is not blocked: it can go on",
                     c->w->name, fore_tables_label(&c->t->tables, which));
}

/* Two accesses of one place, at least one of which writes, and not both atomic. */
static bool accesses_race(const struct fore_event *x, const struct fore_event *y)
{
    return fore_kind_group(x->kind) == FORE_GROUP_MEMORY &&
           fore_kind_group(y->kind) == FORE_GROUP_MEMORY &&
           (fore_event_order(x) == FORE_ORDER_PLAIN ||
            fore_event_order(y) == FORE_ORDER_PLAIN) &&
           (x->kind != FORE_EV_READ || y->kind != FORE_EV_READ);
}

/* A wait that found the counter at zero, and the addition that counts it up. */
static bool counts_race(const struct fore_event *x, const struct fore_event *y)
{
    return x->kind == FORE_EV_WGWAIT && !(x->flags & FORE_F_PRE) &&
           y->kind == FORE_EV_WGADD && (int64_t)y->a > 0;
}

/* Are the last two steps of these two threads, on one object, and a race for it? */
static enum fore_status expect_race(struct checker *c, const uint32_t *who, size_t n,
                                    struct fore_err *e)
{
    size_t last = c->w->events.n;
    if (n == 2 && last >= 2) {
        const struct fore_event *x = &c->w->events.at[last - 2], *y = x + 1;
        uint32_t a = c->thread[x->thread], b = c->thread[y->thread];
        if (x->object && x->object == y->object && a != b &&
            (accesses_race(x, y) || counts_race(x, y)) && (a == who[0] || a == who[1]) &&
            (b == who[0] || b == who[1]))
            return FORE_OK;
    }
    return fore_fail(e, FORE_MEANING, "%s: does not end with two steps that race",
                     c->w->name);
}

static enum fore_status check_expects(struct checker *c, struct fore_err *e)
{
    FORE_VEC(uint32_t) blocked = {0};
    FORE_VEC(uint32_t) race = {0};
    enum fore_status st = FORE_OK;
    for (size_t i = 0; st == FORE_OK && i < c->w->expects.n; i++) {
        const struct fore_expect *x = &c->w->expects.at[i];
        if (x->kind == FORE_EXPECT_VIOLATION)
            continue; /* the property's monitor decides that */
        uint32_t t = c->thread[x->subject];
        if (x->kind == FORE_EXPECT_BLOCKED)
            fore_vec_push(&blocked, t);
        else if (x->kind == FORE_EXPECT_RACE)
            fore_vec_push(&race, t);
        else if (!(fore_machine_flags(&c->m, t) & FORE_T_PANICKED))
            st = fore_fail(e, FORE_MEANING, "%s: thread %s does not panic", c->w->name,
                           fore_tables_label(&c->w->tables, x->subject));
    }
    if (st == FORE_OK && blocked.n)
        st = expect_blocked(c, blocked.at, blocked.n, e);
    if (st == FORE_OK && race.n)
        st = expect_race(c, race.at, race.n, e);
    fore_vec_release(&race);
    fore_vec_release(&blocked);
    return st;
}

/* The order of lines is the schedule: a step may not be written before the steps that it needs.
 * Only the two halves of a rendezvous may come in either order. */
static bool in_line(const struct checker *c, struct fore_move v, uint32_t op,
                    uint32_t *last)
{
    const struct fore_program *p = &c->of_w;
    uint32_t first = p->ops[op].done, end = first;
    if (v.act == FORE_ACT_ARRIVE)
        return true;
    if (v.act == FORE_ACT_SYNC) {
        uint32_t other = p->ops[p->ops[op].link].done;
        first = other < first ? other : first;
        end = other < end ? end : other;
    }
    if (end + 1 <= *last)
        return false;
    *last = first + 1 > *last ? first + 1 : *last;
    return true;
}

static enum fore_status take_all(struct checker *c, const struct fore_steps *r,
                                 struct fore_err *e)
{
    uint32_t last = 0;
    for (size_t i = 0; i < r->moves.n; i++) {
        if (!in_line(c, r->moves.at[i], r->ops.at[i], &last))
            return reject_step(c, r->ops.at[i], "it is written before what it needs", e);
        FORE_TRY(take_checked(c, r->moves.at[i], r->ops.at[i], e));
    }
    return FORE_OK;
}

static enum fore_status play_schedule(struct checker *c, struct fore_err *e)
{
    struct fore_machine m;
    struct fore_steps r = {0};
    fore_machine_init(&m, &c->of_w);
    enum fore_status st = compare_threads(c, e);
    if (st == FORE_OK)
        st = fore_replay_run(&m, &r, e);
    if (st == FORE_OK)
        st = take_all(c, &r, e);
    if (st == FORE_OK)
        st = check_expects(c, e);
    fore_steps_release(&r);
    fore_machine_release(&m);
    return st;
}

/* Is `w` a run of the program, and which claim can be made about it (if that is asked for)? */
static enum fore_status check_against(const struct fore_trace *w,
                                      const struct fore_program *p,
                                      struct fore_claim *claim, struct fore_err *e)
{
    struct checker c = {.w = w, .t = p->trace, .of_t = p};
    FORE_TRY(fore_program_build(&c.of_w, w, e));
    match_names(&c);
    fore_machine_init(&c.m, p);
    enum fore_status st = play_schedule(&c, e);
    if (st == FORE_OK && claim) {
        struct fore_candidate x = {
            .goal = FORE_GOAL_ALL, .schedule = c.taken.list.at, .steps = c.taken.list.n};
        *claim = fore_claim_make(p, &x);
    }
    fore_machine_release(&c.m);
    fore_program_release(&c.of_w);
    fore_vec_release(&c.taken.list);
    fore_free(c.thread);
    fore_free(c.object);
    return st;
}

enum fore_status fore_witness_check(const struct fore_trace *w,
                                    const struct fore_trace *t, struct fore_err *e)
{
    struct fore_program p;
    FORE_TRY(fore_program_build(&p, t, e));
    enum fore_status st = check_against(w, &p, NULL, e);
    fore_program_release(&p);
    return st;
}

enum fore_status fore_witness_claim(const char *text, const struct fore_program *p,
                                    struct fore_claim *claim, struct fore_err *e)
{
    struct fore_trace w;
    fore_trace_init(&w, "witness");
    enum fore_status s = fore_trace_parse(&w, text, strlen(text), e);
    if (s == FORE_OK)
        s = check_against(&w, p, claim, e);
    fore_trace_release(&w);
    return s;
}

enum fore_status fore_witness_check_text(const char *text, const struct fore_trace *t,
                                         struct fore_err *e)
{
    struct fore_program p;
    FORE_TRY(fore_program_build(&p, t, e));
    enum fore_status s = fore_witness_claim(text, &p, NULL, e);
    fore_program_release(&p);
    return s;
}
