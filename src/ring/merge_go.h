/* Resolves addresses of Go programs for the merger: locations, and names of goroutines, channels
 * and locks (from the line of source that made them, where it can be read). */
#ifndef FORE_TRACE_MERGE_GO_H
#define FORE_TRACE_MERGE_GO_H

#include "ring/merge.h"

/* Opens the symbols of the executable that was kept beside the ring file `name`, or of the one
 * that the header names. NULL if neither can be read: locations are then unknown. `file` belongs
 * to the caller. */
struct fore_merge_resolver *fore_merge_go_open(const char *name,
                                               const struct fore_fsr *file);
/* Reports what no hook sees although memory is recorded: lengths of channels that the sources
 * ask for. */
void fore_merge_go_tell_lengths(struct fore_merge_resolver *r, struct fore_tables *t);

#endif
