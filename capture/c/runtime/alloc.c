/* Memory that is allocated is another place from then on, whatever was at its address before.
 *
 * These stand for the C library's functions in the whole program, its libraries included, and
 * call the library's own. They are weak, so that a program that brings its own allocator keeps
 * it; a static program is linked with --wrap of each. */
#include "capture/c/runtime/blocks.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);
extern void __libc_free(void *p);
#endif

static void renew(void *p, size_t n)
{
    if (!p || !fore_rt_on() || foresee_rt_self.inside) /* the runtime's own */
        return;
    fore_rt_shadow_reset(p, n);
    fore_rt_block(p, n);
}

/* Called before the memory is given back: afterwards it may belong to another thread. Whatever
 * is next at its address then begins with a clean shadow. */
static void gone(void *p)
{
    if (p && fore_rt_on())
        fore_rt_block_gone(p);
}

/* Handles a realloc that did not move the block: the bytes that stay keep their places, the
 * others are new. */
static void *resized(void *old, size_t had, void *now, size_t n)
{
    if (!fore_rt_on())
        return now;
    if (now && now != old) {
        renew(now, n);
        return now;
    }
    if (now && n > had)
        fore_rt_shadow_reset((char *)now + had, n - had);
    if (old && (now || n)) /* the block did not move, perhaps because the call failed */
        fore_rt_block(old, now ? n : had);
    return now;
}

#ifdef __GLIBC__
/* The function is __wrap_x, and weakly x. */
#define STANDS_FOR(result, name, ...)                                                    \
    result __wrap_##name(__VA_ARGS__);                                                   \
    extern result foresee_rt_as_##name(__VA_ARGS__) __asm__(#name)                       \
        __attribute__((weak, alias("__wrap_" #name)));                                   \
    result __wrap_##name(__VA_ARGS__)

STANDS_FOR(void *, malloc, size_t n)
{
    void *p = __libc_malloc(n);
    renew(p, n);
    return p;
}

STANDS_FOR(void *, calloc, size_t n, size_t size)
{
    void *p = __libc_calloc(n, size);
    renew(p, n * size);
    return p;
}

STANDS_FOR(void *, realloc, void *old, size_t n)
{
    size_t had = old ? malloc_usable_size(old) : 0;
    gone(old);
    return resized(old, had, __libc_realloc(old, n), n);
}

STANDS_FOR(void, free, void *p)
{
    gone(p);
    __libc_free(p);
}

STANDS_FOR(void *, memalign, size_t alignment, size_t n)
{
    void *p = __libc_memalign(alignment, n);
    renew(p, n);
    return p;
}

STANDS_FOR(void *, aligned_alloc, size_t alignment, size_t n)
{
    return __wrap_memalign(alignment, n);
}

STANDS_FOR(int, posix_memalign, void **to, size_t alignment, size_t n)
{
    if (!alignment || alignment % sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    void *p = __wrap_memalign(alignment, n);
    if (!p)
        return ENOMEM;
    *to = p;
    return 0;
}

/* What the C library itself does with this function is not recorded. */
STANDS_FOR(void *, mmap, void *at, size_t n, int protection, int flags, int fd,
           off_t from)
{
    void *p = (void *)syscall(SYS_mmap, at, n, protection, flags, fd, from);
    if (p != MAP_FAILED)
        renew(p, n);
    return p;
}

STANDS_FOR(int, munmap, void *p, size_t n)
{
    if (fore_rt_on()) {
        fore_rt_shadow_reset(p, n);
        fore_rt_block_gone(p);
    }
    return (int)syscall(SYS_munmap, p, n);
}

#endif

/* A sanitizer's runtime has an allocator of its own in place of these, and calls hooks. */
extern int __sanitizer_install_malloc_and_free_hooks(void (*made)(const volatile void *,
                                                                  size_t),
                                                     void (*freed)(const volatile void *))
    __attribute__((weak));

static void renew_sanitized(const volatile void *p, size_t n)
{
    renew((void *)(uintptr_t)p, n);
}

static void sanitized_gone(const volatile void *p)
{
    gone((void *)(uintptr_t)p);
}

/* A call of this function makes the linker take this file into the program. */
void fore_rt_alloc_stand(void)
{
    if (__sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(renew_sanitized, sanitized_gone);
}
