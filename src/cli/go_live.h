/* Reports violations of `foresee go --spec` while go's programs run. The final report comes from
 * the whole trace of each program, when it has ended. */
#ifndef FORE_CLI_GO_LIVE_H
#define FORE_CLI_GO_LIVE_H

#include "cli/rings.h"

struct fore_go_live {
    struct fore_cli *cli; /* NULL: nothing is watched */
    /* files that began earlier are of another run, in a folder that is kept */
    uint64_t since;
    struct fore_rings rings;
};

/* Looks at what the programs have written into `folder` since the last call. */
void fore_go_live_poll(struct fore_go_live *l, const char *folder);
void fore_go_live_release(struct fore_go_live *l);

#endif
