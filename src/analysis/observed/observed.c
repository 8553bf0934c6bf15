/* Reports:  waits that had not ended when the run did, with who holds or could have served
 *           them; cycles of locks; sends on and closes of closed channels; panics.
 * Sound:    yes, these are facts of the run. A wait is called "for ever" only if nothing
 *           that still ran had to do with what it waits for, and something kept it waiting;
 *           otherwise it is a note.
 * Complete: for what the trace holds up to its end.
 * Cost:     O(waits * partners), and one pass over the events if somebody waits for anything
 *           but a channel without selects. */
#include "analysis/observed/observed.h"

#include "analysis/observed/observed_state.h"

enum { MAX_PARTNERS = 4, MAX_TOGETHER = 16 };

struct observed_job {
    const struct fore_trace *t;
    struct fore_analysis_ctx *ctx;
    struct fore_observed o;
    FORE_VEC(bool) told; /* threads whose wait is in a finding */
    bool lost;           /* events: whoever ends a wait may be among them */
    size_t cycles;
};

/* A finding about waits that were observed. */
static struct fore_finding *begin_finding(struct observed_job *j, const char *rule)
{
    struct fore_claim lost = fore_claim_unplayed(FORE_CLAUSE_LOST);
    return j->lost ? fore_findings_claim(j->ctx->out, rule, NULL, &lost)
                   : fore_findings_add(j->ctx->out, rule, FORE_VERDICT_OBSERVED);
}

static const char *thread_name(const struct observed_job *j, uint32_t thread)
{
    const struct fore_thread_info *info = &j->t->tables.threads.at[thread];
    if (info->name)
        return fore_tables_text(&j->t->tables, info->name);
    return fore_findings_printf(j->ctx->out, "thread %s",
                                fore_tables_label(&j->t->tables, thread));
}

/* " at main.go:4", or nothing. */
static const char *at_place(const struct observed_job *j, uint32_t where)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_place(&j->t->tables, where, &b);
    const char *text = b.n ? fore_findings_printf(j->ctx->out, " at %s", b.at) : "";
    fore_strbuf_release(&b);
    return text;
}

static const struct fore_event *last_of(const struct observed_job *j, uint32_t thread)
{
    return &j->o.survey->threads.at[thread].end;
}

/* "to receive from x", "in a select", "to lock m" … */
static const char *waits_how(const struct observed_job *j, uint32_t thread)
{
    const struct fore_event *e = last_of(j, thread);
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
        return fore_findings_printf(j->ctx->out, "to lock %s", name);
    case FORE_EV_RLOCK:
        return fore_findings_printf(j->ctx->out, "to read-lock %s", name);
    case FORE_EV_WGWAIT:
        return fore_findings_printf(j->ctx->out, "for the wait group %s", name);
    case FORE_EV_CWOKEN:
        return fore_findings_printf(j->ctx->out, "for the condition %s", name);
    case FORE_EV_ONCE:
        return fore_findings_printf(j->ctx->out, "for the once %s", name);
    case FORE_EV_JOIN:
        return fore_findings_printf(j->ctx->out, "for %s to end",
                                    thread_name(j, (uint32_t)e->a));
    default:
        return fore_findings_printf(j->ctx->out, "for %s", name);
    }
}

static void add_place(struct observed_job *j, struct fore_finding *x, const char *role,
                      uint32_t event, uint64_t index)
{
    fore_finding_place(j->ctx->out, x, role, j->t, fore_trace_event(j->t, event), index);
}

static void add_wait(struct observed_job *j, struct fore_finding *x, uint32_t thread)
{
    const struct fore_observed_thread *th = &j->o.threads.at[thread];
    const struct fore_event *e = last_of(j, thread);
    add_place(j, x, "waits", th->last, th->count - 1);
    fore_vec_last(&x->places).committed = FORE_NO;
    if (e->kind != FORE_EV_PRE && e->kind != FORE_EV_JOIN && !*x->object) {
        x->object = fore_arena_strdup(&j->ctx->out->arena,
                                      fore_tables_name(&j->t->tables, e->object));
        x->object_kind = fore_kind_object(e->kind);
    }
    j->told.at[thread] = true;
}

static const char *life_text(const struct observed_job *j, uint32_t thread)
{
    switch (j->o.threads.at[thread].life) {
    case FORE_LIFE_OVER:
        return "has ended";
    case FORE_LIFE_WAITING:
        return fore_findings_printf(j->ctx->out, "waits itself, %s",
                                    waits_how(j, thread));
    case FORE_LIFE_TIMED:
        return "waits for a timer";
    case FORE_LIFE_READY:
        return "was about to go on";
    default:
        return "was still running";
    }
}

/* ---- who could have served ---- */

struct service {
    size_t told;
    bool alive; /* somebody who still runs has had to do with it */
};

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

static void tell_tie(struct observed_job *j, struct fore_finding *x,
                     const struct fore_observed_tie *tie, struct service *s)
{
    enum fore_observed_life life = j->o.threads.at[tie->thread].life;
    s->alive |= fore_observed_alive(life);
    if (s->told++ >= MAX_PARTNERS)
        return;
    const struct fore_event *e = fore_trace_event(j->t, tie->event);
    const char *name = fore_tables_name(&j->t->tables, tie->object);
    add_place(j, x, tie_label(tie), tie->event, tie->index);
    switch (tie->role) {
    case FORE_ROLE_OFFERED:
        fore_finding_fact(
            j->ctx->out, x, "why", "%s offered to %s %s%s, but took another case; it %s",
            thread_name(j, tie->thread), tie->send ? "send on" : "receive from", name,
            at_place(j, e->where), life_text(j, tie->thread));
        break;
    case FORE_ROLE_HOLDS:
        fore_finding_fact(j->ctx->out, x, "why", "%s holds %s, taken%s; it %s",
                          thread_name(j, tie->thread), name, at_place(j, e->where),
                          life_text(j, tie->thread));
        break;
    case FORE_ROLE_COUNTS:
        fore_finding_fact(j->ctx->out, x, "why",
                          "%s raised %s%s, and nobody took that back; it %s",
                          thread_name(j, tie->thread), name, at_place(j, e->where),
                          life_text(j, tie->thread));
        break;
    case FORE_ROLE_SERVED:
        fore_finding_fact(j->ctx->out, x, "why", "%s served such a wait before%s; it %s",
                          thread_name(j, tie->thread), at_place(j, e->where),
                          life_text(j, tie->thread));
        break;
    }
}

static struct service tell_partners(struct observed_job *j, struct fore_finding *x,
                                    uint32_t thread)
{
    struct service s = {0};
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    for (size_t c = 0; c < n; c++)
        for (uint32_t i = cases[c].chan ? fore_observed_ties(&j->o, cases[c].chan) : 0; i;
             i = j->o.ties.at[i - 1].next)
            if (could_serve(&j->o.ties.at[i - 1], thread, &cases[c]))
                tell_tie(j, x, &j->o.ties.at[i - 1], &s);
    if (!s.told)
        fore_finding_fact(j->ctx->out, x, "why",
                          "no other thread ever had to do with it");
    return s;
}

static void creation(struct observed_job *j, struct fore_finding *x, uint32_t thread)
{
    const struct fore_thread_info *info = &j->t->tables.threads.at[thread];
    if (info->where)
        fore_finding_fact(j->ctx->out, x, "created", "%s%s", thread_name(j, thread),
                          at_place(j, info->where));
}

static void make_sites(struct observed_job *j, struct fore_finding *x, uint32_t thread)
{
    const struct fore_case *cases;
    struct fore_case one;
    size_t n = fore_observed_cases(&j->o, thread, &one, &cases);
    for (size_t i = 0; i < n && i < MAX_PARTNERS; i++) {
        const struct fore_object *o = &j->t->tables.objects.at[cases[i].chan];
        if (cases[i].chan && o->where)
            fore_finding_fact(
                j->ctx->out, x, "made", "%s %s%s", fore_object_kind_name(o->kind),
                fore_tables_name(&j->t->tables, cases[i].chan), at_place(j, o->where));
    }
}

/* ---- one wait, several, cycles ---- */

/* The thread that holds the lock that `thread` waits for, or 0. */
static uint32_t waits_for(const struct observed_job *j, uint32_t thread)
{
    const struct fore_event *e = last_of(j, thread);
    if (j->o.threads.at[thread].life != FORE_LIFE_WAITING ||
        (e->kind != FORE_EV_LOCK && e->kind != FORE_EV_RLOCK))
        return 0;
    const struct fore_observed_tie *h = fore_observed_holder(&j->o, e->object);
    return h ? h->thread : 0;
}

/* Is the lock that `thread` waits for, or the one that its holder waits for, and so on, held by the
 * first thread, whose end ended the program? Who ends a program has no need to unlock before. */
static bool waits_for_who_left(const struct observed_job *j, uint32_t thread)
{
    for (size_t steps = 0; thread && steps <= j->o.threads.n; steps++) {
        thread = waits_for(j, thread);
        if (thread == 1)
            return j->t->tables.ended == FORE_ENDED_RETURNED &&
                   j->o.threads.at[1].life == FORE_LIFE_OVER;
    }
    return false;
}

static void one_wait(struct observed_job *j, uint32_t thread)
{
    struct fore_finding *x = begin_finding(j, "blocked-forever");
    add_wait(j, x, thread);
    if (last_of(j, thread)->kind == FORE_EV_PRE && !*x->object &&
        !(last_of(j, thread)->flags & FORE_F_CASES)) {
        x->object = fore_arena_strdup(
            &j->ctx->out->arena,
            fore_tables_name(&j->t->tables, last_of(j, thread)->object));
        x->object_kind = FORE_OBJ_CHAN;
    }
    bool ready = j->o.threads.at[thread].life == FORE_LIFE_READY;
    struct service s = {.alive = ready};
    if (ready)
        fore_finding_fact(j->ctx->out, x, "why",
                          "nothing kept it from going on: the run was over first");
    else
        s = tell_partners(j, x, thread);
    if (!s.alive && j->o.threads.at[thread].may_go_on) {
        fore_finding_fact(
            j->ctx->out, x, "why",
            "other threads still ran when the program ended, and might have "
            "ended the wait");
        s.alive = true;
    }
    if (!s.alive && waits_for_who_left(j, thread)) {
        fore_finding_fact(j->ctx->out, x, "why",
                          "%s ended the program while it held that", thread_name(j, 1));
        s.alive = true;
    }
    x->message = fore_findings_printf(
        j->ctx->out, "%s waits %s%s%s", thread_name(j, thread), waits_how(j, thread),
        at_place(j, last_of(j, thread)->where),
        s.alive ? " when the program ends" : ", and nobody is left to end it");
    if (s.alive)
        x->level = FORE_LEVEL_NOTE;
    creation(j, x, thread);
    make_sites(j, x, thread);
}

static void tell_cycle(struct observed_job *j, uint32_t first)
{
    struct fore_finding *x = begin_finding(j, "lock-cycle");
    j->cycles++;
    uint32_t thread = first;
    size_t n = 0;
    do {
        const struct fore_observed_tie *h =
            fore_observed_holder(&j->o, last_of(j, thread)->object);
        add_wait(j, x, thread);
        add_place(j, x, "holds", h->event, h->index);
        fore_finding_fact(j->ctx->out, x, "observed", "%s waits %s%s, which %s took%s",
                          thread_name(j, thread), waits_how(j, thread),
                          at_place(j, last_of(j, thread)->where),
                          thread_name(j, h->thread),
                          at_place(j, fore_trace_event(j->t, h->event)->where));
        thread = h->thread;
        n++;
    } while (thread != first);
    x->message =
        n == 1 ? fore_findings_printf(j->ctx->out, "%s locks %s, which it holds itself",
                                      thread_name(j, first), x->object)
               : fore_findings_printf(j->ctx->out,
                                      "%zu threads wait for each other's locks", n);
}

static void find_cycles(struct observed_job *j)
{
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        uint32_t at = th;
        size_t steps = 0;
        do {
            at = waits_for(j, at);
            steps++;
        } while (at && at != th && steps <= j->o.threads.n);
        if (at == th && !j->told.at[th])
            tell_cycle(j, th);
    }
}

static bool waits(const struct observed_job *j, uint32_t thread)
{
    enum fore_observed_life life = j->o.threads.at[thread].life;
    return (life == FORE_LIFE_WAITING || life == FORE_LIFE_READY) &&
           !j->told.at[thread] && !j->o.threads.at[thread].hidden;
}

/* Nobody can run any more and nobody has ended the program (as the end of its first thread does):
 * one finding for all. */
static bool is_deadlock(const struct observed_job *j)
{
    if (j->o.exited || (j->o.threads.n > 1 && j->o.threads.at[1].life == FORE_LIFE_OVER))
        return false;
    size_t waiting = 0;
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        enum fore_observed_life life = j->o.threads.at[th].life;
        if (fore_observed_alive(life))
            return false;
        waiting += life == FORE_LIFE_WAITING;
    }
    return waiting > 0;
}

static void all_wait(struct observed_job *j)
{
    struct fore_finding *x = NULL;
    size_t n = 0;
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        if (!waits(j, th))
            continue;
        if (!x)
            x = begin_finding(j, "blocked-forever");
        if (n++ >= MAX_TOGETHER) {
            j->told.at[th] = true;
            continue;
        }
        add_wait(j, x, th);
        fore_finding_fact(j->ctx->out, x, "observed", "%s waits %s%s", thread_name(j, th),
                          waits_how(j, th), at_place(j, last_of(j, th)->where));
        if (n <= 2)
            tell_partners(j, x, th);
    }
    if (x)
        x->message = fore_findings_printf(
            j->ctx->out, "deadlock: %s%zu thread%s wait%s, and nobody else can run",
            n > 1 ? "all " : "", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

/* ---- closed channels, panics ---- */

static uint32_t close_of(const struct observed_job *j, uint32_t object, uint32_t before,
                         uint64_t *index)
{
    FORE_VEC(uint64_t) counts = {0};
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < before; i++) {
        const struct fore_event *e = &j->t->events.at[i];
        fore_vec_ensure(&counts, (size_t)e->thread + 1);
        if (e->kind == FORE_EV_CLOSE && e->object == object &&
            !(e->flags & FORE_F_CLOSED)) {
            found = i;
            *index = counts.at[e->thread];
        }
        counts.at[e->thread]++;
    }
    fore_vec_release(&counts);
    return found;
}

static void report_closed(struct observed_job *j, uint32_t i, uint64_t index)
{
    const struct fore_event *e = &j->t->events.at[i];
    bool send = e->kind == FORE_EV_SEND;
    struct fore_finding *x = fore_findings_add(
        j->ctx->out, send ? "send-on-closed" : "close-of-closed", FORE_VERDICT_OBSERVED);
    uint64_t first = 0;
    uint32_t close = e->object ? close_of(j, e->object, i, &first) : UINT32_MAX;
    x->object = fore_arena_strdup(&j->ctx->out->arena,
                                  fore_tables_name(&j->t->tables, e->object));
    x->object_kind = FORE_OBJ_CHAN;
    const char *what =
        e->object ? fore_findings_printf(j->ctx->out, "%s, already closed,", x->object)
                  : "a nil channel";
    x->message = fore_findings_printf(
        j->ctx->out, "%s %s %s%s%s panics", thread_name(j, e->thread),
        send ? "sends on" : "closes", what, at_place(j, e->where),
        *at_place(j, e->where) ? ", and" : " and");
    add_place(j, x, send ? "send" : "close", i, index);
    if (close == UINT32_MAX)
        return;
    add_place(j, x, send ? "close" : "first close", close, first);
    fore_finding_fact(j->ctx->out, x, "observed", "%s closed it%s",
                      thread_name(j, j->t->events.at[close].thread),
                      at_place(j, j->t->events.at[close].where));
}

static void panicked(struct observed_job *j, uint32_t i, uint64_t index)
{
    const struct fore_event *e = &j->t->events.at[i];
    struct fore_finding *x =
        fore_findings_add(j->ctx->out, "panic", FORE_VERDICT_OBSERVED);
    add_place(j, x, "panic", i, index);
    x->message = fore_findings_printf(j->ctx->out, "%s panics%s, which ends the program",
                                      thread_name(j, e->thread), at_place(j, e->where));
    creation(j, x, e->thread);
}

/* A panic that a send or close of a closed channel explains is told once. */
static void find_panics(struct observed_job *j)
{
    for (size_t i = 0; i < j->o.survey->faults.n; i++) {
        const struct fore_fault *x = &j->o.survey->faults.at[i];
        if (j->t->events.at[x->event].kind != FORE_EV_PANIC)
            report_closed(j, x->event, x->index);
        else if (!x->again)
            panicked(j, x->event, x->index);
    }
}

/* ---- misuse of locks, crashes ---- */

static void misused(struct observed_job *j, uint32_t i, uint64_t index)
{
    const struct fore_event *e = &j->t->events.at[i];
    struct fore_finding *x =
        fore_findings_add(j->ctx->out, "lock-misuse", FORE_VERDICT_OBSERVED);
    x->object = fore_arena_strdup(&j->ctx->out->arena,
                                  fore_tables_name(&j->t->tables, e->object));
    x->object_kind = FORE_OBJ_LOCK;
    x->message = fore_findings_printf(j->ctx->out, "%s was %s%s, by %s", x->object,
                                      fore_tables_text(&j->t->tables, (uint32_t)e->a),
                                      at_place(j, e->where), thread_name(j, e->thread));
    add_place(j, x, "misuse", i, index);
    creation(j, x, e->thread);
}

static void find_misuse(struct observed_job *j)
{
    FORE_VEC(uint64_t) counts = {0};
    if (!fore_survey_has(j->o.survey, FORE_EV_MISUSE))
        return;
    for (uint32_t i = 0; i < j->t->events.n; i++) {
        const struct fore_event *e = &j->t->events.at[i];
        fore_vec_ensure(&counts, (size_t)e->thread + 1);
        if (e->kind == FORE_EV_MISUSE)
            misused(j, i, counts.at[e->thread]);
        counts.at[e->thread]++;
    }
    fore_vec_release(&counts);
}

static void find_crash(struct observed_job *j)
{
    if (j->t->tables.ended != FORE_ENDED_CRASH)
        return;
    struct fore_finding *x =
        fore_findings_add(j->ctx->out, "crash", FORE_VERDICT_OBSERVED);
    const char *signal = fore_tables_text(&j->t->tables, j->t->tables.ended_text);
    x->message = fore_findings_printf(j->ctx->out, "the program crashed%s%s%s",
                                      *signal ? " (" : "", signal, *signal ? ")" : "");
}

/* Who ended the process ended every wait in it: none of them has to be for ever. Where a signal
 * did so, nobody may have been left who could run; then it was time for one. */
static bool were_cut_off(const struct observed_job *j)
{
    switch (j->t->tables.ended) {
    case FORE_ENDED_EXIT:
    case FORE_ENDED_CRASH:
    case FORE_ENDED_PANIC:
        return true;
    case FORE_ENDED_SIGNAL:
        return !is_deadlock(j);
    default:
        return false;
    }
}

static bool observed_brief(const struct fore_trace *t, const struct fore_params *params)
{
    (void)params;
    return fore_observed_is_brief(t);
}

static enum fore_status run_observed(const struct fore_trace *t,
                                     struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    (void)e;
    struct observed_job j = {.t = t, .ctx = ctx, .lost = t->torn || t->lost};
    fore_observed_init(&j.o, t);
    fore_vec_ensure(&j.told, j.o.threads.n);
    find_panics(&j);
    find_misuse(&j);
    find_crash(&j);
    find_cycles(&j);
    bool cut_off = were_cut_off(&j);
    if (!cut_off && is_deadlock(&j) && !j.cycles)
        all_wait(&j);
    for (uint32_t th = 1; th < j.o.threads.n && !cut_off; th++)
        if (waits(&j, th) && !(j.cycles && is_deadlock(&j)))
            one_wait(&j, th);
    fore_vec_release(&j.told);
    fore_observed_release(&j.o);
    return FORE_OK;
}

const struct fore_analysis fore_analysis_observed = {
    .name = "observed",
    .summary = "what went wrong in the observed run itself",
    .rules = "blocked-forever,lock-cycle,send-on-closed,close-of-closed,panic,crash,"
             "lock-misuse",
    .brief = observed_brief,
    .run = run_observed,
};
