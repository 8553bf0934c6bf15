/* The results of an explorer as bytes, for an explorer of the same harness in another process. */
#ifndef FORE_EXPLORE_RESULTS_H
#define FORE_EXPLORE_RESULTS_H

#include "base/varint.h"
#include "explore/explorer.h"

/* Appends a number in as few bytes as it needs. */
void fore_results_number(struct fore_strbuf *out, uint64_t v);
void fore_results_pack(const struct fore_explorer *s, struct fore_strbuf *out);
/* Adds the results to those of `into`; false if the bytes are damaged. */
bool fore_results_merge(struct fore_explorer *into, struct fore_bytes_in *in);

#endif
