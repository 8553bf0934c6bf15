/* From a stuck state to a finding: who waits for whom, and what each one holds. */
#include "analysis/deadlock/deadlock_state.h"
#include "analysis/tell/tell.h"

#include "machine/witness.h"

#include <string.h>

enum { MOST_OTHERS = 4 };

/* The place of an operation: where it was announced, or done. */
static struct fore_place *add_place(struct fore_dl *d, struct fore_finding *x,
                                    const char *role, uint32_t op, bool announced)
{
    const struct fore_event *e =
        announced ? fore_insn_pre(d->p, op) : fore_insn_event(d->p, op);
    return fore_finding_place(d->ctx->out, x, role, d->trace, e,
                              fore_insn_event_index(d->p, op, announced));
}

bool fore_dl_still_holds(struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                         uint32_t op, uint32_t end, uint32_t *lock)
{
    return fore_insn_acquires(m->p, op, lock) && fore_dl_held_since(d, op, end) &&
           fore_dl_holds(d, m, t, *lock) == op;
}

/* worker waits for the lock audit_log (bank.c:19), which report holds since bank.c:24: false if it
 * waits for something else, or for nobody in particular. */
static bool describe_lock_wait(struct fore_dl *d, const struct fore_machine *m,
                               uint32_t t, struct fore_strbuf *out)
{
    uint32_t lock, owner = 0;
    if (fore_waits_for_lock(m, t, &lock))
        owner = fore_machine_owner(m, lock);
    if (!owner || owner == t)
        return false;
    uint32_t next = fore_machine_next(m, t), since = fore_dl_holds(d, m, owner, lock);
    struct fore_tell_wait w = {
        .thread = t,
        .lock = lock,
        .where = fore_insn_event(m->p, next)->where,
        .owner = owner,
        .since = since != FORE_NO_OP ? fore_insn_event(m->p, since)->where : 0};
    fore_tell_lock_wait(d->ctx->out, d->trace, &w, out);
    return true;
}

/* What it waits for: "for worker to end", "to send on x" … */
static void describe_wait(struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                          struct fore_strbuf *out)
{
    uint32_t next = fore_machine_next(m, t);
    if (next != FORE_NO_OP && fore_insn_kind(m->p, next) == FORE_EV_JOIN)
        fore_strbuf_printf(out, "for %s to end",
                           fore_tell_who(d->ctx->out, d->trace,
                                         (uint32_t)fore_insn_event(m->p, next)->a));
    else
        fore_machine_why(m, t, out);
}

/* What the thread holds, what it waits for and why, as places; and in words. */
static void describe_thread(struct fore_dl *d, const struct fore_machine *m, uint32_t t,
                            struct fore_finding *x, struct fore_strbuf *out)
{
    uint32_t lock, end = m->p->first[t] + fore_machine_done(m, t), why[FORE_DL_REASONS];
    const char *role = "";
    bool first = true, told = describe_lock_wait(d, m, t, out);
    if (!told)
        fore_strbuf_printf(out, "%s ", fore_tell_who(d->ctx->out, d->trace, t));
    for (uint32_t op = m->p->first[t]; op < end; op++) {
        if (!fore_dl_still_holds(d, m, t, op, end, &lock))
            continue;
        if (!told)
            fore_strbuf_printf(out, "%s %s", first ? "holds" : " and",
                               fore_tables_name(&d->trace->tables, lock));
        add_place(d, x, "holds", op, false);
        first = false;
    }
    if (!told) {
        fore_strbuf_puts(out, first ? "waits " : " and waits ");
        describe_wait(d, m, t, out);
    }
    uint32_t next = fore_machine_next(m, t);
    fore_finding_callers(d->ctx->out, x, d->trace, fore_insn_event(m->p, next));
    add_place(d, x, "waits", next, true)->committed =
        fore_insn_ended(m->p, next) ? FORE_YES : FORE_NO;
    size_t n = fore_dl_reasons(d, m, t, why, &role);
    for (size_t i = 0; i < n; i++)
        add_place(d, x, role, why[i], false);
}

static void describe_circle(struct fore_dl *d, const struct fore_machine *m,
                            const struct fore_dl_core *c, struct fore_finding *x)
{
    struct fore_strbuf all = FORE_STRBUF_INIT;
    for (size_t i = 0; i < c->n; i++) {
        fore_strbuf_puts(&all, i ? "; " : "");
        describe_thread(d, m, c->thread[i], x, &all);
    }
    x->message = fore_findings_printf(d->ctx->out, "%s", all.at);
    fore_strbuf_release(&all);
}

/* Is all that the thread waits for a library's own, as where package testing waits for a test? */
static bool waits_for_hidden(const struct fore_machine *m, uint32_t t)
{
    uint32_t op = fore_machine_next(m, t);
    const struct fore_object *objects = m->p->trace->tables.objects.at;
    struct fore_case one;
    size_t n = 0, hidden = 0;
    if (op == FORE_NO_OP || fore_insn_kind(m->p, op) == FORE_EV_JOIN)
        return false;
    if (!fore_insn_offers(m->p, op))
        return objects[m->p->ops[op].object].flags & FORE_OBJ_HIDDEN;
    const struct fore_case *cases = fore_insn_cases(m->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        hidden += objects[cases[i].chan].flags & FORE_OBJ_HIDDEN ? 1 : 0;
    return n && hidden == n;
}

/* Is the thread stuck in that run, apart from those that the finding is about? It is not if a
 * thread that left the trace might end its wait, by giving back the lock that it holds, say. */
static bool is_stuck_too(const struct fore_dl *d, const struct fore_machine *m,
                         const struct fore_dl_core *c, uint32_t t)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->thread[i] == t)
            return false;
    return fore_dl_newly_blocked(m, t) && !waits_for_hidden(m, t) &&
           !fore_dl_may_be_rescued(d, m, &t, 1);
}

/* The other threads that are stuck in that run, in words. */
static void describe_others(struct fore_dl *d, const struct fore_machine *m,
                            const struct fore_dl_core *c, struct fore_finding *x)
{
    size_t shown = 0, more = 0;
    for (uint32_t t = 1; t <= d->p->threads; t++) {
        if (!is_stuck_too(d, m, c, t))
            continue;
        if (shown == MOST_OTHERS) {
            more++;
            continue;
        }
        struct fore_strbuf why = FORE_STRBUF_INIT;
        describe_wait(d, m, t, &why);
        fore_finding_fact(d->ctx->out, x, shown++ ? "" : "also stuck", "%s waits %s",
                          fore_tell_who(d->ctx->out, d->trace, t), why.at);
        fore_strbuf_release(&why);
    }
    if (more)
        fore_finding_fact(d->ctx->out, x, "", "and %zu more", more);
    x->drags = shown;
}

static bool somebody_left(const struct fore_machine *m)
{
    for (uint32_t t = 1; t <= m->p->threads; t++) {
        unsigned flags = fore_machine_flags(m, t);
        if (flags & FORE_T_OFF && !(flags & FORE_T_PANICKED))
            return true;
    }
    return false;
}

/* Did the thread leave the trace by a timeout? */
static bool gave_up(const struct fore_machine *m, const struct fore_steps *steps,
                    uint32_t t)
{
    struct fore_case one;
    size_t n;
    for (size_t i = steps->moves.n; i-- > 0;) {
        struct fore_move v = steps->moves.at[i];
        if (v.thread == t && v.act == FORE_ACT_DEFAULT)
            return fore_insn_cases(m->p, steps->ops.at[i], &one, &n)[v.at].kind ==
                   FORE_CASE_TIMEOUT;
        if (v.thread == t || v.other == t)
            break;
    }
    return false;
}

static const char GIVES_UP[] = "gives up"; /* the role of a thread that a timer lets go */

/* Where threads left the trace. Did all by a timeout? */
static bool describe_leavers(struct fore_dl *d, const struct fore_machine *m,
                             const struct fore_steps *steps, struct fore_finding *x)
{
    bool all = true;
    for (uint32_t t = 1; t <= d->p->threads; t++) {
        unsigned flags = fore_machine_flags(m, t);
        if (!(flags & FORE_T_OFF) || flags & FORE_T_PANICKED)
            continue;
        bool timeout = gave_up(m, steps, t);
        uint32_t op = d->p->first[t] + fore_machine_done(m, t);
        add_place(d, x, timeout ? GIVES_UP : "differs", op, true);
        all &= timeout;
    }
    return all;
}

/* A Go test that gives up waiting fails: what it leaves behind then is no bug of what it tests. */
static void excuse_impatient_test(struct fore_finding *x)
{
    bool some = false;
    for (size_t i = 0; i < x->places.n; i++) {
        const struct fore_place *p = &x->places.at[i];
        if (p->role != GIVES_UP)
            continue;
        if (!strstr(p->location, "_test.go:"))
            return;
        some = true;
    }
    if (some)
        x->level = FORE_LEVEL_NOTE;
}

static const char *explain(const struct fore_dl *d, const struct fore_machine *m,
                           const struct fore_dl_core *c, bool timeouts)
{
    uint32_t why[FORE_DL_REASONS];
    const char *role = "";
    if (somebody_left(m) && timeouts)
        return "a timer may fire before the other side comes, however long it is set; "
               "what the thread does then was not recorded, but nothing that was "
               "recorded of it would end this wait";
    if (somebody_left(m))
        return "a thread got a message, a lock or a branch that it did not get in the "
               "observed run; what it does then was not recorded, but nothing that was "
               "recorded of it would end this wait";
    if (c->cycle && c->n > 1)
        return "each of them waits for the next; nothing orders the moments at which "
               "they begin to wait, so the observed run missed this by luck";
    if (!fore_dl_reasons(d, m, c->thread[0], why, &role))
        return "the thread that ended this wait in the observed run cannot get there";
    unsigned kind = fore_insn_kind(d->p, fore_machine_next(m, c->thread[0]));
    if (kind == FORE_EV_CWOKEN)
        return "nothing orders the signal after the wait: if it comes first, nobody "
               "hears it, and no other signal follows";
    if (kind == FORE_EV_ACQUIRE)
        return "nothing keeps other threads from taking the semaphore first; then nobody "
               "is "
               "left to give to it";
    return "nothing keeps another operation from taking the room first; then nobody is "
           "left to make room";
}

/* The verdict about the core, by the schedule that led there. */
static struct fore_claim claim_core(const struct fore_dl *d, const struct fore_machine *m,
                                    const struct fore_dl_core *c,
                                    struct fore_steps *steps)
{
    struct fore_target targets[FORE_DL_CORE];
    for (size_t i = 0; i < c->n; i++)
        targets[i] =
            (struct fore_target){c->thread[i], fore_machine_next(m, c->thread[i])};
    fore_steps_expand(steps, d->p);
    struct fore_candidate x = {.goal = FORE_GOAL_BLOCKED,
                               .from = steps->from,
                               .schedule = steps->moves.at,
                               .steps = steps->moves.n,
                               .targets = targets,
                               .n = c->n};
    return fore_claim_make(d->p, &x);
}

/* The witness is checked before anybody sees it. One that is only possible may be none: it was
 * looked for where threads that may not go on as recorded stand still, and if they did go on, they
 * would end the wait. Then nothing is told. */
static enum fore_status check_witness(struct fore_dl *d, struct fore_finding *x,
                                      bool *kept, struct fore_err *e)
{
    struct fore_findings *f = d->ctx->out;
    struct fore_err why = {0};
    enum fore_status s = fore_witness_check_text(x->witness_trace, d->trace, &why);
    *kept = s == FORE_OK || s == FORE_SPENT;
    if (s == FORE_SPENT) /* the claim has judged it before */
        fore_findings_sampled(f, "deadlocks: %s", why.msg);
    if (*kept)
        return FORE_OK;
    if (x->verdict != FORE_VERDICT_POSSIBLE) {
        if (e)
            *e = why;
        return s;
    }
    fore_finding_release(fore_vec_pop(&f->list));
    return FORE_OK;
}

static enum fore_status report_deadlock(struct fore_dl *d, const struct fore_machine *m,
                                        const struct fore_dl_core *c,
                                        const struct fore_claim *claim,
                                        struct fore_steps *steps, bool *kept,
                                        struct fore_err *e)
{
    uint32_t lock;
    bool locks = c->cycle;
    for (size_t i = 0; i < c->n; i++)
        locks &= fore_waits_for_lock(m, c->thread[i], &lock);
    struct fore_finding *x = fore_findings_claim(
        d->ctx->out, locks ? "lock-cycle" : "blocked-forever", d->p, claim);
    x->conjecture = d->bare;
    describe_circle(d, m, c, x);
    describe_others(d, m, c, x);
    bool timeouts = describe_leavers(d, m, steps, x);
    if (timeouts && !locks)
        excuse_impatient_test(x);
    x->explanation = explain(d, m, c, timeouts);
    FORE_TRY(fore_dl_tell_run(d, m, c, steps, x, e));
    *kept = true;
    if (fore_dl_run_is_whole(d, steps))
        FORE_TRY(check_witness(d, x, kept, e));
    d->ctx->progress->found += *kept;
    return FORE_OK;
}

/* Puts the latest finding in the place of one that was only possible. */
static void replace_finding(struct fore_findings *f, size_t at)
{
    struct fore_finding *old = f->list.at[at], *better = fore_vec_pop(&f->list);
    fore_finding_release(old);
    *old = *better;
}

static struct fore_dl_told *told_of(struct fore_dl *d, uint64_t signature)
{
    uint64_t *at = fore_map_put(&d->told, signature, NULL);
    if (!*at) {
        fore_vec_push(&d->tellings, (struct fore_dl_told){0});
        *at = d->tellings.n;
    }
    return &d->tellings.at[*at - 1];
}

/* One core: told once; again only if a later run makes it a prediction. */
static enum fore_status tell_core(struct fore_dl *d, const struct fore_machine *m,
                                  const struct fore_dl_core *c, struct fore_steps *steps,
                                  struct fore_err *e)
{
    enum { MOST_TRIES = 8 };
    struct fore_dl_told *told = told_of(d, fore_dl_core_signature(m, c));
    if (told->verdict == FORE_CLAIM_PREDICTED)
        return FORE_OK;
    if (told->tries >= MOST_TRIES) {
        d->exhaustive &= told->verdict != FORE_CLAIM_NONE;
        if (told->verdict == FORE_CLAIM_NONE)
            fore_dl_cap(d, "waits at the same places were looked into a few times");
        return FORE_OK;
    }
    told->tries++;
    struct fore_claim claim = claim_core(d, m, c, steps);
    if (d->bare && claim.verdict != FORE_CLAIM_NONE) {
        claim.verdict = FORE_CLAIM_POSSIBLE;
        claim.clause = FORE_CLAUSE_PASS;
    }
    if (claim.verdict <= told->verdict)
        return FORE_OK;
    bool better = told->verdict != FORE_CLAIM_NONE, kept = true;
    size_t at = d->ctx->out->list.n;
    if (!d->untold)
        FORE_TRY(report_deadlock(d, m, c, &claim, steps, &kept, e));
    if (!kept)
        return FORE_OK;
    told->verdict = claim.verdict;
    d->found += !better;
    if (d->untold)
        return FORE_OK;
    if (better)
        replace_finding(d->ctx->out, told->at);
    else
        told->at = at;
    return FORE_OK;
}

/* Does each of them wait for a lock that the next one keeps from it? Then nobody else can end that, whatever the others
 * do next. */
static bool is_lock_cycle(const struct fore_machine *m, const struct fore_dl_core *c)
{
    uint32_t lock;
    for (size_t i = 0; i < c->n; i++)
        if (!fore_waits_for_lock(m, c->thread[i], &lock))
            return false;
    return c->cycle;
}

enum fore_status fore_dl_tell(struct fore_dl *d, const struct fore_machine *m,
                              struct fore_steps *steps, struct fore_err *e)
{
    bool quiet = fore_machine_quiet(m);
    bool others = false; /* can some thread still take a step that is not as recorded? */
    for (uint32_t t = 1; t <= d->p->threads && !others; t++)
        others = fore_dl_goes_on(m, t);
    for (uint32_t t = 1; t <= d->p->threads; t++) {
        if (!fore_dl_newly_blocked(m, t))
            continue;
        struct fore_dl_core c = fore_dl_core_of(d, m, t);
        if (!quiet && !is_lock_cycle(m, &c))
            continue;
        if (fore_dl_ends_with_program(d, m, c.thread[0]) ||
            (others && fore_dl_may_be_rescued(d, m, c.thread, c.n)))
            continue;
        FORE_TRY(tell_core(d, m, &c, steps, e));
    }
    return FORE_OK;
}
