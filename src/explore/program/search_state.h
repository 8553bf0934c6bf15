/* Shared by the files of the search. */
#ifndef FORE_EXPLORE_SEARCH_STATE_H
#define FORE_EXPLORE_SEARCH_STATE_H

#include "explore/program/frontier.h"
#include "explore/program/search.h"
#include "explore/program/series.h"

/* A running program, and what it runs on. */
struct program_worker {
    struct fore_rerun target;
    struct fore_series series; /* if tests are repeated in one process */
    bool busy, in_series;
    uint64_t next; /* of the series: its next run */
    /* the run of the series that is repeated alone */
    const struct fore_outcome_runs *suspect;
    unsigned attempt; /* how many other seeds were tried for it */
    enum fore_search_strategy strategy;
    uint64_t run, seed;
    struct fore_try now; /* the beginning of guided; without a schedule: its first run */
    struct fore_strbuf schedule;
};

struct search_ranks;

struct search_state {
    struct fore_search *s;
    struct search_ranks *ranks; /* or NULL: alone */
    bool nothing_left;          /* on no rank */
    struct program_worker *workers;
    struct fore_tries tries;
    /* classes that came -> whether something was found in them */
    struct fore_map classes;
    struct fore_map failed;       /* hash of a failure -> 1 + its index in the list */
    uint64_t started, guided_out; /* guided runs that go on */
    uint64_t before;              /* runs of the searches that this one continues */
    uint64_t saved_ns;
    unsigned turn;
    bool timed;       /* some run slept, or waited for a time */
    bool whole;       /* every run of guided could be analysed as a whole */
    bool first;       /* the first run of guided was started */
    bool took;        /* some run read its schedule */
    bool unread;      /* there was no time to analyse some run's recording */
    uint64_t failing; /* how often a failure was seen, whether it was new or not */
    struct fore_strbuf strategies; /* for series */
    unsigned attempts; /* number of attempts with other seeds, for all suspects */
};

enum { FORE_SEARCH_TURNS = 6 };
extern const enum fore_search_strategy fore_search_turns[FORE_SEARCH_TURNS];

/* Was a failure found that ends the search, or is a budget spent? */
bool fore_search_is_enough(struct search_state *st);
/* Lines for a schedule. */
void fore_search_put_seeds(const struct program_worker *w, struct fore_strbuf *out);
/* Handles the end of the worker's run: what failed in it, and what else could be tried. */
void fore_search_judge(struct search_state *st, struct program_worker *w);

/* Many runs in one process. */
void fore_search_series_prepare(struct search_state *st);
void fore_search_series_start(struct search_state *st, struct program_worker *w,
                              struct fore_err *e);
void fore_search_series_look(struct search_state *st, struct program_worker *w,
                             struct fore_err *e);

#endif
