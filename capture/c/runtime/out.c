/* Accesses that are calls, for code that is not run again and again: the access itself, which is aligned, and what is
 * around it (inline.h). See outline.c of the instrumentor. */
#define FORE_C_INLINE static inline __attribute__((always_inline, unused))
#include "capture/c/runtime/inline.h"

#define FORE_C_OUT(name, memory, value)                                                  \
    value foresee_out_load##name(char *p, void *site, unsigned what);                    \
    void foresee_out_store##name(char *p, void *site, unsigned what, value v);           \
    value foresee_out_load##name(char *p, void *site, unsigned what)                     \
    {                                                                                    \
        typedef memory __attribute__((may_alias)) as;                                    \
        unsigned size = sizeof(as), id = ((unsigned *)site)[6];                          \
        unsigned known = (what & 0xffffu) | 0x80u | size << 16;                          \
        unsigned token = foresee_in_access(p, site, known, id, 1);                       \
        value v = (value) * (as *)p;                                                     \
        foresee_in_end(token, p, site, what);                                            \
        return v;                                                                        \
    }                                                                                    \
    void foresee_out_store##name(char *p, void *site, unsigned what, value v)            \
    {                                                                                    \
        typedef memory __attribute__((may_alias)) as;                                    \
        unsigned size = sizeof(as), id = ((unsigned *)site)[6];                          \
        unsigned known = (what & 0xffffu) | 0x80u | size << 16;                          \
        unsigned token = foresee_in_access(p, site, known, id, 0);                       \
        *(as *)p = (as)v;                                                                \
        foresee_in_end(token, p, site, what);                                            \
    }

FORE_C_OUT(1, unsigned char, unsigned long)
FORE_C_OUT(2, unsigned short, unsigned long)
FORE_C_OUT(4, unsigned, unsigned long)
FORE_C_OUT(8, unsigned long, unsigned long)
FORE_C_OUT(_pointer, char *, char *)

void foresee_out_use(void);
void foresee_out_use(void)
{
    if (foresee_rt_learnt)
        foresee_rt_use();
}
