/* Reporters: findings in, text out. A format is one file and one row of the table. */
#ifndef FORE_REPORT_REPORT_H
#define FORE_REPORT_REPORT_H

#include "base/strbuf.h"
#include "finding/finding.h"

/* Where a finding's text begins behind its labels, and goes on in the next line. */
enum { FORE_REPORT_TEXT_COLUMN = 17 };

struct fore_report_options {
    bool color;
    unsigned width;      /* columns of the terminal */
    bool full;           /* also the causally irrelevant steps */
    bool notation;       /* steps as traces write them, not in words */
    bool all;            /* notes in full */
    bool notes;          /* notes, a headline each; otherwise they are counted */
    bool quiet;          /* findings only, no closing summary */
    bool name_trace;     /* say of each finding which trace it is from */
    unsigned most_lines; /* of a finding as text; 0: all */
    unsigned most_steps; /* of its run, beside those with a remark; 0: all that matter */
    bool drawn_only;     /* of long witnesses, only the steps that pictures show */
};

struct fore_reporter {
    const char *name, *summary;
    void (*write)(const struct fore_findings *f, const struct fore_report_options *o,
                  struct fore_strbuf *out);
};

extern const struct fore_reporter fore_reporters[]; /* ends with a row without name */

const struct fore_reporter *fore_reporter_named(const char *name); /* or NULL */

/* One finding whole, as `foresee show` prints it. */
void fore_report_finding(const struct fore_finding *x,
                         const struct fore_report_options *o, struct fore_strbuf *out);
void fore_report_github(const struct fore_findings *f,
                        const struct fore_report_options *o, struct fore_strbuf *out);
void fore_report_test2json(const struct fore_findings *f,
                           const struct fore_report_options *o, struct fore_strbuf *out);
/* The step in words, or in the notation if that was asked for or is all that there is. */
const char *fore_report_step(const struct fore_step *s,
                             const struct fore_report_options *o);
/* The source line of a place; where there is none, what was done there. */
const char *fore_report_place(const struct fore_finding *x, const struct fore_place *at,
                              const struct fore_report_options *o);
/* What the finding calls the thread with this creation path. */
void fore_report_thread(const struct fore_finding *x, const char *path, const char *label,
                        const char *name, struct fore_strbuf *out);
/* The finding's places in the order in which the observed run came to them; nothing if it has
 * words of its own for that, or did not come to two of them. */
void fore_report_order(const struct fore_finding *x, const struct fore_report_options *o,
                       struct fore_strbuf *out);
/* The finding's text, of at most as many lines as `o` says. */
void fore_report_brief(const struct fore_finding *x, const struct fore_report_options *o,
                       struct fore_strbuf *out);
/* A message without the numbers of goroutines, which are others in the next run. */
void fore_report_unnumbered(const char *text, struct fore_strbuf *out);
void fore_report_json(const struct fore_findings *f, const struct fore_report_options *o,
                      struct fore_strbuf *out);
void fore_report_junit(const struct fore_findings *f, const struct fore_report_options *o,
                       struct fore_strbuf *out);
void fore_report_sarif(const struct fore_findings *f, const struct fore_report_options *o,
                       struct fore_strbuf *out);
void fore_report_text(const struct fore_findings *f, const struct fore_report_options *o,
                      struct fore_strbuf *out);

#endif
