/* `foresee go --spec`: violations are told while go's programs run. The report comes from the whole traces, when each
 * program has ended. */
#ifndef FORE_CLI_GO_LIVE_H
#define FORE_CLI_GO_LIVE_H

#include "cli/rings.h"

struct fore_go_live {
    struct fore_cli *cli; /* NULL: nothing is watched */
    uint64_t since; /* what began earlier is of another run, in a folder that is kept */
    struct fore_rings rings;
};

/* Looks at what the programs have written into `folder` since it last did. */
void fore_go_live_poll(struct fore_go_live *l, const char *folder);
void fore_go_live_release(struct fore_go_live *l);

#endif
