/* What the linker has put together of all modules of the program, or of a shared library: where
 * each section begins and ends. */
#ifndef FORE_C_SECTIONS_H
#define FORE_C_SECTIONS_H

#include "capture/c/module.h"

#define FORE_C_COLLECTED(type, name)                                                     \
    extern type __start_foresee_##name[] __attribute__((weak, visibility("hidden")));    \
    extern type __stop_foresee_##name[] __attribute__((weak, visibility("hidden")))

FORE_C_COLLECTED(struct fore_c_variable, vars);
FORE_C_COLLECTED(struct fore_c_variable, locks);
FORE_C_COLLECTED(struct fore_c_site, sites);
FORE_C_COLLECTED(uint32_t, taken);
FORE_C_COLLECTED(struct fore_c_start, starts);

#endif
