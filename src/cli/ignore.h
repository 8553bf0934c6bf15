/* foresee.ignore: functions, packages, files and variables whose findings the user does not want
 * to see. */
#ifndef FORE_CLI_IGNORE_H
#define FORE_CLI_IGNORE_H

#include "finding/finding.h"

/* Takes out the findings that foresee.ignore names, and adds a remark with their number. The
 * file is the nearest one, from the current folder upwards to the repository's root. Its lines
 * are "function PATTERN", "package PATTERN", "file PATTERN" and "variable PATTERN"; * stands for
 * anything. A race or a lock cycle matches by any of its places, or by a caller of one; another
 * finding by its first place. The first function of the thread counts, too. */
enum fore_status fore_ignore_apply(struct fore_findings *f,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
