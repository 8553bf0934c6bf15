/* Finds the callers of an access, or of the creation of a thread.
 *
 * The stack is unwound once for each path of calls that leads to an access; the thread then
 * remembers where on its stack the return addresses were. When it comes to the same instruction
 * again at the same depth, and they are all there, it was called in the same way: that costs one
 * load per caller, and only where something is recorded. An owner's note of an access (inline.h)
 * has no room for callers. If another thread records the access, it gets the callers that its
 * thread had when it was last seen there, if these were always the same. */
#ifndef FORE_C_CALLERS_H
#define FORE_C_CALLERS_H

#include "capture/c/runtime/rt.h"

enum { FORE_RT_CALLERS = 8 };

/* One path of calls that leads to an instruction. */
struct fore_rt_way {
    const void *pc;
    const char *frame;
    uint32_t site, where, callers;
    uint32_t offset[FORE_RT_CALLERS]; /* offsets of the return addresses from the frame */
    const void *back[FORE_RT_CALLERS];
};
enum { FORE_RT_WAYS = 64 };

/* Put into a function that instrumented code calls: records about `site` have callers until the
 * thread leaves the runtime. */
#ifdef __x86_64__
#define FORE_RT_CALLED(t, site)                                                          \
    ((t)->at_kept ? (void)0                                                              \
                  : (void)((t)->at_site = (site) ? (site)->id : 0,                       \
                           (t)->at_pc = __builtin_return_address(0),                     \
                           (t)->at_frame = __builtin_frame_address(0)))
#else /* it is not known where return addresses are */
#define FORE_RT_CALLED(t, site) ((void)(t), (void)(site))
#endif

/* The same in a function that calls other such functions: its own site holds until
 * fore_rt_called_done, which takes the value that this returned. */
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

/* The number of the place with its callers if they are known, otherwise of the place alone. */
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

/* The same outside of the runtime; a thread that is inside it gets the place alone. */
uint32_t fore_rt_called_outside(struct fore_rt_thread *t, uint32_t where);
/* The number of its site; of what this file knows as such, itself or else the site's. */
uint32_t fore_rt_called_site(uint32_t where);
uint32_t fore_rt_called_known(uint32_t where, uint32_t otherwise);

/* For an access that its thread noted at a site and the calling thread records. */
uint32_t fore_rt_called_told(struct fore_rt_thread *t, uint32_t thread, uint32_t site);
/* The thread ends; or in a forked process, which has other threads. */
void fore_rt_callers_end(struct fore_rt_thread *t);
void fore_rt_callers_forget(void);

#endif
