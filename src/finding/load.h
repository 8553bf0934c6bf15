/* Reads findings back from the JSON contract. */
#ifndef FORE_FINDING_LOAD_H
#define FORE_FINDING_LOAD_H

#include "finding/finding.h"

/* Findings of rules that this version does not know are left out. */
enum fore_status fore_findings_load(struct fore_findings *f, const char *file,
                                    const char *text, size_t n,
                                    struct fore_err *e) FORE_MUST_USE;

#endif
