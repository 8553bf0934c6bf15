/* Linearizability as an analysis: histories in, findings out. */
#ifndef FORE_ANALYSIS_LINEAR_LINEAR_H
#define FORE_ANALYSIS_LINEAR_LINEAR_H

#include "analysis/analysis.h"
#include "history/explain.h"

extern const struct fore_analysis fore_analysis_linear;

/* One checked history. Released with fore_linear_release, whatever became of it. */
struct fore_linear {
    struct fore_history h;
    struct fore_lin_result result;
    struct fore_lin_explanation why; /* if it is not linearizable */
    struct fore_arena arena;
    enum fore_criterion criterion;
    uint64_t parse_ns, search_ns; /* what reading and deciding took; 0: not measured */
};

/* Checks `l->h`, which is filled, and explains a no. */
enum fore_status fore_linear_check(struct fore_linear *l,
                                   const struct fore_lin_options *o,
                                   struct fore_err *e) FORE_MUST_USE;
void fore_linear_release(struct fore_linear *l);

/* What is told of a history besides its finding. Shares of one history are added up. */
struct fore_linear_summary {
    const char *name, *object, *bound; /* bound: NULL, or what was spent */
    enum fore_criterion criterion;
    enum fore_lin verdict;
    uint64_t operations, partitions, special, configs;
    uint64_t parse_ns, search_ns;
};

/* The summary's texts are those of the history. */
struct fore_linear_summary fore_linear_sum(const struct fore_linear *l);
/* Another share of the same history: what was counted is added, the worse verdict counts. */
void fore_linear_add(struct fore_linear_summary *to,
                     const struct fore_linear_summary *share);
/* Adds the finding, if there is one. */
void fore_linear_find(const struct fore_linear *l, struct fore_findings *f);
/* Adds a remark and what is incomplete. */
void fore_linear_remark(const struct fore_linear_summary *s, struct fore_findings *f);
/* An order that explains it, part by part. */
void fore_linear_order(const struct fore_linear *l, struct fore_findings *f);
/* All of these. */
void fore_linear_report(const struct fore_linear *l, bool with_order,
                        struct fore_findings *f);
/* stats.linear for all of them together, with a list that has one entry for each. */
void fore_linear_stats(const struct fore_linear_summary *all, size_t n,
                       struct fore_findings *f);

#endif
