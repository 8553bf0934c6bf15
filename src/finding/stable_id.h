/* Computes the id of a finding: the same in every run that shows it, on every machine, and after
 * edits elsewhere. */
#ifndef FORE_FINDING_STABLE_ID_H
#define FORE_FINDING_STABLE_ID_H

#include "finding/finding.h"

uint64_t fore_finding_stable_id(struct fore_findings *f, const struct fore_finding *x);
/* Mixes the variable into the hash: the same for all its elements, bytes and blocks, "tank@f.c:12#2[3].level+4" as
 * "tank@f.c:12.level". False: the name is not one of the program's, and valid in one run only. */
bool fore_variable_hash(uint64_t *h, const char *name);

#endif
