/* What locks teach. In relevant-only recording a program may take locks a million times between
 * two events that matter. Taking one orders something only if the thread that unlocked it knew of an event
 * that the thread that locks it does not know of. So each lock has a clock of what was known at its last
 * recorded unlock, and each thread has one; while both are the same clock, a section with
 * nothing in it orders nothing, and is not recorded (mutex.c). No event has a clock, and none is
 * computed for one: that is the observer's affair. A clock changes hands when a section is
 * recorded, and after a round of that all threads that share a lock have the same one.
 *
 * A thread's own number in it counts its news: what it has done, and what it has learnt in
 * other ways than by these locks. Records order a thread that knows that number after the record that made
 * it, and so behind all that the thread knew by then; so a clock may leave out what was learnt
 * otherwise. Clocks do not change once they are shared, and live as long as somebody has them. */
#define FORE_C_RUNTIME
#include "capture/c/runtime/know.h"
#include "capture/c/runtime/inline.h"
#include "capture/c/runtime/shadow.h"
#include "capture/c/runtime/turn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 256 }; /* threads with clocks; later threads record every section */

struct fore_rt_clock {
    uint32_t holders, n;
    uint32_t at[MOST];
};

static bool mapped;

bool fore_rt_know_open(void)
{
    mapped =
        fore_rt_map(FORE_RT_KNOW_BASE, FORE_RT_KNOW_SIZE) == (void *)FORE_RT_KNOW_BASE;
    return mapped;
}

void fore_rt_know_forget(void)
{
    if (mapped)
        madvise((void *)FORE_RT_KNOW_BASE, FORE_RT_KNOW_SIZE, MADV_DONTNEED);
}

/* ---- clocks ---- */

static struct fore_rt_clock *hold(struct fore_rt_clock *c)
{
    __atomic_fetch_add(&c->holders, 1, __ATOMIC_RELAXED);
    return c;
}

/* Drops a clock; the thread keeps one that no lock needs any more, because it will need one
 * soon. */
static void drop(struct fore_rt_thread *t, struct fore_rt_clock *c)
{
    if (!c || __atomic_sub_fetch(&c->holders, 1, __ATOMIC_ACQ_REL))
        return;
    if (t->spare)
        free(c);
    else
        t->spare = c;
}

static struct fore_rt_clock *copy(struct fore_rt_thread *t,
                                  const struct fore_rt_clock *of, uint32_t n)
{
    struct fore_rt_clock *c = t->spare ? t->spare : malloc(sizeof *c);
    t->spare = NULL;
    if (!c)
        return NULL;
    c->holders = 1;
    c->n = n > of->n ? n : of->n;
    memcpy(c->at, of->at, of->n * sizeof *c->at);
    memset(c->at + of->n, 0, (c->n - of->n) * sizeof *c->at);
    return c;
}

static bool is_within(const struct fore_rt_clock *c, const struct fore_rt_clock *of)
{
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < c->n; i++)
        beyond |= c->at[i] > (i < of->n ? of->at[i] : 0);
    return !beyond;
}

static void become(struct fore_rt_thread *t, struct fore_rt_clock *c)
{
    drop(t, t->clock);
    t->clock = c;
}

/* ---- threads ---- */

static const struct fore_rt_clock nothing;

void fore_rt_know_begin(struct fore_rt_thread *t)
{
    t->news = 1;
    t->clock = t->number && t->number <= MOST && mapped && !fore_turn_on()
                   ? copy(t, &nothing, t->number)
                   : NULL; /* a controlled thread records every lock */
    t->shown = NULL;
}

void fore_rt_know_end(struct fore_rt_thread *t)
{
    become(t, NULL);
    free(t->spare);
    t->spare = NULL;
    t->shown = NULL;
}

static void show_clock(struct fore_rt_thread *t)
{
    bool told = t->clock && t->clock->at[t->number - 1] == t->news;
    t->shown = told ? t->clock : NULL;
}

void fore_rt_learn(struct fore_rt_thread *t, const void *lock)
{
    struct fore_rt_clock *theirs = mapped ? *fore_rt_know_of(lock) : NULL;
    if (!theirs || !t->clock) {
        t->news++;
    } else if (!is_within(theirs, t->clock)) {
        struct fore_rt_clock *both =
            is_within(t->clock, theirs) ? hold(theirs) : copy(t, theirs, t->clock->n);
        for (uint32_t i = 0; both && both != theirs && i < t->clock->n; i++)
            if (t->clock->at[i] > both->at[i])
                both->at[i] = t->clock->at[i];
        become(t, both);
    }
    show_clock(t);
}

/* Does something happen in each of its sections? Then clocks would be copied all the time for
 * nothing. */
static bool is_eventful(struct fore_rt_thread *t)
{
    enum { ENOUGH = 4 };
    t->eventful = t->events == t->taught ? 0 : t->eventful + 1;
    t->taught = t->events;
    return t->eventful > ENOUGH;
}

void fore_rt_teach(struct fore_rt_thread *t, const void *lock)
{
    if (!mapped)
        return;
    if (is_eventful(t)) {
        if (*fore_rt_know_of(lock))
            fore_rt_unlearn(lock);
        return;
    }
    struct fore_rt_clock **at = fore_rt_know_of(lock), *old = *at;
    if (t->clock && t->clock->at[t->number - 1] != t->news) {
        struct fore_rt_clock *c = copy(t, t->clock, t->number);
        if (c)
            c->at[t->number - 1] = t->news;
        become(t, c);
    }
    if (old != t->clock) {
        *at = t->clock ? hold(t->clock) : NULL;
        drop(t, old);
    }
    show_clock(t);
}

void fore_rt_unlearn(const void *lock)
{
    if (mapped)
        drop(fore_rt_self(),
             __atomic_exchange_n(fore_rt_know_of(lock), NULL, __ATOMIC_ACQ_REL));
}
