/* Traces and graphs for other tools. An export is one file and one row of the table. */
#ifndef FORE_REPORT_EXPORT_H
#define FORE_REPORT_EXPORT_H

#include "base/strbuf.h"
#include "finding/finding.h"
#include "finding/graph.h"
#include "trace/trace.h"

struct fore_exporter {
    const char *name, *summary;
    /* One of the two. Findings mark alternatives; there may be none. */
    void (*graph)(const struct fore_graph *g, struct fore_strbuf *out);
    void (*trace)(const struct fore_trace *t, const struct fore_findings *f,
                  struct fore_strbuf *out);
};

const struct fore_exporter *fore_exporter_named(const char *name); /* or NULL */

/* For every event, 1 + the position of the event that it communicates with and that comes before
 * it causally (a receive's send, a wait's signal, a join's end), or 0. The caller frees it. */
uint32_t *fore_trace_partners(const struct fore_trace *t);

void fore_export_csv(const struct fore_trace *t, const struct fore_findings *f,
                     struct fore_strbuf *out);
void fore_export_dot(const struct fore_graph *g, struct fore_strbuf *out);
void fore_export_perfetto(const struct fore_trace *t, const struct fore_findings *f,
                          struct fore_strbuf *out);
void fore_export_shiviz(const struct fore_trace *t, const struct fore_findings *f,
                        struct fore_strbuf *out);
void fore_export_svg(const struct fore_graph *g, struct fore_strbuf *out);

#endif
