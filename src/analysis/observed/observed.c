/* Reports:  waits that had not ended when the run did, with who holds or could have served
 *           them; cycles of locks; sends on and closes of closed channels; panics.
 * Sound:    yes, these are facts of the run. A wait is called "for ever" only if nothing
 *           that still ran had to do with what it waits for, and something kept it waiting;
 *           otherwise it is a note.
 * Complete: for what the trace holds up to its end.
 * Cost:     O(waits * partners), and one pass over the events if somebody waits for anything
 *           but a channel without selects. */
#include "analysis/observed/observed.h"

#include "analysis/observed/wording.h"
#include "analysis/tell/tell.h"

enum { MAX_TOGETHER = 16 };

/* ---- cycles, deadlocks ---- */

static void tell_cycle(struct fore_observed_job *j, uint32_t first)
{
    enum { MOST_IN_MESSAGE = 4 };
    struct fore_finding *x = fore_observed_begin(j, "lock-cycle");
    j->cycles++;
    uint32_t thread = first;
    size_t n = 0;
    const char *waits = "";
    do {
        const struct fore_observed_tie *h =
            fore_observed_holder(&j->o, fore_observed_last(j, thread)->object);
        fore_observed_add_wait(j, x, "waits", thread);
        fore_observed_place(j, x, "holds", h->event, h->index);
        struct fore_tell_wait w = {.thread = thread,
                                   .lock = fore_observed_last(j, thread)->object,
                                   .where = fore_observed_last(j, thread)->where,
                                   .owner = h->thread,
                                   .since = fore_trace_event(j->t, h->event)->where};
        struct fore_strbuf text = FORE_STRBUF_INIT;
        fore_tell_lock_wait(j->ctx->out, j->t, &w, &text);
        const char *wait = fore_arena_strndup(&j->ctx->out->arena, text.at, text.n);
        fore_strbuf_release(&text);
        if (n >= MOST_IN_MESSAGE)
            fore_finding_fact(j->ctx->out, x, FORE_FACT_OBSERVED, "%s", wait);
        else
            waits = n ? fore_findings_printf(j->ctx->out, "%s; %s", waits, wait) : wait;
        thread = h->thread;
        n++;
    } while (thread != first);
    do { /* every one of them holds a lock, too */
        fore_observed_tell_stack(j, x, thread);
        fore_observed_tell_creation(j, x, thread);
        thread = fore_observed_waits_for(j, thread);
    } while (thread && thread != first);
    x->message =
        n == 1 ? fore_findings_printf(j->ctx->out, "%s locks %s, which it holds itself",
                                      fore_observed_who(j, first), x->object)
               : waits;
}

static void find_cycles(struct fore_observed_job *j)
{
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        uint32_t at = th;
        size_t steps = 0;
        do {
            at = fore_observed_waits_for(j, at);
            steps++;
        } while (at && at != th && steps <= j->o.threads.n);
        if (at == th && !j->told.at[th])
            tell_cycle(j, th);
    }
}

/* Can no thread run any more, although none has ended the program (as the end of the first
 * thread does)? Then there is one finding for all. */
static bool is_deadlock(const struct fore_observed_job *j)
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

static void all_wait(struct fore_observed_job *j)
{
    struct fore_finding *x = NULL;
    size_t n = 0;
    for (uint32_t th = 1; th < j->o.threads.n; th++) {
        if (!fore_observed_is_left(j, th))
            continue;
        if (!x)
            x = fore_observed_begin(j, "blocked-forever");
        if (n++ >= MAX_TOGETHER) {
            j->told.at[th] = true;
            continue;
        }
        fore_observed_add_wait(j, x, "waits", th);
        fore_finding_fact(j->ctx->out, x, FORE_FACT_OBSERVED, "%s waits %s%s",
                          fore_observed_who(j, th), fore_observed_waits_how(j, th),
                          fore_observed_at(j, fore_observed_last(j, th)->where));
        if (n <= 2)
            fore_observed_tell_partners(j, x, th);
        fore_observed_tell_stack(j, x, th);
        fore_observed_tell_creation(j, x, th);
    }
    if (x)
        x->message = fore_findings_printf(
            j->ctx->out, "deadlock: %zu thread%s, and nobody else can run", n,
            n == 1 ? " waits" : "s wait");
}

/* ---- closed channels, panics ---- */

static uint32_t close_of(const struct fore_observed_job *j, uint32_t object,
                         uint32_t before, uint64_t *index)
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

/* Did the program catch the panic? Then the process went on, and there is no record that the
 * thread ended it. */
static bool was_recovered(const struct fore_observed_job *j, uint32_t thread)
{
    if (j->t->tables.ended != FORE_ENDED_RETURNED &&
        j->t->tables.ended != FORE_ENDED_EXIT)
        return false;
    for (size_t i = 0; i < j->o.survey->faults.n; i++) {
        const struct fore_event *e = &j->t->events.at[j->o.survey->faults.at[i].event];
        if (e->kind == FORE_EV_PANIC && e->thread == thread)
            return false;
    }
    return true;
}

static void report_closed(struct fore_observed_job *j, uint32_t i, uint64_t index)
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
        j->ctx->out, "%s %s %s%s%s panics", fore_observed_who(j, e->thread),
        send ? "sends on" : "closes", what, fore_observed_at(j, e->where),
        *fore_observed_at(j, e->where) ? ", and" : " and");
    fore_observed_place(j, x, send ? "send" : "close", i, index);
    if (was_recovered(j, e->thread)) {
        x->level = FORE_LEVEL_NOTE;
        fore_finding_fact(j->ctx->out, x, "then",
                          "the program recovered from the panic and went on");
    }
    if (close == UINT32_MAX)
        return;
    fore_observed_place(j, x, send ? "close" : "first close", close, first);
    fore_finding_fact(j->ctx->out, x, FORE_FACT_OBSERVED, "%s closed it%s",
                      fore_observed_who(j, j->t->events.at[close].thread),
                      fore_observed_at(j, j->t->events.at[close].where));
}

static void find_panic(struct fore_observed_job *j, uint32_t i, uint64_t index)
{
    const struct fore_event *e = &j->t->events.at[i];
    struct fore_finding *x =
        fore_findings_add(j->ctx->out, "panic", FORE_VERDICT_OBSERVED);
    fore_observed_place(j, x, "panic", i, index);
    if (fore_observed_is_alarm(&j->o, e->thread)) {
        x->level = FORE_LEVEL_NOTE;
        x->message =
            "the tests took longer than -timeout allows, which ended the program";
        return;
    }
    x->message = fore_findings_printf(j->ctx->out, "%s panics%s, which ends the program",
                                      fore_observed_who(j, e->thread),
                                      fore_observed_at(j, e->where));
    fore_observed_tell_creation(j, x, e->thread);
}

static bool same_line(const struct fore_tables *t, uint32_t a, uint32_t b)
{
    const struct fore_where *x = &t->wheres.at[a], *y = &t->wheres.at[b];
    return x->file && x->file == y->file && x->line == y->line;
}

/* Where the thread announced what it did in this event: a select is on another line than its
 * cases. */
static uint32_t announced_at(const struct fore_trace *t, uint32_t event)
{
    uint32_t thread = t->events.at[event].thread;
    while (event-- > 0)
        if (t->events.at[event].thread == thread)
            return t->events.at[event].kind == FORE_EV_PRE ? t->events.at[event].where
                                                           : 0;
    return 0;
}

/* Did the thread send on a closed channel, or close one again, where it panics? Deferred functions may have come between. */
static bool is_explained(const struct fore_observed_job *j,
                         const struct fore_event *panic)
{
    const struct fore_tables *tab = &j->t->tables;
    for (size_t i = 0; i < j->o.survey->faults.n; i++) {
        uint32_t at = j->o.survey->faults.at[i].event;
        const struct fore_event *e = &j->t->events.at[at];
        if (e->kind != FORE_EV_PANIC && e->thread == panic->thread &&
            (same_line(tab, e->where, panic->where) ||
             same_line(tab, announced_at(j->t, at), panic->where)))
            return true;
    }
    return false;
}

/* Reports panics; one that a send on or close of a closed channel explains is reported once. */
static void find_panics(struct fore_observed_job *j)
{
    for (size_t i = 0; i < j->o.survey->faults.n; i++) {
        const struct fore_fault *x = &j->o.survey->faults.at[i];
        if (j->t->events.at[x->event].kind != FORE_EV_PANIC)
            report_closed(j, x->event, x->index);
        else if (!x->again && !is_explained(j, &j->t->events.at[x->event]))
            find_panic(j, x->event, x->index);
    }
}

/* ---- misuse of locks, crashes ---- */

static void report_misuse(struct fore_observed_job *j, uint32_t i, uint64_t index)
{
    const struct fore_event *e = &j->t->events.at[i];
    struct fore_finding *x =
        fore_findings_add(j->ctx->out, "lock-misuse", FORE_VERDICT_OBSERVED);
    x->object = fore_arena_strdup(&j->ctx->out->arena,
                                  fore_tables_name(&j->t->tables, e->object));
    x->object_kind = FORE_OBJ_LOCK;
    x->message = fore_findings_printf(j->ctx->out, "%s was %s%s, by %s", x->object,
                                      fore_tables_text(&j->t->tables, (uint32_t)e->a),
                                      fore_observed_at(j, e->where),
                                      fore_observed_who(j, e->thread));
    fore_observed_place(j, x, "misuse", i, index);
    fore_observed_tell_creation(j, x, e->thread);
}

static void find_misuse(struct fore_observed_job *j)
{
    FORE_VEC(uint64_t) counts = {0};
    if (!fore_survey_has(j->o.survey, FORE_EV_MISUSE))
        return;
    for (uint32_t i = 0; i < j->t->events.n; i++) {
        const struct fore_event *e = &j->t->events.at[i];
        fore_vec_ensure(&counts, (size_t)e->thread + 1);
        if (e->kind == FORE_EV_MISUSE)
            report_misuse(j, i, counts.at[e->thread]);
        counts.at[e->thread]++;
    }
    fore_vec_release(&counts);
}

/* "SIGABRT in thread 2 at main.c:7: what it said" (foresee-trace(5)); of traces written by hand any part
 * may be missing. */
struct crash_text {
    char signal[16], thread[16], place[256];
    const char *said;
};

static void read_crash(const char *text, struct crash_text *out)
{
    *out = (struct crash_text){.said = ""};
    size_t n = strcspn(text, " :");
    snprintf(out->signal, sizeof out->signal, "%.*s", (int)(n < 15 ? n : 15), text);
    text += n;
    if (!strncmp(text, " in thread ", 11)) {
        text += 11;
        n = strcspn(text, " :");
        snprintf(out->thread, sizeof out->thread, "%.*s", (int)(n < 15 ? n : 15), text);
        text += n;
    }
    if (!strncmp(text, " at ", 4)) {
        text += 4;
        const char *end = strstr(text, ": ");
        n = end ? (size_t)(end - text) : strlen(text);
        snprintf(out->place, sizeof out->place, "%.*s", (int)(n < 255 ? n : 255), text);
        text += n;
    }
    if (!strncmp(text, ": ", 2))
        out->said = text + 2;
}

static void find_crash(struct fore_observed_job *j)
{
    if (j->t->tables.ended != FORE_ENDED_CRASH)
        return;
    struct fore_findings *f = j->ctx->out;
    struct crash_text c;
    read_crash(fore_tables_text(&j->t->tables, j->t->tables.ended_text), &c);
    bool aborted = !strcmp(c.signal, "SIGABRT");
    struct fore_finding *x =
        fore_findings_add(f, aborted ? "assertion" : "crash", FORE_VERDICT_OBSERVED);
    if (*c.said)
        x->message = fore_arena_strdup(&f->arena, c.said);
    else if (aborted)
        x->message = fore_findings_printf(
            f, "the program aborted itself%s%s: its output may say why",
            *c.place ? " at " : "", c.place);
    else
        x->message = fore_findings_printf(
            f, "the program crashed%s%s%s%s%s%s%s", *c.signal ? " (" : "", c.signal,
            *c.signal ? ")" : "", *c.thread ? " in thread " : "", c.thread,
            *c.place ? " at " : "", c.place);
    if (*c.place)
        fore_finding_location(f, x, aborted ? "aborts" : "crashes", c.thread, c.place);
}

/* Did the end of the process end the waits in it, so that none of them has to be for ever? A
 * signal may have been sent because no thread could run any more; then the waits are for ever. */
static bool were_cut_off(const struct fore_observed_job *j)
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

static bool observed_brief(const struct fore_trace *t,
                           const struct fore_analysis_ctx *ctx)
{
    (void)ctx;
    return fore_observed_is_brief(t);
}

static enum fore_status run_observed(const struct fore_trace *t,
                                     struct fore_analysis_ctx *ctx, struct fore_err *e)
{
    (void)e;
    struct fore_observed_job j = {.t = t, .ctx = ctx, .lost = t->torn || t->lost};
    fore_observed_init(&j.o, t);
    fore_vec_ensure(&j.told, j.o.threads.n);
    find_panics(&j);
    find_misuse(&j);
    find_crash(&j);
    bool cut_off = were_cut_off(&j);
    if (t->tables.ended != FORE_ENDED_EXIT)
        find_cycles(&j);
    if (!cut_off && is_deadlock(&j) && !j.cycles)
        all_wait(&j);
    if (cut_off)
        fore_observed_find_left(&j);
    else if (!(j.cycles && is_deadlock(&j)))
        fore_observed_find_leaks(&j);
    fore_vec_release(&j.told);
    fore_observed_release(&j.o);
    return FORE_OK;
}

const struct fore_analysis fore_analysis_observed = {
    .name = "observed",
    .summary = "what went wrong in the observed run itself",
    .rules = "blocked-forever,lock-cycle,send-on-closed,close-of-closed,panic,crash,"
             "assertion,lock-misuse",
    .brief = observed_brief,
    .run = run_observed,
};
