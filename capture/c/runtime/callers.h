/* Who called what did an access or created a thread.
 *
 * The stack is unwound once for each way that leads to an access; then a thread keeps in mind where on
 * its stack the return addresses were. When it comes again to the same instruction at the same depth, and they are
 * all there, it was called in the same way: that costs as many loads as there are callers, and only where something is
 * recorded. What an owner notes of its accesses (inline.h) has no room for callers: if another thread tells of one, it is
 * said to be called as its thread was when it was last seen there, if it was only ever seen there in one way. */
#ifndef FORE_C_CALLERS_H
#define FORE_C_CALLERS_H

#include "capture/c/runtime/rt.h"

enum { FORE_RT_CALLERS = 8 };

/* One way that leads to an instruction. */
struct fore_rt_way {
    const void *pc;
    const char *frame;
    uint32_t site, where, callers;
    uint32_t offset[FORE_RT_CALLERS]; /* of the return addresses, from the frame on */
    const void *back[FORE_RT_CALLERS];
};
enum { FORE_RT_WAYS = 64 };

/* In a function that instrumented code calls: of what it records about `site`, until the thread leaves the
 * runtime, the callers are known. */
#ifdef __x86_64__
#define FORE_RT_CALLED(t, site)                                                          \
    ((t)->at_kept ? (void)0                                                              \
                  : (void)((t)->at_site = (site) ? (site)->id : 0,                       \
                           (t)->at_pc = __builtin_return_address(0),                     \
                           (t)->at_frame = __builtin_frame_address(0)))
#else /* where return addresses are is not known */
#define FORE_RT_CALLED(t, site) ((void)(t), (void)(site))
#endif

/* The same in a function that calls others of these: what it began with holds until fore_rt_called_done, which takes what
 * this returned. */
#define FORE_RT_KEEP_CALLED(t, site)                                                     \
    (!(t)->at_kept && (FORE_RT_CALLED(t, site), (t)->at_kept = true))
static inline void fore_rt_called_done(struct fore_rt_thread *t, bool outermost)
{
    if (!outermost)
        return;
    t->at_kept = false;
    t->at_site = 0;
}

uint32_t fore_rt_called_slowly(struct fore_rt_thread *t, uint32_t where);

static inline struct fore_rt_way *fore_rt_way(const struct fore_rt_thread *t)
{
    uint64_t h =
        ((uintptr_t)t->at_pc ^ (uintptr_t)t->at_frame << 20) * 0x9e3779b97f4a7c15u;
    return &t->ways[h >> 58];
}

/* The number of the place with its callers, if they are known, or else of the place. */
static inline uint32_t fore_rt_with_callers(struct fore_rt_thread *t, uint32_t where)
{
    if (t->at_site != where || !where)
        return where;
    const struct fore_rt_way *w = t->ways ? fore_rt_way(t) : NULL;
    if (!w || w->pc != t->at_pc || w->frame != t->at_frame || w->site != where)
        return fore_rt_called_slowly(t, where);
    for (uint32_t i = 0; i < w->callers; i++)
        if (*(const void *const *)(w->frame + w->offset[i]) != w->back[i])
            return fore_rt_called_slowly(t, where);
    return w->where;
}

/* The same outside of the runtime; a thread that is at work there gets the place alone. */
uint32_t fore_rt_called_outside(struct fore_rt_thread *t, uint32_t where);
/* The number of its site; of what this file knows as such, itself or else the site's. */
uint32_t fore_rt_called_site(uint32_t where);
uint32_t fore_rt_called_known(uint32_t where, uint32_t otherwise);

/* Of an access that its thread has noted at a site and the calling one tells. */
uint32_t fore_rt_called_told(struct fore_rt_thread *t, uint32_t thread, uint32_t site);
/* The thread ends; a forked process, whose threads are others. */
void fore_rt_callers_end(struct fore_rt_thread *t);
void fore_rt_callers_forget(void);

#endif
