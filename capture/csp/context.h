/* One process's registers, and the switch to another's. */
#ifndef FORE_CSP_CONTEXT_H
#define FORE_CSP_CONTEXT_H

#include <stddef.h>

#if defined(__x86_64__) && !defined(FORE_CSP_UCONTEXT)
#define FORE_CSP_FAST_SWITCH 1
struct fore_context {
    void *sp;
};
#else
#include <ucontext.h>
struct fore_context {
    ucontext_t u;
};
#endif

/* Prepares `c` so that the first switch to it calls `entry`, which must not return, on the
 * stack [low, low + size). */
void fore_context_make(struct fore_context *c, void *low, size_t size,
                       void (*entry)(void));

#ifdef FORE_CSP_FAST_SWITCH
void fore_context_swap(void **save, void *load);
static inline void fore_context_switch(struct fore_context *from, struct fore_context *to)
{
    fore_context_swap(&from->sp, to->sp);
}
#else
void fore_context_switch(struct fore_context *from, struct fore_context *to);
#endif

#endif
