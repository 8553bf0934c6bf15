/* The ring files that the processes of `foresee go` leave in a folder. */
#ifndef FORE_CLI_GO_RINGS_H
#define FORE_CLI_GO_RINGS_H

#include "cli/rings.h"

struct fore_go_ring {
    char path[4096 + 256];
    char name[256];    /* of the program */
    char package[512]; /* of a test; "" otherwise */
    unsigned long pid;
    struct fore_ring_header header;
    bool analysed;
    bool needed; /* its executable is needed, to run it again */
};

struct fore_go_rings {
    FORE_VEC(struct fore_go_ring) v;
};

/* Finds the ring files in `folder`, ordered by process; leaves out Go's own tools, which lie
 * below `root`. */
void fore_go_rings_find(const char *folder, const char *root, struct fore_go_rings *out);
/* For a process that has ended: reads the final header of its ring file, and the package from
 * the executable beside it. */
bool fore_go_ring_look(struct fore_go_ring *x);

#endif
