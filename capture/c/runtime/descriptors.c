/* Relations of descriptors: which ones stand for the same thing, which two sockets are the ends
 * of one connection, and that a number is closed before it is given out again; also names of
 * files, and mappings that other processes share. */
#include "capture/c/runtime/descriptors.h"
#include "capture/c/runtime/libc_call.h"
#include "capture/c/runtime/mappings.h"
#include "capture/c/runtime/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 14, CONNECTIONS = 1 << 12 };

static struct {
    uint32_t same[MOST]; /* 1 + the descriptor of which each is a copy; 0: of none */
    uint8_t closed[MOST];
    struct {
        uint64_t inode, key;
    } connection[CONNECTIONS]; /* by inode; a newer one replaces another in its slot */
    uint32_t lock;
} known;

int fore_rt_same_descriptor(int fd)
{
    uint32_t other =
        fd >= 0 && fd < MOST ? __atomic_load_n(&known.same[fd], __ATOMIC_RELAXED) : 0;
    return other ? (int)other - 1 : fd;
}

/* ---- connections ---- */

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* A number for one end of a connection, from its address and port; 0 if it has none. */
static uint64_t end_of(const struct sockaddr_storage *a)
{
    const struct sockaddr_in *four = (const void *)a;
    const struct sockaddr_in6 *six = (const void *)a;
    uint64_t h = 0xcbf29ce484222325u;
    if (a->ss_family == AF_INET)
        return mix(mix(h, &four->sin_addr, sizeof four->sin_addr), &four->sin_port,
                   sizeof four->sin_port);
    if (a->ss_family == AF_INET6)
        return mix(mix(h, &six->sin6_addr, sizeof six->sin6_addr), &six->sin6_port,
                   sizeof six->sin6_port);
    return 0;
}

/* A key for the connection: both ends of a stream give the same one. */
static uint64_t ends_of(int fd)
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t n = sizeof here, m = sizeof there, l = sizeof(int);
    int type = 0;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &l) < 0 || type != SOCK_STREAM ||
        getpeername(fd, (struct sockaddr *)&there, &m) < 0 ||
        getsockname(fd, (struct sockaddr *)&here, &n) < 0)
        return 0;
    uint64_t a = end_of(&here), b = end_of(&there);
    return a && b ? (a + b) | 1 : 0;
}

static void remember_connection(uint64_t inode, uint64_t key)
{
    size_t i = inode % CONNECTIONS;
    fore_rt_spin(&known.lock);
    known.connection[i].inode = inode;
    known.connection[i].key = key;
    fore_rt_unspin(&known.lock);
}

uint64_t fore_rt_connection(int fd, uint64_t inode)
{
    size_t i = inode % CONNECTIONS;
    fore_rt_spin(&known.lock);
    uint64_t key =
        known.connection[i].inode == inode && inode ? known.connection[i].key : 0;
    fore_rt_unspin(&known.lock);
    if (!key && (key = ends_of(fd)))
        remember_connection(inode, key);
    return key;
}

/* ---- closed and opened ---- */

static void tell_closed(int fd, struct fore_c_site *site)
{
    if (fd < 0 || fd >= MOST)
        return;
    fore_rt_outside(FORE_RT_THING_NUMBER, (uint64_t)fd + 1, FORE_RING_OUT, site);
    __atomic_store_n(&known.same[fd], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&known.closed[fd], 1, __ATOMIC_RELEASE);
}

static void tell_opened(int fd, struct fore_c_site *site)
{
    if (fd >= 0 && fd < MOST && __atomic_load_n(&known.closed[fd], __ATOMIC_ACQUIRE))
        fore_rt_outside(FORE_RT_THING_NUMBER, (uint64_t)fd + 1, FORE_RING_IN, site);
}

static void tell_both_opened(const char *ends, struct fore_c_site *site)
{
    int fds[2];
    struct stat one, two;
    if (!ends)
        return;
    memcpy(fds, ends, sizeof fds);
    tell_opened(fds[0], site);
    tell_opened(fds[1], site);
    if (fstat(fds[0], &one) == 0 && fstat(fds[1], &two) == 0 && S_ISSOCK(one.st_mode)) {
        remember_connection(one.st_ino, one.st_ino);
        remember_connection(two.st_ino, one.st_ino);
    }
}

static int stream_number(const char *stream)
{
    return stream ? fileno_unlocked((FILE *)(uintptr_t)stream) : -1;
}

static void tell_new(const struct fore_rt_call *c, const char *e)
{
    if (e[1] == 'F')
        tell_opened(stream_number(fore_rt_argument(c, 'R')), c->site);
    else if (e[1] == 'R')
        tell_opened((int)c->result, c->site);
    else if (!(int)c->result)
        tell_both_opened(fore_rt_argument(c, e[1]), c->site);
}

static void tell_same(int from, int to)
{
    if (from >= 0 && to >= 0 && to < MOST)
        __atomic_store_n(&known.same[to], (uint32_t)fore_rt_same_descriptor(from) + 1,
                         __ATOMIC_RELAXED);
}

/* ---- names ---- */

/* Opening a file to read it changes nothing that others see. */
static bool changes_names(const struct fore_rt_call *c, const char *e)
{
    const char *mode;
    switch (e[1]) {
    case '<':
        return false;
    case 'o':
        return ((int)c->args[e[2] - '0'] & O_CREAT) != 0;
    case 'm':
        mode = fore_rt_argument(c, e[2]);
        return mode && strpbrk(mode, "wa+");
    default:
        return true;
    }
}

/* ---- mappings ---- */

/* mmap(address, length, protection, flags, descriptor, offset) */
static void tell_mapped(const struct fore_rt_call *c)
{
    int protection = (int)c->args[2], flags = (int)c->args[3];
    if (!(flags & MAP_SHARED) || c->result == (uint64_t)(uintptr_t)MAP_FAILED)
        return;
    if (protection & PROT_WRITE)
        fore_rt_outside_shares(c->site);
    if (!(flags & MAP_ANONYMOUS))
        fore_rt_mapped_file((struct fore_rt_mapping){.from = c->result,
                                                     .to = c->result + c->args[1],
                                                     .offset = c->args[5]},
                            (int)c->args[4], c->site);
}

static void tell_before(const struct fore_rt_call *c, const char *e)
{
    if (*e == 'X')
        tell_closed(e[1] == 'F' ? stream_number(fore_rt_argument(c, e[2]))
                                : (int)c->args[e[1] - '0'],
                    c->site);
    if (*e == 'N' && changes_names(c, e))
        fore_rt_outside(FORE_RT_THING_NAMES, 0, FORE_RING_OUT, c->site);
}

static void tell_looked_at(const struct fore_rt_call *c, const char *e)
{
    const struct stat *s = (const struct stat *)(const void *)fore_rt_argument(c, e[1]);
    if (s && !(int)c->result && S_ISREG(s->st_mode))
        fore_rt_outside(FORE_RT_THING_FILE, s->st_ino, FORE_RING_IN, c->site);
}

static void tell_after(const struct fore_rt_call *c, const char *e)
{
    switch (*e) {
    case 'N':
        fore_rt_outside(FORE_RT_THING_NAMES, 0, FORE_RING_IN, c->site);
        break;
    case 'O':
        tell_new(c, e);
        break;
    case 'D':
        tell_same((int)c->args[e[1] - '0'], (int)c->result);
        break;
    case 'b':
        tell_looked_at(c, e);
        break;
    case 'B':
        fore_rt_outside_file((int)c->args[e[1] - '0'], FORE_RING_IN, c->site);
        break;
    case 'm':
        tell_mapped(c);
        break;
    default:
        break;
    }
}

void fore_rt_libc_descriptor(const struct fore_rt_call *c, const char *e, bool after)
{
    if (after)
        tell_after(c, e);
    else
        tell_before(c, e);
}

void fore_rt_descriptors_forget(void)
{
    memset(&known, 0, sizeof known);
}
