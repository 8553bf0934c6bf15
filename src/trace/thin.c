#include "trace/thin.h"

enum lock_use { USE_UNKNOWN, USE_LEFT_OUT, USE_KEPT };

void fore_thin_release(struct fore_thin *x)
{
    fore_vec_release(&x->events);
    fore_vec_release(&x->at);
    fore_vec_release(&x->ending);
    fore_vec_release(&x->recent);
    fore_vec_release(&x->threads);
    fore_vec_release(&x->locks);
    fore_vec_release(&x->gaps);
}

static struct fore_thin_thread *thread_of(struct fore_thin *x, uint32_t thread)
{
    fore_vec_ensure(&x->threads, (size_t)thread + 1);
    return &x->threads.at[thread];
}

/* Gives the thread a gap before its next event, if there is none yet. */
static void note_gap(struct fore_thin *x, uint32_t thread)
{
    struct fore_thin_thread *th = &x->threads.at[thread];
    if (th->left_out == th->noted || x->ended)
        return;
    fore_vec_push(&x->gaps, (struct fore_thin_gap){thread, th->kept, th->left_out});
    th->noted = th->left_out;
}

static void keep_event(struct fore_thin *x, const struct fore_event *e, uint32_t at)
{
    note_gap(x, e->thread);
    fore_vec_push(&x->events, *e);
    fore_vec_push(&x->at, at);
    x->threads.at[e->thread].kept++;
}

/* Keeps the section that the thread is in. */
static void keep_section(struct fore_thin *x, struct fore_thin_thread *th)
{
    unsigned n = th->begun;
    th->begun = 0;
    for (unsigned i = 0; i < n; i++)
        keep_event(x, &th->section[i], th->at[i]);
}

/* From now on every section of the lock is kept; threads that are in one come first. */
static void keep_lock(struct fore_thin *x, uint32_t lock)
{
    fore_vec_ensure(&x->locks, (size_t)lock + 1);
    if (x->locks.at[lock] == USE_KEPT)
        return;
    x->spoiled |= x->locks.at[lock] == USE_LEFT_OUT;
    x->locks.at[lock] = USE_KEPT;
    for (size_t i = 0; i < x->threads.n; i++)
        if (x->threads.at[i].begun && x->threads.at[i].section[0].object == lock)
            keep_section(x, &x->threads.at[i]);
}

static bool takes_lock(const struct fore_event *e)
{
    return e->kind == FORE_EV_LOCK || e->kind == FORE_EV_RLOCK;
}

static bool gives_lock(const struct fore_event *e)
{
    return (e->kind == FORE_EV_UNLOCK || e->kind == FORE_EV_RUNLOCK) &&
           !(e->flags & FORE_F_PRE);
}

/* Does the event begin a section that may be empty, or go on with it? */
static bool may_be_empty(struct fore_thin *x, const struct fore_thin_thread *th,
                         const struct fore_event *e)
{
    if (!takes_lock(e))
        return false;
    fore_vec_ensure(&x->locks, (size_t)e->object + 1);
    if (!th->begun)
        return x->locks.at[e->object] != USE_KEPT;
    return th->begun == 1 && th->section[0].flags & FORE_F_PRE &&
           !(e->flags & FORE_F_PRE) && th->section[0].kind == e->kind &&
           th->section[0].object == e->object;
}

static bool ends_empty(const struct fore_thin_thread *th, const struct fore_event *e)
{
    return th->begun && gives_lock(e) && th->section[0].object == e->object &&
           !(th->section[th->begun - 1].flags & FORE_F_PRE) &&
           (th->section[0].kind == FORE_EV_LOCK) == (e->kind == FORE_EV_UNLOCK);
}

/* Handles events that are not part of an empty section. */
static void keep_other(struct fore_thin *x, const struct fore_event *e, uint32_t at)
{
    bool waits = e->kind == FORE_EV_CWAIT || e->kind == FORE_EV_CWOKEN;
    struct fore_thin_thread *th = &x->threads.at[e->thread];
    if (th->begun)
        keep_lock(x, th->section[0].object);
    if (fore_kind_object(e->kind) == FORE_OBJ_LOCK && e->object)
        keep_lock(x, e->object);
    if (waits && e->a && e->a < UINT32_MAX)
        keep_lock(x, (uint32_t)e->a);
    keep_event(x, e, at);
}

static void thin_one(struct fore_thin *x, const struct fore_event *e)
{
    struct fore_thin_thread *th = thread_of(x, e->thread);
    uint32_t at = (uint32_t)x->seen++;
    th->where = th->where ? th->where : e->where;
    if (may_be_empty(x, th, e)) {
        th->at[th->begun] = at;
        th->section[th->begun++] = *e;
    } else if (ends_empty(th, e)) {
        x->locks.at[e->object] = USE_LEFT_OUT;
        th->left_out += th->begun + 1;
        x->sections++;
        th->begun = 0;
    } else {
        keep_other(x, e, at);
    }
}

/* Skips empty sections of one lock after another without looking at each event for itself;
 * returns the number of events. */
static size_t skip_sections(struct fore_thin *x, const struct fore_event *e, size_t n)
{
    uint32_t thread = e->thread;
    struct fore_thin_thread *th = thread_of(x, thread);
    size_t i = 0;
    if (th->begun)
        return 0;
    for (; i + 2 < n; i += 3) {
        const struct fore_event *s = e + i;
        if (s[0].thread != thread || s[1].thread != thread || s[2].thread != thread ||
            s[0].kind != FORE_EV_LOCK || !(s[0].flags & FORE_F_PRE) ||
            s[1].kind != FORE_EV_LOCK || s[1].flags & FORE_F_PRE ||
            s[2].kind != FORE_EV_UNLOCK || s[2].flags & FORE_F_PRE ||
            s[0].object != s[1].object || s[0].object != s[2].object ||
            s[0].object >= x->locks.n || x->locks.at[s[0].object] != USE_LEFT_OUT)
            break;
    }
    th->where = th->where ? th->where : e->where;
    th->left_out += i;
    x->sections += i / 3;
    x->seen += i;
    return i;
}

static void thin_events(struct fore_thin *x, const struct fore_event *e, size_t n)
{
    for (size_t i = 0; i < n && !x->spoiled;) {
        size_t skipped = skip_sections(x, e + i, n - i);
        if (!skipped)
            thin_one(x, e + i++);
        i += skipped;
    }
}

static void forget_events(struct fore_thin *x)
{
    fore_vec_clear(&x->events);
    fore_vec_clear(&x->at);
    fore_vec_clear(&x->gaps);
    fore_vec_clear(&x->threads);
    x->sections = 0;
    x->seen = 0;
    x->spoiled = false;
}

/* Makes all but the last of the recent events thin. */
static void thin_recent(struct fore_thin *x, size_t last)
{
    size_t n = x->recent.n > last ? x->recent.n - last : 0;
    thin_events(x, x->recent.at, n);
    x->recent.n -= n;
    if (x->recent.n)
        memmove(x->recent.at, x->recent.at + n, x->recent.n * sizeof *x->recent.at);
}

void fore_thin_begin(struct fore_thin *x, size_t end, const struct fore_event *e,
                     size_t n)
{
    x->end = end;
    do { /* until it is known of each lock whether it is kept */
        forget_events(x);
        for (size_t i = 0; i < x->locks.n; i++)
            if (x->locks.at[i] == USE_LEFT_OUT)
                x->locks.at[i] = USE_UNKNOWN;
        thin_events(x, e, n);
    } while (x->spoiled);
    forget_events(x);
    if (n)
        memcpy(fore_vec_extend(&x->recent, n), e, n * sizeof *e);
    thin_recent(x, end);
}

struct fore_event *fore_thin_add(struct fore_thin *x, const struct fore_event *e,
                                 size_t n)
{
    if (x->recent.n >= 2 * x->end + 4 * FORE_THIN_END)
        thin_recent(x, x->end);
    return memcpy(fore_vec_extend(&x->recent, n), e, n * sizeof *e);
}

void fore_thin_pass(struct fore_thin *x, const struct fore_event *e, size_t n)
{
    if (n < FORE_THIN_END) {
        fore_thin_add(x, e, n);
        return;
    }
    thin_recent(x, 0);
    thin_events(x, e, n - FORE_THIN_END);
    memcpy(fore_vec_extend(&x->recent, FORE_THIN_END), e + n - FORE_THIN_END,
           FORE_THIN_END * sizeof *e);
}

/* Gives the thin events so far, the sections that threads are in, and then all the recent
 * events. */
static void make_ending(struct fore_thin *x)
{
    if (x->events.n)
        memcpy(fore_vec_extend(&x->ending, x->events.n), x->events.at,
               x->events.n * sizeof *x->events.at);
    for (size_t i = 0; i < x->threads.n; i++)
        for (unsigned k = 0; k < x->threads.at[i].begun; k++)
            fore_vec_push(&x->ending, x->threads.at[i].section[k]);
    x->before = x->events.n;
    x->fixed = x->ending.n;
    x->steps = 2 * x->sections;
    if (x->recent.n)
        memcpy(fore_vec_extend(&x->ending, x->recent.n), x->recent.at,
               x->recent.n * sizeof *x->recent.at);
}

/* Gaps of a thread come one after the other, in their order. */
static void sort_gaps(struct fore_thin *x)
{
    size_t n = x->gaps.n;
    for (uint32_t t = 0; t < x->threads.n; t++)
        note_gap(x, t);
    struct fore_thin_gap *all = fore_calloc(x->gaps.n + 1, sizeof *all);
    uint32_t *next = fore_calloc(x->threads.n + 1, sizeof *next);
    n = x->gaps.n;
    for (size_t i = 0; i < n; i++)
        next[x->gaps.at[i].thread + 1]++;
    for (size_t t = 0; t < x->threads.n; t++)
        x->threads.at[t].gaps = next[t + 1] += next[t];
    for (size_t i = 0; i < n; i++)
        all[next[x->gaps.at[i].thread]++] = x->gaps.at[i];
    if (n)
        memcpy(x->gaps.at, all, n * sizeof *all);
    fore_free(all);
    fore_free(next);
}

void fore_thin_finish(struct fore_thin *x)
{
    thin_recent(x, x->end);
    make_ending(x);
    sort_gaps(x);
    x->ended = true;
    thin_recent(x, 0);
    for (size_t i = 0; i < x->threads.n; i++)
        keep_section(x, &x->threads.at[i]);
}

size_t fore_thin_position(const struct fore_thin *x, size_t at)
{
    if (at < x->before)
        return x->at.at[at];
    return x->seen - x->ending.n + (at < x->fixed ? x->fixed : at);
}

uint64_t fore_thin_left_out(const struct fore_thin *x, uint32_t thread, uint64_t at)
{
    if (thread >= x->threads.n)
        return 0;
    size_t first = thread ? x->threads.at[thread - 1].gaps : 0, low = first,
           high = x->threads.at[thread].gaps;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (x->gaps.at[mid].kept <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low > first ? x->gaps.at[low - 1].left_out : 0;
}
