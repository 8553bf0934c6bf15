/* The results of a rank's search as bytes for rank 0. */
#ifndef FORE_EXPLORE_PROGRAM_SEARCH_RESULTS_H
#define FORE_EXPLORE_PROGRAM_SEARCH_RESULTS_H

#include "base/varint.h"
#include "explore/program/search_state.h"

void fore_search_put_text(struct fore_strbuf *out, const char *text);
char *fore_search_get_text(struct fore_bytes_in *in); /* the caller frees it */

void fore_search_put_results(struct search_state *st, enum fore_status status,
                             const struct fore_err *e, struct fore_strbuf *out);
/* Adds them to this rank's results; the other rank's error is put into `e` unless there is one. */
void fore_search_get_results(struct search_state *st, struct fore_bytes_in *in,
                             struct fore_err *e);

#endif
