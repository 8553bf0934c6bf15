#include "node/rest.h"

#include "capture/node/clock.h"
#include "node/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A node that writes more than this in one step floods. */
enum { MAX_OUTPUT = 16 << 20, MAX_STDERR = 1 << 16 };
/* How often a node must look the same before it is taken to be at rest. With input that it has not
 * read it is busy, or sleeps in the middle of something: that takes a longer look. */
enum { LOOKS = 2, LOOKS_AT_UNREAD = 20 };
/* Depth of scripts that start scripts that start the node. */
enum { MAX_DEPTH = 32 };
/* A step may take this many times its processor time by the clock, because machines are busy. */
enum { BY_THE_CLOCK = 15 };

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void fore_rest_release(struct fore_rest *r)
{
    fore_strbuf_release(&r->out);
    fore_strbuf_release(&r->err);
    fore_strbuf_release(&r->why);
}

/* ---- what it does ---- */

/* `switches` is a number that changes whenever a thread of the process has run. Threads that wait
 * for the clock in our library do not count: they wake now and then to look at it. Of such a thread
 * that is about to run it is not known whether somebody has woken it; once it sleeps again it is. */
struct look {
    uint64_t switches;
    bool asleep;             /* all others */
    uint64_t waiting, slept; /* for the clock, as bits; of them, those that sleep */
};

/* Where in the page it says that it waits for the clock, or -1. */
static int waits_for_clock(const struct fore_process *p, int32_t tid)
{
    for (int i = 0; i < FORE_NODE_WAITS; i++)
        if (atomic_load(&p->clock->waits[i].tid) == tid)
            return atomic_load(&p->clock->waits[i].deadline) > atomic_load(&p->clock->now)
                       ? i
                       : -1;
    return -1;
}

/* Has the time come that a thread of the node waits for, and has not noticed yet? */
static bool is_overdue(const struct fore_process *p)
{
    for (size_t i = 0; i < FORE_NODE_WAITS; i++)
        if (atomic_load(&p->clock->waits[i].tid) &&
            atomic_load(&p->clock->waits[i].deadline) <= atomic_load(&p->clock->now))
            return true;
    return false;
}

static void look_at_thread(const struct fore_process *p, pid_t pid, int32_t tid,
                           struct look *l)
{
    char name[64], text[2048];
    snprintf(name, sizeof name, "task/%d/status", tid);
    if (!fore_proc_read(pid, name, text, sizeof text)[0])
        return;
    const char *state = strstr(text, "\nState:\t");
    const char *own = strstr(text, "\nvoluntary_ctxt_switches:\t");
    const char *forced = strstr(text, "\nnonvoluntary_ctxt_switches:\t");
    char s = state ? state[8] : 'S';
    bool sleeps = s == 'S' || s == 'Z' || s == 'X' || s == 'T';
    int wait = waits_for_clock(p, tid);
    if (wait >= 0) {
        l->waiting |= (uint64_t)1 << wait;
        l->slept |= (uint64_t)sleeps << wait;
        return;
    }
    l->asleep = l->asleep && sleeps;
    if (own && forced)
        l->switches += strtoull(own + 26, NULL, 10) + strtoull(forced + 29, NULL, 10) + 1;
}

static void look_at_process(const struct fore_process *p, pid_t pid, unsigned depth,
                            struct look *l)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    for (struct dirent *x; d && (x = readdir(d));) {
        int32_t tid = atoi(x->d_name);
        if (tid <= 0)
            continue;
        look_at_thread(p, pid, tid, l);
        snprintf(path, sizeof path, "task/%d/children", tid);
        fore_proc_read(pid, path, text, sizeof text);
        for (char *at = text, *end; depth < MAX_DEPTH; at = end) {
            long child = strtol(at, &end, 10);
            if (end == at)
                break;
            look_at_process(p, (pid_t)child, depth + 1, l);
        }
    }
    if (d)
        closedir(d);
}

/* ---- what it says ---- */

/* False: no more will come. */
static bool drain(int fd, struct fore_strbuf *into, size_t most, bool *any)
{
    char buffer[65536];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0) {
        *any = true;
        if (into->n < most)
            fore_strbuf_add(into, buffer, (size_t)n);
        else
            break;
    }
    return n != 0;
}

static void say_end(int status, struct fore_strbuf *why)
{
    if (status < 0)
        fore_strbuf_printf(why, "crashed: %s", strsignal(-status));
    else if (status == 127)
        fore_strbuf_puts(why, "could not be run, or ended with status 127");
    else
        fore_strbuf_printf(why, "ended with status %d", status);
}

/* Notes the end; its earlier output is still there. */
static bool note_end(struct fore_process *p, struct fore_rest *r)
{
    int status;
    bool any;
    if (!fore_proc_ended(p->pid, &status))
        return false;
    drain(p->out, &p->rest, MAX_OUTPUT, &any);
    drain(p->err, &r->err, MAX_STDERR, &any);
    say_end(status, &r->why);
    return true;
}

/* ---- until it is at rest ---- */

struct rest_watch {
    uint64_t until, cpu_until, pause;
    clockid_t cpu;
    struct look last;
    int unread;
    unsigned same;
    bool closed; /* nothing more can come from its standard output */
};

static void begin_watch(const struct fore_process *p, double seconds,
                        struct rest_watch *w)
{
    *w = (struct rest_watch){.pause = 20000};
    if (clock_getcpuclockid(p->pid, &w->cpu))
        w->cpu = CLOCK_MONOTONIC;
    w->until = now_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * BY_THE_CLOCK * 1e9);
    w->cpu_until = now_ns(w->cpu) + (uint64_t)(seconds * 1e9);
}

/* As seen from outside: do its threads sleep, and have they done nothing since the last look? */
static bool looks_at_rest(const struct fore_process *p, bool said, struct rest_watch *w)
{
    struct look l = {.asleep = true};
    int unread = 0;
    look_at_process(p, p->pid, 0, &l);
    ioctl(p->in_far, FIONREAD, &unread);
    /* With something to read, a thread that only looks at the clock may be about to notice it. */
    bool all_sleep = l.asleep && (!unread || !(l.waiting & ~l.slept));
    bool quiet = !said && unread == w->unread && all_sleep && !is_overdue(p) &&
                 l.switches == w->last.switches;
    w->same = quiet ? w->same + 1 : 0;
    l.slept |= quiet ? w->last.slept : 0;
    w->unread = unread;
    w->last = l;
    w->pause = quiet || w->pause > 500000 ? w->pause : w->pause + w->pause / 2;
    return w->same >= (unread ? LOOKS_AT_UNREAD : LOOKS) && !(l.waiting & ~l.slept);
}

/* The usual node: one thread and no children, which has read all its input and waits for more, or
 * for the clock. Its input is looked at first: a node that waits after all was read has dealt with it. */
static bool surely_rests(const struct fore_process *p)
{
    char text[2048], children[64];
    int unread = 0;
    if (ioctl(p->in_far, FIONREAD, &unread) || unread || is_overdue(p))
        return false;
    bool waits = waits_for_clock(p, p->pid) >= 0;
    if (!waits) {
        char blocked[32];
        snprintf(blocked, sizeof blocked, "%d 0x0 ", SYS_read);
        waits = !strncmp(fore_proc_read(p->pid, "syscall", text, sizeof text), blocked,
                         strlen(blocked));
    }
    snprintf(children, sizeof children, "task/%d/children", p->pid);
    return waits &&
           strstr(fore_proc_read(p->pid, "status", text, sizeof text),
                  "\nThreads:\t1\n") &&
           !fore_proc_read(p->pid, children, text, sizeof text)[0];
}

/* Does Go's runtime say that it rests? */
static bool says_it_rests(const struct fore_process *p)
{
    return atomic_load(&p->clock->rested) == atomic_load(&p->clock->asked);
}

static void wait_a_moment(const struct fore_process *p, bool go,
                          const struct rest_watch *w)
{
    struct pollfd f = {p->out, POLLIN, 0};
    struct timespec t = {0, go ? 1000000 : (long)w->pause};
    uint32_t rested = atomic_load(&p->clock->rested);
    if (!go)
        ppoll(&f, w->closed ? 0 : 1, &t, NULL);
    else if (rested != atomic_load(&p->clock->asked))
        syscall(SYS_futex, &p->clock->rested, FUTEX_WAIT, rested, &t, NULL, 0);
}

/* Writes into `why` what the process has done that no node may do; "" if nothing. */
static void note_misdeed(const struct fore_process *p, const struct fore_node_command *c,
                         bool rests, const struct rest_watch *w, struct fore_strbuf *why)
{
    if (rests && w->closed)
        fore_strbuf_puts(why, "closed its standard output");
    else if (p->rest.n >= MAX_OUTPUT)
        fore_strbuf_puts(why, "floods: more than 16 MB of output in one step");
    else if (now_ns(w->cpu) > w->cpu_until || now_ns(CLOCK_MONOTONIC) > w->until)
        fore_strbuf_printf(why, "does not come to rest within %g s", c->seconds);
}

void fore_rest_wait(struct fore_process *p, const struct fore_node_command *c,
                    struct fore_rest *r)
{
    struct rest_watch w;
    begin_watch(p, c->seconds, &w);
    while (!r->why.n) {
        bool go = atomic_load(&p->clock->keeper) == FORE_NODE_GO, said = false;
        /* Before what it said is read. */
        bool rests = go                        ? says_it_rests(p)
                     : c->time != FORE_TIME_GO ? surely_rests(p)
                                               : false;
        w.closed = !drain(p->out, &p->rest, MAX_OUTPUT, &said);
        drain(p->err, &r->err, MAX_STDERR, &said);
        if (note_end(p, r))
            return;
        if (!rests && !go && c->time != FORE_TIME_GO)
            rests = looks_at_rest(p, said, &w);
        note_misdeed(p, c, rests, &w, &r->why);
        if (rests)
            break;
        wait_a_moment(p, go, &w);
    }
    if (!r->why.n)
        note_end(p, r);
}

int64_t fore_rest_timer(const struct fore_process *p)
{
    int64_t next = FORE_NODE_NEVER;
    for (size_t i = 0; i < FORE_NODE_WAITS; i++)
        if (atomic_load(&p->clock->waits[i].tid)) {
            int64_t at = atomic_load(&p->clock->waits[i].deadline);
            next = at < next ? at : next;
        }
    return next;
}
