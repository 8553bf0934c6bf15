/* Structures that are filled up to a cache line. */
#ifndef FORE_GO_PADDING_H
#define FORE_GO_PADDING_H

#include "base/strbuf.h"

/* What package sync has is larger in a watched program, so that a length like [64 - unsafe.Sizeof(bucket{})] may be
 * negative, and is no Go then. Such lengths are made those up to the next multiple, which is the same where it was
 * right. Returns whether there were any; if not, `out` is unchanged. Lines stay where they are. */
bool fore_go_pad(const char *text, size_t n, struct fore_strbuf *out);

#endif
