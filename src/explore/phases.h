/* A transport for several searches, one after the other, over the same ranks. A rank that is ahead
 * may speak of a later phase: that is kept until this rank comes to it. */
#ifndef FORE_EXPLORE_PHASES_H
#define FORE_EXPLORE_PHASES_H

#include "base/vec.h"
#include "explore/transport.h"

struct fore_phases {
    struct fore_transport transport; /* what a search gets */
    struct fore_transport *under;
    uint8_t phase;                        /* what is sent belongs to it */
    struct fore_strbuf out;               /* what is sent, with its phase */
    FORE_VEC(struct fore_strbuf) waiting; /* of other phases */
};

void fore_phases_init(struct fore_phases *p, struct fore_transport *under);
void fore_phases_release(struct fore_phases *p);

#endif
