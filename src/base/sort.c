#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Insertion moves an element past those that belong behind it. When that has cost more than
 * a general sort would, the general sort takes over. */
void fore_sort_u64(uint64_t *a, size_t n)
{
    size_t moves = 0, enough = 16 * n;
    for (size_t i = 1; i < n; i++) {
        uint64_t x = a[i];
        size_t k = i;
        for (; k && a[k - 1] > x; k--)
            a[k] = a[k - 1];
        a[k] = x;
        moves += i - k;
        if (moves > enough) {
            qsort(a, n, sizeof *a, fore_compare_u64);
            return;
        }
    }
}

int fore_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return fore_order_of(x, y);
}

int fore_compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return fore_order_of(x, y);
}

int fore_compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
