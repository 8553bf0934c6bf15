/* Comparison functions for qsort, and sorting of nearly sorted numbers, such as ends of
 * overlapping intervals. */
#ifndef FORE_BASE_SORT_H
#define FORE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending. Linear while elements are near their places, O(n log n) at worst. */
void fore_sort_u64(uint64_t *a, size_t n);

/* Below, at or above 0, as `a` is less than, equal to or greater than `b`. */
static inline int fore_order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* For qsort and bsearch: uint32_t, uint64_t, and char * by their text. */
int fore_compare_u32(const void *a, const void *b);
int fore_compare_u64(const void *a, const void *b);
int fore_compare_text(const void *a, const void *b);

#endif
