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

/* Adds the finding (if there is one), a remark and what is incomplete. */
void fore_linear_report(const struct fore_linear *l, bool with_order,
                        struct fore_findings *f);
/* stats.linear for all of them together; `each`: and a list with one entry for each. */
void fore_linear_stats(const struct fore_linear *const *all, size_t n,
                       struct fore_findings *f);

#endif
