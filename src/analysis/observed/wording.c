#include "analysis/observed/wording.h"

#include "analysis/tell/tell.h"

enum { MAX_PARTNERS = 4 };

/* Begins a finding about observed waits. */
struct fore_finding *fore_observed_begin(struct fore_observed_job *j, const char *rule)
{
    struct fore_claim lost = fore_claim_unplayed(FORE_CLAUSE_LOST);
    return j->lost ? fore_findings_claim(j->ctx->out, rule, NULL, &lost)
                   : fore_findings_add(j->ctx->out, rule, FORE_VERDICT_OBSERVED);
}

const char *fore_observed_who(const struct fore_observed_job *j, uint32_t thread)
{
    return fore_tell_who(j->ctx->out, j->t, thread);
}

/* " at main.go:4", or nothing. */
const char *fore_observed_at(const struct fore_observed_job *j, uint32_t where)
{
    return fore_tell_at(j->ctx->out, j->t, where);
}

/* "to receive from x", "in a select", "to lock m" … */
const char *fore_observed_waits_how(const struct fore_observed_job *j, uint32_t thread)
{
    const struct fore_event *e = fore_observed_last(j, thread);
    const char *name = fore_tables_name(&j->t->tables, e->object);
    struct fore_case one;
    size_t n;
    switch (e->kind) {
    case FORE_EV_PRE:
        fore_trace_cases(j->t, e, &one, &n);
        if (n != 1)
            return n ? "in a select" : "in a select without cases";
        fore_trace_cases(j->t, e, &one, &n);
        if (!e->object && !(e->flags & FORE_F_CASES))
            return e->flags & FORE_F_SEND ? "to send on a nil channel"
                                          : "to receive from a nil channel";
        return fore_findings_printf(
            j->ctx->out, "%s %s",
            e->flags & FORE_F_SEND ? "to send on" : "to receive from", name);
    case FORE_EV_LOCK:
        return fore_findings_printf(j->ctx->out, "for the lock %s", name);
    case FORE_EV_RLOCK:
        return fore_findings_printf(j->ctx->out, "for the lock %s, to read", name);
    case FORE_EV_WGWAIT:
        return fore_findings_printf(j->ctx->out, "for the wait group %s", name);
    case FORE_EV_CWOKEN:
        return fore_findings_printf(j->ctx->out, "for the condition %s", name);
    case FORE_EV_ONCE:
        return fore_findings_printf(j->ctx->out, "for the once %s", name);
    case FORE_EV_ACQUIRE:
        return fore_findings_printf(j->ctx->out, "for the semaphore %s", name);
    case FORE_EV_BARRIER:
        return fore_findings_printf(j->ctx->out, "at the barrier %s", name);
    case FORE_EV_JOIN:
        return fore_findings_printf(j->ctx->out, "for %s to end",
                                    fore_observed_who(j, (uint32_t)e->a));
    default:
        return fore_findings_printf(j->ctx->out, "for %s", name);
    }
}

void fore_observed_place(struct fore_observed_job *j, struct fore_finding *x,
                         const char *role, uint32_t event, uint64_t index)
{
    fore_finding_place(j->ctx->out, x, role, j->t, fore_trace_event(j->t, event), index);
}

void fore_observed_add_wait(struct fore_observed_job *j, struct fore_finding *x,
                            const char *role, uint32_t thread)
{
    const struct fore_observed_thread *th = &j->o.threads.at[thread];
    const struct fore_event *e = fore_observed_last(j, thread);
    fore_observed_place(j, x, role, th->last, th->count - 1);
    fore_vec_last(&x->places).committed = FORE_NO;
    if (e->kind != FORE_EV_PRE && e->kind != FORE_EV_JOIN && !*x->object) {
        x->object = fore_arena_strdup(&j->ctx->out->arena,
                                      fore_tables_name(&j->t->tables, e->object));
        x->object_kind = fore_kind_object(e->kind);
    }
    j->told.at[thread] = true;
}

static const char *life_text(const struct fore_observed_job *j, uint32_t thread)
{
    switch (j->o.threads.at[thread].life) {
    case FORE_LIFE_OVER:
        return "has ended";
    case FORE_LIFE_WAITING:
        return fore_findings_printf(j->ctx->out, "waits itself %s",
                                    fore_observed_waits_how(j, thread));
    case FORE_LIFE_TIMED:
        return "waits for a timer";
    case FORE_LIFE_READY:
        return "was about to go on";
    default:
        return "was still running";
    }
}

/* ---- threads that could have served ---- */

static const char *tie_label(const struct fore_observed_tie *x)
{
    static const char *const labels[] = {"served before", "offered", "holds", "counts"};
    return labels[x->role];
}

static bool could_serve(const struct fore_observed_tie *x, uint32_t thread,
                        const struct fore_case *c)
{
    if (!x->thread || x->object != c->chan)
        return false;
    if (x->role == FORE_ROLE_HOLDS || x->role == FORE_ROLE_COUNTS)
        return true; /* its own lock or count, too */
    if (x->thread == thread)
        return false;
    return x->send == (c->kind == FORE_CASE_RECV);
}

/* The frame of a function among the callers of a place; in a recursion it is not known which of
 * its frames. */
static uint32_t find_frame(const struct fore_tables *tab, uint32_t function,
                           uint32_t from)
{
    uint32_t found = 0;
    for (uint32_t w = from; w && function; w = tab->wheres.at[w].parent)
        if (tab->wheres.at[w].function == function) {
            if (found)
                return 0;
            found = w;
        }
    return found;
}

/* Tells the callers of the function in which a thread took a lock that it holds. A lock is
 * recorded with some of its callers, or with its place alone; a function that has not returned
 * since is among the callers of the place where its thread waits, and has the rest of them
 * there. */
static void tell_taken(struct fore_observed_job *j, struct fore_finding *x,
                       const struct fore_observed_tie *holds)
{
    const struct fore_tables *tab = &j->t->tables;
    uint32_t at = holds ? fore_trace_event(j->t, holds->event)->where : 0, last = at;
    if (!at)
        return;
    while (tab->wheres.at[last].parent)
        last = tab->wheres.at[last].parent;
    const char *from = fore_finding_from(j->ctx->out, tab, at), *more = "";
    if (j->o.threads.at[holds->thread].life == FORE_LIFE_WAITING)
        more = fore_finding_from(j->ctx->out, tab,
                                 find_frame(tab, tab->wheres.at[last].function,
                                            fore_observed_last(j, holds->thread)->where));
    if (*from || *more)
        fore_finding_fact(j->ctx->out, x, "taken", "%s by %s%s,%s%s%s",
                          fore_tables_name(tab, holds->object),
                          fore_observed_who(j, holds->thread), fore_observed_at(j, at),
                          from, *from && *more ? "," : "", more);
}

void fore_observed_tell_stack(struct fore_observed_job *j, struct fore_finding *x,
                              uint32_t thread)
{
    const struct fore_event *e = fore_observed_last(j, thread);
    if (j->o.threads.at[thread].life != FORE_LIFE_WAITING)
        return;
    fore_finding_callers(j->ctx->out, x, j->t, e);
    if (e->kind == FORE_EV_LOCK || e->kind == FORE_EV_RLOCK)
        tell_taken(j, x, fore_observed_holder(&j->o, e->object));
}

static void tell_tie(struct fore_observed_job *j, struct fore_finding *x,
                     const struct fore_observed_tie *tie)
{
    const struct fore_event *e = fore_trace_event(j->t, tie->event);
    const char *name = fore_tables_name(&j->t->tables, tie->object);
    fore_observed_place(j, x, tie_label(tie), tie->event, tie->index);
    switch (tie->role) {
    case FORE_ROLE_OFFERED:
        fore_finding_fact(
            j->ctx->out, x, "why", "%s offered to %s %s%s, but took another case; it %s",
            fore_observed_who(j, tie->thread), tie->send ? "send on" : "receive from",
            name, fore_observed_at(j, e->where), life_text(j, tie->thread));
        break;
    case FORE_ROLE_HOLDS:
        fore_finding_fact(j->ctx->out, x, "why", "%s holds %s, which it took%s; it %s",
                          fore_observed_who(j, tie->thread), name,
                          fore_observed_at(j, e->where), life_text(j, tie->thread));
        fore_observed_tell_stack(j, x, tie->thread);
        break;
    case FORE_ROLE_COUNTS:
        fore_finding_fact(j->ctx->out, x, "why",
                          "%s counted %s up%s, and nobody counted it down; it %s",
                          fore_observed_who(j, tie->thread), name,
                          fore_observed_at(j, e->where), life_text(j, tie->thread));
        break;
    case FORE_ROLE_SERVED:
        fore_finding_fact(j->ctx->out, x, "why", "%s served such a wait before%s; it %s",
                          fore_observed_who(j, tie->thread),
                          fore_observed_at(j, e->where), life_text(j, tie->thread));
        break;
    }
}

static bool is_spent(const struct fore_observed_job *j, uint32_t object)
{
    return j->t->tables.objects.at[object].flags & FORE_OBJ_SPENT;
}

/* Gives the ties, to the objects that a thread waits for, that could end the wait, at most so
 * many; returns how many there are. What a timer sent before does not count if it is not set. */
static size_t partners_of(const struct fore_observed_job *j, uint32_t thread,
                          const struct fore_observed_tie **out, size_t most)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t found = 0, n = fore_observed_cases(&j->o, thread, &one, &cases);
    for (size_t c = 0; c < n; c++)
        for (uint32_t i = cases[c].chan ? fore_observed_ties(&j->o, cases[c].chan) : 0; i;
             i = j->o.ties.at[i - 1].next) {
            const struct fore_observed_tie *tie = &j->o.ties.at[i - 1];
            if (!could_serve(tie, thread, &cases[c]) || is_spent(j, tie->object))
                continue;
            if (found < most)
                out[found] = tie;
            found++;
        }
    return found;
}

bool fore_observed_is_served(const struct fore_observed_job *j, uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    for (size_t c = 0; c < n; c++)
        for (uint32_t i = cases[c].chan ? fore_observed_ties(&j->o, cases[c].chan) : 0; i;
             i = j->o.ties.at[i - 1].next)
            if (could_serve(&j->o.ties.at[i - 1], thread, &cases[c]) &&
                fore_observed_alive(j->o.threads.at[j->o.ties.at[i - 1].thread].life))
                return true;
    return false;
}

/* How many threads wait for the object at the end. */
static unsigned count_waiting(const struct fore_observed_job *j, uint32_t object)
{
    unsigned n = 0;
    for (uint32_t th = 1; th < j->o.threads.n; th++)
        n += j->o.threads.at[th].life == FORE_LIFE_WAITING &&
             fore_observed_last(j, th)->object == object;
    return n;
}

/* Why nobody ends the wait of a thread that no other thread has served. */
static const char *why_unserved(const struct fore_observed_job *j, uint32_t thread)
{
    const struct fore_event *e = fore_observed_last(j, thread);
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    bool nil = e->kind == FORE_EV_PRE;
    for (size_t i = 0; i < n; i++)
        nil &= !cases[i].chan;
    if (nil)
        return n ? "nothing ever ends a wait for a nil channel"
                 : "nothing ever ends a select without cases";
    if (e->kind == FORE_EV_JOIN)
        return fore_findings_printf(j->ctx->out, "%s %s",
                                    fore_observed_who(j, (uint32_t)e->a),
                                    life_text(j, (uint32_t)e->a));
    if (e->kind == FORE_EV_BARRIER)
        return fore_findings_printf(
            j->ctx->out, "%u of the %llu threads that it needs have come",
            count_waiting(j, e->object), (unsigned long long)e->a);
    return "in this run no other thread did anything that could end such a wait";
}

/* Says of the timers that the thread waits for that they send nothing more; false: there is none. */
static bool tell_spent(struct fore_observed_job *j, struct fore_finding *x,
                       uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    bool any = false;
    for (size_t c = 0; c < n; c++) {
        if (!is_spent(j, cases[c].chan))
            continue;
        any = true;
        fore_finding_fact(
            j->ctx->out, x, "why",
            "the timer of %s was stopped or has fired, and nobody set it again",
            fore_tables_name(&j->t->tables, cases[c].chan));
    }
    return any;
}

void fore_observed_tell_partners(struct fore_observed_job *j, struct fore_finding *x,
                                 uint32_t thread)
{
    const struct fore_observed_tie *ties[MAX_PARTNERS];
    size_t n = partners_of(j, thread, ties, MAX_PARTNERS);
    for (size_t i = 0; i < n && i < MAX_PARTNERS; i++)
        tell_tie(j, x, ties[i]);
    if (!tell_spent(j, x, thread) && !n)
        fore_finding_fact(j->ctx->out, x, "why", "%s", why_unserved(j, thread));
}

void fore_observed_tell_creation(struct fore_observed_job *j, struct fore_finding *x,
                                 uint32_t thread)
{
    const struct fore_thread_info *info = &j->t->tables.threads.at[thread];
    const char *from = fore_finding_from(j->ctx->out, &j->t->tables, info->where);
    if (info->where)
        fore_finding_fact(j->ctx->out, x, "created", "%s%s%s%s",
                          fore_observed_who(j, thread), fore_observed_at(j, info->where),
                          *from ? "," : "", from);
}

void fore_observed_tell_makes(struct fore_observed_job *j, struct fore_finding *x,
                              uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    for (size_t i = 0; i < n && i < MAX_PARTNERS; i++) {
        const struct fore_object *o = &j->t->tables.objects.at[cases[i].chan];
        if (cases[i].chan && o->where)
            fore_finding_fact(j->ctx->out, x, "made", "%s %s%s",
                              fore_object_kind_name(o->kind),
                              fore_tables_name(&j->t->tables, cases[i].chan),
                              fore_observed_at(j, o->where));
    }
}

/* The thread that holds the lock that `thread` waits for, or 0. */
uint32_t fore_observed_waits_for(const struct fore_observed_job *j, uint32_t thread)
{
    const struct fore_event *e = fore_observed_last(j, thread);
    if (j->o.threads.at[thread].life != FORE_LIFE_WAITING ||
        (e->kind != FORE_EV_LOCK && e->kind != FORE_EV_RLOCK))
        return 0;
    const struct fore_observed_tie *h = fore_observed_holder(&j->o, e->object);
    return h ? h->thread : 0;
}
