/* Bisection. */
#ifndef FORE_BASE_SEARCH_H
#define FORE_BASE_SEARCH_H

/* The first of lo .. hi-1 that does not come before, or hi if all do: it is in `lo` afterwards, and in `hi`. Whether
 * the one called `mid` comes before is an expression; those that do are the first ones. */
#define FORE_BISECT(lo, hi, mid, comes_before)                                           \
    do                                                                                   \
        while (lo < hi) {                                                                \
            const __typeof__(lo) mid = lo + (hi - lo) / 2;                               \
            if (comes_before)                                                            \
                lo = mid + 1;                                                            \
            else                                                                         \
                hi = mid;                                                                \
        }                                                                                \
    while (0)

#endif
