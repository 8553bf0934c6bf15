/* Called by instrumented code before it does something that cannot be seen. */
#ifndef FORE_C_FOREIGN_H
#define FORE_C_FOREIGN_H

#include "capture/c/module.h"

/* Sets `told`. `function` is NULL if it is no function; otherwise `what` is its name. */
void foresee_rt_unseen(char *told, const void *function, struct fore_c_site *site,
                       const char *what);

#endif
