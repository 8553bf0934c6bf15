/* A second process that is where a first one is: a copy, made by the node itself (capture/node/copy.c).
 *
 * What cannot be copied is refused, and left as it is: a process that has threads or children, does not
 * load the library, waits in a call that it could not begin again, or has open what both would
 * share. */
#ifndef FORE_NODE_COPY_H
#define FORE_NODE_COPY_H

#include "node/process.h"

enum fore_copy_result {
    FORE_COPY_MADE,
    FORE_COPY_REFUSED, /* refused: the original is as it was */
    FORE_COPY_LOST,    /* the original cannot be used any more */
};

/* Copies a process that is at rest and runs in its home. The copy's folder is out of the way
 * until fore_home_return lets it return. `why`: NULL, or why it was refused: "has threads". */
enum fore_copy_result fore_process_copy(struct fore_process *p,
                                        const struct fore_node_command *c,
                                        struct fore_process *copy, const char **why);

#endif
