/* The steps of a schedule, one after the other. The thread of the next step goes on, past points that
 * no step names, until it has done the step; all others wait. If it does something else first, or
 * cannot go on, the program departs from the schedule: the rest runs by the strategy behind `then`,
 * and the outcome says at which step, and why.
 *
 * Synchronisation is counted alike here and in what was recorded; accesses are not: those of memory
 * that one thread alone touches are not recorded, a copy of many bytes is one point here and many
 * records there, and accesses that another thread told have no exact order. So an access is known by
 * its object, by its name or because another step has shown where that is, and is skipped if the thread turns out
 * to be past it. */
#include "capture/c/runtime/turn.h"
#include "capture/c/runtime/turn_step.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
           (!a->file ||
            !strcmp(fore_turn_last_part(a->file), fore_turn_last_part(b->file)));
}

/* How many accesses of the place of `next` the steps before it have counted: as many as the last of them. */
static uint32_t hits_before(const struct fore_schedule_step *next)
{
    const struct fore_schedule_step *first = fore_turn.schedule.steps;
    for (const struct fore_schedule_step *x = next; x-- > first;) {
        if (x->path != next->path)
            continue;
        if (x->before != next->before)
            return 0;
        if (is_same_place(x, next))
            return x->count;
    }
    return 0;
}

/* How many of the accesses that the thread's next step counts have been there with `s`. In a loop steps
 * of other places lie between. */
static uint32_t hits_for_next(const struct fore_schedule_step *s)
{
    const struct fore_schedule_step *end =
        fore_turn.schedule.steps + fore_turn.schedule.n;
    const struct fore_schedule_step *next = s + 1;
    while (next < end && next->path != s->path)
        next++;
    if (next == end || !fore_schedule_is_access(next->kind) || next->count < 2)
        return 0;
    return hits_before(next);
}

static void step_done(struct fore_turn_thread *t)
{
    const struct fore_schedule *sch = &fore_turn.schedule;
    bool stood = next_step()->how == FORE_SCHEDULE_STANDS;
    uint32_t hits = t->hits;
    t->hits = hits_for_next(next_step());
    t->parts += t->hits > hits ? t->hits - hits : 0;
    fore_turn.outcome->done = ++fore_turn.done;
    if (stood && (fore_turn.done == sch->n || next_step()->how != FORE_SCHEDULE_STANDS))
        meet();
    if (fore_turn.done == sch->n)
        stop_following();
    else
        stop_for_debugger();
}

/* One access that was recorded as several, of objects of other sizes: is the thread's next step a part of
 * the same one? Then this step is done with that, lest the thread go past it. */
static bool is_one_with_next(const struct fore_turn_thread *t,
                             const struct fore_schedule_step *s)
{
    const struct fore_schedule_step *end =
                                        fore_turn.schedule.steps + fore_turn.schedule.n,
                                    *next = s + 1;
    while (next < end && next->path != s->path)
        next++;
    if (next == end || s->how != FORE_SCHEDULE_DOES ||
        !fore_schedule_is_access(s->kind) || !is_same_place(s, next) ||
        s->object == next->object || !fore_turn_is_step(t, s))
        return false;
    const char *one = fore_turn_name_of_object(s),
               *other = fore_turn_name_of_object(next);
    if (!one && !other)
        return t->op.size > FORE_TURN_WORD &&
               s->count - t->hits < fore_turn_records_left(t) &&
               next->count <= t->hits + fore_turn_records_left(t);
    return one && other && fore_turn_touches_called(t, one) &&
           fore_turn_touches_called(t, other);
}

/* ---- accesses that do not come ---- */

/* Is it the first access there since the thread has synchronised, and is it to race? What others have told of the thread may
 * be in another order than it was. */
static bool is_first_to_stand(const struct fore_turn_thread *t,
                              const struct fore_schedule_step *s)
{
    return s->how == FORE_SCHEDULE_STANDS && s->file && !fore_turn_address_of(s) &&
           s->count <= fore_turn_records_left(t);
}

/* Is it the access of a step that others of the thread come before? Only an object is a sure sign, its address or, if
 * the step is the next one of its place, its name; or that it is to race. */
static bool is_surely_at(const struct fore_turn_thread *t,
                         const struct fore_schedule_step *s)
{
    if (!fore_turn_is_alike(t, s))
        return false;
    if (fore_turn_address_of(s))
        return fore_turn_is_at_object(t, s);
    const char *name = fore_turn_name_of_object(s);
    return (name && s->count == hits_before(s) + 1 &&
            fore_turn_touches_called(t, name)) ||
           is_first_to_stand(t, s);
}

/* Is the thread at one of its next steps, behind the accesses of the steps before that? */
static bool is_at_later_step(const struct fore_turn_thread *t,
                             const struct fore_schedule_step *s)
{
    enum { AHEAD = 256 };
    const struct fore_schedule_step *end =
        fore_turn.schedule.steps + fore_turn.schedule.n;
    unsigned looked = 0;
    for (const struct fore_schedule_step *x = s + 1; x < end && looked++ < AHEAD; x++) {
        if (x->path != s->path)
            continue;
        if (!fore_schedule_is_access(x->kind))
            return false;
        if (is_surely_at(t, x))
            return true;
    }
    return false;
}

/* Does the thread wait for other threads, not for time? */
static bool is_held_up(struct fore_turn_thread *t)
{
    return !fore_turn_enabled(t) && t->op.deadline == FORE_TURN_NEVER &&
           t->op.kind != FORE_OP_input && t->op.kind != FORE_OP_output;
}

static bool may_be_skipped(const struct fore_schedule_step *s)
{
    return s->how == FORE_SCHEDULE_DOES && fore_schedule_is_access(s->kind);
}

/* Is the thread past the access of the step, or will it not come there now? */
static bool is_behind(struct fore_turn_thread *t, const struct fore_schedule_step *s)
{
    return may_be_skipped(s) && !fore_turn_is_step(t, s) &&
           (!fore_turn_may_pass(t, s) || is_held_up(t) || is_at_later_step(t, s));
}

static void skip_step(struct fore_turn_thread *t)
{
    fore_turn.outcome->skipped++;
    if (t)
        t->hits = hits_for_next(next_step());
    fore_turn.outcome->done = ++fore_turn.done;
    if (fore_turn.done == fore_turn.schedule.n)
        stop_following();
}

/* ---- whose step it is ---- */

/* At its place: does it stand, or wait, as it should? */
static bool settle_standing(struct fore_turn_thread *t,
                            const struct fore_schedule_step *s)
{
    char text[160];
    if (!fore_turn_is_step(t, s))
        return false;
    if (s->how == FORE_SCHEDULE_WAITS && fore_turn_enabled(t)) {
        describe(t, text, sizeof text);
        deviate("thread %s did not have to wait for %s", t->path, text);
        return true;
    }
    t->stands = s->how == FORE_SCHEDULE_STANDS;
    fore_turn_learn_address(t, s);
    step_done(t);
    return true;
}

/* Did a thread of this path exist, and has it ended? */
static bool has_ended(const char *path)
{
    const struct fore_outcome *o = fore_turn.outcome;
    uint32_t n = o->threads < FORE_OUTCOME_THREADS ? o->threads : FORE_OUTCOME_THREADS;
    for (uint32_t i = 0; i < n; i++)
        if (o->thread[i].state == FORE_OUTCOME_OVER && !strcmp(o->thread[i].path, path))
            return true;
    return false;
}

/* The thread is outside, or waits for input: what it waits for may come, but not from threads that wait
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

static bool has_steps_left(const struct fore_turn_thread *t)
{
    const struct fore_schedule *sch = &fore_turn.schedule;
    for (uint32_t i = fore_turn.done; i < sch->n; i++)
        if (sch->steps[i].path == t->plan)
            return true;
    return false;
}

/* Whom the thread waits for in a join, if no step is left that names it: nothing that the witness
 * tells is between it and its end. */
static struct fore_turn_thread *joined_by(const struct fore_turn_thread *t)
{
    struct fore_turn_thread *u = t->op.kind == FORE_OP_join ? t->op.whom : NULL;
    bool can = u && (u->state == FORE_OUTCOME_NEW ||
                     (u->state == FORE_OUTCOME_WAITS && fore_turn_enabled(u)));
    return can && !u->stands && !has_steps_left(u) ? u : NULL;
}

/* Does the thread stand before its own next step, or before something that no step may be behind? */
static bool is_at_own_step(const struct fore_turn_thread *t)
{
    const struct fore_schedule *sch = &fore_turn.schedule;
    for (uint32_t i = fore_turn.done; i < sch->n; i++)
        if (sch->steps[i].path == t->plan)
            return fore_turn_is_step(t, &sch->steps[i]) ||
                   !fore_turn_may_pass(t, &sch->steps[i]);
    return false;
}

static bool may_give(struct fore_turn_thread *u, bool with_steps)
{
    bool can = u->state == FORE_OUTCOME_NEW ||
               (u->state == FORE_OUTCOME_WAITS && fore_turn_enabled(u));
    return can && !u->stands && has_steps_left(u) == with_steps && !is_at_own_step(u);
}

/* The first such thread behind `last`, else the first of all. */
static struct fore_turn_thread *giver_behind(const struct fore_turn_thread *last,
                                             bool with_steps)
{
    struct fore_turn_thread *first = NULL;
    bool behind = false;
    for (struct fore_turn_thread *u = fore_turn.first; u; u = u->after) {
        if (may_give(u, with_steps) && (behind || !first)) {
            first = u;
            if (behind)
                break;
        }
        behind = behind || u == last;
    }
    return first;
}

/* The thread of the step waits for input. What goes out is no step, so another thread may have to give it on the way to
 * its own next step; threads that have none left come last. They take turns, and have only so many of them. */
static struct fore_turn_thread *one_that_gives(const struct fore_schedule_step *s)
{
    enum { TURNS = 10000 };
    static const struct fore_turn_thread *last;
    static uint32_t turns, done;
    if (done != fore_turn.done)
        turns = 0;
    done = fore_turn.done;
    if (s->how == FORE_SCHEDULE_GOES || turns++ >= TURNS)
        return NULL;
    struct fore_turn_thread *u = giver_behind(last, true);
    u = u ? u : giver_behind(last, false);
    last = u;
    return u;
}

/* Would its time come before that is allowed, though others can go on? A witness, which says nothing about how near
 * it has to be, may let any come. */
static bool is_too_early(struct fore_turn_thread *t)
{
    const uint64_t usual = (uint64_t)FORE_SCHEDULE_EARLY_MS * 1000000;
    const struct fore_schedule *s = &fore_turn.schedule;
    return s->early_ns != usual && !s->real_clock && !t->late_n &&
           !fore_turn_enabled(t) && t->op.deadline > fore_turn.clock + s->early_ns &&
           fore_turn_others_can(t);
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
            if (has_ended(path_of(s)) && may_be_skipped(s)) {
                skip_step(NULL);
                continue;
            }
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
        if (itself && is_behind(t, s)) {
            skip_step(t);
            continue;
        }
        if (itself && is_one_with_next(t, s)) {
            step_done(t);
            continue;
        }
        describe(t, text, sizeof text);
        if (itself && s->how != FORE_SCHEDULE_GOES && !fore_turn_is_step(t, s) &&
            !fore_turn_may_pass(t, s)) {
            deviate("thread %s came to %s instead", t->path, text);
        } else if (!fore_turn_enabled(t) && !t->late_n &&
                   t->op.deadline == FORE_TURN_NEVER) {
            if (t->op.kind == FORE_OP_input || t->op.kind == FORE_OP_output) {
                struct fore_turn_thread *giver = one_that_gives(s);
                *wait = !giver && is_worth_waiting(t);
                return giver;
            }
            struct fore_turn_thread *joined = joined_by(t);
            if (joined)
                return joined;
            deviate("thread %s waits in %s", t->path, text);
        } else if (t->idle > FORE_OUTCOME_VAIN && s->how != FORE_SCHEDULE_GOES) {
            deviate("thread %s goes round in a loop, in %s", t->path, text);
        } else if (is_too_early(t)) {
            deviate("the time of thread %s has not come in %s", t->path, text);
        } else {
            fore_turn.choice = true;
            return t;
        }
    }
    return NULL;
}

static void follow_point(struct fore_turn_thread *t)
{
    const struct fore_schedule_step *s = next_step();
    if (t->plan != s->path)
        return;
    if (s->how == FORE_SCHEDULE_GOES) {
        if (++t->hits >= s->count)
            step_done(t);
        else if (fore_turn.schedule.stops && fore_turn.done + 1 == fore_turn.schedule.n &&
                 t->hits + 1 == s->count)
            raise(SIGTRAP);
    } else if (fore_turn_is_step(t, s)) {
        fore_turn_learn_address(t, s);
        step_done(t);
    } else if (fore_turn_is_alike(t, s)) {
        t->hits += fore_turn_records_left(t);
    }
}

void fore_turn_followed(struct fore_turn_thread *t)
{
    if (fore_turn.follows)
        follow_point(t);
    t->parts = 0;
}
