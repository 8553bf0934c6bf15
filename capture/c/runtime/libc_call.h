/* A call of the C library while its effects are recorded: for the files that implement effects. */
#ifndef FORE_C_LIBC_CALL_H
#define FORE_C_LIBC_CALL_H

#include "capture/c/runtime/rt.h"

struct fore_rt_call {
    const uint64_t *args;
    uint64_t result;
    struct fore_c_site *site;
    unsigned count; /* number of arguments; not known afterwards */
};

/* In libc.c: records an access to memory: in a variable each scalar by itself, with its value;
 * elsewhere the bytes. */
void fore_rt_access_memory(const char *p, uint64_t n, unsigned kind,
                           struct fore_c_site *site);
/* A digit, R for what was returned, E for the environment. */
const char *fore_rt_argument(const struct fore_rt_call *c, char which);

/* In format.c: the strings that are printed; what was scanned. */
void fore_rt_libc_print(const struct fore_rt_call *c, const char *effect);
void fore_rt_libc_scan(const struct fore_rt_call *c, const char *effect);

/* In descriptors.c: an effect on descriptors, names of files or mappings; does nothing for other
 * effects. */
void fore_rt_libc_descriptor(const struct fore_rt_call *c, const char *effect,
                             bool after);

/* In syscalls.c: the effects of a system call made by syscall(); NULL if they are not known. */
const char *fore_rt_libc_syscall(long number);

#endif
