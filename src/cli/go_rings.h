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
    bool needed; /* its executable is, to run it again */
};

struct fore_go_rings {
    FORE_VEC(struct fore_go_ring) v;
};

/* The ring files in `folder`, by process; Go's own tools, which lie below `root`, are not what the user asked about. */
void fore_go_rings_find(const char *folder, const char *root, struct fore_go_rings *out);
/* Of a process that has ended: reads what it wrote into the header at last, and the package from the executable, which
 * lies beside the ring file. */
bool fore_go_ring_look(struct fore_go_ring *x);

#endif
