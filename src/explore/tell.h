/* A bug as the JSON object of FORE_FRAME_BUG: everything that a report says about it. */
#ifndef FORE_EXPLORE_TELL_H
#define FORE_EXPLORE_TELL_H

#include "actor/find.h"
#include "base/strbuf.h"
#include "explore/explorer.h"

/* The explorer's world is at the end of the bug's schedule. */
void fore_tell_bug(struct fore_explorer *s, enum fore_bug kind,
                   const struct fore_bug_report *bug, bool shortest,
                   const struct fore_found *subject, struct fore_strbuf *out);

#endif
