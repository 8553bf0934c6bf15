/* Names that several files have. */
#include "capture/c/runtime/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    struct fore_c_variable *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    if (order)
        return order;
    return (*x)->address < (*y)->address ? -1 : (*x)->address > (*y)->address;
}

static void qualify(struct fore_c_variable *v)
{
    const char *slash = strrchr(v->file, '/'), *file = slash ? slash + 1 : v->file;
    char *name;
    if (*file && !strchr(v->name, ':') && asprintf(&name, "%s:%s", file, v->name) > 0)
        v->name = name;
}

void fore_rt_names_qualify(struct fore_c_variable *all, size_t n)
{
    struct fore_c_variable **sorted = n > 1 ? malloc(n * sizeof *sorted) : NULL;
    for (size_t i = 0; sorted && i < n; i++)
        sorted[i] = &all[i];
    if (sorted)
        qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t from = 0, to; sorted && from < n; from = to) {
        for (to = from + 1; to < n; to++)
            if (strcmp(sorted[to]->name, sorted[from]->name) != 0)
                break;
        bool shared = sorted[from]->address != sorted[to - 1]->address;
        for (size_t i = from; shared && i < to; i++)
            qualify(sorted[i]);
    }
    free(sorted);
}
