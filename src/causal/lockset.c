#include "causal/lockset.h"

#include "base/err.h"

/* A set is a sorted array of members, interned by its bytes. A member is lock << 1 | shared,
 * so that both ways of holding one lock are neighbours. */
static const uint32_t *members_of_set(const struct fore_locksets *t, fore_lockset s,
                                      size_t *n)
{
    struct fore_bytes b = fore_intern_bytes(&t->sets, s);
    *n = b.n / sizeof(uint32_t);
    return (const uint32_t *)(const void *)b.at;
}

static fore_lockset intern_set(struct fore_locksets *t, const uint32_t *m, size_t n)
{
    return n ? fore_intern(&t->sets, m, n * sizeof *m) : 0;
}

void fore_locksets_release(struct fore_locksets *t)
{
    fore_intern_release(&t->sets);
    fore_map_release(&t->with);
    fore_map_release(&t->without);
    fore_map_release(&t->apart);
}

static uint32_t member_key(uint32_t lock, bool shared)
{
    FORE_BUG_IF(lock > UINT32_MAX / 2);
    return lock << 1 | shared;
}

fore_lockset fore_lockset_add(struct fore_locksets *t, fore_lockset s, uint32_t lock,
                              bool shared)
{
    uint32_t m = member_key(lock, shared);
    bool fresh;
    uint64_t *answer = fore_map_put(&t->with, (uint64_t)s << 32 | m, &fresh);
    if (!fresh)
        return (fore_lockset)*answer;
    size_t n, i = 0;
    const uint32_t *have = members_of_set(t, s, &n);
    FORE_VEC(uint32_t) set = {0};
    for (; i < n && have[i] < m; i++)
        fore_vec_push(&set, have[i]);
    fore_vec_push(&set, m);
    for (i += i < n && have[i] == m; i < n; i++)
        fore_vec_push(&set, have[i]);
    *answer = intern_set(t, set.at, set.n);
    fore_lockset out = (fore_lockset)*answer;
    fore_vec_release(&set);
    return out;
}

fore_lockset fore_lockset_remove(struct fore_locksets *t, fore_lockset s, uint32_t lock,
                                 bool shared)
{
    uint32_t m = member_key(lock, shared);
    bool fresh;
    uint64_t *answer = fore_map_put(&t->without, (uint64_t)s << 32 | m, &fresh);
    if (!fresh)
        return (fore_lockset)*answer;
    size_t n;
    const uint32_t *have = members_of_set(t, s, &n);
    FORE_VEC(uint32_t) set = {0};
    for (size_t i = 0; i < n; i++)
        if (have[i] != m)
            fore_vec_push(&set, have[i]);
    *answer = intern_set(t, set.at, set.n);
    fore_lockset out = (fore_lockset)*answer;
    fore_vec_release(&set);
    return out;
}

/* Members of one lock are exclusive with each other unless both are shared. */
static bool excludes(const uint32_t *x, size_t nx, const uint32_t *y, size_t ny)
{
    for (size_t i = 0, k = 0; i < nx && k < ny;) {
        if (x[i] >> 1 == y[k] >> 1) {
            if (!(x[i] & 1) || !(y[k] & 1)) /* exclusive comes first in a set */
                return true;
            i++, k++;
        } else if (x[i] < y[k]) {
            i++;
        } else {
            k++;
        }
    }
    return false;
}

bool fore_lockset_excludes(struct fore_locksets *t, fore_lockset a, fore_lockset b)
{
    if (!a || !b)
        return false;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    bool fresh;
    uint64_t *answer = fore_map_put(&t->apart, (uint64_t)low << 32 | high, &fresh);
    if (fresh) {
        size_t nx, ny;
        const uint32_t *x = members_of_set(t, low, &nx),
                       *y = members_of_set(t, high, &ny);
        *answer = excludes(x, nx, y, ny);
    }
    return *answer != 0;
}

size_t fore_lockset_count(const struct fore_locksets *t, fore_lockset s)
{
    size_t n;
    members_of_set(t, s, &n);
    return n;
}

uint32_t fore_lockset_member(const struct fore_locksets *t, fore_lockset s, size_t i,
                             bool *shared)
{
    size_t n;
    const uint32_t *m = members_of_set(t, s, &n);
    FORE_BUG_IF(i >= n);
    *shared = m[i] & 1;
    return m[i] >> 1;
}
