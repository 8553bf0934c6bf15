/* The number of a finding: the same in every run that shows it, on every machine, after edits elsewhere. */
#ifndef FORE_FINDING_STABLE_ID_H
#define FORE_FINDING_STABLE_ID_H

#include "finding/finding.h"

uint64_t fore_finding_stable_id(struct fore_findings *f, const struct fore_finding *x);

#endif
