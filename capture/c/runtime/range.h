/* Called by instrumented code around accesses, and in place of memcpy, memmove and memset. */
#ifndef FORE_C_RANGE_H
#define FORE_C_RANGE_H

#include "capture/c/module.h"

#include <stdbool.h>
#include <stddef.h>

uint32_t foresee_rt_begin(char *p, struct fore_c_site *site, uint32_t what);
void foresee_rt_end(uint32_t token, char *p, struct fore_c_site *site, uint32_t what);
/* The end of an access to a bit-field. */
void foresee_rt_end_bits(uint32_t token, char *p, struct fore_c_site *site,
                         uint32_t what);
/* Begins a relevant access, if the address is that of a relevant variable. */
uint32_t foresee_rt_begin_if(char *p, struct fore_c_site *site, uint32_t what);
/* The same for accesses that no specification names; the token is as above. */
uint32_t foresee_rt_access(char *p, void *site, uint32_t what);
/* A block is about to be given back. */
void foresee_rt_freed(char *p, struct fore_c_site *site);
/* The object at this address has ended its life. */
void foresee_rt_fresh(char *p, unsigned long size, struct fore_c_site *site);
void foresee_rt_copy(char *to, char *from, uint64_t n, struct fore_c_site *site);
/* The same without a specification. */
void foresee_rt_copy_all(char *to, char *from, uint64_t n, struct fore_c_site *site);
void foresee_rt_fill_all(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site);
/* An access, FORE_RING_READ or _WRITE, to n bytes without their values. */
void foresee_rt_touch(char *p, uint64_t n, struct fore_c_site *site, uint32_t kind);
void foresee_rt_fill(char *to, uint32_t byte, uint64_t n, struct fore_c_site *site);
/* An access to n bytes in a variable, that was done or will be, with the values of now. `all`: not
 * only to what a specification asks for. */
void foresee_rt_each(char *p, uint64_t n, struct fore_c_site *site, uint32_t kind,
                     bool all);

/* strings.c */
void foresee_rt_fence(struct fore_c_site *site, unsigned order);
char *foresee_rt_strcpy(char *to, const char *from);
char *foresee_rt_stpcpy(char *to, const char *from);
char *foresee_rt_strcat(char *to, const char *from);
char *foresee_rt_strncpy(char *to, const char *from, size_t room);
void *foresee_rt_memcpy(void *to, const void *from, size_t n);
void *foresee_rt_memmove(void *to, const void *from, size_t n);
void *foresee_rt_memset(void *to, int byte, size_t n);
void *foresee_rt___memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *foresee_rt___memmove_chk(void *to, const void *from, size_t n, size_t room);
void *foresee_rt___memset_chk(void *to, int byte, size_t n, size_t room);
char *foresee_rt___strcpy_chk(char *to, const char *from, size_t room);

#endif
