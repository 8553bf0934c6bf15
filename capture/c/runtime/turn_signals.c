/* Handlers of signals while the program is controlled. A signal that comes to a thread which waits for
 * its turn is put off: the thread can go on then, whatever it waits for, and going on is to run the
 * handler, by turns as everything else. Afterwards it waits again. So it is the schedule that decides
 * where a thread is interrupted. Whoever sends a signal goes on when the receiver knows of it, so that
 * one schedule gives one run; when timers send theirs is the world's affair. */
#include "capture/c/runtime/signals.h"
#include "capture/c/runtime/turn.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Signals of the old kind do not queue: one that waits stands for all that come meanwhile. */
static bool is_there_already(const struct fore_turn_thread *t, int number)
{
    for (uint32_t i = 0; i < t->late_n && number < SIGRTMIN; i++)
        if (t->late[i].number == number)
            return true;
    return false;
}

bool fore_turn_put_off(int number, const siginfo_t *info, const void *context)
{
    struct fore_turn_thread *t = fore_turn_in_here();
    __atomic_add_fetch(&fore_turn.outcome->signals, 1u, __ATOMIC_RELAXED);
    if (!t || fore_rt_signal_is_fault(number))
        return false;
    if (is_there_already(t, number))
        return true;
    if (t->late_n == FORE_TURN_LATE) {
        fore_turn_lost("more signals than are kept for a thread that waits");
        return false;
    }
    struct fore_turn_late *to = &t->late[t->late_n];
    to->number = number;
    to->info = *info;
    memcpy(&to->context, context, sizeof to->context);
    __atomic_store_n(&t->late_n, t->late_n + 1, __ATOMIC_RELEASE);
    return true;
}

void fore_turn_handle_late(struct fore_turn_thread *t)
{
    struct fore_turn_late now;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* another one would add to it */
    now = t->late[0];
    memmove(&t->late[0], &t->late[1], (t->late_n - 1) * sizeof t->late[0]);
    t->late_n--;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    fore_rt_signal_run(now.number, &now.info, &now.context);
}

/* ---- whoever sends one ---- */

static uint64_t mask_in(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? strtoull(at + strlen(name), NULL, 16) : 0;
}

/* Has the kernel a signal for the thread that it has not handed over yet, although it may? */
static bool is_signal_on_its_way(int tid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? (ssize_t)syscall(SYS_read, fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    uint64_t waiting = mask_in(text, "SigPnd:\t") | mask_in(text, "ShdPnd:\t");
    return waiting & ~mask_in(text, "SigBlk:\t") & mask_in(text, "SigCgt:\t");
}

/* Is somebody about to be interrupted who waits for the turn, or just interrupted? Otherwise he sleeps. */
static bool is_any_on_its_way(const struct fore_turn_thread *sender)
{
    for (const struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        if (t != sender && t->tid && t->state == FORE_OUTCOME_WAITS &&
            (is_signal_on_its_way(t->tid) || !fore_turn_is_asleep(t->tid)))
            return true;
    return false;
}

void fore_turn_signal_sent(void)
{
    enum { LOOKS = 1000 };
    struct fore_turn_thread *me = fore_turn_self();
    for (unsigned i = 0; me && i < LOOKS && is_any_on_its_way(me); i++)
        syscall(SYS_sched_yield);
}
