#include "capture/csp/panic.h"

#include "capture/csp/record.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 20, DEADLOCK_STATUS = 2 };

static const char *const waits[] = {
    [FORE_WAIT_NONE] = "running",
    [FORE_WAIT_SEND] = "chan send",
    [FORE_WAIT_RECV] = "chan receive",
    [FORE_WAIT_SELECT] = "select",
    [FORE_WAIT_SLEEP] = "sleep",
    [FORE_WAIT_LOCK] = "lock",
    [FORE_WAIT_RLOCK] = "read lock",
    [FORE_WAIT_COND] = "condition",
    [FORE_WAIT_WG] = "wait group",
    [FORE_WAIT_ONCE] = "once",
    [FORE_WAIT_TURN] = "its turn in the schedule",
};

static void show_site(foresee_at at)
{
    if (at)
        fprintf(stderr, " at %s:%u", at->file, at->line);
}

static void show_process(const struct fore_proc *p)
{
    fprintf(stderr, "process %u (%s) [%s]", p->id, p->name, waits[p->waits_for]);
    show_site(p->waits_at);
    if (p->made_at)
        fprintf(stderr, ", created at %s:%u", p->made_at->file, p->made_at->line);
    fputc('\n', stderr);
}

/* The oldest processes in the order of their creation; slabs have them in any order. */
struct oldest {
    const struct fore_proc *at[SHOWN];
    size_t n, seen;
};

static void keep_oldest(struct fore_proc *p, void *arg)
{
    struct oldest *o = arg;
    size_t i = o->n < SHOWN ? o->n++ : SHOWN - 1;
    if (o->seen++ >= SHOWN && o->at[i]->id < p->id)
        return;
    for (; i && o->at[i - 1]->id > p->id; i--)
        o->at[i] = o->at[i - 1];
    o->at[i] = p;
}

void fore_csp_fatal(const char *what)
{
    fprintf(stderr, "foresee-csp: %s\n", what);
    abort();
}

void foresee_panic_at(const char *message, foresee_at at)
{
    fore_csp_need();
    struct fore_proc *p = fore_csp.current;
    if (fore_csp.mode & FORE_CSP_TRACED) {
        fore_record(p, FORE_RING_PANIC, FORE_RING_DONE, at, 0, 0);
        fore_record_end(128 + 6, FORE_RING_ENDED, FORE_RING_BY_PANIC); /* SIGABRT */
    }
    fflush(stdout);
    fprintf(stderr, "panic: %s", message);
    show_site(at);
    fprintf(stderr, "\nprocess %u (%s)", p->id, p->name);
    if (p->made_at)
        fprintf(stderr, ", created at %s:%u", p->made_at->file, p->made_at->line);
    fputc('\n', stderr);
    abort();
}

void fore_csp_deadlock(void)
{
    struct oldest o = {.n = 0};
    fflush(stdout);
    fputs("fatal error: all processes are asleep - deadlock!\n", stderr);
    fore_proc_each(keep_oldest, &o);
    for (size_t i = 0; i < o.n; i++)
        show_process(o.at[i]);
    if (o.seen > o.n)
        fprintf(stderr, "and %zu more\n", o.seen - o.n);
    fore_csp.ending = true;
    if (fore_csp.mode & FORE_CSP_TRACED)
        fore_record_end(DEADLOCK_STATUS, FORE_RING_DEADLOCK, FORE_RING_BY_EXIT);
    exit(DEADLOCK_STATUS);
}
