/* Functions of libraries that nobody instrumented. Which library a function is in is known in
 * dynamic programs only; what is part of the program itself was compiled by us, as far as anybody
 * can tell. */
#include "capture/c/runtime/foreign.h"
#include "capture/c/runtime/outside.h"

#include <stdio.h>
#include <string.h>

/* interpose.c, which static programs do not have. */
extern const char *fore_rt_library_of(const char *name, const void **begin)
    __attribute__((weak));

void foresee_rt_unseen(char *told, const void *function, struct fore_c_site *site,
                       const char *what)
{
    static char texts[256][96]; /* they stay: see fore_rt_unseen */
    static uint32_t count;
    const void *begin = NULL;
    if (!fore_rt_on() || fore_rt_self()->inside)
        return;
    __atomic_store_n(told, 1, __ATOMIC_RELAXED);
    if (!function) {
        fore_rt_unseen(site, what);
        return;
    }
    const char *library = fore_rt_library_of ? fore_rt_library_of(what, &begin) : NULL;
    uint32_t i = 0;
    if (!library || fore_rt_sites_in(begin) ||
        (i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)) >= 256)
        return;
    snprintf(texts[i], sizeof texts[i], "%.48s of %.32s", what, library);
    fore_rt_unseen(site, texts[i]);
}
