/* Functions of libraries that were not instrumented. The library of a function is known only in
 * dynamic programs; code that is part of the program itself counts as instrumented, because
 * there is no way to tell. */
#include "capture/c/runtime/foreign.h"
#include "capture/c/runtime/openmp.h"
#include "capture/c/runtime/outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* interpose.c, which static programs do not have. */
extern const char *fore_rt_library_of(const char *name, const void **begin)
    __attribute__((weak));

/* Of C++'s own library, which programs in C do not have. */
extern char *__cxa_demangle(const char *mangled, char *into, size_t *n, int *status)
    __attribute__((weak));

/* "boost::thread::join_noexcept of libboost_thread.so" */
static void put_text(const char *name, const char *library, char *text, size_t size)
{
    char *readable = NULL;
    int status;
    /* memory that the library allocates for that is not the program's */
    fore_rt_self()->inside = true;
    if (name[0] == '_' && name[1] == 'Z' && __cxa_demangle)
        readable = __cxa_demangle(name, NULL, NULL, &status);
    const char *shown = readable ? readable : name;
    int most = (int)strcspn(shown, "(");
    most = most < 60 ? most : 60;
    snprintf(text, size, "%.*s of %.32s", most, shown, library);
    free(readable);
    fore_rt_self()->inside = false;
}

void foresee_rt_unseen(char *told, const void *function, struct fore_c_site *site,
                       const char *what)
{
    static char texts[256][96]; /* kept for ever: see fore_rt_unseen */
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
    if (!library || fore_rt_sites_in(begin) || fore_rt_openmp_knows(what) ||
        (i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)) >= 256)
        return;
    put_text(what, library, texts[i], sizeof texts[i]);
    fore_rt_unseen(site, texts[i]);
}
