/* Writes findings as the JSON contract has them; finding/load.h reads them back. */
#ifndef FORE_FINDING_SAVE_H
#define FORE_FINDING_SAVE_H

#include "base/jsonw.h"
#include "finding/finding.h"

/* One finding as a member of an open object, or of an open array if `key` is NULL. `drawn_only`:
 * of long witnesses, only the steps that pictures show. */
void fore_finding_save(struct fore_jsonw *w, const char *key,
                       const struct fore_finding *x, bool drawn_only);
/* Writes an error that another process will read. */
void fore_err_save(struct fore_jsonw *w, const char *key, const struct fore_err *e);
/* The member "completeness" of an open object. */
void fore_completeness_save(struct fore_jsonw *w, const struct fore_completeness *c);

#endif
