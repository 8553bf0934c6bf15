/* Where variables are: a table of the program, and one of each shared library that was compiled
 * for it, which may come and go. With a specification there is a table of the variables that it
 * names, and another one, for names, of variables that contain locks and the like. */
#include "capture/c/runtime/rt.h"
#include "capture/c/runtime/sections.h"

#include <stdlib.h>

enum { MOST = 256 };

static struct tables {
    struct {
        struct fore_c_variable *rows;
        size_t n;
        char *low, *high; /* NULL: it is gone */
    } at[MOST];
    uint32_t lock, n;
} variables, locks;

char *foresee_rt_low, *foresee_rt_high;
unsigned char foresee_rt_taken[FORE_C_KINDS];

static int by_address(const void *a, const void *b)
{
    const struct fore_c_variable *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void widen(char *low, char *high)
{
    if (!foresee_rt_low || low < foresee_rt_low)
        __atomic_store_n(&foresee_rt_low, low, __ATOMIC_RELAXED);
    if (high > foresee_rt_high)
        __atomic_store_n(&foresee_rt_high, high, __ATOMIC_RELAXED);
}

static void add_variables(struct tables *t, struct fore_c_variable *from,
                          struct fore_c_variable *to)
{
    size_t n = (size_t)(to - from);
    if (!n)
        return;
    qsort(from, n, sizeof *from, by_address);
    fore_rt_names_qualify(from, n);
    fore_rt_spin(&t->lock);
    uint32_t i = t->n;
    if (i < MOST) {
        t->at[i].rows = from;
        t->at[i].n = n;
        t->at[i].low = from->address;
        t->at[i].high = from[n - 1].address + from[n - 1].size;
        if (t == &variables)
            widen(t->at[i].low, t->at[i].high);
        __atomic_store_n(&t->n, i + 1, __ATOMIC_RELEASE);
    }
    fore_rt_unspin(&t->lock);
}

static void gone(struct tables *t, const struct fore_c_variable *from)
{
    for (uint32_t i = 0; i < __atomic_load_n(&t->n, __ATOMIC_ACQUIRE); i++)
        if (t->at[i].rows == from)
            __atomic_store_n(&t->at[i].high, (char *)NULL, __ATOMIC_RELEASE);
}

void foresee_rt_variables(struct fore_c_variable *from, struct fore_c_variable *to)
{
    add_variables(&variables, from, to);
}

void foresee_rt_locks(struct fore_c_variable *from, struct fore_c_variable *to)
{
    add_variables(&locks, from, to);
}

void foresee_rt_variables_gone(const struct fore_c_variable *from)
{
    gone(&variables, from);
    gone(&locks, from);
}

void foresee_rt_take(const uint32_t *from, const uint32_t *to)
{
    for (; from < to; from++)
        for (unsigned kind = 0; kind < FORE_C_KINDS; kind++)
            if (kind == FORE_C_KIND_ANY ? *from : *from >> kind & 1)
                __atomic_store_n(&foresee_rt_taken[kind], 1, __ATOMIC_RELAXED);
}

void fore_rt_variables_sort(void)
{
    if (__start_foresee_taken)
        foresee_rt_take(__start_foresee_taken, __stop_foresee_taken);
    if (__start_foresee_vars)
        foresee_rt_variables(__start_foresee_vars, __stop_foresee_vars);
    if (__start_foresee_locks)
        foresee_rt_locks(__start_foresee_locks, __stop_foresee_locks);
    fore_rt_libc_start();
}

static const struct fore_c_variable *find_variable(const struct fore_c_variable *rows,
                                                   size_t n, const char *p)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].address <= p)
            low = middle + 1;
        else
            high = middle;
    }
    return low && p < rows[low - 1].address + rows[low - 1].size ? &rows[low - 1] : NULL;
}

static const struct fore_c_variable *find_in(const struct tables *t, const char *p)
{
    for (uint32_t i = 0; i < __atomic_load_n(&t->n, __ATOMIC_ACQUIRE); i++)
        if (p >= t->at[i].low && p < __atomic_load_n(&t->at[i].high, __ATOMIC_ACQUIRE))
            return find_variable(t->at[i].rows, t->at[i].n, p);
    return NULL;
}

const struct fore_c_variable *fore_rt_variable(const void *address)
{
    const char *p = address;
    return p < foresee_rt_low || p >= foresee_rt_high ? NULL : find_in(&variables, p);
}

bool fore_rt_is_named(const char *p, uint64_t first, uint64_t bits)
{
    const struct fore_c_variable *v = fore_rt_variable(p);
    const uint64_t *part = v ? v->parts : NULL;
    if (!part)
        return v;
    first += (uint64_t)(p - v->address) * 8;
    while (part[1] && (part[0] >= first + bits || first >= part[0] + part[1]))
        part += 2;
    return part[1];
}

const struct fore_c_variable *fore_rt_variable_around(const void *lock)
{
    const struct fore_c_variable *v = fore_rt_variable(lock);
    return v ? v : find_in(&locks, lock);
}

void fore_rt_tables_forget(void)
{
    variables.lock = locks.lock = 0;
}
