/* What goes through pipes and sockets comes after it was put there: threads hand each other
 * memory in this way, and wake each other. Each pipe is an atomic variable that writing changes
 * and reading sees; all sockets are one, because nobody tells which two belong together, and so
 * is what has no file at all (eventfd). Other files order nothing.
 *
 * Only calls of instrumented code come here. */
#include "capture/c/files.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"
#include "capture/c/runtime/turn_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CELLS = 64, ACQUIRE = 2, RELEASE = 3, WORD = 8 << 16 };

static uint64_t cells[CELLS];

/* Which of the cells a pipe has. The numbers of pipes differ from run to run; in a controlled one, where
 * one thread runs at a time, they count in the order of their first use. */
static size_t cell_of_pipe(ino_t number)
{
    static ino_t known[CELLS - 2];
    size_t i = 0;
    if (!fore_turn_on())
        return number % (CELLS - 2);
    while (i < CELLS - 3 && known[i] && known[i] != number)
        i++;
    known[i] = number;
    return i;
}

/* The first is of sockets, the second of what has no file. */
static uint64_t *cell_of(int fd)
{
    struct stat s;
    if (fstat(fd, &s) < 0)
        return NULL;
    if (S_ISSOCK(s.st_mode))
        return &cells[0];
    if (!(s.st_mode & S_IFMT))
        return &cells[1];
    return S_ISFIFO(s.st_mode) ? &cells[2 + cell_of_pipe(s.st_ino)] : NULL;
}

/* Before it is written, or after it was read. */
static void tell(int fd, bool writes)
{
    int why = errno;
    struct fore_c_site *site = fore_rt_site();
    uint64_t *cell = fore_rt_on() ? cell_of(fd) : NULL;
    if (cell) {
        uint32_t what = writes ? FORE_RING_RMW | RELEASE << 12 | WORD
                               : FORE_RING_READ | ACQUIRE << 12 | WORD;
        uint32_t token = foresee_rt_begin((char *)cell, site, what);
        *cell += token && writes;
        foresee_rt_end(token, (char *)cell, site, what);
    }
    errno = why;
}

static ssize_t taken(int fd, ssize_t n)
{
    if (n >= 0)
        tell(fd, false);
    return n;
}

#define GIVES(result, name, params, args)                                                \
    result foresee_rt_##name params                                                      \
    {                                                                                    \
        fore_turn_file(fd, POLLOUT, UINT64_MAX);                                         \
        tell(fd, true);                                                                  \
        return name args;                                                                \
    }
#define TAKES(result, name, params, args)                                                \
    result foresee_rt_##name params                                                      \
    {                                                                                    \
        fore_turn_file(fd, POLLIN, UINT64_MAX);                                          \
        return taken(fd, name args);                                                     \
    }
FORE_C_FILES(GIVES, TAKES)

ssize_t foresee_rt___read_chk(int fd, void *to, size_t n, size_t room)
{
    if (n > room)
        abort();
    return foresee_rt_read(fd, to, n);
}

ssize_t foresee_rt___recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
    if (n > room)
        abort();
    return foresee_rt_recv(fd, to, n, flags);
}
