/* The HTML report: one self-contained file. */
#ifndef FORE_REPORT_HTML_H
#define FORE_REPORT_HTML_H

#include "report/report.h"
#include "trace/trace.h"

/* `diff`, if not NULL, is what `foresee diff` says of the two traces, as JSON. */
enum fore_status fore_report_html(const struct fore_findings *f,
                                  const struct fore_trace *const *traces, size_t n,
                                  const char *diff, struct fore_strbuf *out,
                                  struct fore_err *e) FORE_MUST_USE;

#endif
