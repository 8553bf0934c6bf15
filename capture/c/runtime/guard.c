/* The first thread that comes initialises a static variable of a C++ function. The program
 * itself reads the byte that says so; this file writes it, and reads it for the threads that
 * waited. Only programs of C++ link this file. */
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/sync.h"
#include "capture/c/runtime/turn.h"

#ifdef FORE_C_ALONE /* programs in C have none, and call none */
#pragma weak __cxa_guard_acquire
#pragma weak __cxa_guard_release
#pragma weak __cxa_guard_abort
#endif
int __cxa_guard_acquire(void *guard);
void __cxa_guard_release(void *guard);
void __cxa_guard_abort(void *guard);

enum { ACQUIRE = 2, RELEASE = 3, BYTE = 1 << 16 };

int foresee_rt___cxa_guard_acquire(char *guard)
{
    fore_turn_at(FORE_OP_enter, guard); /* waits until no thread is making the variable */
    int first = __cxa_guard_acquire(guard);
    if (first) {
        fore_rt_once_tried(guard, fore_rt_site());
        if (fore_turn_on())
            fore_turn_once(guard, true);
        return first;
    }
    struct fore_c_site *site = fore_rt_site();
    uint32_t what = FORE_RING_READ | ACQUIRE << 12 | BYTE;
    uint32_t token = foresee_rt_begin(guard, site, what);
    foresee_rt_end(token, guard, site, what);
    return 0;
}

void foresee_rt___cxa_guard_release(char *guard)
{
    struct fore_c_site *site = fore_rt_site();
    uint32_t what = FORE_RING_WRITE | RELEASE << 12 | BYTE;
    uint32_t token = foresee_rt_begin(guard, site, what);
    __cxa_guard_release(guard);
    if (fore_turn_on())
        fore_turn_once(guard, false);
    foresee_rt_end(token, guard, site, what);
}

/* The initialiser threw an exception: the next thread that comes tries again. */
void foresee_rt___cxa_guard_abort(char *guard)
{
    fore_rt_once_left(guard, fore_rt_site());
    __cxa_guard_abort(guard);
    if (fore_turn_on())
        fore_turn_once(guard, false);
}
