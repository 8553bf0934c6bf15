#include "cli/confirm_observed.h"
#include "cli/explore_look.h"

#include "capture/control/schedule.h"
#include "cli/explore_look.h"
#include "explore/program/order.h"
#include "explore/program/reversal.h"
#include "machine/program.h"

#include <string.h>

/* ---- the same bug ---- */

/* Is it a finding about a wait? A cycle through a lock and something else may be reported under
 * either rule. */
static bool is_wait(const struct fore_finding *x)
{
    return !strcmp(x->rule->name, "blocked-forever") ||
           !strcmp(x->rule->name, "lock-cycle");
}

static bool share_a_wait(const struct fore_finding *x, const struct fore_finding *y)
{
    for (size_t i = 0; i < x->places.n; i++)
        for (size_t k = 0; k < y->places.n; k++)
            if (x->places.at[i].location[0] &&
                !strcmp(x->places.at[i].location, y->places.at[k].location))
                return true;
    return false;
}

static bool is_same_bug(const struct fore_finding *x, const struct fore_finding *y)
{
    if (x->rule == y->rule && (x->id == y->id || !strcmp(x->object, y->object)))
        return true;
    return is_wait(x) && is_wait(y) && share_a_wait(x, y);
}

/* ---- a message that another receiver took ---- */

/* How many of the thread's operations before this one a schedule counts. */
static uint32_t count_before(const struct fore_program *p, uint32_t op)
{
    uint32_t n = 0;
    for (uint32_t i = p->first[fore_insn_thread(p, op)]; i < op; i++) {
        enum fore_group g = fore_kind_group(p->ops[i].kind);
        n += g == FORE_GROUP_LOCK || g == FORE_GROUP_CHANNEL;
    }
    return n;
}

static bool is_same_step(const struct fore_confirm_sight *o, const struct fore_program *w,
                         uint32_t wanted, const struct fore_program *p, uint32_t op)
{
    struct fore_strbuf a = FORE_STRBUF_INIT, b = FORE_STRBUF_INIT;
    fore_witness_path(o->x, w->trace, o->moved, fore_insn_thread(w, wanted), &a);
    fore_tables_path(&p->trace->tables, fore_insn_thread(p, op), &b);
    bool same =
        a.n && !strcmp(a.at, b.at) && count_before(w, wanted) == count_before(p, op);
    fore_strbuf_release(&a);
    fore_strbuf_release(&b);
    return same;
}

/* The last receive of the witness, which the finding is about. */
static uint32_t last_receive(const struct fore_program *w)
{
    for (size_t i = w->trace->events.n; i-- > 0;) {
        const struct fore_event *e = &w->trace->events.at[i];
        if (e->kind == FORE_EV_RECV)
            return fore_program_op_at(w, e->thread, (uint32_t)i);
    }
    return FORE_NO_OP;
}

static bool has_communication(const struct fore_confirm_sight *o,
                              const struct fore_program *w, const struct fore_program *p)
{
    uint32_t want = last_receive(w);
    if (want == FORE_NO_OP || w->ops[want].link == FORE_NO_OP)
        return false;
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == FORE_EV_RECV && p->ops[i].link != FORE_NO_OP &&
            is_same_step(o, w, want, p, i))
            return is_same_step(o, w, w->ops[want].link, p, p->ops[i].link);
    return false;
}

/* Does the run show the communication? No analysis reports it, because a message that is
 * received is no error. */
static bool shows_communication(const struct fore_confirm_sight *o,
                                const struct fore_trace *t)
{
    struct fore_program w = {0}, p = {0};
    struct fore_err unheard = {0};
    if (!o->witness || strcmp(o->x->rule->name, "alternative-communication") != 0)
        return false;
    bool shown = fore_program_build(&w, o->witness, &unheard) == FORE_OK &&
                 fore_program_build(&p, t, &unheard) == FORE_OK &&
                 has_communication(o, &w, &p);
    fore_program_release(&w);
    fore_program_release(&p);
    return shown;
}

/* ---- what else the run shows ---- */

void fore_confirm_put_run(const struct fore_rerun *p, unsigned seed,
                          struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "%s\nseed %u\n", FORE_SCHEDULE_FIRST_LINE, seed);
    fore_reversal_schedule(p, UINT64_MAX, out);
    fore_strbuf_puts(out, "then free\n");
}

/* Does the first run show it, too? Then it does not come from the schedule: a worker that is
 * never stopped waits where a signal could have been lost, whatever came before. A replay has no
 * first run. */
static bool was_seen_before(const struct fore_findings *f, const struct fore_finding *x)
{
    for (size_t i = 0; f && i < f->list.n; i++)
        if (f->list.at[i]->verdict == FORE_VERDICT_OBSERVED &&
            f->list.at[i]->level >= x->level &&
            (f->list.at[i]->id == x->id || fore_finding_same_waits(f->list.at[i], x)))
            return true;
    return false;
}

static bool is_known(const struct fore_findings *f, const struct fore_finding *x)
{
    for (size_t i = 0; i < f->list.n; i++)
        if (is_same_bug(f->list.at[i], x))
            return true;
    return false;
}

/* A forced run is a run of the program, whatever it was forced for. */
static bool adopt_errors(struct fore_findings *f, const struct fore_confirm *how,
                         const struct fore_confirm_sight *o, const struct fore_rerun *p,
                         struct fore_findings *found)
{
    struct fore_strbuf run = FORE_STRBUF_INIT;
    size_t before = f->list.n;
    for (size_t i = 0; i < found->list.n; i++) {
        struct fore_finding *x = found->list.at[i];
        if (x->level != FORE_LEVEL_ERROR || x->verdict < FORE_VERDICT_OBSERVED ||
            is_known(f, x))
            continue;
        if (!run.n)
            fore_confirm_put_run(p, o->seed, &run);
        fore_finding_happened(x, FORE_VERDICT_CONFIRMED);
        x->witness_trace = fore_arena_strdup(&found->arena, run.at);
        x->witness_of = FORE_WITNESS_OF_PROGRAM;
        x->confirmation =
            (struct fore_confirmation){FORE_CONFIRMED, "", (uint32_t)p->outcome->logged};
        fore_finding_fact(
            found, x, "confirmed",
            "the program did this when foresee ran it again to confirm %08llx",
            (unsigned long long)(o->x->id >> 32));
        x->package = o->x->package;
        x->alone = o->x->alone;
        how->adopt(how->ctx, o->x, x);
        fore_vec_push(&f->list, x);
        found->list.at[i] = found->list.at[--found->list.n];
        i--;
    }
    fore_strbuf_release(&run);
    return f->list.n > before;
}

/* The time for analysing a run counts as time of the run. */
static enum fore_status analyse_bounded(struct fore_cli *c,
                                        const struct fore_confirm *how,
                                        struct fore_trace *t, struct fore_findings *found,
                                        struct fore_err *e)
{
    uint64_t used = how->cpu_until ? fore_cpu_all_ns() : 0;
    if (used < how->cpu_until)
        c->budget.most_cpu_ns = fore_cpu_ns() + how->cpu_until - used;
    enum fore_status s = fore_cli_analyse(c, t, found, e);
    if (c->budget.most_cpu_ns && c->budget.spent == FORE_SPENT_TIME)
        c->budget.spent = FORE_SPENT_NOTHING;
    c->budget.most_cpu_ns = 0;
    return s;
}

enum fore_status fore_confirm_observed(struct fore_cli *c, struct fore_findings *f,
                                       const struct fore_confirm *how,
                                       struct fore_confirm_sight *o,
                                       const struct fore_rerun *p, struct fore_err *e)
{
    struct fore_rings rings = {0};
    struct fore_findings found;
    fore_findings_init(&found);
    enum fore_status s = fore_rings_finish(&rings, p->folder, e);
    for (size_t i = 0; s == FORE_OK && i < rings.v.n; i++) {
        if (!p->host || !p->host->ordered)
            fore_order_exactly(&rings.v.at[i]->trace, p);
        else
            fore_cli_shorten_paths(&rings.v.at[i]->trace);
        o->seen |= shows_communication(o, &rings.v.at[i]->trace);
        s = analyse_bounded(c, how, &rings.v.at[i]->trace, &found, e);
    }
    fore_findings_seal(&found);
    for (size_t i = 0; i < found.list.n; i++)
        o->seen |= (found.list.at[i]->verdict >= FORE_VERDICT_OBSERVED ||
                    (!f && fore_explore_is_race_of_run(p, found.list.at[i]))) &&
                   is_same_bug(found.list.at[i], o->x) &&
                   !was_seen_before(f, found.list.at[i]);
    if (s == FORE_OK && how->adopt && p->host && p->host->traced && !p->timed_out) {
        if (adopt_errors(f, how, o, p, &found))
            fore_arena_join(&f->arena, &found.arena);
    }
    fore_findings_release(&found);
    fore_rings_release(&rings);
    return s;
}
