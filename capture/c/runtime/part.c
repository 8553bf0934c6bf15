/* Linked into a shared library in place of the runtime: it registers the library's variables,
 * and the places of its code in the source, with the program's runtime. */
#include "capture/c/runtime/sections.h"

#include <stddef.h>

void foresee_rt_variables(struct fore_c_variable *from, struct fore_c_variable *to)
    __attribute__((weak));
void foresee_rt_locks(struct fore_c_variable *from, struct fore_c_variable *to)
    __attribute__((weak));
void foresee_rt_variables_gone(const struct fore_c_variable *from) __attribute__((weak));
void foresee_rt_take(const uint32_t *from, const uint32_t *to) __attribute__((weak));
void foresee_rt_sites(struct fore_c_site *from, struct fore_c_site *to)
    __attribute__((weak));
void foresee_rt_sites_gone(const struct fore_c_site *from) __attribute__((weak));
void foresee_rt_functions(const struct fore_c_start *from, const struct fore_c_start *to)
    __attribute__((weak));
void foresee_rt_functions_gone(const struct fore_c_start *from) __attribute__((weak));

/* Programs refer to this name, so that the linker takes this file from the archive. */
__attribute__((visibility("hidden"))) extern const char foresee_rt_part;
const char foresee_rt_part = 1;

__attribute__((constructor(101))) static void come(void)
{
    if (__start_foresee_vars && foresee_rt_variables)
        foresee_rt_variables(__start_foresee_vars, __stop_foresee_vars);
    if (__start_foresee_locks && foresee_rt_locks)
        foresee_rt_locks(__start_foresee_locks, __stop_foresee_locks);
    if (__start_foresee_taken && foresee_rt_take)
        foresee_rt_take(__start_foresee_taken, __stop_foresee_taken);
    if (__start_foresee_sites && foresee_rt_sites)
        foresee_rt_sites(__start_foresee_sites, __stop_foresee_sites);
    if (__start_foresee_starts && foresee_rt_functions)
        foresee_rt_functions(__start_foresee_starts, __stop_foresee_starts);
}

__attribute__((destructor)) static void go(void)
{
    if (__start_foresee_vars && foresee_rt_variables_gone)
        foresee_rt_variables_gone(__start_foresee_vars);
    if (__start_foresee_locks && foresee_rt_variables_gone)
        foresee_rt_variables_gone(__start_foresee_locks);
    if (__start_foresee_sites && foresee_rt_sites_gone)
        foresee_rt_sites_gone(__start_foresee_sites);
    if (__start_foresee_starts && foresee_rt_functions_gone)
        foresee_rt_functions_gone(__start_foresee_starts);
}
