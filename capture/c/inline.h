/* What is inlined around each access of a watched program. It is compiled to bitcode, once for
 * each version of LLVM, by a clang of that version; the instrumentor adds that to the user's
 * module and calls the functions by name. It includes nothing. `site` is a struct fore_c_site,
 * `what` as in module.h. */
#ifndef FORE_C_INLINE_H
#define FORE_C_INLINE_H

/* The instrumentor makes them the module's own, so that those that are not used disappear. */
#define FORE_C_INLINE __attribute__((always_inline))

extern unsigned foresee_rt_begin(char *p);
extern void foresee_rt_end(unsigned token, char *p, void *site, unsigned what);
extern unsigned foresee_rt_read(char *p, void *site, unsigned what);
extern unsigned foresee_rt_write(char *p, void *site, unsigned what);
extern void foresee_rt_fresh(char *p, unsigned long size);

/* Before a plain load. Returns a token for foresee_in_end, 0: there is nothing to do. */
FORE_C_INLINE unsigned foresee_in_read(char *p, void *site, unsigned what)
{
    return foresee_rt_read(p, site, what);
}

FORE_C_INLINE unsigned foresee_in_write(char *p, void *site, unsigned what)
{
    return foresee_rt_write(p, site, what);
}

FORE_C_INLINE void foresee_in_end(unsigned token, char *p, void *site, unsigned what)
{
    if (__builtin_expect(token != 0, 0))
        foresee_rt_end(token, p, site, what);
}

/* An exact access through a pointer that may be to a relevant variable or not. */
FORE_C_INLINE unsigned foresee_in_begin(char *p)
{
    return foresee_rt_begin(p);
}

/* A local whose address escapes begins its life: at the same address was another one. */
FORE_C_INLINE void foresee_in_fresh(char *p, unsigned long size)
{
    foresee_rt_fresh(p, size);
}

#endif
