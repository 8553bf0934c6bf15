#include "explore/program/witness.h"

#include "base/map.h"
#include "capture/control/schedule.h"

#include <string.h>

bool fore_witness_is_schedule(const char *text)
{
    return !strncmp(text, FORE_SCHEDULE_FIRST_LINE, strlen(FORE_SCHEDULE_FIRST_LINE));
}

/* ---- from a witness to a schedule ---- */

/* How far a thread of the witness has come. */
struct progress {
    uint32_t operations;
    size_t last; /* its last event, + 1 */
    bool stands; /* that is one of two racing accesses */
};

struct last_writer {
    const struct fore_finding *finding;
    const struct fore_trace *witness;
    struct progress *threads;
    struct fore_map counts; /* accesses by thread, operations before and place */
    struct fore_strbuf *out;
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
    put_path(w->finding, w->witness, e->thread, w->out);
    fore_strbuf_printf(w->out, " %u %s", w->threads[e->thread].operations,
                       fore_schedule_word(kind));
    put_site(w->witness, e->where, w->out);
}

static void put_access(struct last_writer *w, const struct fore_event *e)
{
    uint64_t key = ((uint64_t)e->thread << 40) ^
                   ((uint64_t)w->threads[e->thread].operations << 20) ^ e->where;
    if (!e->where)
        return;
    uint64_t *n = fore_map_put(&w->counts, key * 64 + e->kind, NULL);
    begin_step(w, e, e->kind);
    fore_strbuf_printf(w->out, " %llu", (unsigned long long)++*n);
    if (e->object)
        fore_strbuf_printf(w->out, " of %u", e->object);
}

static bool is_counted(const struct fore_event *e)
{
    return fore_kind_group(e->kind) == FORE_GROUP_LOCK;
}

static void put_event(struct last_writer *w, const struct fore_event *e)
{
    struct progress *p = &w->threads[e->thread];
    unsigned kind = e->kind;
    if (kind == FORE_EV_READ || kind == FORE_EV_WRITE || kind == FORE_EV_RMW) {
        put_access(w, e);
    } else if (is_counted(e) && fore_schedule_word(kind)) {
        begin_step(w, e, kind);
        p->operations++;
    } else if (kind == FORE_EV_SIGNAL || kind == FORE_EV_JOIN) {
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
    if (e->kind != FORE_EV_BARRIER)
        return;
    begin_step(w, e, FORE_OP_arrive);
    fore_strbuf_putc(w->out, '\n');
}

static void put_waits(struct last_writer *w)
{
    const struct fore_trace *t = w->witness;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        if (!is_pre(e) || w->threads[e->thread].last != i + 1 ||
            !fore_schedule_word(e->kind))
            continue;
        begin_step(w, e, e->kind == FORE_EV_ONCE ? FORE_OP_enter : e->kind);
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

/* The two that stand are the last steps. */
static void put_all(struct last_writer *w)
{
    const struct fore_trace *t = w->witness;
    for (int standing = 0; standing < 2; standing++)
        for (size_t i = 0; i < t->events.n; i++) {
            const struct fore_event *e = &t->events.at[i];
            const struct progress *p = &w->threads[e->thread];
            if ((p->stands && p->last == i + 1) != standing)
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

void fore_witness_schedule(const struct fore_finding *x, const struct fore_trace *witness,
                           bool recorded, struct fore_strbuf *out)
{
    struct last_writer w = {.finding = x,
                            .witness = witness,
                            .threads =
                                fore_calloc(witness->tables.threads.n, sizeof *w.threads),
                            .out = out};
    fore_strbuf_printf(out, "%s\n%s", FORE_SCHEDULE_FIRST_LINE,
                       recorded ? "counts recorded\n" : "");
    put_objects(witness, out);
    find_standing(&w);
    put_all(&w);
    fore_strbuf_puts(out, "then free\n");
    fore_map_release(&w.counts);
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

static bool is_blocked(const struct fore_finding *x, const struct fore_trace *witness,
                       uint32_t thread, const struct fore_outcome *o,
                       struct fore_strbuf *reason)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    put_path(x, witness, thread, &path);
    const struct fore_outcome_thread *t = thread_at(o, path.at);
    bool blocked = t && t->state == FORE_OUTCOME_WAITS && t->blocked;
    if (!blocked)
        fore_strbuf_printf(reason, "thread %s %s", path.at,
                           !t                              ? "was not created"
                           : t->state == FORE_OUTCOME_OVER ? "came to its end"
                                                           : "could go on");
    fore_strbuf_release(&path);
    return blocked;
}

bool fore_witness_stood_apart(const struct fore_outcome *o)
{
    const struct fore_outcome_thread *a = &o->stood[0], *b = &o->stood[1];
    return o->met >= 2 &&
           (a->address >= b->address + b->size || b->address >= a->address + a->size);
}

static bool is_race(const struct fore_outcome *o, struct fore_strbuf *reason)
{
    const struct fore_outcome_thread *a = &o->stood[0], *b = &o->stood[1];
    if (o->met < 2)
        fore_strbuf_puts(reason, "the two did not stand at their accesses at once");
    else if (fore_witness_stood_apart(o))
        fore_strbuf_puts(reason, "the two stood at accesses to different places");
    else if (a->kind == FORE_OP_read && b->kind == FORE_OP_read)
        fore_strbuf_puts(reason, "both only read");
    else if (a->blocked && b->blocked)
        fore_strbuf_puts(reason, "both are atomic");
    else
        return true;
    return false;
}

enum fore_truth fore_witness_came_true(const struct fore_finding *x,
                                       const struct fore_trace *witness,
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
            if (!is_blocked(x, witness, want->subject, o, reason))
                return FORE_NO;
        } else {
            all = FORE_UNKNOWN;
        }
    }
    return all;
}
