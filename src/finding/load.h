/* Reads findings back from the JSON contract. */
#ifndef FORE_FINDING_LOAD_H
#define FORE_FINDING_LOAD_H

#include "base/json.h"
#include "finding/finding.h"

/* Findings of rules that this version does not know are left out. */
enum fore_status fore_findings_load(struct fore_findings *f, const char *file,
                                    const char *text, size_t n,
                                    struct fore_err *e) FORE_MUST_USE;
/* The same for a document that was already parsed, into the arena of `f`. */
enum fore_status fore_findings_load_json(struct fore_findings *f, const char *file,
                                         const struct fore_json *doc,
                                         struct fore_err *e) FORE_MUST_USE;
/* Reads an error that fore_err_save wrote: fills `e` and returns its status. */
enum fore_status fore_err_load(const struct fore_json *v, struct fore_err *e);
/* Adds one finding, an object of the contract whose texts live in the arena of `f`. */
enum fore_status fore_finding_load(struct fore_findings *f, const char *file,
                                   const struct fore_json *v,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
