#include "explore/program/witness.h"

#include "base/map.h"
#include "base/path.h"
#include "capture/control/schedule.h"
#include "explore/program/access.h"
#include "machine/quiet.h"
#include "machine/replay.h"

#include <string.h>

bool fore_witness_is_schedule(const char *text)
{
    return fore_begins_with(text, FORE_SCHEDULE_FIRST_LINE);
}

/* ---- from a witness to a schedule ---- */

/* How far a thread of the witness has come. */
struct progress {
    uint32_t operations;
    size_t last;                  /* its last event, + 1 */
    bool stands;                  /* that is one of two racing accesses */
    const struct fore_event *pre; /* what it announced last */
    struct fore_strbuf path;      /* in the run; "": it is not there */
    bool outside;                 /* not below the first thread: a timer */
};

struct last_writer {
    const struct fore_finding *finding;
    const struct fore_trace *witness;
    struct progress *threads;
    struct fore_map counts; /* accesses by thread, operations before and place */
    struct fore_accesses accesses;
    struct fore_strbuf *out;
    bool
        loosely; /* creations are no steps: a thread that is to be created is so on the way */
};

static bool is_pre(const struct fore_event *e)
{
    return e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE;
}

/* A thread's creation path. The witness need not create every thread that it names, so it is
 * the finding that knows. */
static void put_path(const struct fore_finding *x, const struct fore_trace *witness,
                     uint32_t thread, struct fore_strbuf *out)
{
    const char *label = fore_tables_label(&witness->tables, thread);
    for (size_t i = 0; i < x->witness.n; i++)
        if (x->witness.at[i].path[0] && !strcmp(x->witness.at[i].thread, label)) {
            fore_strbuf_puts(out, x->witness.at[i].path);
            return;
        }
    fore_tables_path(&witness->tables, thread, out);
}

void fore_witness_path(const struct fore_finding *x, const struct fore_trace *witness,
                       struct fore_moved moved, uint32_t thread, struct fore_strbuf *out)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    size_t n = moved.from ? strlen(moved.from) : 0;
    put_path(x, witness, thread, &path);
    if (!n)
        fore_strbuf_puts(out, path.at);
    else if (!strncmp(path.at, moved.from, n) && (!path.at[n] || path.at[n] == '.'))
        fore_strbuf_printf(out, "%s%s", moved.to, path.at + n);
    fore_strbuf_release(&path);
}

static void put_site(const struct fore_trace *t, uint32_t where, struct fore_strbuf *out)
{
    const struct fore_where *w = &t->tables.wheres.at[where];
    const char *file = fore_tables_text(&t->tables, w->file);
    if (where && !strpbrk(file, " \t\n"))
        fore_strbuf_printf(out, " %s:%u:%u", file, w->line, w->column);
}

static void begin_step(const struct last_writer *w, const struct fore_event *e,
                       unsigned kind)
{
    const struct progress *p = &w->threads[e->thread];
    fore_strbuf_printf(w->out, "%s %u %s", p->path.at, p->operations,
                       fore_schedule_word(kind));
    put_site(w->witness, e->where, w->out);
}

/* False: it is no step. */
static bool put_access(struct last_writer *w, const struct fore_event *e)
{
    uint64_t key = ((uint64_t)e->thread << 40) ^
                   ((uint64_t)w->threads[e->thread].operations << 20) ^ e->where;
    if (!e->where)
        return false;
    uint64_t *n = fore_map_put(&w->counts, key * 64 + e->kind, NULL);
    ++*n;
    if (!w->threads[e->thread].stands && !fore_access_matters(&w->accesses, e))
        return false;
    begin_step(w, e, e->kind);
    fore_strbuf_printf(w->out, " %llu", (unsigned long long)*n);
    if (e->object)
        fore_strbuf_printf(w->out, " of %u", e->object);
    return true;
}

int fore_witness_case(const struct fore_trace *t, const struct fore_event *pre,
                      const struct fore_event *e)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_trace_cases(t, pre, &one, &n);
    unsigned kind = e->kind == FORE_EV_SEND     ? FORE_CASE_SEND
                    : e->kind == FORE_EV_RECV   ? FORE_CASE_RECV
                    : e->flags & FORE_F_TIMEOUT ? FORE_CASE_TIMEOUT
                                                : FORE_CASE_DEFAULT;
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == kind && (kind > FORE_CASE_SEND || c[i].chan == e->object))
            return (int)i;
    /* The notation does not tell a default from a timeout. */
    for (size_t i = 0; i < n; i++)
        if (kind > FORE_CASE_SEND && c[i].kind > FORE_CASE_SEND)
            return (int)i;
    return -1;
}

static bool is_counted(const struct fore_event *e)
{
    enum fore_group g = fore_kind_group(e->kind);
    return g == FORE_GROUP_LOCK || g == FORE_GROUP_CHANNEL;
}

/* Is it what became of a select? */
static bool is_of_select(const struct progress *p, const struct fore_event *e)
{
    return e->kind == FORE_EV_SELECT ||
           ((e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV) && p->pre &&
            p->pre->kind == FORE_EV_PRE && p->pre->flags & FORE_F_CASES);
}

/* The case that a timer ends; -1: none. */
static int timed_case(const struct fore_trace *t, const struct fore_event *pre)
{
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_trace_cases(t, pre, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].kind == FORE_CASE_RECV &&
            t->tables.objects.at[c[i].chan].flags & FORE_OBJ_TIMED)
            return (int)i;
    return -1;
}

/* What ends by a timeout waits for a timer, which then fires: a step of the clock. */
static bool put_timeout(const struct last_writer *w, const struct fore_event *e)
{
    const struct progress *p = &w->threads[e->thread];
    int timed = e->flags & FORE_F_TIMEOUT && p->pre ? timed_case(w->witness, p->pre) : -1;
    if (timed < 0)
        return false;
    begin_step(w, e, FORE_OP_select);
    fore_strbuf_printf(w->out, " %d\n%s goes 1", timed, FORE_SCHEDULE_CLOCK);
    return true;
}

static void put_operation(const struct last_writer *w, const struct fore_event *e)
{
    const struct progress *p = &w->threads[e->thread];
    int choice =
        is_of_select(p, e) && p->pre ? fore_witness_case(w->witness, p->pre, e) : -1;
    if (put_timeout(w, e))
        return;
    if (choice < 0 && e->kind != FORE_EV_SELECT) {
        begin_step(w, e, e->kind);
    } else if (choice >= 0) {
        begin_step(w, e, FORE_OP_select);
        fore_strbuf_printf(w->out, " %d", choice);
    } else {
        begin_step(w, e, FORE_OP_select);
    }
}

/* What is inside of a library has no order that anybody would want to force. */
static bool is_hidden(const struct fore_trace *t, const struct fore_event *e)
{
    return e->object < t->tables.objects.n &&
           t->tables.objects.at[e->object].flags & FORE_OBJ_HIDDEN;
}

static void put_event(struct last_writer *w, const struct fore_event *e)
{
    struct progress *p = &w->threads[e->thread];
    unsigned kind = e->kind;
    if (kind == FORE_EV_READ || kind == FORE_EV_WRITE || kind == FORE_EV_RMW) {
        if (!put_access(w, e))
            return;
    } else if (is_counted(e) && (fore_schedule_word(kind) || kind == FORE_EV_SELECT)) {
        bool hidden = is_hidden(w->witness, e);
        if (!hidden)
            put_operation(w, e);
        p->operations++;
        p->pre = NULL;
        if (hidden)
            return;
    } else if ((kind == FORE_EV_SIGNAL && !w->loosely) || kind == FORE_EV_JOIN) {
        begin_step(w, e, kind);
    } else {
        return;
    }
    fore_strbuf_puts(w->out,
                     p->stands && p->last == (size_t)(e - w->witness->events.at) + 1
                         ? " stands\n"
                         : "\n");
}

/* A wait that begins: at a barrier that is an operation of its own, otherwise it comes at the end,
 * if it is the thread's last event. */
static void put_beginning(struct last_writer *w, const struct fore_event *e)
{
    w->threads[e->thread].pre = e;
    if (e->kind != FORE_EV_BARRIER)
        return;
    begin_step(w, e, FORE_OP_arrive);
    fore_strbuf_putc(w->out, '\n');
}

/* What a wait is announced as. */
static unsigned announced_kind(const struct fore_event *e)
{
    if (e->kind != FORE_EV_PRE)
        return e->kind;
    return e->flags & FORE_F_CASES  ? FORE_OP_select
           : e->flags & FORE_F_SEND ? FORE_OP_send
                                    : FORE_OP_receive;
}

static void put_waits(struct last_writer *w)
{
    const struct fore_trace *t = w->witness;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        const struct progress *p = &w->threads[e->thread];
        if (!is_pre(e) || p->last != i + 1 || !p->path.n || is_hidden(t, e) ||
            !fore_schedule_word(announced_kind(e)))
            continue;
        begin_step(w, e, announced_kind(e));
        fore_strbuf_puts(w->out, " waits\n");
    }
}

static void find_standing(struct last_writer *w)
{
    const struct fore_trace *t = w->witness;
    for (size_t i = 0; i < t->events.n; i++)
        w->threads[t->events.at[i].thread].last = i + 1;
    for (size_t i = 0; i < t->expects.n; i++)
        if (t->expects.at[i].kind == FORE_EXPECT_RACE)
            w->threads[t->expects.at[i].subject].stands = true;
}

/* A timer sends as a thread of its own, which the run does not have: there it is a step of the clock. It
 * matters if somebody receives that. */
static bool is_timer_that_counts(const struct last_writer *w, size_t at)
{
    const struct fore_trace *t = w->witness;
    const struct fore_event *e = &t->events.at[at];
    if (!w->threads[e->thread].outside || e->kind != FORE_EV_SEND ||
        !(t->tables.objects.at[e->object].flags & FORE_OBJ_TIMED))
        return false;
    for (size_t i = at + 1; i < t->events.n; i++)
        if (t->events.at[i].kind == FORE_EV_RECV && t->events.at[i].object == e->object)
            return true;
    return false;
}

/* The two that stand are the last steps. */
static void put_all(struct last_writer *w)
{
    const struct fore_trace *t = w->witness;
    for (int standing = 0; standing < 2; standing++)
        for (size_t i = 0; i < t->events.n; i++) {
            const struct fore_event *e = &t->events.at[i];
            const struct progress *p = &w->threads[e->thread];
            if (!standing && is_timer_that_counts(w, i))
                fore_strbuf_puts(w->out, FORE_SCHEDULE_CLOCK " goes 1\n");
            if ((p->stands && p->last == i + 1) != standing || !p->path.n)
                continue;
            if (is_pre(e))
                put_beginning(w, e);
            else
                put_event(w, e);
        }
    put_waits(w);
}

/* tank@file.c:12#2.level as tank@file.c:12.level: which of the blocks that were made there it is may
 * differ from run to run. */
static void put_name(const char *name, struct fore_strbuf *out)
{
    for (; *name; name++) {
        if (*name == '#')
            name += strspn(name + 1, "0123456789");
        else
            fore_strbuf_putc(out, *name);
    }
}

/* What the memory of the accesses is called, so that the program knows it again. */
static void put_objects(const struct fore_trace *t, struct fore_strbuf *out)
{
    struct fore_map told = {0};
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        bool fresh;
        if (fore_kind_group(e->kind) != FORE_GROUP_MEMORY || !e->object)
            continue;
        fore_map_put(&told, e->object, &fresh);
        const char *name =
            fore_tables_text(&t->tables, t->tables.objects.at[e->object].name);
        if (!fresh || !*name || strpbrk(name, "\n\r"))
            continue;
        fore_strbuf_printf(out, "object %u ", e->object);
        put_name(name, out);
        fore_strbuf_putc(out, '\n');
    }
    fore_map_release(&told);
}

static void find_thread(struct last_writer *w, struct fore_moved moved, uint32_t thread)
{
    struct progress *p = &w->threads[thread];
    put_path(w->finding, w->witness, thread, &p->path);
    p->outside = p->path.at[0] != '1' || (p->path.at[1] && p->path.at[1] != '.');
    fore_strbuf_clear(&p->path);
    if (!p->outside)
        fore_witness_path(w->finding, w->witness, moved, thread, &p->path);
}

void fore_witness_schedule(const struct fore_finding *x, const struct fore_trace *witness,
                           bool recorded, struct fore_moved moved,
                           struct fore_strbuf *out)
{
    struct last_writer w = {.finding = x,
                            .witness = witness,
                            .threads =
                                fore_calloc(witness->tables.threads.n, sizeof *w.threads),
                            .out = out,
                            .loosely = recorded};
    fore_strbuf_printf(out, "%s\n%s", FORE_SCHEDULE_FIRST_LINE,
                       recorded ? "counts recorded\n" : "");
    for (uint32_t i = 0; i < witness->tables.threads.n; i++) {
        w.threads[i].path = (struct fore_strbuf)FORE_STRBUF_INIT;
        if (i)
            find_thread(&w, moved, i);
    }
    put_objects(witness, out);
    fore_accesses_init(&w.accesses, witness);
    find_standing(&w);
    put_all(&w);
    fore_strbuf_puts(out, "then free\n");
    for (uint32_t i = 0; i < witness->tables.threads.n; i++)
        fore_strbuf_release(&w.threads[i].path);
    fore_map_release(&w.counts);
    fore_accesses_release(&w.accesses);
    fore_free(w.threads);
}

/* ---- did it come true? ---- */

static const struct fore_outcome_thread *thread_at(const struct fore_outcome *o,
                                                   const char *path)
{
    uint32_t n = o->threads < FORE_OUTCOME_THREADS ? o->threads : FORE_OUTCOME_THREADS;
    for (uint32_t i = 0; i < n; i++)
        if (!strncmp(o->thread[i].path, path, sizeof o->thread[i].path))
            return &o->thread[i];
    return NULL;
}

/* What kind of wait it is. One that ended, and another that a thread of a pool begins when all is done, are
 * not the same. 0: any, as what Go's threads stand before when they were parked. */
static int family_of(unsigned kind)
{
    switch (kind) {
    case FORE_OP_lock:
    case FORE_OP_rlock:
        return 1;
    case FORE_OP_cwait:
    case FORE_OP_cwoken:
        return 2;
    case FORE_OP_acquire:
        return 3;
    case FORE_OP_barrier:
        return 4;
    case FORE_OP_join:
        return 5;
    default:
        return 0;
    }
}

/* At the end of the witness a thread that waited for a condition may have been woken: then it waits for the lock. */
static bool waits_for_lock_again(const struct fore_trace *witness, uint32_t thread)
{
    struct fore_program p = {0};
    struct fore_machine m = {0};
    struct fore_err unheard = {0};
    uint32_t lock;
    bool so = false;
    if (fore_program_build(&p, witness, &unheard) == FORE_OK) {
        fore_machine_init(&m, &p);
        so = fore_replay_run(&m, NULL, &unheard) == FORE_OK &&
             fore_waits_for_lock(&m, thread, &lock);
        fore_machine_release(&m);
    }
    fore_program_release(&p);
    return so;
}

static bool is_such_wait(const struct fore_trace *witness, uint32_t thread, unsigned kind)
{
    size_t last = witness->events.n;
    while (last-- > 0 && witness->events.at[last].thread != thread)
        ;
    unsigned announced =
        last < witness->events.n ? announced_kind(&witness->events.at[last]) : 0;
    if (announced == FORE_EV_CWOKEN && waits_for_lock_again(witness, thread))
        announced = FORE_OP_lock;
    int wanted = family_of(announced);
    return !wanted || !family_of(kind) || family_of(kind) == wanted;
}

static bool is_blocked(const struct fore_finding *x, const struct fore_trace *witness,
                       struct fore_moved moved, uint32_t thread,
                       const struct fore_outcome *o, struct fore_strbuf *reason)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    fore_witness_path(x, witness, moved, thread, &path);
    const struct fore_outcome_thread *t = thread_at(o, path.at);
    bool waits = t && t->state == FORE_OUTCOME_WAITS && t->blocked && !o->cut;
    bool blocked = waits && is_such_wait(witness, thread, t->kind);
    if (!blocked)
        fore_strbuf_printf(reason, "thread %s %s", path.at,
                           !t      ? "was not created"
                           : waits ? "went on and waits elsewhere"
                           : o->cut && t->blocked
                               ? "waits as it does when the program is at its end"
                           : t->state == FORE_OUTCOME_OVER ? "came to its end"
                                                           : "could go on");
    fore_strbuf_release(&path);
    return blocked;
}

bool fore_witness_stood_apart(const struct fore_outcome *o)
{
    const struct fore_outcome_thread *a = &o->stood[0], *b = &o->stood[1];
    uint64_t n = a->size ? a->size : 1, m = b->size ? b->size : 1;
    return o->met >= 2 && (a->address >= b->address + m || b->address >= a->address + n);
}

static bool is_race(const struct fore_outcome *o, struct fore_strbuf *reason)
{
    const struct fore_outcome_thread *a = &o->stood[0], *b = &o->stood[1];
    if (o->met < 2)
        fore_strbuf_puts(reason,
                         "the two threads were not at their accesses at the same time");
    else if (fore_witness_stood_apart(o))
        fore_strbuf_puts(reason, "the two threads were at accesses to different places");
    else if (a->kind == FORE_OP_read && b->kind == FORE_OP_read)
        fore_strbuf_puts(reason, "both threads only read");
    else if (a->blocked && b->blocked)
        fore_strbuf_puts(reason, "both accesses are atomic");
    else
        return true;
    return false;
}

enum fore_truth fore_witness_came_true(const struct fore_finding *x,
                                       const struct fore_trace *witness,
                                       struct fore_moved moved,
                                       const struct fore_outcome *o,
                                       struct fore_strbuf *reason)
{
    enum fore_truth all = witness->expects.n ? FORE_YES : FORE_UNKNOWN;
    for (size_t i = 0; i < witness->expects.n; i++) {
        const struct fore_expect *want = &witness->expects.at[i];
        if (want->kind == FORE_EXPECT_RACE) {
            if (!is_race(o, reason))
                return FORE_NO;
        } else if (want->kind == FORE_EXPECT_BLOCKED) {
            if (!is_blocked(x, witness, moved, want->subject, o, reason))
                return FORE_NO;
        } else {
            all = FORE_UNKNOWN;
        }
    }
    return all;
}
