/* foresee.ignore: functions, packages, files and variables whose findings nobody wants to see. */
#ifndef FORE_CLI_IGNORE_H
#define FORE_CLI_IGNORE_H

#include "finding/finding.h"

/* Takes out the findings that foresee.ignore names, and remarks how many those were. The file is the nearest one, from
 * the current folder upwards to the repository's root. Its lines are "function PATTERN", "package PATTERN", "file PATTERN" and
 * "variable PATTERN"; * stands for anything. A race and a lock cycle are there where any of their places is, or a caller
 * of it; other findings where their first place is. The first function of the thread counts, too. */
enum fore_status fore_ignore_apply(struct fore_findings *f,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
