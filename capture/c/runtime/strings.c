/* Copies of memory that are calls, and fences. */
#include "capture/c/runtime/callers.h"
#include "capture/c/runtime/libc.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/sync.h"

#include <string.h>

/* Of a module that was compiled without a specification. */
extern const char foresee_rt_everything __attribute__((weak));

static void copy(char *to, char *from, uint64_t n, struct fore_c_site *site)
{
    if (&foresee_rt_everything)
        foresee_rt_copy_all(to, from, n, site);
    else
        foresee_rt_copy(to, from, n, site);
}

static void fill(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site)
{
    if (&foresee_rt_everything)
        foresee_rt_fill_all(to, byte, n, site);
    else
        foresee_rt_fill(to, byte, n, site);
}

/* ---- copies without a length ---- */

char *foresee_rt_strcpy(char *to, const char *from)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    copy(to, (char *)from, strlen(from) + 1, fore_rt_site());
    foresee_rt_use();
    fore_rt_called_done(fore_rt_self(), outermost);
    return to;
}

char *foresee_rt_stpcpy(char *to, const char *from)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    size_t n = strlen(from);
    copy(to, (char *)from, n + 1, fore_rt_site());
    foresee_rt_use();
    fore_rt_called_done(fore_rt_self(), outermost);
    return to + n;
}

char *foresee_rt_strcat(char *to, const char *from)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    size_t n = strlen(to);
    foresee_rt_libc_begin("r0=s", (const uint64_t[]){(uintptr_t)to}, 1, fore_rt_site());
    foresee_rt_strcpy(to + n, from);
    fore_rt_called_done(fore_rt_self(), outermost);
    return to;
}

char *foresee_rt_strncpy(char *to, const char *from, size_t room)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    struct fore_c_site *site = fore_rt_site();
    size_t n = strnlen(from, room);
    copy(to, (char *)from, n, site);
    fill(to + n, 0, room - n, site);
    foresee_rt_use();
    fore_rt_called_done(fore_rt_self(), outermost);
    return to;
}

void *foresee_rt_memcpy(void *to, const void *from, size_t n)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    copy(to, (char *)from, n, fore_rt_site());
    fore_rt_called_done(fore_rt_self(), outermost);
    return to;
}

void *foresee_rt_memmove(void *to, const void *from, size_t n)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    void *result = foresee_rt_memcpy(to, from, n);
    fore_rt_called_done(fore_rt_self(), outermost);
    return result;
}

void *foresee_rt_memset(void *to, int byte, size_t n)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    fill(to, (unsigned char)byte, n, fore_rt_site());
    fore_rt_called_done(fore_rt_self(), outermost);
    return to;
}

/* ---- the same with a room that is checked: what -D_FORTIFY_SOURCE makes of them ---- */

static size_t checked(size_t n, size_t room)
{
    if (n > room)
        __builtin_trap();
    return n;
}

void *foresee_rt___memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    void *result = foresee_rt_memcpy(to, from, checked(n, room));
    fore_rt_called_done(fore_rt_self(), outermost);
    return result;
}

void *foresee_rt___memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    void *result = foresee_rt_memcpy(to, from, checked(n, room));
    fore_rt_called_done(fore_rt_self(), outermost);
    return result;
}

void *foresee_rt___memset_chk(void *to, int byte, size_t n, size_t room)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    void *result = foresee_rt_memset(to, byte, checked(n, room));
    fore_rt_called_done(fore_rt_self(), outermost);
    return result;
}

char *foresee_rt___strcpy_chk(char *to, const char *from, size_t room)
{
    bool outermost = FORE_RT_KEEP_CALLED(fore_rt_self(), fore_rt_site());
    checked(strlen(from) + 1, room);
    char *result = foresee_rt_strcpy(to, from);
    fore_rt_called_done(fore_rt_self(), outermost);
    return result;
}

/* ---- fences ---- */

void foresee_rt_fence(struct fore_c_site *site, unsigned order)
{
    enum { ORDER = 12 };
    struct fore_rt_thread *t = fore_rt_on() ? fore_rt_enter() : NULL;
    if (!t)
        return;
    uint32_t where = fore_rt_where(t, site);
    struct fore_ring_record *r = fore_rt_take(t, 2);
    uint64_t *unit = (uint64_t *)(r + 1);
    unit[0] = unit[1] = unit[3] = 0;
    unit[2] = order << ORDER;
    fore_rt_put(t, r, where, 0,
                FORE_RING_WORD(FORE_RING_FENCE, FORE_RING_DONE | FORE_RING_TYPES, 2, 0));
    fore_rt_leave(t);
}
