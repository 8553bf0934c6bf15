/* The names of functions that threads begin with, by their addresses: a table of the program, and one of each shared library
 * that was compiled for it. */
#include "capture/c/runtime/rt.h"
#include "capture/c/runtime/sections.h"

enum { MOST = 256 };

static struct {
    uint32_t lock, n;
    struct {
        const struct fore_c_start *from, *to; /* a library that is gone leaves nothing */
    } at[MOST];
} functions;

void foresee_rt_functions(const struct fore_c_start *from, const struct fore_c_start *to)
{
    fore_rt_spin(&functions.lock);
    if (functions.n < MOST) {
        functions.at[functions.n].from = from;
        functions.at[functions.n++].to = to;
    }
    fore_rt_unspin(&functions.lock);
}

void foresee_rt_functions_gone(const struct fore_c_start *from)
{
    fore_rt_spin(&functions.lock);
    for (uint32_t i = 0; i < functions.n; i++)
        if (functions.at[i].from == from)
            functions.at[i].to = from;
    fore_rt_unspin(&functions.lock);
}

const char *fore_rt_function_name(uintptr_t function)
{
    const char *name = NULL;
    fore_rt_spin(&functions.lock);
    for (uint32_t i = 0; i < functions.n && !name; i++)
        for (const struct fore_c_start *s = functions.at[i].from; s < functions.at[i].to;
             s++)
            if ((uintptr_t)s->function == function)
                name = s->name;
    fore_rt_unspin(&functions.lock);
    return name;
}

void fore_rt_functions_of_program(void)
{
    if (__start_foresee_starts)
        foresee_rt_functions(__start_foresee_starts, __stop_foresee_starts);
}

void fore_rt_functions_forget(void)
{
    functions.lock = 0;
}
