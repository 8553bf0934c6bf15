/* Where an operation of a Go program stands, as a node of the calling context. */
#ifndef FORE_RING_GOCONTEXT_H
#define FORE_RING_GOCONTEXT_H

#include "ring/gosym.h"

/* Writes "queue.(*Queue[...]).Pop" for "queue.(*Queue[go.shape.int]).Pop": one function in the
 * source, as Go's own tracebacks show it. */
void fore_gosym_put_name(const char *function, struct fore_strbuf *out);

/* Is the innermost frame of `pc` a function of a package ("time.")? */
bool fore_gosym_in(const struct fore_gosym *g, uint32_t pc, const char *package);

/* Did the library make a channel at `pc`, called by `stack`, on behalf of user code, whose
 * callers then wait for it (the ends of io.Pipe and net.Pipe)? */
bool fore_gosym_lends(const struct fore_gosym *g, uint32_t pc, const uint32_t *stack,
                      size_t n);

/* A node of the calling context for `pc` and, behind it, `stack` (its callers' return
 * addresses, innermost first): the innermost frame of the user's own code, or of the library
 * if there is no other. `*hidden`, if wanted: the operation itself is the library's, and not
 * one that it does at the user's request (package time, context, sync). */
uint32_t fore_gosym_where(const struct fore_gosym *g, struct fore_tables *t, uint32_t pc,
                          const uint32_t *stack, size_t n, bool *hidden);

#endif
