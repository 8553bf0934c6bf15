/* Accesses by pointers that seem to lead to a variable of the specification: see outline.c of
 * the instrumentor, which calls these in place of a load or store. Integers and floating numbers
 * are given as their bits. */
#include "capture/c/runtime/range.h"
#include "capture/c/runtime/rt.h"

/* Most do not lead to one: an address that is not between the variables ends here. */
static inline uint32_t begin_access(char *p, struct fore_c_site *site, uint32_t what)
{
    uintptr_t all = (uintptr_t)foresee_rt_high - (uintptr_t)foresee_rt_low;
    return (uintptr_t)p - (uintptr_t)foresee_rt_low < all
               ? foresee_rt_begin_if(p, site, what)
               : 0;
}

static inline void end_access(uint32_t token, char *p, struct fore_c_site *site,
                              uint32_t what)
{
    if (token)
        foresee_rt_end(token, p, site, what);
}

#define ASIDE(name, memory, value)                                                       \
    value foresee_rt_load##name(char *p, struct fore_c_site *site, uint32_t what);       \
    void foresee_rt_store##name(char *p, struct fore_c_site *site, uint32_t what,        \
                                value v);                                                \
    value foresee_rt_load##name(char *p, struct fore_c_site *site, uint32_t what)        \
    {                                                                                    \
        typedef memory __attribute__((may_alias)) as;                                    \
        uint32_t token = begin_access(p, site, what);                                    \
        value v = (value) * (volatile as *)p;                                            \
        end_access(token, p, site, what);                                                \
        return v;                                                                        \
    }                                                                                    \
    void foresee_rt_store##name(char *p, struct fore_c_site *site, uint32_t what,        \
                                value v)                                                 \
    {                                                                                    \
        typedef memory __attribute__((may_alias)) as;                                    \
        uint32_t token = begin_access(p, site, what);                                    \
        *(volatile as *)p = (as)v;                                                       \
        end_access(token, p, site, what);                                                \
    }

ASIDE(1, uint8_t, uint64_t)
ASIDE(2, uint16_t, uint64_t)
ASIDE(4, uint32_t, uint64_t)
ASIDE(8, uint64_t, uint64_t)
ASIDE(_pointer, char *, char *)
