/* Calls of the C library: their effects (capture/c/libc.h) become accesses and events. What is read
 * is told before the call, what is written after it, with the values that are there then. */
#include "capture/c/runtime/libc.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/turn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

extern const char foresee_rt_everything __attribute__((weak));

struct call {
    const uint64_t *args;
    uint64_t result;
    struct fore_c_site *site;
    unsigned count; /* of the arguments; not known afterwards */
};

/* ---- accesses ---- */

/* Of a variable each scalar by itself, with its value; of other memory the bytes. */
static void access_memory(const char *p, uint64_t n, unsigned kind,
                          struct fore_c_site *site)
{
    bool all = &foresee_rt_everything;
    if (!p || !n)
        return;
    if (all && !fore_rt_variable(p)) {
        foresee_rt_touch((char *)(uintptr_t)p, n, site, kind);
        return;
    }
    foresee_rt_each((char *)(uintptr_t)p, n, site, kind, all);
}

static const char *pointer(const struct call *c, char which)
{
    uint64_t word = which == 'R' ? c->result : c->args[which - '0'];
    return (const char *)(uintptr_t)word;
}

static uint64_t number(const struct call *c, char digit)
{
    return c->args[digit - '0'];
}

static uint64_t returned(const struct call *c)
{
    return (int64_t)c->result > 0 ? c->result : 0;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* The bytes of a SIZE, which begins behind '='. */
static uint64_t size_of(const struct call *c, const char *size, const char *p)
{
    switch (*size) {
    case 's':
        return strlen(p) + 1;
    case 'n': {
        uint64_t most = number(c, size[1]), n = strnlen(p, most);
        return n < most ? n + 1 : n;
    }
    case 'a':
        return size[2] == '*' ? number(c, size[1]) * number(c, size[4])
                              : number(c, size[1]);
    case 'm': /* at most all but its end is written, and that */
        return at_most((int)c->result < 0 ? 0 : (uint64_t)(int)c->result + 1,
                       number(c, size[1]));
    case 'R':
        if (size[1] == '+')
            return (int)c->result < 0 ? 0 : (uint64_t)(int)c->result + 1;
        if (size[1] != '*')
            return returned(c);
        return returned(c) * (size[2] == 'a' ? number(c, size[3])
                                             : (uint64_t)strtoul(size + 2, NULL, 10));
    default:
        return strtoul(size, NULL, 10);
    }
}

/* What a call that read so many bytes has filled, or one that writes will read. */
static void vector(const struct call *c, const struct iovec *v, uint64_t n, unsigned kind)
{
    uint64_t left = kind == FORE_RING_WRITE ? returned(c) : UINT64_MAX;
    for (uint64_t i = 0; i < n && left; i++) {
        uint64_t m = at_most(v[i].iov_len, left);
        access_memory(v[i].iov_base, m, kind, c->site);
        left -= left == UINT64_MAX ? 0 : m;
    }
}

static void access_at(const struct call *c, const char *e, unsigned kind)
{
    const char *p = pointer(c, e[1]);
    if (!p)
        return;
    if (e[3] == 'i')
        vector(c, (const struct iovec *)(const void *)p, number(c, e[4]), kind);
    else
        access_memory(p, size_of(c, e + 3, p), kind, c->site);
}

/* Up to where something was found. */
static void search(const struct call *c, const char *e)
{
    const char *p = pointer(c, e[1]), *found = pointer(c, 'R');
    if (p)
        access_memory(
            p, found >= p && found ? (uint64_t)(found - p) + 1 : size_of(c, e + 3, p),
            FORE_RING_READ, c->site);
}

static bool is_same(char a, char b, bool any_case)
{
    return a == b || (any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* Both up to the first difference. */
static void compare(const struct call *c, const char *e)
{
    const char *a = pointer(c, e[1]), *b = pointer(c, e[2]);
    bool bounded = e[3] == 'n' || e[3] == 'm';
    uint64_t n = 0, most = bounded ? number(c, e[4]) : UINT64_MAX;
    if (!a || !b) { /* one of them is private: of the other nobody knows how much */
        const char *p = a ? a : b;
        if (p)
            access_memory(p, e[3] == 'm' ? most : strnlen(p, most) + (most == UINT64_MAX),
                          FORE_RING_READ, c->site);
        return;
    }
    while (n < most && is_same(a[n], b[n], *e == '~') && (e[3] == 'm' || a[n]))
        n++;
    n += n < most;
    access_memory(a, n, FORE_RING_READ, c->site);
    access_memory(b, n, FORE_RING_READ, c->site);
}

/* ---- formats ---- */

struct conversion {
    bool star;      /* the argument is not stored; of printf: handled by its count */
    uint64_t width; /* 0: none */
    bool precise;
    uint64_t precision;
    unsigned size; /* of an integer, in bytes */
    char type;     /* 0: the format ends */
};

static unsigned length_of(const char **f)
{
    static const struct {
        const char *text;
        unsigned size;
    } all[] = {{"hh", 1}, {"ll", 8}, {"h", 2}, {"l", 8}, {"j", 8},
               {"z", 8},  {"t", 8},  {"q", 8}, {"L", 16}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(*f, all[i].text, strlen(all[i].text))) {
            *f += strlen(all[i].text);
            return all[i].size;
        }
    return 4;
}

/* The end of a set [...] of scanf. */
static const char *skip_set(const char *f)
{
    f += *f == '^';
    f += *f == ']';
    while (*f && *f != ']')
        f++;
    return *f ? f + 1 : f;
}

/* The next conversion after a '%'; `next` gives the value of a '*'. */
static struct conversion convert(const char **format, const struct call *c, unsigned *arg,
                                 bool scans)
{
    struct conversion v = {0};
    const char *f = *format;
    char *end;
    while (*f && strchr("-+ #0'", *f) && !scans)
        f++;
    if (*f == '*' && scans) {
        v.star = true;
        f++;
    } else if (*f == '*') {
        ++*arg;
        f++;
    }
    v.width = strtoul(f, &end, 10);
    f = end;
    if (*f == '.' && !scans) {
        v.precise = true;
        if (f[1] == '*') {
            v.precision = *arg < c->count ? c->args[*arg] : 0;
            ++*arg;
            f += 2;
        } else {
            v.precision = strtoul(f + 1, &end, 10);
            f = end;
        }
    }
    f += scans && *f == 'm';
    v.size = length_of(&f);
    v.type = *f;
    if (*f)
        f++;
    if (v.type == '[')
        f = skip_set(f);
    *format = f;
    return v;
}

/* Strings that are printed. Arguments beyond those that were passed on are not known. */
static void print(const struct call *c, const char *e)
{
    unsigned arg = (unsigned)(e[1] - '0') + 1;
    const char *f = pointer(c, e[1]);
    if (!f) /* the format itself is a constant, but for programs that ask for trouble */
        return;
    for (; *e == 'p' && (f = strchr(f, '%'));) {
        f++;
        if (*f == '%') {
            f++;
            continue;
        }
        struct conversion v = convert(&f, c, &arg, false);
        const char *p = arg < c->count ? (const char *)(uintptr_t)c->args[arg] : NULL;
        arg += v.type != 'm';
        if (v.type == 's' && p && v.size == 4)
            access_memory(p, v.precise ? strnlen(p, v.precision) : strlen(p) + 1,
                          FORE_RING_READ, c->site);
    }
}

static uint64_t scanned_bytes(const struct conversion *v, const char *p)
{
    switch (v->type) {
    case 's':
    case '[':
        return strlen(p) + 1;
    case 'c':
        return v->width ? v->width : 1;
    case 'p':
        return 8;
    default:
        return v->size;
    }
}

/* As many conversions as the call says were done. */
static void scan(const struct call *c, const char *e)
{
    unsigned arg = (unsigned)(e[1] - '0') + 1;
    const char *f = pointer(c, e[1]);
    for (int64_t left = (int)c->result; f && left > 0 && (f = strchr(f, '%'));) {
        f++;
        if (*f == '%') {
            f++;
            continue;
        }
        struct conversion v = convert(&f, c, &arg, true);
        if (v.star || !v.type)
            continue;
        const char *p = arg < FORE_RT_ARGUMENTS ? pointer(c, (char)('0' + arg)) : NULL;
        arg++;
        if (p)
            access_memory(p, scanned_bytes(&v, p), FORE_RING_WRITE, c->site);
        left -= v.type != 'n';
    }
}

/* ---- what comes in and goes out ---- */

static bool locks_file(const struct call *c, const char *e)
{
    int command = (int)number(c, (char)(e[1] + 1));
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

static void pass(const struct call *c, const char *e, unsigned kind)
{
    FILE *stream;
    switch (e[1]) {
    case 'F':
        stream = (FILE *)(uintptr_t)pointer(c, e[2]);
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
    case 'e':
        fore_rt_outside(FORE_RT_THING_ENVIRONMENT, 0, kind, c->site);
        break;
    case '?':
        fore_rt_outside(FORE_RT_THING_UNKNOWN, 0, kind, c->site);
        break;
    default:
        fore_rt_outside_file((int)number(c, e[1]), kind, c->site);
    }
}

/* A filter of system calls would kill the program for what the runtime does: it says so, and records
 * nothing from here on. */
static void confine(const struct call *c, const char *e)
{
    if (number(c, e[1]) != (*e == 'S' ? PR_SET_SECCOMP : SYS_seccomp))
        return;
    fore_rt_unseen(c->site, "what the program did after it had forbidden system calls");
    fore_rt_stop();
}

/* ---- around the call ---- */

static void before(const struct call *c, const char *e)
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
        print(c, e);
        break;
    case 'f':
        foresee_rt_freed((char *)(uintptr_t)pointer(c, e[1]), c->site);
        break;
    case 'S':
    case 'Y':
        confine(c, e);
        break;
    case '!':
        fore_rt_unseen(c->site, "memory that other processes share");
        break;
    default:
        break;
    }
}

static void behind(const struct call *c, const char *e)
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
        if (!c->result)
            break;
        /* fall through */
    case 'w':
        access_at(c, e, FORE_RING_WRITE);
        break;
    case 't':
        search(c, e);
        break;
    case 'c':
        scan(c, e);
        break;
    default:
        break;
    }
}

static void each_effect(const char *effects, const struct call *c,
                        void act(const struct call *c, const char *e))
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
    struct call c = {.args = args, .count = count, .site = site};
    if (fore_rt_on() && !fore_rt_self()->inside)
        each_effect(effects, &c, before);
    if (fore_turn_on())
        fore_turn_libc_begin(effects, args);
    if (foresee_rt_learnt) /* what the library makes of it nobody knows */
        foresee_rt_use();
}

void foresee_rt_libc_end(const char *effects, const uint64_t *args, uint64_t result,
                         struct fore_c_site *site)
{
    struct call c = {.args = args, .result = result, .site = site};
    if (fore_turn_on())
        fore_turn_back();
    if (fore_rt_on() && !fore_rt_self()->inside)
        each_effect(effects, &c, behind);
}
