/* The calls that put something where another thread may get it, and those that get it: one row
 * each, as in calls.h. */
#ifndef FORE_C_FILES_H
#define FORE_C_FILES_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#define FORE_C_FILES(GIVES, TAKES)                                                       \
    GIVES(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))           \
    GIVES(ssize_t, writev, (int fd, const struct iovec *from, int n), (fd, from, n))     \
    GIVES(ssize_t, send, (int fd, const void *from, size_t n, int flags),                \
          (fd, from, n, flags))                                                          \
    GIVES(ssize_t, sendto,                                                               \
          (int fd, const void *from, size_t n, int flags, const struct sockaddr *to,     \
           socklen_t size),                                                              \
          (fd, from, n, flags, to, size))                                                \
    GIVES(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags)) \
    GIVES(int, shutdown, (int fd, int how), (fd, how))                                   \
    GIVES(int, close, (int fd), (fd))                                                    \
    TAKES(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n))                      \
    TAKES(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n))          \
    TAKES(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags))    \
    TAKES(                                                                               \
        ssize_t, recvfrom,                                                               \
        (int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size), \
        (fd, to, n, flags, from, size))                                                  \
    TAKES(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))

#define FORE_C_DECLARE(result, name, params, args) result foresee_rt_##name params;
FORE_C_FILES(FORE_C_DECLARE, FORE_C_DECLARE)
#undef FORE_C_DECLARE
ssize_t foresee_rt___read_chk(int fd, void *to, size_t n, size_t room);
ssize_t foresee_rt___recv_chk(int fd, void *to, size_t n, size_t room, int flags);

#endif
