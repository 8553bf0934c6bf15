#include "explore/program/order.h"

#include "base/mem.h"
#include "capture/control/schedule.h"

#include <stdlib.h>
#include <string.h>

struct placed {
    uint64_t at; /* the step that did it, or the last one before it */
    size_t index;
    struct fore_event event;
};

static int by_step(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint32_t told_thread(const struct fore_outcome *o, const char *path)
{
    uint32_t n = o->threads < FORE_OUTCOME_THREADS ? o->threads : FORE_OUTCOME_THREADS;
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(o->thread[i].path, path))
            return i;
    return UINT32_MAX;
}

static uint32_t site_of(const struct fore_trace *t, const struct fore_event *e)
{
    const struct fore_where *w = &t->tables.wheres.at[e->where];
    return w->line << 8 | (w->column & 0xff);
}

/* The steps sorted by what they are, each kind in the order in which they were done. */
struct known_step {
    uint64_t what; /* its site, kind and thread */
    uint64_t at;
};

static uint64_t what_of(uint32_t thread, uint16_t kind, uint32_t site)
{
    return (uint64_t)site << 32 | (uint64_t)(kind & 0xff) << 24 | (thread & 0xffffff);
}

static int by_what(const void *a, const void *b)
{
    const struct known_step *x = a, *y = b;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static struct known_step *index_steps(const struct fore_outcome_step *s, uint64_t n)
{
    struct known_step *all = fore_calloc(n ? n : 1, sizeof *all);
    for (uint64_t i = 0; i < n; i++)
        all[i] = (struct known_step){what_of(s[i].thread, s[i].kind, s[i].site), i};
    qsort(all, n, sizeof *all, by_what);
    return all;
}

/* The thread's next step that is this event; `from` if there is none, as for its end. */
static uint64_t step_of(const struct known_step *all, uint64_t n, uint64_t from,
                        uint32_t thread, const struct fore_event *e, uint32_t site)
{
    enum { AHEAD = 1 << 16 }; /* an access that is not recorded again is not far */
    if (e->flags & FORE_F_PRE || !fore_schedule_word(e->kind))
        return from;
    struct known_step wanted = {what_of(thread, e->kind, site), from};
    uint64_t low = 0, high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (by_what(&all[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < n && all[low].what == wanted.what && all[low].at < from + AHEAD;
    return found ? all[low].at + 1 : from;
}

void fore_order_exactly(struct fore_trace *t, const struct fore_rerun *p)
{
    size_t n = t->events.n, threads = t->tables.threads.n;
    uint64_t *from = fore_calloc(threads, sizeof *from);
    uint32_t *who = fore_calloc(threads, sizeof *who);
    struct placed *all = fore_calloc(n ? n : 1, sizeof *all);
    uint64_t logged = p->outcome->logged;
    struct known_step *steps = index_steps(fore_rerun_steps(p), logged);
    for (uint32_t i = 1; i < threads; i++) {
        struct fore_strbuf path = FORE_STRBUF_INIT;
        fore_tables_path(&t->tables, i, &path);
        who[i] = told_thread(p->outcome, path.at);
        fore_strbuf_release(&path);
    }
    for (size_t i = 0; i < n; i++) {
        const struct fore_event *e = &t->events.at[i];
        from[e->thread] =
            step_of(steps, logged, from[e->thread], who[e->thread], e, site_of(t, e));
        all[i] = (struct placed){from[e->thread], i, *e};
    }
    qsort(all, n, sizeof *all, by_step);
    for (size_t i = 0; i < n; i++)
        t->events.at[i] = all[i].event;
    t->tables.merged = t->settled = false;
    fore_trace_reordered(t);
    fore_free(steps);
    fore_free(all);
    fore_free(who);
    fore_free(from);
}
