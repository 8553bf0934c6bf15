/* Locks that a program makes of futexes itself, and std::atomic's wait, which is one: the system call
 * done by turns. A wait looks at the word and, if that has the expected value, parks until a thread
 * wakes it, both of which are points; no thread is ever parked in the kernel. A word that other
 * processes have, too, is left to the kernel. */
#include "capture/c/runtime/mappings.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn_calls.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECOND 1000000000u

struct futex_call {
    uint32_t *word;
    int what; /* FUTEX_..., without flags */
    int flags;
    uint32_t value;
    long fourth; /* a time, or a number */
    uint32_t *other;
    uint32_t third;
};

/* ---- whose memory ---- */

/* Is the address in a mapping that other processes may have, too? */
static bool is_shared_there(const struct fore_rt_mapping *m, const void *address)
{
    return m->shared && (uintptr_t)address >= m->from && (uintptr_t)address < m->to;
}

bool fore_turn_is_shared(const void *address)
{
    return fore_rt_any_mapping(is_shared_there, address);
}

/* ---- the call ---- */

static uint64_t deadline_of(const struct futex_call *c)
{
    const struct timespec *t = (const struct timespec *)c->fourth;
    if (!t)
        return FORE_TURN_NEVER;
    if (c->what == FUTEX_WAIT_BITSET)
        return fore_turn_until(
            c->flags & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
    return fore_turn.clock + (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static long fail(int why)
{
    errno = why;
    return -1;
}

static long park(const struct futex_call *c)
{
    struct fore_turn_thread *t = fore_turn_self();
    fore_turn_point(fore_turn_op_on(FORE_OP_futex, c->word));
    if (__atomic_load_n(c->word, __ATOMIC_SEQ_CST) != c->value)
        return fail(EAGAIN);
    struct fore_turn_op op = fore_turn_op_on(FORE_OP_parked, c->word);
    op.deadline = deadline_of(c);
    fore_turn_wait_begins(t, c->word);
    fore_turn_point(op);
    bool late = t->timed_out;
    fore_turn_wait_ends(t);
    return late ? fail(ETIMEDOUT) : 0;
}

static long wake_some(uint32_t *word, uint32_t most)
{
    long n = 0;
    while (n < (long)most && fore_turn_signal(word, false))
        n++;
    return n;
}

static long requeue(const struct futex_call *c)
{
    uint32_t most = (uint32_t)c->fourth; /* to be moved */
    if (c->what == FUTEX_CMP_REQUEUE &&
        __atomic_load_n(c->word, __ATOMIC_SEQ_CST) != c->third)
        return fail(EAGAIN);
    long n = wake_some(c->word, c->value);
    return n + fore_turn_move_waiters(c->word, c->other, most);
}

/* The kernel changes the other word; which threads it would wake there is not known, so all are woken:
 * a thread that waits for a futex must look again anyway. */
static long wake_and_change(const struct futex_call *c)
{
    long done = syscall(SYS_futex, c->word, c->what | c->flags, c->value, c->fourth,
                        c->other, c->third);
    if (done < 0)
        return done;
    return done + wake_some(c->word, c->value) + wake_some(c->other, UINT_MAX);
}

static long by_turns(const struct futex_call *c)
{
    switch (c->what) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return park(c);
    default:
        break;
    }
    fore_turn_point(fore_turn_op_on(FORE_OP_futex, c->word));
    switch (c->what) {
    case FUTEX_WAKE_OP:
        return wake_and_change(c);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return requeue(c);
    default: /* which bits they wait for is not kept: they look again */
        return wake_some(c->word, c->what == FUTEX_WAKE ? c->value : UINT_MAX);
    }
}

/* Is the operation done here? Those on locks that the kernel itself owns are not. */
static bool is_done_by_turns(const struct futex_call *c)
{
    static const int whats[] = {FUTEX_WAIT,        FUTEX_WAKE,        FUTEX_REQUEUE,
                                FUTEX_CMP_REQUEUE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET,
                                FUTEX_WAKE_OP};
    bool known = false;
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
        known |= c->what == whats[i];
    return known && (c->flags & FUTEX_PRIVATE_FLAG || !fore_turn_is_shared(c->word));
}

static long futex(const long *arg)
{
    int flags = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    struct futex_call c = {.word = (uint32_t *)arg[0],
                           .what = (int)arg[1] & ~flags,
                           .flags = (int)arg[1] & flags,
                           .value = (uint32_t)arg[2],
                           .fourth = arg[3],
                           .other = (uint32_t *)arg[4],
                           .third = (uint32_t)arg[5]};
    if (is_done_by_turns(&c))
        return by_turns(&c);
    fore_turn_leave();
    long done = syscall(SYS_futex, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
    fore_turn_back();
    return done;
}

long foresee_rt_syscall(long number, ...)
{
    long arg[6];
    va_list rest;
    va_start(rest, number);
    for (size_t i = 0; i < sizeof arg / sizeof *arg; i++)
        arg[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_futex && fore_turn_self())
        return futex(arg);
    return syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
