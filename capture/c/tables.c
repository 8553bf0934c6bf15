/* Where variables are: a table of the program, and one of each shared library that was compiled
 * for it, which may come and go. */
#include "c/rt.h"

#include <stdlib.h>

enum { MOST = 256 };

/* The linker knows where the tables of all modules begin and end. */
extern struct fore_c_variable __start_foresee_vars[]
    __attribute__((weak, visibility("hidden")));
extern struct fore_c_variable __stop_foresee_vars[]
    __attribute__((weak, visibility("hidden")));

static struct {
    struct {
        struct fore_c_variable *rows;
        size_t n;
        char *low, *high; /* NULL: it is gone */
    } at[MOST];
    uint32_t lock, n;
} tables;

extern uint32_t __start_foresee_taken[] __attribute__((weak, visibility("hidden")));
extern uint32_t __stop_foresee_taken[] __attribute__((weak, visibility("hidden")));

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

void foresee_rt_variables(struct fore_c_variable *from, struct fore_c_variable *to)
{
    size_t n = (size_t)(to - from);
    if (!n)
        return;
    qsort(from, n, sizeof *from, by_address);
    fore_rt_names_qualify(from, n);
    fore_rt_spin(&tables.lock);
    uint32_t i = tables.n;
    if (i < MOST) {
        tables.at[i].rows = from;
        tables.at[i].n = n;
        tables.at[i].low = from->address;
        tables.at[i].high = from[n - 1].address + from[n - 1].size;
        widen(tables.at[i].low, tables.at[i].high);
        __atomic_store_n(&tables.n, i + 1, __ATOMIC_RELEASE);
    }
    fore_rt_unspin(&tables.lock);
}

void foresee_rt_variables_gone(const struct fore_c_variable *from)
{
    for (uint32_t i = 0; i < __atomic_load_n(&tables.n, __ATOMIC_ACQUIRE); i++)
        if (tables.at[i].rows == from)
            __atomic_store_n(&tables.at[i].high, (char *)NULL, __ATOMIC_RELEASE);
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
}

static const struct fore_c_variable *find(const struct fore_c_variable *rows, size_t n,
                                          const char *p)
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

const struct fore_c_variable *fore_rt_variable(const void *address)
{
    const char *p = address;
    if (p < foresee_rt_low || p >= foresee_rt_high)
        return NULL;
    for (uint32_t i = 0; i < __atomic_load_n(&tables.n, __ATOMIC_ACQUIRE); i++)
        if (p >= tables.at[i].low &&
            p < __atomic_load_n(&tables.at[i].high, __ATOMIC_ACQUIRE))
            return find(tables.at[i].rows, tables.at[i].n, p);
    return NULL;
}

void fore_rt_tables_forget(void)
{
    tables.lock = 0;
}
