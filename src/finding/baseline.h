/* Findings that are known and accepted: a text file in the user's repository, one line each,
 * so that CI fails on new findings only.
 *
 *   9f3a12c0d4e5f607  any words about it
 *   rule=alternative-communication location=vendor/sub-* any words about it
 *
 * A line matches by stable id, or by rule and location (either may be missing; locations are
 * file name patterns, matched against the finding's places without line numbers). */
#ifndef FORE_FINDING_BASELINE_H
#define FORE_FINDING_BASELINE_H

#include "finding/finding.h"

struct fore_baseline_line {
    uint64_t id;                 /* 0: by rule and location */
    const char *rule, *location; /* NULL: any */
    const char *text;            /* the line as it stands in the file */
    uint64_t number;
    bool used; /* it matched a finding */
};

struct fore_baseline {
    struct fore_arena arena;
    FORE_VEC(struct fore_baseline_line)
    lines; /* comments and blank lines are not in it */
};

enum fore_status fore_baseline_read(struct fore_baseline *b, const char *file,
                                    const char *text, size_t n,
                                    struct fore_err *e) FORE_MUST_USE;
void fore_baseline_release(struct fore_baseline *b);
/* Marks what matches as suppressed, and the lines that did as used. */
void fore_baseline_apply(struct fore_baseline *b, struct fore_findings *f);
/* The line that `baseline add` writes for a finding. */
void fore_baseline_line(const struct fore_finding *x, struct fore_strbuf *out);

#endif
