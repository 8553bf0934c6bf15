#include "report/report.h"

#include <string.h>

const struct fore_reporter fore_reporters[] = {
    {"text", "for people, in a terminal", fore_report_text},
    {"json", "the findings contract, foresee.findings/1", fore_report_json},
    {"sarif", "SARIF 2.1.0, for code scanning", fore_report_sarif},
    {"junit", "JUnit XML, for CI", fore_report_junit},
    {NULL, NULL, NULL},
};

const struct fore_reporter *fore_reporter_named(const char *name)
{
    for (const struct fore_reporter *r = fore_reporters; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}
