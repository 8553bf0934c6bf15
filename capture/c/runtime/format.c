/* Formats of printf and scanf: which of the arguments are read or written. */
#include "capture/c/runtime/libc.h"
#include "capture/c/runtime/libc_call.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* The source of the arguments: they were passed on, or are in a va_list. */
struct source {
    const struct fore_rt_call *call;
    unsigned next;
    va_list *list; /* NULL: passed on */
};

/* An argument that was not passed on is unknown, and 0. */
static uint64_t next_word(struct source *s)
{
    if (s->list)
        return va_arg(*s->list, uint64_t);
    return s->next < s->call->count ? s->call->args[s->next++] : (s->next++, 0);
}

static void skip_number(struct source *s, char type, unsigned size)
{
    bool real = strchr("aAeEfFgG", type) != NULL;
    if (s->list && real && size == 16)
        (void)va_arg(*s->list, long double);
    else if (s->list && real)
        (void)va_arg(*s->list, double);
    else
        next_word(s);
}

/* The next conversion after a '%'; a '*' takes an argument of printf. */
static struct conversion convert(const char **format, struct source *s, bool scans)
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
        next_word(s);
        f++;
    }
    v.width = strtoul(f, &end, 10);
    f = end;
    if (*f == '.' && !scans) {
        v.precise = true;
        if (f[1] == '*') {
            int most = (int)next_word(s);
            v.precise = most >= 0;
            v.precision = most >= 0 ? (uint64_t)most : 0;
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

static void print_one(const char **format, struct source *s)
{
    struct conversion v = convert(format, s, false);
    if (v.type == 'm' || !v.type)
        return;
    if (v.type != 's' || v.size != 4) {
        skip_number(s, v.type, v.size);
        return;
    }
    const char *p = (const char *)(uintptr_t)next_word(s);
    if (p)
        fore_rt_access_memory(p, v.precise ? strnlen(p, v.precision) : strlen(p) + 1,
                              FORE_RING_READ, s->call->site);
}

/* The instrumentor passes on the address of a va_list, which is what functions with such a parameter get. */
void fore_rt_libc_print(const struct fore_rt_call *c, const char *e)
{
    const char *f = fore_rt_argument(c, e[1]);
    struct source s = {.call = c, .next = (unsigned)(e[1] - '0') + 1};
    va_list copy;
    if (!f) /* the format itself is a constant in all but careless programs */
        return;
    if (*e == 'v') {
#ifdef __x86_64__ /* elsewhere such a parameter is not the address of the list */
        const char *list = fore_rt_argument(c, (char)(e[1] + 1));
        if (!list)
            return;
        va_copy(copy, *(va_list *)(uintptr_t)list);
        s.list = &copy;
#else
        return;
#endif
    }
    while ((f = strchr(f, '%'))) {
        f++;
        if (*f == '%')
            f++;
        else
            print_one(&f, &s);
    }
    if (s.list)
        va_end(copy);
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

/* Handles as many conversions as the call says were done. */
void fore_rt_libc_scan(const struct fore_rt_call *c, const char *e)
{
    struct source s = {.call = c, .next = (unsigned)(e[1] - '0') + 1};
    const char *f = fore_rt_argument(c, e[1]);
    for (int64_t left = (int)c->result; f && left > 0 && (f = strchr(f, '%'));) {
        f++;
        if (*f == '%') {
            f++;
            continue;
        }
        struct conversion v = convert(&f, &s, true);
        if (v.star || !v.type)
            continue;
        const char *p =
            s.next < FORE_RT_ARGUMENTS ? fore_rt_argument(c, (char)('0' + s.next)) : NULL;
        s.next++;
        if (p)
            fore_rt_access_memory(p, scanned_bytes(&v, p), FORE_RING_WRITE, c->site);
        left -= v.type != 'n';
    }
}
