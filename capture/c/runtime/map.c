/* Memory for the runtime's tables about the program's memory: reserved by the terabyte, and paid
 * for only where it is touched. */
#include "capture/c/runtime/shadow.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

void *fore_rt_map(uint64_t at, uint64_t size)
{
    int fixed = at ? MAP_FIXED_NOREPLACE : 0;
    return mmap((void *)at, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

void fore_rt_populate(void *from, uint64_t n)
{
#ifdef MADV_POPULATE_WRITE
    int before = errno;
    madvise(from, n, MADV_POPULATE_WRITE);
    errno = before;
#endif
}

/* Pages that are given back cost a fault each when they are touched again: thousands of
 * instructions instead of the few hundred for writing zeros. */
void fore_rt_clear(uint64_t from, uint64_t n, bool much)
{
    enum { PAGE = 4096 };
    if (much && n >= 2 * PAGE) {
        uint64_t first = (from + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        uint64_t last = (from + n) & ~(uint64_t)(PAGE - 1);
        madvise((void *)first, last - first, MADV_DONTNEED);
        memset((void *)last, 0, from + n - last);
        n = first - from;
    }
    memset((void *)from, 0, n);
}
