/* Writes a search by levels as files in a folder, so that a later run can go on with it, on any
 * number of ranks. */
#ifndef FORE_EXPLORE_CHECKPOINT_H
#define FORE_EXPLORE_CHECKPOINT_H

#include "explore/levels.h"

/* Writes this rank's part. All ranks pause, and no batch is under way. */
void fore_checkpoint_write(struct fore_levels *k);
/* All ranks have written their parts: the root says so in the manifest. */
void fore_checkpoint_complete(struct fore_levels *k);
/* Reads this rank's states out of all parts; called instead of fore_levels_start. */
enum fore_status fore_checkpoint_read(struct fore_levels *k, const char *folder,
                                      struct fore_err *e) FORE_MUST_USE;

#endif
