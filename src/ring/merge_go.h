/* Addresses of Go programs, for the merger: locations, names of goroutines, channels and locks
 * (from the line of source that made them, where it can be read). */
#ifndef FORE_TRACE_MERGE_GO_H
#define FORE_TRACE_MERGE_GO_H

#include "ring/merge.h"

/* `file` stays the caller's. The symbols of the executable that was kept beside the ring file `name`, or of the one that
 * the header names. NULL if neither can be read: locations are then unknown. */
struct fore_merge_resolver *fore_merge_go_open(const char *name,
                                               const struct fore_fsr *file);

#endif
