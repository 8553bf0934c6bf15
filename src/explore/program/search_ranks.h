/* The search by several processes of a job. Runs are numbered and dealt out, so each has a seed
 * of its own. A beginning that guided could try belongs to the rank that its hash names. The
 * first failure ends the search on all ranks; rank 0 gathers the results. */
#ifndef FORE_EXPLORE_PROGRAM_SEARCH_RANKS_H
#define FORE_EXPLORE_PROGRAM_SEARCH_RANKS_H

#include "explore/program/search_state.h"

/* Agrees on the options. Without a transport this and the other functions do nothing. */
void fore_search_ranks_join(struct search_state *st);
/* Has another rank ended the search? */
bool fore_search_ranks_ended(const struct search_state *st);
/* The number of this rank's next run, from 1 on. */
uint64_t fore_search_ranks_run(const struct search_state *st);
/* Hands beginnings of others to their ranks; what is left in `b` is this rank's. */
void fore_search_ranks_hand_over(struct search_state *st, struct fore_beginnings *b,
                                 uint64_t seed);
/* Takes the messages that have come. `busy`: a run goes on; false means that none could be
 * started either. Returns true when this rank must end. */
bool fore_search_ranks_talk(struct search_state *st, bool busy);
/* At the end, on every rank, whatever `status` is: rank 0 has all failures and counts
 * afterwards. */
enum fore_status fore_search_ranks_gather(struct search_state *st,
                                          enum fore_status status,
                                          struct fore_err *e) FORE_MUST_USE;
void fore_search_ranks_leave(struct search_state *st);

#endif
