/* The same calls when they are made by libraries that were not instrumented, such as libstdc++
 * for std::thread: in a dynamic program the program's own definitions come first. */
#include "capture/c/runtime/openmp.h"
#include "capture/c/runtime/turn_calls.h"

#include <dlfcn.h>
#include <string.h>

#define X(name, params, args) int name params;
#define V(name, params, args) void name params;
FORE_C_CAUGHT(X, V)
#undef X
#undef V

extern const char foresee_rt_interposed;
const char foresee_rt_interposed =
    1; /* a program that links with this name gets this file */

/* The name of the library that has the function, and where that library begins; NULL if the
 * function is the program's. */
const char *fore_rt_library_of(const char *name, const void **begin);
const char *fore_rt_library_of(const char *name, const void **begin)
{
    Dl_info of, own;
    void *f = dlsym(RTLD_DEFAULT, name);
    if (!f || !dladdr(f, &of) || !dladdr(&foresee_rt_interposed, &own) ||
        of.dli_fbase == own.dli_fbase || !of.dli_fname)
        return NULL;
    *begin = of.dli_fbase;
    const char *slash = strrchr(of.dli_fname, '/');
    return slash ? slash + 1 : of.dli_fname;
}

/* Does the library that begins here have this address? */
bool fore_rt_library_has(const void *begin, const void *address);
bool fore_rt_library_has(const void *begin, const void *address)
{
    Dl_info of;
    return dladdr(address, &of) && of.dli_fbase == begin;
}

static bool ready;

/* Finds the real function. A sanitizer has it under a name of its own, too, and calls the
 * library's. Old glibc gives the oldest version of condition variables to callers that do not
 * ask for a version. */
static void *find_real(const char *name)
{
    char sanitized[64] = "__interceptor_";
    void *f = dlsym(RTLD_DEFAULT, strcat(sanitized, name));
    if (!f)
        f = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return f ? f : dlsym(RTLD_NEXT, name);
}

/* Before the first constructor of the program, but perhaps not of its libraries. */
__attribute__((constructor(101))) static void resolve(void)
{
    void *f;
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        return;
#define X(name, params, args)                                                            \
    if ((f = find_real(#name)))                                                          \
        __atomic_store_n((void **)&fore_rt_real.name, f, __ATOMIC_RELAXED);
    FORE_C_CAUGHT(X, X)
#undef X
    __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

#define X(name, params, args)                                                            \
    int name params                                                                      \
    {                                                                                    \
        resolve();                                                                       \
        return fore_rt_from_library() ? foresee_rt_##name args : fore_rt_real.name args; \
    }
#define V(name, params, args)                                                            \
    void name params                                                                     \
    {                                                                                    \
        resolve();                                                                       \
        if (fore_rt_from_library())                                                      \
            foresee_rt_##name args;                                                      \
        else                                                                             \
            fore_rt_real.name args;                                                      \
    }
FORE_C_THREADS(X, V)
#undef X
#undef V

/* How OpenMP's library waits and locks it keeps to itself: runtime/openmp.c is told what that orders. */
static bool is_openmp(const char *caller)
{
    return caller >= fore_rt_openmp_from && caller < fore_rt_openmp_to;
}

static const struct fore_rt_real *of_the_library(void)
{
    return fore_turn_on() ? &fore_turn_native : &fore_rt_real;
}

#define X(name, params, args)                                                            \
    int name params                                                                      \
    {                                                                                    \
        resolve();                                                                       \
        if (is_openmp(__builtin_return_address(0)))                                      \
            return of_the_library()->name args;                                          \
        return fore_rt_from_library() ? foresee_rt_##name args : fore_rt_real.name args; \
    }
#define V(name, params, args)                                                            \
    void name params                                                                     \
    {                                                                                    \
        resolve();                                                                       \
        if (is_openmp(__builtin_return_address(0)))                                      \
            of_the_library()->name args;                                                 \
        else if (fore_rt_from_library())                                                 \
            foresee_rt_##name args;                                                      \
        else                                                                             \
            fore_rt_real.name args;                                                      \
    }
FORE_C_LOCKS(X, V)
FORE_C_WAITS(X, V)
FORE_C_TIMES(X, V)
