/* What `foresee` alone says in a terminal: what to do next, from what is in the folder. */
#ifndef FORE_CLI_NEXT_H
#define FORE_CLI_NEXT_H

#include "base/strbuf.h"

/* Appends nothing if there is nothing to say. */
void fore_next_steps(struct fore_strbuf *out);

#endif
