/* The steps of a schedule, one after the other. The thread of the next step goes on, past points that
 * no step names, until it has done the step; all others wait. If it does something else first, or
 * cannot go on, the program departs from the schedule: the rest runs by the strategy behind `then`,
 * and the outcome says at which step, and why. */
#include "capture/c/runtime/turn.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct fore_schedule_step *next_step(void)
{
    return &fore_turn.schedule.steps[fore_turn.done];
}

static const char *path_of(const struct fore_schedule_step *s)
{
    return fore_turn.schedule.paths[s->path];
}

static void stop_following(void)
{
    fore_turn.follows = false;
    for (struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        t->stands = false;
}

__attribute__((format(printf, 1, 2))) static void deviate(const char *why, ...)
{
    struct fore_outcome *o = fore_turn.outcome;
    va_list list;
    va_start(list, why);
    vsnprintf(o->reason, sizeof o->reason, why, list);
    va_end(list);
    o->deviated = 1;
    stop_following();
}

static void describe(const struct fore_turn_thread *t, char *text, size_t size)
{
    const char *word = fore_schedule_word(t->op.kind);
    const struct fore_c_site *site = t->op.site;
    if (site)
        snprintf(text, size, "%s at %.80s:%u:%u", word ? word : "something", site->file,
                 site->line, fore_turn_column(site));
    else
        snprintf(text, size, "%s", word ? word : "something");
}

/* ---- is it this step? ---- */

static const char *last_part(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static bool is_site(const struct fore_c_site *site, const struct fore_schedule_step *s)
{
    return !s->file ||
           (site && site->line == s->line && fore_turn_column(site) == s->column &&
            !strcmp(last_part(site->file), last_part(s->file)));
}

static bool is_counted(unsigned kind)
{
    return kind >= FORE_OP_close && kind <= FORE_OP_wgwait;
}

static bool counts_fit(const struct fore_turn_thread *t,
                       const struct fore_schedule_step *s)
{
    return fore_turn.schedule.at_least ? t->operations >= s->before
                                       : t->operations == s->before;
}

/* All but how many of them. */
static bool is_alike(const struct fore_turn_thread *t, const struct fore_schedule_step *s)
{
    return t->plan == s->path && t->op.kind == s->kind && counts_fit(t, s) &&
           is_site(t->op.site, s);
}

static bool is_step(const struct fore_turn_thread *t, const struct fore_schedule_step *s)
{
    return is_alike(t, s) &&
           (!fore_schedule_is_access(s->kind) || t->hits + 1 >= s->count);
}

/* May it go past where it stands, on its way to the step? */
static bool may_pass(const struct fore_turn_thread *t, const struct fore_schedule_step *s)
{
    return !is_counted(t->op.kind) || fore_turn.schedule.at_least ||
           t->operations < s->before;
}

/* ---- whose turn it is ---- */

/* The thread, or the one that has yet to create it or its parent. */
static struct fore_turn_thread *thread_of(const struct fore_schedule_step *s)
{
    struct fore_turn_thread *best = NULL;
    const char *path = path_of(s);
    for (struct fore_turn_thread *t = fore_turn.first; t; t = t->after) {
        size_t n = strlen(t->path);
        if (!strncmp(path, t->path, n) && (!path[n] || path[n] == '.') &&
            (!best || n > strlen(best->path)))
            best = t;
    }
    return best;
}

static void meet(void)
{
    struct fore_outcome *o = fore_turn.outcome;
    uint32_t n = 0;
    for (struct fore_turn_thread *t = fore_turn.first; t && n < FORE_OUTCOME_STANDS;
         t = t->after) {
        if (!t->stands)
            continue;
        struct fore_outcome_thread *to = &o->stood[n++];
        memcpy(to->path, t->path, sizeof to->path);
        to->state = t->state;
        to->kind = t->op.kind;
        to->size = t->op.size;
        to->blocked = t->op.atomic;
        to->address = (uint64_t)(uintptr_t)t->op.address;
        if (t->op.site)
            snprintf(to->place, sizeof to->place, "%s:%u:%u", t->op.site->file,
                     t->op.site->line, fore_turn_column(t->op.site));
        t->stands = false;
    }
    o->met = n;
}

/* Before the last step; of many points, before the last of them. */
static void stop_for_debugger(void)
{
    const struct fore_schedule *s = &fore_turn.schedule;
    if (s->stops && fore_turn.done + 1 == s->n &&
        (next_step()->how != FORE_SCHEDULE_GOES || next_step()->count == 1))
        raise(SIGTRAP);
}

/* Are the accesses of both counted together? */
static bool is_same_place(const struct fore_schedule_step *a,
                          const struct fore_schedule_step *b)
{
    return a->how != FORE_SCHEDULE_GOES && a->kind == b->kind && a->line == b->line &&
           a->column == b->column && !a->file == !b->file &&
           (!a->file || !strcmp(last_part(a->file), last_part(b->file)));
}

/* How many of the accesses that the thread's next step counts have been there with `s`: as many as
 * the last step of the same place counted. In a loop steps of other places lie between. */
static uint32_t hits_for_next(const struct fore_schedule_step *s)
{
    const struct fore_schedule_step *first = fore_turn.schedule.steps;
    const struct fore_schedule_step *end = first + fore_turn.schedule.n;
    const struct fore_schedule_step *next = s + 1;
    while (next < end && next->path != s->path)
        next++;
    if (next == end || !fore_schedule_is_access(next->kind) || next->count < 2)
        return 0;
    for (const struct fore_schedule_step *x = s + 1; x-- > first;) {
        if (x->path != next->path)
            continue;
        if (x->before != next->before)
            return 0;
        if (is_same_place(x, next))
            return x->count;
    }
    return 0;
}

static void step_done(struct fore_turn_thread *t)
{
    const struct fore_schedule *sch = &fore_turn.schedule;
    bool stood = next_step()->how == FORE_SCHEDULE_STANDS;
    t->hits = hits_for_next(next_step());
    fore_turn.outcome->done = ++fore_turn.done;
    if (stood && (fore_turn.done == sch->n || next_step()->how != FORE_SCHEDULE_STANDS))
        meet();
    if (fore_turn.done == sch->n)
        stop_following();
    else
        stop_for_debugger();
}

/* At its place: does it stand, or wait, as it should? */
static bool settle_standing(struct fore_turn_thread *t,
                            const struct fore_schedule_step *s)
{
    char text[160];
    if (!is_step(t, s))
        return false;
    if (s->how == FORE_SCHEDULE_WAITS && fore_turn_enabled(t)) {
        describe(t, text, sizeof text);
        deviate("thread %s did not have to wait for %s", t->path, text);
        return true;
    }
    t->stands = s->how == FORE_SCHEDULE_STANDS;
    step_done(t);
    return true;
}

/* It was there, and has done all that it does. */
static bool has_ended(const char *path)
{
    const struct fore_outcome *o = fore_turn.outcome;
    uint32_t n = o->threads < FORE_OUTCOME_THREADS ? o->threads : FORE_OUTCOME_THREADS;
    for (uint32_t i = 0; i < n; i++)
        if (o->thread[i].state == FORE_OUTCOME_OVER && !strcmp(o->thread[i].path, path))
            return true;
    return false;
}

/* The thread is outside, or waits for input: what it waits for may come, but not from those who wait
 * for their turn. */
static bool is_worth_waiting(const struct fore_turn_thread *t)
{
    enum { LOOKS = 100 }; /* of a millisecond */
    static uint32_t looks, done;
    char text[160];
    if (done != fore_turn.done)
        looks = 0;
    done = fore_turn.done;
    if (looks++ < LOOKS)
        return true;
    describe(t, text, sizeof text);
    if (t->state == FORE_OUTCOME_OUTSIDE || !fore_turn_is_inner(&t->op))
        fore_turn_lost("what a thread waits for outside does not come");
    deviate("thread %s waits outside, in %s", t->path, text);
    return false;
}

struct fore_turn_thread *fore_turn_follow(bool *wait)
{
    char text[160];
    *wait = false;
    while (fore_turn.follows) {
        const struct fore_schedule_step *s = next_step();
        struct fore_turn_thread *t = thread_of(s);
        bool itself = t && !strcmp(t->path, path_of(s));
        if (!t || t->stands || (!itself && has_ended(path_of(s)))) {
            deviate("thread %s %s", path_of(s),
                    has_ended(path_of(s)) ? "came to its end" : "is not there");
            break;
        }
        if (t->state == FORE_OUTCOME_NEW)
            return t;
        if (t->state != FORE_OUTCOME_WAITS) {
            *wait = is_worth_waiting(t);
            return NULL;
        }
        bool stands = s->how == FORE_SCHEDULE_STANDS || s->how == FORE_SCHEDULE_WAITS;
        if (itself && stands && settle_standing(t, s))
            continue;
        describe(t, text, sizeof text);
        if (itself && s->how != FORE_SCHEDULE_GOES && !is_step(t, s) && !may_pass(t, s)) {
            deviate("thread %s came to %s instead", t->path, text);
        } else if (!fore_turn_enabled(t) && t->op.deadline == FORE_TURN_NEVER) {
            if (t->op.kind == FORE_OP_input || t->op.kind == FORE_OP_output) {
                *wait = is_worth_waiting(t);
                return NULL;
            }
            deviate("thread %s waits in %s", t->path, text);
        } else {
            fore_turn.choice = true;
            return t;
        }
    }
    return NULL;
}

void fore_turn_followed(struct fore_turn_thread *t)
{
    if (!fore_turn.follows)
        return;
    const struct fore_schedule_step *s = next_step();
    if (t->plan != s->path)
        return;
    if (s->how == FORE_SCHEDULE_GOES) {
        if (++t->hits >= s->count)
            step_done(t);
        else if (fore_turn.schedule.stops && fore_turn.done + 1 == fore_turn.schedule.n &&
                 t->hits + 1 == s->count)
            raise(SIGTRAP);
    } else if (is_step(t, s)) {
        step_done(t);
    } else if (is_alike(t, s)) {
        t->hits++;
    }
}
