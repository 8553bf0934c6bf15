/* Turns a bug into a finding, with everything that a report says about it. */
#ifndef FORE_EXPLORE_BUG_FINDING_H
#define FORE_EXPLORE_BUG_FINDING_H

#include "actor/find.h"
#include "explore/explorer.h"
#include "finding/finding.h"

/* Adds the finding to `f`. The explorer's world must be at the end of the bug's schedule. */
void fore_tell_bug(struct fore_explorer *s, enum fore_bug kind,
                   const struct fore_bug_report *bug, bool shortest,
                   const struct fore_found *subject, struct fore_findings *f);
/* Adds a run that breaks a property. The explorer's world must be at the end of the lasso's
 * schedule. */
void fore_tell_lasso(struct fore_explorer *s, const struct fore_lasso *lasso,
                     const struct fore_found *subject, struct fore_findings *f);

#endif
