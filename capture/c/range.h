/* What instrumented code calls around accesses, and in place of memcpy, memmove and memset. */
#ifndef FORE_C_RANGE_H
#define FORE_C_RANGE_H

#include "c/module.h"

/* Of the next call that synchronises. */
void foresee_rt_at(struct fore_c_site *site);
/* Of the next call of a library function that may synchronise. */
void foresee_rt_call(struct fore_c_site *site);
uint32_t foresee_rt_begin(char *p);
void foresee_rt_end(uint32_t token, char *p, struct fore_c_site *site, uint32_t what);
/* A relevant access if it is one of a variable. */
uint32_t foresee_rt_begin_if(char *p);
/* Of those that no specification asks for; token as above. */
uint32_t foresee_rt_access(char *p, void *site, uint32_t what);
/* What was at this address has ended its life. */
void foresee_rt_fresh(char *p, unsigned long size);
void foresee_rt_copy(char *to, char *from, uint64_t n, struct fore_c_site *site);
/* The same without a specification. */
void foresee_rt_copy_all(char *to, char *from, uint64_t n, struct fore_c_site *site);
void foresee_rt_fill_all(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site);
/* An access, FORE_RING_READ or _WRITE, to n bytes without their values. */
void foresee_rt_touch(char *p, uint64_t n, struct fore_c_site *site, uint32_t kind);
void foresee_rt_fill(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site);

#endif
