/* Connects foresee with a node process: pipes, a page, a bell, a socket. */
#ifndef FORE_NODE_ENDS_H
#define FORE_NODE_ENDS_H

#include "base/err.h"
#include "node/process.h"

/* The node's ends, and the descriptors that they become there. */
enum fore_end {
    FORE_END_IN,
    FORE_END_OUT,
    FORE_END_ERR,
    FORE_END_PAGE,
    FORE_END_BELL,
    FORE_END_COPY,
    FORE_ENDS
};

struct fore_ends {
    int fd[FORE_ENDS];
};
extern const int fore_end_places[FORE_ENDS];

/* Makes both: ours in `p`, and the node's. */
enum fore_status fore_ends_make(struct fore_process *p, struct fore_ends *node,
                                struct fore_err *e) FORE_MUST_USE;
/* Closes the node's ends, which it has by now. */
void fore_ends_close(struct fore_ends *node);
/* Closes ours. */
void fore_ends_release(struct fore_process *p);

#endif
