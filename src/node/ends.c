#include "node/ends.h"

#include "capture/node/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

const int fore_end_places[FORE_ENDS] = {
    [FORE_END_IN] = 0,
    [FORE_END_OUT] = 1,
    [FORE_END_ERR] = 2,
    [FORE_END_PAGE] = FORE_NODE_PAGE_FD,
    [FORE_END_BELL] = FORE_NODE_BELL_FD,
    [FORE_END_COPY] = FORE_NODE_COPY_FD,
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool make_page(struct fore_process *p, int *fd)
{
    *fd = memfd_create("foresee-node", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, sizeof *p->clock) < 0)
        return false;
    void *at = mmap(NULL, sizeof *p->clock, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at == MAP_FAILED)
        return false;
    p->clock = at;
    p->clock->magic = FORE_NODE_MAGIC;
    p->clock->bell = FORE_NODE_BELL_FD;
    return true;
}

/* Foresee's ends do not wait. The node's end of its input stays open here, too. */
static bool make_pipes(struct fore_process *p, struct fore_ends *node)
{
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC))
        return false;
    p->in = in[1];
    p->in_far = in[0];
    node->fd[FORE_END_IN] = dup(in[0]);
    if (pipe2(out, O_CLOEXEC))
        return false;
    p->out = out[0];
    node->fd[FORE_END_OUT] = out[1];
    if (pipe2(err, O_CLOEXEC))
        return false;
    p->err = err[0];
    node->fd[FORE_END_ERR] = err[1];
    fcntl(node->fd[FORE_END_IN], F_SETFD, FD_CLOEXEC);
    const int ours[] = {p->in, p->out, p->err};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return node->fd[FORE_END_IN] >= 0;
}

enum fore_status fore_ends_make(struct fore_process *p, struct fore_ends *node,
                                struct fore_err *e)
{
    int pair[2] = {-1, -1};
    p->in = p->out = p->err = p->in_far = p->bell = p->socket = -1;
    p->clock = NULL;
    for (size_t i = 0; i < FORE_ENDS; i++)
        node->fd[i] = -1;
    bool ok = make_pipes(p, node) && make_page(p, &node->fd[FORE_END_PAGE]);
    if (ok) {
        p->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        node->fd[FORE_END_BELL] = fcntl(p->bell, F_DUPFD_CLOEXEC, 0);
        ok = node->fd[FORE_END_BELL] >= 0 &&
             !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
    }
    if (ok) {
        p->socket = pair[0];
        node->fd[FORE_END_COPY] = pair[1];
        return FORE_OK;
    }
    int reason = errno;
    fore_ends_close(node);
    fore_ends_release(p);
    return fore_fail(e, FORE_IO, "cannot start a node: %s", strerror(reason));
}

void fore_ends_close(struct fore_ends *node)
{
    for (size_t i = 0; i < FORE_ENDS; i++)
        close_end(&node->fd[i]);
}

void fore_ends_release(struct fore_process *p)
{
    int *const ours[] = {&p->in, &p->out, &p->err, &p->in_far, &p->bell, &p->socket};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        close_end(ours[i]);
    if (p->clock)
        munmap(p->clock, sizeof *p->clock);
    p->clock = NULL;
}
