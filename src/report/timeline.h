/* A timeline as text, for terminals. */
#ifndef FORE_REPORT_TIMELINE_H
#define FORE_REPORT_TIMELINE_H

#include "finding/graph.h"

void fore_report_timeline(const struct fore_timeline *t, struct fore_strbuf *out);

#endif
