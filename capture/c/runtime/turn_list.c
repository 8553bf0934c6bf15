/* The threads that are controlled: made before they begin, known by their handles until somebody has
 * joined them, and taken from the list when they end. */
#include "capture/c/runtime/turn.h"
#include "capture/c/runtime/turn_tell.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct fore_turn_thread *joinable;
static struct fore_turn_thread *every; /* so that none is taken for lost memory */

static struct fore_turn_thread *make_thread(struct fore_turn_thread *parent,
                                            const char *name)
{
    struct fore_turn_thread *t = calloc(1, sizeof *t), **at = &fore_turn.first;
    if (!t)
        return NULL;
    if (parent)
        snprintf(t->path, sizeof t->path, "%.100s.%u", parent->path, ++parent->children);
    else
        strcpy(t->path, "1");
    t->after_every = every;
    every = t;
    t->index = fore_turn.threads++;
    t->state = FORE_OUTCOME_NEW;
    t->op = (struct fore_turn_op){.kind = FORE_OP_begin, .deadline = FORE_TURN_NEVER};
    t->plan = fore_schedule_path(&fore_turn.schedule, t->path);
    while (*at)
        at = &(*at)->after;
    *at = t;
    fore_turn.outcome->threads = fore_turn.threads;
    fore_turn_tell_path(t);
    fore_turn_tell_name(t, name);
    return t;
}

struct fore_turn_thread *fore_turn_create(const char *name)
{
    struct fore_turn_thread *t = fore_turn_self();
    if (!t)
        return NULL;
    t->busy = true;
    fore_turn_lock();
    struct fore_turn_thread *child = make_thread(t, name);
    fore_turn_unlock();
    t->busy = false;
    return child;
}

struct fore_turn_thread *fore_turn_known(unsigned long handle)
{
    struct fore_turn_thread *t = joinable;
    while (t && t->handle != handle)
        t = t->after_known;
    return t;
}

void fore_turn_name(unsigned long handle, bool own, const char *name)
{
    const struct fore_turn_thread *me = fore_turn_self();
    const struct fore_turn_thread *t = own || !me ? me : fore_turn_known(handle);
    if (t)
        fore_turn_tell_name(t, name);
}

void fore_turn_gone(unsigned long handle)
{
    struct fore_turn_thread **at = &joinable;
    while (*at && (*at)->handle != handle)
        at = &(*at)->after_known;
    if (*at)
        *at = (*at)->after_known;
}

void fore_turn_unlink(struct fore_turn_thread *t)
{
    struct fore_turn_thread **at = &fore_turn.first;
    while (*at && *at != t)
        at = &(*at)->after;
    if (*at)
        *at = t->after;
    t->state = FORE_OUTCOME_OVER;
    t->over = true;
    fore_turn_tell(t, false);
}

/* What a thread leaves behind, its stack and its arena, others are given again: the one that has the turn
 * after it goes on when it is gone, whenever the system gets to that. Not if it sleeps or computes on its way
 * out, in a destructor that comes after ours. */
void fore_turn_wait_until_gone(int tid)
{
    enum { LOOKS = 100, MOST_S = 1 };
    int process = (int)syscall(SYS_getpid);
    struct timespec begun, now;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &begun);
    for (unsigned i = 1; !syscall(SYS_tgkill, process, tid, 0); i++) {
        if (i % LOOKS == 0) {
            syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
            if (now.tv_sec > begun.tv_sec + MOST_S || fore_turn_is_asleep(tid))
                return;
        }
        syscall(SYS_sched_yield);
    }
}

void fore_turn_made(struct fore_turn_thread *t, unsigned long handle)
{
    if (!t)
        return;
    fore_turn_lock();
    if (handle) {
        t->handle = handle;
        t->after_known = joinable;
        joinable = t;
    } else {
        fore_turn_unlink(t);
    }
    fore_turn_unlock();
}

/* By nobody that is known: its path is that of the clock. */
struct fore_turn_thread *fore_turn_make_stranger(void)
{
    static struct fore_turn_thread nobody = {.path = FORE_SCHEDULE_CLOCK};
    return make_thread(&nobody, "");
}

struct fore_turn_thread *fore_turn_make_first(void)
{
    struct fore_turn_thread *t = make_thread(NULL, "main");
    if (t)
        t->handle = (unsigned long)pthread_self();
    joinable = t;
    return t;
}
