/* foresee.ignore: functions and packages whose findings nobody wants to see. */
#ifndef FORE_CLI_IGNORE_H
#define FORE_CLI_IGNORE_H

#include "finding/finding.h"

/* Takes the findings out that begin in a function that foresee.ignore names: the nearest such file, from the current
 * folder upwards to the repository's root. Lines are "function PATTERN" or "package PATTERN"; * stands for anything. A
 * finding begins where its first place is, or its goroutine. Returns how many were taken out. */
enum fore_status fore_ignore_apply(struct fore_findings *f, size_t *ignored,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
