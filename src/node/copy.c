#include "node/copy.h"

#include "base/folder.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/progress.h"
#include "capture/node/clock.h"
#include "node/ends.h"
#include "node/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A folder with more in it is not copied. */
enum { MOST_BYTES = 16 << 20 };

/* ---- may it be copied? ---- */

static bool has_bit(const char *hexadecimal, int signal)
{
    return strtoull(hexadecimal, NULL, 16) >> (signal - 1) & 1;
}

/* Does the process wait in a call that the kernel or the library begins again after the signal?
 * A process that was copied a moment ago may not have come back to its call yet. */
static bool waits_in_known_call(pid_t pid)
{
    enum { LOOKS = 2000 };
    static const long known[] = {
        SYS_read, SYS_ppoll,  SYS_pselect6,   SYS_epoll_pwait, SYS_clock_nanosleep,
#ifdef SYS_poll
        SYS_poll, SYS_select, SYS_epoll_wait,
#endif
    };
    const struct timespec moment = {0, 50000};
    char text[256], *end;
    for (int i = 0; i < LOOKS; i++) {
        if (strncmp(fore_proc_read(pid, "syscall", text, sizeof text), "running", 7) != 0)
            break;
        nanosleep(&moment, NULL);
    }
    long call = strtol(text, &end, 10);
    for (size_t i = 0; end != text && i < sizeof known / sizeof *known; i++)
        if (call == known[i])
            return true;
    return false;
}

/* Has the process memory that both would write to? */
static bool shares_memory(pid_t pid)
{
    enum { ROOM = 1 << 20 };
    char *text = fore_alloc(ROOM);
    bool shares = false;
    fore_proc_read(pid, "maps", text, ROOM);
    for (const char *at = text, *nl; !shares && (nl = strchr(at, '\n')); at = nl + 1) {
        const char *blank = strchr(at, ' ');
        if (!blank || blank > nl || blank[2] != 'w' || blank[4] != 's')
            continue;
        const char *ours = strstr(at, "/memfd:foresee-node");
        shares = !ours || ours > nl;
    }
    fore_free(text);
    return shares;
}

/* NULL: yes. */
static const char *refusal(const struct fore_process *p)
{
    char status[4096], children[64], name[64];
    int unread = 0;
    fore_proc_read(p->pid, "status", status, sizeof status);
    snprintf(name, sizeof name, "task/%d/children", p->pid);
    if (atoi(fore_proc_value(status, "Threads")) != 1)
        return "has threads";
    if (fore_proc_read(p->pid, name, children, sizeof children)[0])
        return "has started other processes";
    if (!has_bit(fore_proc_value(status, "SigCgt"), FORE_NODE_SIGNAL) ||
        has_bit(fore_proc_value(status, "SigBlk"), FORE_NODE_SIGNAL))
        return "does not take the signal that asks for a copy";
    if (ioctl(p->in_far, FIONREAD, &unread) || unread || !waits_in_known_call(p->pid))
        return "waits for something else than a message or the clock";
    return shares_memory(p->pid) ? "has memory that it shares with others" : NULL;
}

/* ---- what the copy gets ---- */

struct copy_parcel {
    struct fore_node_copy what;
    int fds[FORE_NODE_COPY_MOST];
    bool opened[FORE_NODE_COPY_MOST]; /* opened for this: closed when it was sent */
    const char *why;                  /* it cannot be sent */
};

static void add_to_parcel(struct copy_parcel *x, int fd, int to, bool cloexec,
                          bool opened)
{
    if (fd < 0)
        x->why = "has a file open that cannot be opened again";
    else if (x->what.n == FORE_NODE_COPY_MOST)
        x->why = "has many files open";
    if (x->why) {
        if (fd >= 0 && opened)
            close(fd);
        return;
    }
    x->what.at[x->what.n].to = to;
    x->what.at[x->what.n].cloexec = cloexec;
    x->opened[x->what.n] = opened;
    x->fds[x->what.n++] = fd;
}

static void release_parcel(struct copy_parcel *x)
{
    for (uint32_t i = 0; i < x->what.n; i++)
        if (x->opened[i])
            close(x->fds[i]);
}

/* A file is opened again: in the copy's folder if it is the node's own, else only for reading. */
static void add_file(const struct fore_process *p, const char *folder, int fd,
                     struct copy_parcel *x)
{
    char name[32], link[PATH_MAX], text[512], path[PATH_MAX];
    snprintf(name, sizeof name, "fdinfo/%d", fd);
    fore_proc_read(p->pid, name, text, sizeof text);
    int flags = (int)strtol(fore_proc_value(text, "flags"), NULL, 8);
    long long at = strtoll(fore_proc_value(text, "pos"), NULL, 10);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", p->pid, fd);
    ssize_t n = readlink(name, link, sizeof link - 1);
    link[n > 0 ? n : 0] = 0;
    const char *own = fore_path_below(link, p->folder);
    if (!own && (flags & O_ACCMODE) != O_RDONLY) {
        x->why = "has a file open for writing that is not in its folder";
        return;
    }
    int k = own ? snprintf(path, sizeof path, "%s/%s", folder, own)
                : snprintf(path, sizeof path, "%s", link);
    int again =
        k < (int)sizeof path
            ? open(path,
                   (flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_DSYNC)) |
                       O_CLOEXEC)
            : -1;
    if (again >= 0 && lseek(again, at, SEEK_SET) < 0)
        x->why = "has a file open that cannot be opened again";
    add_to_parcel(x, again, fd, flags & O_CLOEXEC, true);
}

/* One descriptor of the node: its input or an output under any number, a file, or a device. */
static void add_descriptor(const struct fore_process *p, const struct fore_ends *ends,
                           const char *folder, int fd, struct copy_parcel *x)
{
    const int ours[] = {p->in_far, p->out, p->err};
    char path[64];
    struct stat it, mine;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", p->pid, fd);
    if (stat(path, &it)) {
        x->why = "has a file open that cannot be opened again";
        return;
    }
    for (int i = 0; S_ISFIFO(it.st_mode) && i < 3; i++)
        if (!fstat(ours[i], &mine) && mine.st_ino == it.st_ino &&
            mine.st_dev == it.st_dev) {
            add_to_parcel(x, ends->fd[i], fd, false, false);
            return;
        }
    if (S_ISREG(it.st_mode))
        add_file(p, folder, fd, x);
    else if (!S_ISCHR(it.st_mode)) /* which have no place in them to share */
        x->why = S_ISSOCK(it.st_mode) ? "has a socket open"
                 : S_ISFIFO(it.st_mode)
                     ? "has a pipe open"
                     : "has something open that both would share, like an epoll";
}

static void pack_parcel(const struct fore_process *p, const struct fore_ends *ends,
                        const char *folder, struct copy_parcel *x)
{
    char path[64];
    for (int i = FORE_END_PAGE; i < FORE_ENDS; i++)
        add_to_parcel(x, ends->fd[i], fore_end_places[i], false, false);
    add_to_parcel(x, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), -1, true, true);
    snprintf(path, sizeof path, "/proc/%d/fd", p->pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && !x->why && (e = readdir(d));) {
        int fd = atoi(e->d_name);
        bool placed = e->d_name[0] == '.';
        for (int i = FORE_END_PAGE; i < FORE_ENDS; i++)
            placed = placed || fd == fore_end_places[i];
        if (!placed)
            add_descriptor(p, ends, folder, fd, x);
    }
    if (!d)
        x->why = "cannot be looked into";
    else
        closedir(d);
}

static bool send_parcel(const struct fore_process *p, struct copy_parcel *x)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FORE_NODE_COPY_MOST * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec data = {&x->what, sizeof x->what};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_SPACE(x->what.n * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&m);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(x->what.n * sizeof(int));
    memcpy(CMSG_DATA(head), x->fds, x->what.n * sizeof(int));
    return sendmsg(p->socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof x->what;
}

/* ---- making it ---- */

/* Waits until the word is not 0; false: the process has ended, or time is up. */
static bool wait_for_word(const void *word, pid_t pid, double seconds)
{
    uint64_t until = fore_now_ns() + (uint64_t)(seconds * 1e9);
    uint32_t value;
    int status;
    for (;;) {
        memcpy(&value, word, sizeof value);
        if (value)
            return true;
        if (fore_proc_ended(pid, &status) || fore_now_ns() > until)
            return false;
        const struct timespec moment = {0, 2000000};
        syscall(SYS_futex, word, FUTEX_WAIT, 0, &moment, NULL, 0);
    }
}

/* The copy begins with the original's time and what it waits for. */
static void fill_page(const struct fore_process *p, struct fore_process *copy)
{
    struct fore_node_clock *to = copy->clock;
    const struct fore_node_clock *from = p->clock;
    to->seed = from->seed;
    atomic_store(&to->now, atomic_load(&from->now));
    atomic_store(&to->keeper, atomic_load(&from->keeper));
    for (size_t i = 0; i < FORE_NODE_WAITS; i++) {
        atomic_store(&to->waits[i].deadline, atomic_load(&from->waits[i].deadline));
        atomic_store(&to->waits[i].tid, atomic_load(&from->waits[i].tid));
    }
}

static enum fore_copy_result ask_for_copy(struct fore_process *p, struct copy_parcel *x,
                                          double seconds, struct fore_process *copy)
{
    atomic_store(&p->clock->copy, 0);
    if (!send_parcel(p, x))
        return FORE_COPY_REFUSED;
    if (kill(p->pid, FORE_NODE_SIGNAL) ||
        !wait_for_word(&p->clock->copy, p->pid, seconds))
        return FORE_COPY_LOST;
    copy->pid = atomic_load(&p->clock->copy);
    if (copy->pid < 0)
        return FORE_COPY_REFUSED;
    if (wait_for_word(&copy->clock->ready, copy->pid, seconds))
        return FORE_COPY_MADE;
    kill(copy->pid, SIGKILL);
    while (waitpid(copy->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return FORE_COPY_REFUSED;
}

enum fore_copy_result fore_process_copy(struct fore_process *p,
                                        const struct fore_node_command *c,
                                        struct fore_process *copy, const char **why)
{
    enum { AT_LEAST = 5 }; /* seconds: machines are busy */
    struct fore_err e = {0};
    struct fore_ends ends;
    *why = NULL;
    if (c->no_copies || c->time != FORE_TIME_LIBRARY ||
        atomic_load(&p->clock->keeper) != FORE_NODE_LIBRARY)
        return FORE_COPY_REFUSED;
    if ((*why = refusal(p)))
        return FORE_COPY_REFUSED;
    *copy = (struct fore_process){.seed = p->seed,
                                  .lives = p->lives,
                                  .steps = p->steps,
                                  .rest = FORE_STRBUF_INIT,
                                  .home = p->home};
    if (fore_ends_make(copy, &ends, &e) != FORE_OK)
        return FORE_COPY_REFUSED;
    fill_page(p, copy);
    fore_home_spare(p->home, copy->folder);
    struct copy_parcel x = {.why = fore_folder_copy(p->folder, copy->folder, MOST_BYTES)};
    if (!x.why)
        pack_parcel(p, &ends, copy->folder, &x);
    enum fore_copy_result r = FORE_COPY_REFUSED;
    if (!x.why)
        r = ask_for_copy(p, &x, c->seconds > AT_LEAST ? c->seconds : AT_LEAST, copy);
    *why = x.why;
    release_parcel(&x);
    fore_ends_close(&ends);
    fore_strbuf_add(&copy->rest, p->rest.at, p->rest.n);
    if (r != FORE_COPY_MADE) {
        fore_ends_release(copy);
        fore_folder_remove(copy->folder);
        fore_strbuf_release(&copy->rest);
    }
    return r;
}
