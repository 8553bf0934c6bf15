/* What a thread knows of other threads, and what a lock teaches the thread that takes it; see
 * know.c. */
#ifndef FORE_C_KNOW_H
#define FORE_C_KNOW_H

#include "capture/c/runtime/rt.h"

/* The clock of a lock: one for each 32 bytes, since locks are larger. It then lies at another
 * offset in its page than the lock does: otherwise a load that looks to the processor like one
 * of what it has just stored would have to wait. */
#define FORE_RT_KNOW_BASE 0x220000000000ul
#define FORE_RT_KNOW_SIZE (1ul << 40)

static inline struct fore_rt_clock **fore_rt_know_of(const void *lock)
{
    uint64_t which = (uint64_t)(uintptr_t)lock >> 5 & (FORE_RT_KNOW_SIZE / 8 - 1);
    return (struct fore_rt_clock **)FORE_RT_KNOW_BASE + which;
}

bool fore_rt_know_open(void);
/* In a forked process. */
void fore_rt_know_forget(void);
void fore_rt_know_begin(struct fore_rt_thread *t);
void fore_rt_know_end(struct fore_rt_thread *t);
/* The thread learns from a lock that it has taken; it teaches the lock before it gives it back. */
void fore_rt_learn(struct fore_rt_thread *t, const void *lock);
void fore_rt_teach(struct fore_rt_thread *t, const void *lock);
/* Forgets what the lock taught, because another lock is at this address now, or because it was
 * released in another way. */
void fore_rt_unlearn(const void *lock);

#endif
