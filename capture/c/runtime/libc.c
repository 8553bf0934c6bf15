/* Calls of the C library: their effects (capture/c/libc.h) become accesses and events. Reads are
 * recorded before the call, writes after it, with the values that are there then. */
#include "capture/c/runtime/libc.h"
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/libc_call.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/turn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

extern const char foresee_rt_everything __attribute__((weak));

/* ---- accesses ---- */

/* Where the program's constants are: no thread writes them, so two threads that read "A" share
 * nothing. */
static struct {
    uintptr_t low, high;
} constants[4];

static int note_constants(struct dl_phdr_info *program, size_t size, void *unused)
{
    unsigned n = 0;
    (void)size;
    (void)unused;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &program->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || h->p_flags & PF_W ||
            n == sizeof constants / sizeof *constants)
            continue;
        constants[n].low = program->dlpi_addr + h->p_vaddr;
        constants[n++].high = program->dlpi_addr + h->p_vaddr + h->p_memsz;
    }
    return 1; /* the first one is the program itself */
}

static bool is_constant(const char *p)
{
    for (unsigned i = 0; i < sizeof constants / sizeof *constants; i++)
        if ((uintptr_t)p - constants[i].low < constants[i].high - constants[i].low)
            return true;
    return false;
}

/* Tells an access to memory: in a variable each scalar by itself, with its value; elsewhere the bytes. */
void fore_rt_access_memory(const char *p, uint64_t n, unsigned kind,
                           struct fore_c_site *site)
{
    bool all = &foresee_rt_everything;
    if (!p || !n || is_constant(p))
        return;
    if (all && !fore_rt_variable(p)) {
        foresee_rt_touch((char *)(uintptr_t)p, n, site, kind);
        return;
    }
    foresee_rt_each((char *)(uintptr_t)p, n, site, kind, all);
}

/* State that the C library keeps from one call to the next, for all threads, and that cannot be
 * seen from here: a place stands for each. */
static char strtok_position[8], drand48_state[8], hsearch_table[8];

void fore_rt_libc_start(void)
{
    dl_iterate_phdr(note_constants, NULL);
#define HIDDEN(place, called)                                                            \
    {                                                                                    \
        .address = (place), .size = sizeof(place), .name = (called), .layout = "",       \
        .file = ""                                                                       \
    }
    static struct fore_c_variable hidden[] = {HIDDEN(strtok_position, "libc.strtok"),
                                              HIDDEN(drand48_state, "libc.drand48"),
                                              HIDDEN(hsearch_table, "libc.hsearch")};
#undef HIDDEN
    if (&foresee_rt_everything)
        foresee_rt_variables(hidden, hidden + sizeof hidden / sizeof *hidden);
}

const char *fore_rt_argument(const struct fore_rt_call *c, char which)
{
    if (which == 'E')
        return (const char *)&environ;
    if (which == 'T')
        return strtok_position;
    if (which == 'D')
        return drand48_state;
    if (which == 'H')
        return hsearch_table;
    uint64_t word = which == 'R' ? c->result : c->args[which - '0'];
    return (const char *)(uintptr_t)word;
}

static uint64_t number(const struct fore_rt_call *c, char digit)
{
    return c->args[digit - '0'];
}

static uint64_t returned(const struct fore_rt_call *c)
{
    return (int64_t)c->result > 0 ? c->result : 0;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* aK, aK*aM, aK*8, aK+8 */
static uint64_t argument_size(const struct fore_rt_call *c, const char *size)
{
    uint64_t n = number(c, size[1]);
    if (size[2] == '*')
        return n * (size[3] == 'a' ? number(c, size[4]) : strtoul(size + 3, NULL, 10));
    return size[2] == '+' ? n + strtoul(size + 3, NULL, 10) : n;
}

static uint64_t value_at(const struct fore_rt_call *c, char digit)
{
    uint32_t n = 0;
    const char *p = fore_rt_argument(c, digit);
    if (p)
        memcpy(&n, p, sizeof n);
    return n;
}

/* The size of what ioctl writes; for commands that do not encode it, the most frequent ones. */
static uint64_t ioctl_size(uint64_t command)
{
    if (command == FIONREAD || command == TIOCOUTQ)
        return sizeof(int);
    if (command == TIOCGWINSZ)
        return sizeof(struct winsize);
    return _IOC_DIR(command) & _IOC_READ ? _IOC_SIZE(command) : 0;
}

/* The bytes of a SIZE, which follows the '='. */
static uint64_t size_of(const struct fore_rt_call *c, const char *size, const char *p)
{
    switch (*size) {
    case 's':
        return strlen(p) + 1;
    case 'n': {
        uint64_t most = number(c, size[1]), n = strnlen(p, most);
        return n < most ? n + 1 : n;
    }
    case 'a':
        return argument_size(c, size);
    case 'd': {
        const char *end = fore_rt_argument(c, 'R');
        return end >= p && end ? (uint64_t)(end - p) : number(c, size[1]);
    }
    case 'l':
        return (wcslen((const wchar_t *)(const void *)p) + 1) * sizeof(wchar_t);
    case '*':
        return value_at(c, size[1]);
    case 'f':
        return (number(c, size[1]) + 63) / 64 * 8;
    case 'c':
        return ioctl_size(number(c, size[1]));
    case 'o':
        return p == fore_rt_argument(c, size[1]) ? strlen(p) + 1 : 0;
    case 'm': /* at most everything but its end is written, and the end */
        return at_most((int)c->result < 0 ? 0 : (uint64_t)(int)c->result + 1,
                       number(c, size[1]));
    case 'R':
        if (size[1] == '+')
            return (int)c->result < 0
                       ? 0
                       : (uint64_t)(int)c->result + (size[2] == ' ' || !size[2]
                                                         ? 1
                                                         : strtoul(size + 2, NULL, 10));
        if (size[1] != '*')
            return returned(c);
        return returned(c) * (size[2] == 'a' ? number(c, size[3])
                                             : (uint64_t)strtoul(size + 2, NULL, 10));
    default:
        return strtoul(size, NULL, 10);
    }
}

/* Handles what a call that read so many bytes has filled, or what one that writes will read. */
static void vector(const struct fore_rt_call *c, const struct iovec *v, uint64_t n,
                   unsigned kind)
{
    uint64_t left = kind == FORE_RING_WRITE ? returned(c) : UINT64_MAX;
    for (uint64_t i = 0; i < n && left; i++) {
        uint64_t m = at_most(v[i].iov_len, left);
        fore_rt_access_memory(v[i].iov_base, m, kind, c->site);
        left -= left == UINT64_MAX ? 0 : m;
    }
}

static void access_at(const struct fore_rt_call *c, const char *e, unsigned kind)
{
    const char *p = fore_rt_argument(c, e[1]);
    if (!p)
        return;
    if (e[3] == 'h') {
        const struct msghdr *m = (const struct msghdr *)(const void *)p;
        vector(c, m->msg_iov, m->msg_iovlen, kind);
    } else if (e[3] == 'i')
        vector(c, (const struct iovec *)(const void *)p, number(c, e[4]), kind);
    else
        fore_rt_access_memory(p, size_of(c, e + 3, p), kind, c->site);
}

/* Handles what is asked of each descriptor, or what was answered. */
static void poll_all(const struct fore_rt_call *c, const char *e, bool after)
{
    const struct pollfd *p =
        (const struct pollfd *)(const void *)fore_rt_argument(c, e[1]);
    uint64_t n = number(c, (char)(e[1] + 1));
    for (uint64_t i = 0; p && i < n; i++)
        if (after)
            fore_rt_access_memory((const char *)&p[i].revents, sizeof p->revents,
                                  FORE_RING_WRITE, c->site);
        else
            fore_rt_access_memory((const char *)&p[i], offsetof(struct pollfd, revents),
                                  FORE_RING_READ, c->site);
}

/* Streams of C++ that threads may write to at once. */
extern const char cout __asm__("_ZSt4cout") __attribute__((weak));
extern const char cerr __asm__("_ZSt4cerr") __attribute__((weak));
extern const char clog_ __asm__("_ZSt4clog") __attribute__((weak));

static void write_stream(const struct fore_rt_call *c, const char *e)
{
    const char *p = fore_rt_argument(c, e[1]);
    if (p && p != &cout && p != &cerr && p != &clog_)
        fore_rt_access_memory(p, sizeof(void *), FORE_RING_WRITE, c->site);
}

/* A search reads up to the place where it found something. */
static void search(const struct fore_rt_call *c, const char *e)
{
    const char *p = fore_rt_argument(c, e[1]), *found = fore_rt_argument(c, 'R');
    if (p)
        fore_rt_access_memory(
            p, found >= p && found ? (uint64_t)(found - p) + 1 : size_of(c, e + 3, p),
            FORE_RING_READ, c->site);
}

static bool is_same(char a, char b, bool any_case)
{
    return a == b || (any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* A comparison reads both strings up to their first difference. */
static void compare(const struct fore_rt_call *c, const char *e)
{
    const char *a = fore_rt_argument(c, e[1]), *b = fore_rt_argument(c, e[2]);
    bool bounded = e[3] == 'n' || e[3] == 'm';
    uint64_t n = 0, most = bounded ? number(c, e[4]) : UINT64_MAX;
    /* one of them is private: it is not known how much of the other is read */
    if (!a || !b) {
        const char *p = a ? a : b;
        if (p)
            fore_rt_access_memory(
                p, e[3] == 'm' ? most : strnlen(p, most) + (most == UINT64_MAX),
                FORE_RING_READ, c->site);
        return;
    }
    while (n < most && is_same(a[n], b[n], *e == '~') && (e[3] == 'm' || a[n]))
        n++;
    n += n < most;
    fore_rt_access_memory(a, n, FORE_RING_READ, c->site);
    fore_rt_access_memory(b, n, FORE_RING_READ, c->site);
}

/* ---- what comes in and goes out ---- */

static bool locks_file(const struct fore_rt_call *c, const char *e)
{
    int command = (int)number(c, (char)(e[1] + 1));
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

static void pass_polled(const struct fore_rt_call *c, char digit)
{
    const struct pollfd *p =
        (const struct pollfd *)(const void *)fore_rt_argument(c, digit);
    uint64_t n = number(c, (char)(digit + 1));
    if (!p)
        fore_rt_outside(FORE_RT_THING_UNKNOWN, 0, FORE_RING_IN, c->site);
    for (uint64_t i = 0; p && i < n; i++)
        if (p[i].revents)
            fore_rt_outside_file(p[i].fd, FORE_RING_IN, c->site);
}

/* The three sets are the arguments after the number. */
static void pass_selected(const struct fore_rt_call *c, char digit)
{
    int n = (int)number(c, digit);
    for (int i = 1; i <= 3; i++) {
        const fd_set *s =
            (const fd_set *)(const void *)fore_rt_argument(c, (char)(digit + i));
        for (int fd = 0; s && fd < n && fd < FD_SETSIZE; fd++)
            if (FD_ISSET(fd, s))
                fore_rt_outside_file(fd, FORE_RING_IN, c->site);
    }
}

static void pass(const struct fore_rt_call *c, const char *e, unsigned kind)
{
    FILE *stream;
    switch (e[1]) {
    case 'F':
        stream = (FILE *)(uintptr_t)fore_rt_argument(c, e[2]);
        if (stream)
            fore_rt_outside_file(fileno_unlocked(stream), kind, c->site);
        break;
    case 'k':
        fore_rt_outside(FORE_RT_THING_SYSV, number(c, e[2]), kind, c->site);
        break;
    case 'i':
    case 'o':
        fore_rt_outside_file(e[1] == 'o', kind, c->site);
        break;
    case 's':
        fore_rt_outside(FORE_RT_THING_SIGNALS, 0, kind, c->site);
        break;
    case 'c':
        fore_rt_outside(FORE_RT_THING_CHILDREN, 0, kind, c->site);
        break;
    case '?':
        if (e[2] == 'p')
            pass_polled(c, e[3]);
        else if (e[2] == 'j')
            pass_selected(c, e[3]);
        else
            fore_rt_outside(FORE_RT_THING_UNKNOWN, 0, kind, c->site);
        break;
    default:
        fore_rt_outside_file((int)number(c, e[1]), kind, c->site);
    }
}

/* A filter of system calls would kill the program for the runtime's calls: the runtime says so,
 * and records nothing from here on. */
static void confine(const struct fore_rt_call *c, const char *e)
{
    if (number(c, e[1]) != (*e == 'S' ? PR_SET_SECCOMP : SYS_seccomp))
        return;
    fore_rt_unseen(c->site, "what the program did after it had forbidden system calls");
    fore_rt_stop();
}

/* ---- around the call ---- */

static void each_effect(const char *effects, const struct fore_rt_call *c,
                        void act(const struct fore_rt_call *c, const char *e));

/* The same without the number in front of the arguments. */
static void call_system(const struct fore_rt_call *c,
                        void act(const struct fore_rt_call *c, const char *e))
{
    const char *effects = fore_rt_libc_syscall((long)c->args[0]);
    struct fore_rt_call inner = *c;
    inner.args++;
    if (effects)
        each_effect(effects, &inner, act);
    else
        fore_rt_unseen(c->site, "a system call");
}

static void before(const struct fore_rt_call *c, const char *e)
{
    switch (*e) {
    case '>':
        pass(c, e, FORE_RING_OUT);
        break;
    case 'L':
        if (locks_file(c, e))
            pass(c, e, FORE_RING_OUT);
        break;
    case 'r':
        access_at(c, e, FORE_RING_READ);
        break;
    case '=':
    case '~':
        compare(c, e);
        break;
    case 'p':
    case 'v':
        fore_rt_libc_print(c, e);
        break;
    case 'f':
        foresee_rt_freed((char *)(uintptr_t)fore_rt_argument(c, e[1]), c->site);
        break;
    case 'S':
        confine(c, e);
        break;
    case 'Y':
        confine(c, e);
        call_system(c, before);
        break;
    case 'q':
        poll_all(c, e, false);
        break;
    case 'u':
        write_stream(c, e);
        break;
    case '!':
        fore_rt_unseen(c->site, "memory that others use, unseen");
        break;
    default:
        fore_rt_libc_descriptor(c, e, false);
    }
}

static void behind(const struct fore_rt_call *c, const char *e)
{
    switch (*e) {
    case '<':
        pass(c, e, FORE_RING_IN);
        break;
    case 'L':
        if (locks_file(c, e))
            pass(c, e, FORE_RING_IN);
        break;
    case 'W':
        if (c->result)
            access_at(c, e, FORE_RING_WRITE);
        break;
    case 'Z':
        if (!(int)c->result)
            access_at(c, e, FORE_RING_WRITE);
        break;
    case 'w':
        access_at(c, e, FORE_RING_WRITE);
        break;
    case 't':
        search(c, e);
        break;
    case 'c':
        fore_rt_libc_scan(c, e);
        break;
    case 'q':
        poll_all(c, e, true);
        break;
    case 'Y':
        call_system(c, behind);
        break;
    default:
        fore_rt_libc_descriptor(c, e, true);
    }
}

static void each_effect(const char *effects, const struct fore_rt_call *c,
                        void act(const struct fore_rt_call *c, const char *e))
{
    int why = errno;
    for (const char *e = effects; *e; e += *e == ' ') {
        act(c, e);
        e += strcspn(e, " ");
    }
    errno = why;
}

void foresee_rt_libc_begin(const char *effects, const uint64_t *args, unsigned count,
                           struct fore_c_site *site)
{
    struct fore_rt_call c = {.args = args, .count = count, .site = site};
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    if (fore_rt_on() && !fore_rt_self()->inside)
        each_effect(effects, &c, before);
    fore_rt_called_done(fore_rt_self(), outermost);
    if (fore_turn_on())
        fore_turn_libc_begin(effects, args);
    if (foresee_rt_learnt) /* it is not known what the library does with the value */
        foresee_rt_use();
}

void foresee_rt_libc_end(const char *effects, const uint64_t *args, uint64_t result,
                         struct fore_c_site *site)
{
    struct fore_rt_call c = {.args = args, .result = result, .site = site};
    if (fore_turn_on())
        fore_turn_libc_end(effects);
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    if (fore_rt_on() && !fore_rt_self()->inside)
        each_effect(effects, &c, behind);
    fore_rt_called_done(fore_rt_self(), outermost);
}
