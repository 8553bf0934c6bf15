/* memcpy, memmove and memset of variables: an access to each scalar in the range. */
#include "c/range.h"

#include "c/rt.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 1024, LARGEST = 0xffff };

/* How far the scalar at p goes; 0 if p is not in one, as between members. */
static size_t scalar_at(const char *p, size_t left)
{
    struct fore_rt_leaf leaf;
    const struct fore_c_variable *v = fore_rt_variable(p);
    if (!v)
        return 0;
    size_t rest = (size_t)(v->address + v->size - p);
    if (*v->layout) {
        if (!fore_rt_leaf_at(v, (uint64_t)(p - v->address), &leaf))
            return 0;
        rest = (size_t)(leaf.size - leaf.rest);
    }
    return rest < left ? rest : left;
}

static void access_all(char *p, char *buffer, size_t n, unsigned kind,
                       struct fore_c_site *site)
{
    for (size_t at = 0, m; at < n; at += m) {
        size_t scalar = scalar_at(p + at, n - at);
        uint32_t token = scalar ? foresee_rt_begin(p + at) : 0;
        m = scalar ? scalar : fore_rt_variable(p + at) ? 1 : n - at;
        if (kind == FORE_RING_WRITE)
            memcpy(p + at, buffer + at, m);
        else
            memcpy(buffer + at, p + at, m);
        unsigned type = m > 8 ? FORE_C_NO_VALUE : FORE_C_INT;
        uint32_t size = m > LARGEST ? LARGEST : (uint32_t)m;
        foresee_rt_end(token, p + at, site, kind | type << 8 | size << 16);
    }
}

static bool in_variable(const char *p)
{
    return fore_rt_on() && fore_rt_variable(p);
}

/* Through a buffer, because the two may overlap. */
void foresee_rt_copy(char *to, char *from, uint64_t n, struct fore_c_site *site)
{
    char small[SMALL], *buffer = small;
    bool recorded = n && (in_variable(to) || in_variable(from));
    if (recorded && n > SMALL && !(buffer = malloc(n)))
        fore_rt_dropped();
    if (!recorded || !buffer) {
        memmove(to, from, n);
        return;
    }
    access_all(from, buffer, n, FORE_RING_READ, site);
    access_all(to, buffer, n, FORE_RING_WRITE, site);
    if (buffer != small)
        free(buffer);
}

void foresee_rt_fill(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site)
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
    access_all(to, buffer, n, FORE_RING_WRITE, site);
    if (buffer != small)
        free(buffer);
}
