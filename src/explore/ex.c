/* Explores:  every schedule.
 * Sound:     yes.   Complete: yes, every history of the harness.
 * Cost:      as many paths as there are orders of receives: factorial.
 * Source:    [ds2], section 2.2.2. */
#include "explore/walk.h"

const struct fore_scheduler fore_scheduler_ex = {
    .name = "EX",
    .summary = "exhaustive, depth first",
    .paper = true,
    .everything = true,
    .shares = true,
};
