/* memcpy, memmove and memset: in variables an access to each scalar of the range, in other
 * memory to each 8 bytes. */
#include "capture/c/runtime/range.h"

#include "capture/c/runtime/callers.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 1024, LARGEST = 0xffff };

/* How many bytes are left of the scalar at p; 0 if p is not in one, as between members. */
static size_t scalar_at(const char *p, size_t left)
{
    struct fore_leaf leaf;
    const struct fore_c_variable *v = fore_rt_variable(p);
    if (!v)
        return 0;
    size_t rest = (size_t)(v->address + v->size - p);
    if (*v->layout) {
        if (!fore_leaf_at("", v->layout, (uint64_t)(p - v->address), &leaf))
            return 0;
        rest = (size_t)(leaf.size - leaf.rest);
    }
    return rest < left ? rest : left;
}

/* `all`: not only what a specification names, so that the memory may have an owner. */
static void access_all(char *p, char *buffer, size_t n, unsigned kind,
                       struct fore_c_site *site, bool all)
{
    for (size_t at = 0, m; at < n; at += m) {
        size_t scalar = scalar_at(p + at, n - at);
        m = scalar ? scalar : fore_rt_variable(p + at) ? 1 : n - at;
        uint32_t size = m > LARGEST ? LARGEST : (uint32_t)m;
        uint32_t type = m > 8 ? FORE_C_NO_VALUE : FORE_C_INT;
        uint32_t what = kind | type << 8 | size << 16, token = 0;
        if (scalar && fore_rt_is_named(p + at, 0, m * 8))
            token = all ? foresee_rt_access(p + at, site, what)
                        : foresee_rt_begin(p + at, site, what);
        if (kind == FORE_RING_WRITE)
            memcpy(p + at, buffer + at, m);
        else
            memcpy(buffer + at, p + at, m);
        foresee_rt_end(token, p + at, site, what);
    }
}

static bool in_variable(const char *p)
{
    return fore_rt_on() && fore_rt_variable(p);
}

/* Copies through a buffer, because the two ranges may overlap. */
static void copy_named(char *to, char *from, uint64_t n, struct fore_c_site *site)
{
    char small[SMALL], *buffer = small;
    bool recorded = n && (in_variable(to) || in_variable(from));
    if (recorded && n > SMALL && !(buffer = malloc(n)))
        fore_rt_dropped();
    if (!recorded || !buffer) {
        memmove(to, from, n);
        return;
    }
    access_all(from, buffer, n, FORE_RING_READ, site, false);
    access_all(to, buffer, n, FORE_RING_WRITE, site, false);
    if (buffer != small)
        free(buffer);
}

void foresee_rt_copy(char *to, char *from, uint64_t n, struct fore_c_site *site)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    copy_named(to, from, n, site);
    fore_rt_called_done(fore_rt_self(), outermost);
}

static void fill_named(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site)
{
    char small[SMALL], *buffer = small;
    bool recorded = n && in_variable(to);
    if (recorded && n > SMALL && !(buffer = malloc(n)))
        fore_rt_dropped();
    if (!recorded || !buffer) {
        memset(to, (int)byte, n);
        return;
    }
    memset(buffer, (int)byte, n);
    access_all(to, buffer, n, FORE_RING_WRITE, site, false);
    if (buffer != small)
        free(buffer);
}

void foresee_rt_fill(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    fill_named(to, byte, n, site);
    fore_rt_called_done(fore_rt_self(), outermost);
}

/* ---- without a specification ---- */

static bool has_values(const char *p)
{
    const struct fore_c_variable *v = fore_rt_variable(p);
    return v && v->size <= FORE_RT_VALUED;
}

static void copy_any(char *to, char *from, uint64_t n, struct fore_c_site *site)
{
    char small[SMALL];
    if (!n || !fore_rt_on() || n > SMALL || (!has_values(to) && !has_values(from))) {
        if (fore_rt_on())
            foresee_rt_touch(from, n, site, FORE_RING_READ);
        memmove(to, from, n);
        if (fore_rt_on())
            foresee_rt_touch(to, n, site, FORE_RING_WRITE);
        return;
    }
    if (has_values(from)) {
        access_all(from, small, n, FORE_RING_READ, site, true);
    } else {
        foresee_rt_touch(from, n, site, FORE_RING_READ);
        memcpy(small, from, n);
    }
    if (has_values(to)) {
        access_all(to, small, n, FORE_RING_WRITE, site, true);
    } else {
        memcpy(to, small, n);
        foresee_rt_touch(to, n, site, FORE_RING_WRITE);
    }
}

void foresee_rt_copy_all(char *to, char *from, uint64_t n, struct fore_c_site *site)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    copy_any(to, from, n, site);
    fore_rt_called_done(fore_rt_self(), outermost);
}

static void fill_any(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site)
{
    char small[SMALL];
    if (!n || !fore_rt_on() || n > SMALL || !has_values(to)) {
        memset(to, (int)byte, n);
        if (fore_rt_on())
            foresee_rt_touch(to, n, site, FORE_RING_WRITE);
        return;
    }
    memset(small, (int)byte, n);
    access_all(to, small, n, FORE_RING_WRITE, site, true);
}

void foresee_rt_fill_all(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), site);
    fill_any(to, byte, n, site);
    fore_rt_called_done(fore_rt_self(), outermost);
}

/* What is written was written before this is told. */
void foresee_rt_each(char *p, uint64_t n, struct fore_c_site *site, uint32_t kind,
                     bool all)
{
    if (all && !has_values(p)) {
        foresee_rt_touch(p, n, site, kind);
        return;
    }
    fore_rt_self()->late = kind == FORE_RING_WRITE;
    for (uint64_t at = 0, m; at < n; at += m) {
        size_t scalar = scalar_at(p + at, n - at);
        m = scalar ? scalar : fore_rt_variable(p + at) ? 1 : n - at;
        uint32_t size = m > LARGEST ? LARGEST : (uint32_t)m;
        uint32_t type = m > 8 ? FORE_C_NO_VALUE : FORE_C_INT;
        uint32_t what = kind | type << 8 | size << 16;
        if (scalar && fore_rt_is_named(p + at, 0, m * 8))
            foresee_rt_end(all ? foresee_rt_access(p + at, site, what)
                               : foresee_rt_begin(p + at, site, what),
                           p + at, site, what);
        else if (all)
            foresee_rt_touch(p + at, m, site, kind);
    }
    fore_rt_self()->late = false;
}
