/* Called by instrumented code around functions of the C library. */
#ifndef FORE_C_RT_LIBC_H
#define FORE_C_RT_LIBC_H

#include "capture/c/module.h"

enum { FORE_RT_ARGUMENTS = 16 }; /* the most arguments that are passed on */

/* `args` are the arguments, as 64 bits each; a pointer to private memory is 0. */
void foresee_rt_libc_begin(const char *effects, const uint64_t *args, unsigned count,
                           struct fore_c_site *site);
void foresee_rt_libc_end(const char *effects, const uint64_t *args, uint64_t result,
                         struct fore_c_site *site);

#endif
