/* Explores:  every schedule, in an order that a few random delays perturb: before a receive,
 *            some agents are skipped; a path spends at most --delays of them.
 * Sound:     yes.   Complete: yes, without a cut.
 * Cost:      as EX.
 * Source:    [ds2], section 2.2.3. */
#include "explore/walk.h"

const struct fore_scheduler fore_scheduler_db = {
    .name = "DB",
    .summary = "delay-bounded: exhaustive, with random delays",
    .paper = true,
    .everything = true,
    .delays = true,
};
