/* Threads that nobody was seen to create: the C library's own, for timers, asynchronous input and
 * notifications. One that comes to a point takes turns from then on; while there are others, or a
 * timer is set, somebody may still help those who wait. */
#include "capture/c/runtime/turn.h"
#include "capture/c/runtime/turn_tell.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local bool comes;

struct fore_turn_thread *fore_turn_take_in(void)
{
    if (comes || foresee_rt_self.inside || foresee_rt_self.over)
        return NULL;
    comes = true;
    fore_turn_lock();
    struct fore_turn_thread *t = fore_turn_make_stranger();
    fore_turn_unlock();
    if (t) {
        fore_turn_lost("a thread of the C library");
        fore_rt_thread_taken_in();
        fore_turn_begin(t);
    }
    comes = false;
    return t;
}

/* ---- whether somebody may help ---- */

static ssize_t read_text(const char *path, char *text, size_t size)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? (ssize_t)syscall(SYS_read, fd, text, size - 1) : 0;
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    return n;
}

/* Is a timer of timer_create set? The kernel lists them all: "ID: 0", and more lines. */
static bool is_timer_set(void)
{
    char text[4096];
    read_text("/proc/self/timers", text, sizeof text);
    for (const char *at = text; (at = strstr(at, "ID: ")); at++) {
        struct itimerspec left = {0};
        if (!syscall(SYS_timer_gettime, atoi(at + strlen("ID: ")), &left) &&
            (left.it_value.tv_sec || left.it_value.tv_nsec))
            return true;
    }
    return false;
}

static bool is_known(int tid)
{
    for (const struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        if (t->tid == tid)
            return true;
    return false;
}

/* May the thread still do something for others? One that has ended may not (the first thread may end before the
 * others), nor may the C library's thread for timers, which waits for their signals as long as the process lives. */
static bool may_help(int tid)
{
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
    return read_text(path, text, sizeof text) > 0 && atoi(text) != SYS_rt_sigtimedwait;
}

static bool is_stranger_there(void)
{
    enum { SIZE = 4096 };
    struct entry {
        uint64_t inode, next;
        unsigned short size;
        unsigned char type;
        char name[];
    };
    _Alignas(8) char list[SIZE];
    bool found = false;
    long n;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task",
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && !found && (n = syscall(SYS_getdents64, fd, list, SIZE)) > 0)
        for (long at = 0; at < n && !found;) {
            const struct entry *e = (const void *)(list + at);
            int tid = atoi(e->name);
            found = tid && !is_known(tid) && may_help(tid);
            at += e->size;
        }
    if (fd >= 0)
        syscall(SYS_close, fd);
    return found;
}

bool fore_turn_may_stranger_help(void)
{
    return is_timer_set() || is_stranger_there();
}
