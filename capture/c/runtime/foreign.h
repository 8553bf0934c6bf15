/* What instrumented code calls before it does what cannot be seen. */
#ifndef FORE_C_FOREIGN_H
#define FORE_C_FOREIGN_H

#include "capture/c/module.h"

/* `told` is set; `function` is NULL of what is none, or else `what` is its name. */
void foresee_rt_unseen(char *told, const void *function, struct fore_c_site *site,
                       const char *what);

#endif
