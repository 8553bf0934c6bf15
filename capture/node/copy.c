/* Copies a node at a place where it waits: foresee sends a signal, and the process forks in its
 * handler. The copy gets input, outputs, page and open files of its own, which foresee has made
 * and sent through a socket, and is a child of foresee as its original is. Both then go on
 * waiting: reads are begun again by the kernel, other calls by clock.c.
 *
 * Only processes with one thread are copied. Nothing here uses memory of the heap, or locks. */
#include "capture/node/copy.h"

#include "capture/node/timers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

volatile sig_atomic_t fore_node_copied;

static struct fore_node_clock *page;

struct parcel {
    struct fore_node_copy what;
    int fds[FORE_NODE_COPY_MOST];
};

static void wake_foresee(const void *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Takes the descriptors out of the socket, to numbers that are not in the way. */
static int receive_parcel(struct parcel *p)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FORE_NODE_COPY_MOST * sizeof(int))];
    } control;
    struct iovec data = {&p->what, sizeof p->what};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    ssize_t n = recvmsg(FORE_NODE_COPY_FD, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n == (ssize_t)sizeof p->what ? CMSG_FIRSTHDR(&m) : NULL;
    if (!head || head->cmsg_type != SCM_RIGHTS || p->what.n > FORE_NODE_COPY_MOST ||
        head->cmsg_len != CMSG_LEN(p->what.n * sizeof(int)))
        return -1;
    memcpy(p->fds, CMSG_DATA(head), p->what.n * sizeof(int));
    for (uint32_t i = 0; i < p->what.n; i++) {
        int high = (int)syscall(SYS_fcntl, p->fds[i], F_DUPFD_CLOEXEC, FORE_NODE_FREE_FD);
        syscall(SYS_close, p->fds[i]);
        p->fds[i] = high;
    }
    return 0;
}

static void close_parcel(const struct parcel *p)
{
    for (uint32_t i = 0; i < p->what.n; i++)
        syscall(SYS_close, p->fds[i]);
}

/* Like fork, but the new process is a child of our parent; the C library's number of the thread
 * is set as fork would set it. */
static long fork_sibling(void)
{
    int *tid = NULL;
    unsigned long flags = CLONE_PARENT | SIGCHLD;
    if (!prctl(PR_GET_TID_ADDRESS, &tid, 0, 0, 0) && tid)
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
#ifdef __x86_64__
    return syscall(SYS_clone, flags, NULL, NULL, tid, NULL);
#else
    return syscall(SYS_clone, flags, NULL, NULL, NULL, tid);
#endif
}

/* Called in the copy, which ends if it cannot get what it needs: foresee notices that, and
 * starts a new process instead. */
static void become_copy(const struct parcel *p)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    setpgid(0, 0);
    for (uint32_t i = 0; i < p->what.n; i++) {
        int to = p->what.at[i].to;
        long r = to < 0 ? syscall(SYS_fchdir, p->fds[i])
                        : syscall(SYS_dup3, p->fds[i], to,
                                  p->what.at[i].cloexec ? O_CLOEXEC : 0);
        if (r < 0)
            syscall(SYS_exit_group, 126);
    }
    close_parcel(p);
    if (mmap(page, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             FORE_NODE_PAGE_FD, 0) == MAP_FAILED)
        syscall(SYS_exit_group, 126);
    for (int i = 0; i < FORE_NODE_WAITS; i++)
        if (atomic_load(&page->waits[i].tid) > 0) /* others are timers' */
            atomic_store(&page->waits[i].tid, (int32_t)syscall(SYS_gettid));
    atomic_store(&page->ready, 1);
    wake_foresee(&page->ready);
}

static void copy_process(int signal)
{
    int before = errno;
    struct parcel p;
    (void)signal;
    fore_node_copied++;
    fore_node_timers_fire();
    if (!receive_parcel(&p)) {
        long pid = fork_sibling();
        if (!pid) {
            become_copy(&p);
        } else {
            int32_t said = (int32_t)(pid < 0 ? -errno : pid);
            close_parcel(&p);
            atomic_store(&page->copy, said);
            wake_foresee(&page->copy);
        }
    }
    errno = before;
}

void fore_node_copy_begin(struct fore_node_clock *p)
{
    struct sigaction a = {.sa_handler = copy_process, .sa_flags = SA_RESTART};
    page = p;
    fore_node_timers_begin(p);
    sigfillset(&a.sa_mask);
    sigaction(FORE_NODE_SIGNAL, &a, NULL);
}
