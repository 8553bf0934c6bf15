#include "analysis/channel/comm_finding.h"

#include "analysis/tell/tell.h"
#include "machine/claim.h"
#include "machine/witness.h"
#include "trace/format.h"

#include <stdlib.h>

enum {
    MOST_SHOWN = 400,       /* steps of a witness that are kept as a table */
    MOST_WRITTEN = 1000000, /* steps of a witness that is kept as a trace */
};

static const char *const rule_names[] = {"alternative-communication", "send-on-closed",
                                         "receive-on-closed", "close-of-closed"};

void fore_comm_tell_release(struct fore_comm_teller *t)
{
    fore_vec_release(&t->index);
    fore_free(t->next);
}

/* The position of an event within its thread; remembers those before it, too, for later calls. */
static uint32_t event_index(struct fore_comm_teller *t, uint32_t event)
{
    const struct fore_trace *trace = t->c->t;
    if (!t->next)
        t->next = fore_calloc(trace->tables.threads.n, sizeof *t->next);
    for (size_t i = t->index.n; i <= event; i++)
        fore_vec_push(&t->index, t->next[trace->events.at[i].thread]++);
    return t->index.at[event];
}

/* " at main.go:4", or " of thread 3" where no place is known. */
static const char *at_text(struct fore_comm_teller *t, uint32_t op)
{
    const struct fore_program *p = t->c->p;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_place(&t->c->t->tables, fore_comm_where(p, op), &b);
    const char *text = b.n ? fore_findings_printf(t->out, "at %s", b.at)
                           : fore_findings_printf(
                                 t->out, "of %s",
                                 fore_tell_who(t->out, t->c->t, fore_insn_thread(p, op)));
    fore_strbuf_release(&b);
    return text;
}

static void add_place(struct fore_comm_teller *t, struct fore_finding *x,
                      const char *role, uint32_t op)
{
    const struct fore_program *p = t->c->p;
    struct fore_event e = *fore_insn_event(p, op);
    uint32_t at = (uint32_t)(fore_insn_event(p, op) - t->c->t->events.at);
    e.where = fore_comm_where(p, op);
    struct fore_place *place =
        fore_finding_place(t->out, x, role, t->c->t, &e, event_index(t, at));
    place->committed = fore_insn_ended(p, op) ? FORE_YES : FORE_NO;
}

/* ---- words -------------------------------------------------------------------------------------- */

/* What an operation did in the observed run. */
static const char *words_for_fate(struct fore_comm_teller *t, uint32_t op, uint32_t chan,
                                  unsigned kind)
{
    const struct fore_program *p = t->c->p;
    const struct fore_event *e = fore_insn_event(p, op);
    uint32_t link = p->ops[op].link;
    bool send = kind == FORE_CASE_SEND;
    if (!fore_insn_ended(p, op))
        return "never completed";
    if (e->kind == FORE_EV_SELECT)
        return e->flags & FORE_F_TIMEOUT ? "gave up by timeout" : "took default";
    if (e->object != chan || e->kind != (send ? FORE_EV_SEND : FORE_EV_RECV))
        return "took another case";
    if (e->flags & FORE_F_CLOSED)
        return send ? "panicked: the channel was closed" : "found the channel closed";
    if (link == FORE_NO_OP)
        return "stayed in the buffer";
    return fore_findings_printf(
        t->out, send ? "was received by %s" : "took the message of %s",
        fore_tell_who(t->out, t->c->t, fore_insn_thread(p, link)));
}

static void tell_observed(struct fore_comm_teller *t, struct fore_finding *x,
                          struct fore_comm_pair p)
{
    unsigned kind_b = p.rule == FORE_COMM_SEND ? FORE_CASE_SEND : FORE_CASE_RECV;
    if (p.rule == FORE_COMM_ALTERNATIVE)
        fore_finding_fact(t->out, x, FORE_FACT_OBSERVED, "the send %s; the receive %s",
                          words_for_fate(t, p.a, p.chan, FORE_CASE_SEND),
                          words_for_fate(t, p.b, p.chan, FORE_CASE_RECV));
    else if (p.rule == FORE_COMM_CLOSE)
        fore_finding_fact(t->out, x, FORE_FACT_OBSERVED, "they came the other way round");
    else
        fore_finding_fact(t->out, x, FORE_FACT_OBSERVED, "the %s %s, then came the close",
                          kind_b == FORE_CASE_SEND ? "send" : "receive",
                          words_for_fate(t, p.b, p.chan, kind_b));
}

/* Tells that the receive which took the message in the observed run does not get it now. */
static void tell_sequel(struct fore_comm_teller *t, struct fore_finding *x,
                        struct fore_comm_pair p)
{
    const struct fore_program *prog = t->c->p;
    uint32_t link = prog->ops[p.a].link;
    if (p.rule == FORE_COMM_SEND || p.rule == FORE_COMM_CLOSE)
        fore_finding_fact(t->out, x, "then", "%s panics",
                          fore_tell_who(t->out, t->c->t, fore_insn_thread(prog, p.b)));
    if (p.rule != FORE_COMM_ALTERNATIVE || link == FORE_NO_OP ||
        !fore_comm_took(prog, p.a, p.chan, FORE_CASE_SEND))
        return;
    fore_finding_fact(t->out, x, "then",
                      "the receive %s, which took this message, goes without "
                      "it and waits for another",
                      at_text(t, link));
}

/* Was the send put into a buffer as recorded? */
static bool done_into_buffer(const struct fore_program *p, struct fore_comm_pair x)
{
    return x.rule == FORE_COMM_ALTERNATIVE && fore_chan_capacity(p, x.chan) &&
           fore_comm_took(p, x.a, x.chan, FORE_CASE_SEND);
}

/* Why nothing orders the two: the events that they need, which are those of the witness, contain
 * neither of them. */
static const char *why_unordered(struct fore_comm_teller *t, struct fore_comm_pair p)
{
    static const char *const two[] = {"the send and the receive",
                                      "the close and the send",
                                      "the close and the receive", "the two closes"};
    static const char *const unforced[] = {"the send to come before or after the receive",
                                           "the send to come before the close",
                                           "the receive to come before the close",
                                           "one close to come before the other"};
    if (!t->reach->need.touched.n)
        return fore_findings_printf(t->out,
                                    "%s are the first steps of their threads, so that "
                                    "nothing comes before either",
                                    two[p.rule]);
    return fore_findings_printf(
        t->out, "nothing forces %s: no message, start of a thread or join orders them so",
        done_into_buffer(t->c->p, p) ? "the receive to come before the send"
                                     : unforced[p.rule]);
}

static void tell_message(struct fore_comm_teller *t, struct fore_finding *x,
                         struct fore_comm_pair p)
{
    const char *name = fore_tables_name(&t->c->t->tables, p.chan);
    const char *a = at_text(t, p.a), *b = at_text(t, p.b);
    switch (p.rule) {
    case FORE_COMM_ALTERNATIVE:
        x->message = fore_findings_printf(
            t->out, "channel %s: the send %s can be taken by the receive %s", name, a, b);
        break;
    case FORE_COMM_SEND:
        x->message = fore_findings_printf(
            t->out, "channel %s: the send %s can come after the close %s", name, b, a);
        break;
    case FORE_COMM_RECEIVE:
        x->message = fore_findings_printf(
            t->out, "channel %s: the receive %s can find it closed, by the close %s",
            name, b, a);
        break;
    default:
        x->message = fore_findings_printf(
            t->out, "channel %s: the close %s can come after the close %s", name, b, a);
    }
}

/* ---- the witness ----------------------------------------------------------------------------------- */

static bool is_background(const struct fore_event *e)
{
    return e->kind == FORE_EV_WAIT || e->kind == FORE_EV_SIGNAL ||
           e->kind == FORE_EV_SPAWN || e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
}

static void show_steps(struct fore_comm_teller *t, struct fore_finding *x,
                       const struct fore_witness *w, struct fore_comm_pair p)
{
    size_t from = w->events.n > MOST_SHOWN ? w->events.n - MOST_SHOWN : 0;
    bool panics = p.rule == FORE_COMM_SEND || p.rule == FORE_COMM_CLOSE;
    if (from)
        fore_finding_fact(t->out, x, "witness",
                          "its first %zu steps are in the trace only", from);
    for (size_t i = from; i < w->events.n; i++) {
        const struct fore_event *e = &w->events.at[i];
        struct fore_step *s =
            fore_finding_step(t->out, x, t->c->t, e, t->c->t->cases.at, w->index.at[i]);
        s->irrelevant |= is_background(e);
        if (i + 1 == w->events.n)
            s->note = panics ? "panics" : "differs";
    }
}

/* Runs the steps again on a fresh machine, and writes them down as the witness. */
static enum fore_status tell_witness(struct fore_comm_teller *t, struct fore_finding *x,
                                     struct fore_comm_pair p, struct fore_err *e)
{
    struct fore_witness w = {.fresh = 0};
    struct fore_machine m;
    const struct fore_moves *run = &t->reach->run;
    struct fore_expect panic = {FORE_EXPECT_PANIC, fore_insn_thread(t->c->p, p.b)};
    bool panics = p.rule == FORE_COMM_SEND || p.rule == FORE_COMM_CLOSE;
    enum fore_status st = FORE_OK;
    fore_machine_init(&m, t->c->p);
    fore_machine_forget(&m);
    for (size_t i = 0; i < run->list.n; i++)
        fore_witness_step(&w, &m, run->list.at[i]);
    show_steps(t, x, &w, p);
    if (w.events.n <= MOST_WRITTEN)
        st = fore_finding_witness(t->out, x, t->c->t, w.events.at, w.events.n,
                                  t->c->t->cases.at, &panic, panics ? 1 : 0, e);
    fore_machine_release(&m);
    fore_witness_release(&w);
    return st;
}

/* The claim about the run that was just found. */
static struct fore_claim claim_meeting(const struct fore_comm_teller *t)
{
    struct fore_candidate x = {.goal = FORE_GOAL_STEP,
                               .schedule = t->reach->run.list.at,
                               .steps = t->reach->run.list.n};
    return fore_claim_make(t->c->p, &x);
}

/* Finds the pair at these places with the best claim; its run is left in `reach`. */
static struct fore_claim best_claim(struct fore_comm_teller *t,
                                    const struct fore_comm_group *g,
                                    struct fore_comm_pair *best)
{
    struct fore_claim claim = fore_claim_unplayed(FORE_CLAUSE_NO_RUN);
    *best = g->sample[0];
    for (uint32_t i = 0; i < g->samples && g->verified; i++) {
        if (!fore_reach_find(t->reach, g->sample[i]))
            continue;
        struct fore_claim c = claim_meeting(t);
        if (claim.clause == FORE_CLAUSE_NO_RUN || c.verdict > claim.verdict) {
            claim = c;
            *best = g->sample[i];
        }
        if (claim.verdict == FORE_CLAIM_PREDICTED)
            break;
    }
    if (claim.clause != FORE_CLAUSE_NO_RUN && !fore_reach_find(t->reach, *best))
        claim = fore_claim_unplayed(FORE_CLAUSE_NO_RUN);
    return claim;
}

enum fore_status fore_comm_tell(struct fore_comm_teller *t,
                                const struct fore_comm_group *g, struct fore_err *e)
{
    struct fore_comm_pair p;
    struct fore_claim claim = best_claim(t, g, &p);
    bool runs = claim.clause != FORE_CLAUSE_NO_RUN;
    struct fore_finding *x =
        fore_findings_claim(t->out, rule_names[p.rule], t->c->p, &claim);
    x->object =
        fore_arena_strdup(&t->out->arena, fore_tables_name(&t->c->t->tables, p.chan));
    x->object_kind = FORE_OBJ_CHAN;
    x->count = g->count;
    tell_message(t, x, p);
    bool alternative = p.rule == FORE_COMM_ALTERNATIVE;
    add_place(t, x, alternative ? "send" : "close", p.a);
    add_place(t, x,
              p.rule == FORE_COMM_SEND    ? "send"
              : p.rule == FORE_COMM_CLOSE ? "close again"
                                          : "receive",
              p.b);
    tell_observed(t, x, p);
    tell_sequel(t, x, p);
    if (!g->exact)
        fore_finding_fact(t->out, x, "count", "at most: not every pair was tried");
    if (!runs)
        return FORE_OK;
    x->explanation = why_unordered(t, p);
    return tell_witness(t, x, p, e);
}
