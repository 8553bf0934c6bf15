/* What `foresee` alone prints in a terminal: suggestions for the files in the folder. */
#ifndef FORE_CLI_NEXT_H
#define FORE_CLI_NEXT_H

#include "base/strbuf.h"

/* Appends nothing if there is nothing to say. */
void fore_next_steps(struct fore_strbuf *out);

#endif
