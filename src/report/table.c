#include "report/export.h"
#include "report/report.h"

#include <string.h>

const struct fore_reporter fore_reporters[] = {
    {"text", "for people, in a terminal", fore_report_text},
    {"json", "the findings contract, foresee.findings/1", fore_report_json},
    {"sarif", "SARIF 2.1.0, for code scanning", fore_report_sarif},
    {"junit", "JUnit XML, for CI", fore_report_junit},
    {"github", "annotations, for GitHub Actions", fore_report_github},
    {"test2json", "output events of go test -json", fore_report_test2json},
    {NULL, NULL, NULL},
};

const struct fore_reporter *fore_reporter_named(const char *name)
{
    for (const struct fore_reporter *r = fore_reporters; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static const struct fore_exporter exporters[] = {
    /* ends with a row without name */
    {"dot", "a graph, as Graphviz text", fore_export_dot, NULL},
    {"svg", "a graph, as a picture", fore_export_svg, NULL},
    {"csv", "the events, one line each", NULL, fore_export_csv},
    {"perfetto", "the events, for Perfetto and chrome://tracing", NULL,
     fore_export_perfetto},
    {"shiviz", "the events with their clocks, for ShiViz", NULL, fore_export_shiviz},
    {NULL, NULL, NULL, NULL},
};

const struct fore_exporter *fore_exporter_named(const char *name)
{
    for (const struct fore_exporter *x = exporters; x->name; x++)
        if (strcmp(x->name, name) == 0)
            return x;
    return NULL;
}
