/* Explores:  as TD, but the receive that is added is the one that began the causal chain, found
 *            by going back from sender to receiver.
 * Sound:     yes.   Complete: no, as DP.
 * Source:    [ds2], section 2.2.6. */
#include "explore/walk.h"

const struct fore_scheduler fore_scheduler_ir = {
    .name = "IR",
    .summary = "IRed: TransDPOR with precise causes",
    .paper = true,
    .freezes = true,
    .are_dependent = fore_same_actor,
    .did_enable = fore_sender_received,
};
