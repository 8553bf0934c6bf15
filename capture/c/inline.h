/* What is inlined around each access of a watched program: included before the user's code when
 * `foresee cc` compiles it. Plain GNU C, valid as C++ too; it includes nothing, and the
 * instrumentor calls it by name. `site` is a struct fore_c_site, `what` as in module.h. */
#ifndef FORE_C_INLINE_H
#define FORE_C_INLINE_H
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

#define FORE_C_INLINE                                                                    \
    static __inline__ __attribute__((always_inline, used, no_instrument_function))

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

#ifdef __cplusplus
}
#endif
#endif
