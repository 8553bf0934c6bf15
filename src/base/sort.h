/* Sorting numbers that are nearly sorted already: ends of overlapping intervals, say. */
#ifndef FORE_BASE_SORT_H
#define FORE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending. Linear while elements are near their places, O(n log n) at worst. */
void fore_sort_u64(uint64_t *a, size_t n);

#endif
