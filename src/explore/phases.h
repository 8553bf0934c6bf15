/* A transport for several searches, one after the other, over the same ranks. A rank that is
 * ahead may send messages of a later phase: these are kept until this rank comes to it. */
#ifndef FORE_EXPLORE_PHASES_H
#define FORE_EXPLORE_PHASES_H

#include "base/vec.h"
#include "explore/transport.h"

struct fore_phases {
    struct fore_transport transport; /* what a search gets */
    struct fore_transport *under;
    uint8_t phase;                        /* the phase of messages that are sent */
    struct fore_strbuf out;               /* the message to send, with its phase */
    FORE_VEC(struct fore_strbuf) waiting; /* of other phases */
};

void fore_phases_init(struct fore_phases *p, struct fore_transport *under);
void fore_phases_release(struct fore_phases *p);

#endif
