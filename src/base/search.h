/* Bisection. */
#ifndef FORE_BASE_SEARCH_H
#define FORE_BASE_SEARCH_H

/* Finds the first of lo .. hi-1 that does not come before, or hi if all do; afterwards it is in
 * `lo` and in `hi`. `comes_before` is an expression about the index `mid`; it must hold for a
 * prefix of the range. */
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
