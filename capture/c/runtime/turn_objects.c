/* Shadows of what threads wait for, so that it is known which operations could be done now: who
 * has a lock, how many read, who came to a barrier, which signals of a condition no thread has used.
 * Semaphores are asked themselves: no other thread runs. */
#include "capture/c/runtime/misuse.h"
#include "capture/c/runtime/turn.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct shadow {
    struct shadow *after;
    const void *address;
    struct fore_turn_thread *owner; /* of a lock, or of the function that runs once */
    uint32_t depth, readers;
    uint32_t count, arrived; /* of a barrier */
    uint64_t round;
    uint64_t *signals; /* of a condition: when each was given that nobody has used yet */
    uint32_t signals_n, signals_cap;
};

enum { BUCKETS = 1024 };
static struct shadow *bucket[BUCKETS];
static uint64_t moment; /* orders waits and signals */

static struct shadow **place_of(const void *address)
{
    uint64_t h = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
    struct shadow **at = &bucket[h >> 54];
    while (*at && (*at)->address != address)
        at = &(*at)->after;
    return at;
}

static struct shadow *made_for(const void *address)
{
    static struct shadow spare; /* without memory: as if it were free */
    struct shadow **at = place_of(address);
    if (!*at && (*at = calloc(1, sizeof **at)))
        (*at)->address = address;
    return *at ? *at : &spare;
}

void fore_turn_forget(const void *object)
{
    struct shadow **at = place_of(object), *s = *at;
    if (!s)
        return;
    *at = s->after;
    free(s->signals);
    free(s);
}

/* ---- locks ---- */

void fore_turn_took(const void *lock, bool alone)
{
    struct shadow *s = made_for(lock);
    if (alone) {
        s->owner = fore_turn_self();
        s->depth++;
    } else {
        s->readers++;
    }
}

void fore_turn_gave(const void *lock)
{
    struct shadow *s = *place_of(lock);
    if (!s)
        return;
    if (s->readers && !s->depth)
        s->readers--;
    else if (s->depth && !--s->depth)
        s->owner = NULL;
}

#ifdef __GLIBC__
static bool returns_to_owner(const void *lock)
{
    int kind = ((const pthread_mutex_t *)lock)->__data.__kind & 3;
    return kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
}

static bool is_robust(const void *lock)
{
    return ((const pthread_mutex_t *)lock)->__data.__kind & 16;
}
#else
static bool returns_to_owner(const void *lock)
{
    (void)lock;
    return false;
}

static bool is_robust(const void *lock)
{
    (void)lock;
    return false;
}
#endif

/* `number` is 1 of a lock of readers and writers, 2 of a spin lock, 3 of a stream's or a nested one of OpenMP. */
static bool can_lock(const struct fore_turn_thread *t, const void *lock, uint64_t number)
{
    const struct shadow *s = *place_of(lock);
    if (!s || (!s->depth && !s->readers))
        return true;
    if (number == 1)
        return s->owner == t; /* it is told that it has it already */
    if (number == 2 || !s->owner)
        return false;
    if (number == 3)
        return s->owner == t;
    return (s->owner == t && returns_to_owner(lock)) ||
           (s->owner->over && is_robust(lock));
}

static bool writer_waits(const void *lock)
{
    for (const struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        if (t->state == FORE_OUTCOME_WAITS && t->op.kind == FORE_OP_lock &&
            t->op.address == lock)
            return true;
    return false;
}

static bool can_read_lock(const struct fore_turn_thread *t, const void *lock)
{
    const struct shadow *s = *place_of(lock);
    if (s && s->depth)
        return s->owner == t;
    return !s || !s->readers || !fore_rt_prefers_writers(lock) || !writer_waits(lock);
}

/* ---- conditions ---- */

static uint32_t waiters(const void *condition)
{
    uint32_t n = 0;
    for (const struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        n += t->since && t->condition == condition && !t->signalled;
    return n;
}

void fore_turn_wait_begins(struct fore_turn_thread *t, const void *condition)
{
    made_for(condition);
    t->since = ++moment;
    t->condition = condition;
    t->signalled = false;
}

/* A signal that no thread waits for is lost. It wakes the thread that goes on first among those
 * that waited when it was given: so the schedule makes the choice. */
bool fore_turn_signal(const void *condition, bool all)
{
    struct shadow *s = *place_of(condition);
    uint32_t n = s ? waiters(condition) : 0;
    if (!s || (!all && n <= s->signals_n))
        return false;
    if (all) {
        for (struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
            if (t->since && t->condition == condition)
                t->signalled = true;
        s->signals_n = 0;
    } else {
        if (s->signals_n == s->signals_cap) {
            uint32_t cap = s->signals_cap ? s->signals_cap * 2 : 8;
            uint64_t *bigger = realloc(s->signals, cap * sizeof *bigger);
            if (!bigger)
                return false;
            s->signals = bigger;
            s->signals_cap = cap;
        }
        s->signals[s->signals_n++] = ++moment;
    }
    return n > 0;
}

long fore_turn_move_waiters(const void *from, const void *to, uint32_t most)
{
    const struct shadow *s = *place_of(from);
    uint32_t woken = s ? s->signals_n : 0, n = 0; /* any of them may use those signals */
    uint32_t can = waiters(from) > woken ? waiters(from) - woken : 0;
    made_for(to);
    for (struct fore_turn_thread *t = fore_turn.first; t && n < most && n < can;
         t = t->after)
        if (t->since && t->condition == from && !t->signalled) {
            t->condition = to;
            n++;
        }
    return n;
}

/* The oldest signal that the thread can use: its index, or signals_n. */
static uint32_t signal_for(const struct fore_turn_thread *t, const struct shadow *s)
{
    uint32_t i = 0;
    while (i < s->signals_n && s->signals[i] < t->since)
        i++;
    return i;
}

bool fore_turn_is_woken(const struct fore_turn_thread *t)
{
    const struct shadow *s = *place_of(t->condition);
    return t->signalled || t->cancelled || fore_turn.schedule.spurious ||
           (s && signal_for(t, s) < s->signals_n);
}

void fore_turn_wait_ends(struct fore_turn_thread *t)
{
    struct shadow *s = *place_of(t->condition);
    uint32_t i = s && !t->signalled ? signal_for(t, s) : UINT32_MAX;
    if (s && i < s->signals_n) {
        s->signals_n--;
        for (; i < s->signals_n; i++)
            s->signals[i] = s->signals[i + 1];
    }
    t->since = 0;
    t->signalled = false;
}

/* ---- barriers, once ---- */

void fore_turn_barrier(const void *barrier, unsigned count)
{
    struct shadow *s = made_for(barrier);
    s->count = count;
    s->arrived = 0;
}

bool fore_turn_knows_barrier(const void *barrier)
{
    const struct shadow *s = *place_of(barrier);
    return s && s->count;
}

uint64_t fore_turn_arrive(const void *barrier, bool *last)
{
    struct shadow *s = made_for(barrier);
    uint64_t round = s->round;
    *last = ++s->arrived >= s->count;
    if (*last) {
        s->arrived = 0;
        s->round++;
    }
    return round;
}

void fore_turn_once(const void *control, bool runs)
{
    struct shadow *s = made_for(control);
    s->owner = runs ? fore_turn_self() : NULL;
    s->depth = runs;
}

/* ---- all of them ---- */

static int value_of(const void *semaphore)
{
    int value = 0;
    sem_getvalue((sem_t *)semaphore, &value);
    return value;
}

bool fore_turn_may_time_out(const struct fore_turn_thread *t)
{
    return t->op.deadline != FORE_TURN_NEVER &&
           (!t->since || can_lock(t, t->op.other, 0));
}

bool fore_turn_enabled(struct fore_turn_thread *t)
{
    const struct fore_turn_op *op = &t->op;
    const struct shadow *s;
    switch (op->kind) {
    case FORE_OP_lock:
        if (op->other && t->since) /* woken, see cond_timedwait */
            return fore_turn_is_woken(t) && can_lock(t, op->other, 0);
        return can_lock(t, op->address, op->number);
    case FORE_OP_trylock:
        return op->deadline == FORE_TURN_NEVER || can_lock(t, op->address, op->number);
    case FORE_OP_tryrlock:
        return op->deadline == FORE_TURN_NEVER || can_read_lock(t, op->address);
    case FORE_OP_rlock:
        return can_read_lock(t, op->address);
    case FORE_OP_cwoken:
        return fore_turn_is_woken(t) && can_lock(t, op->other, 0);
    case FORE_OP_parked:
        return fore_turn_is_woken(t);
    case FORE_OP_acquire:
        return t->cancelled || value_of(op->address) > 0;
    case FORE_OP_barrier:
        s = *place_of(op->address);
        return !s || s->round != op->number;
    case FORE_OP_enter:
        s = *place_of(op->address);
        return !s || !s->depth;
    case FORE_OP_join:
        return t->cancelled || !op->whom || op->whom->over;
    case FORE_OP_sleep:
        return t->cancelled;
    case FORE_OP_input:
    case FORE_OP_output:
        return t->cancelled || t->interrupted || fore_turn_ready(op);
    default:
        return true;
    }
}
