/* A schedule told to people: its steps, a message sequence diagram, the history with its
 * intervals, and the reason why no order fits. All describe the path on which the explorer's world is. */
#ifndef FORE_EXPLORE_STORY_H
#define FORE_EXPLORE_STORY_H

#include "base/strbuf.h"
#include "explore/explorer.h"

/* One step in words, without its number: "2 receives Read(client=c2) from c2; sends …". */
void fore_story_step(const struct fore_explorer *s, uint32_t step,
                     struct fore_strbuf *out);
/* A column per client and actor, an arrow per message that was received or answered. */
void fore_story_diagram(const struct fore_explorer *s, struct fore_strbuf *out);
/* A line per operation: when it was invoked, when it was answered, what with. */
void fore_story_history(const struct fore_explorer *s, struct fore_strbuf *out);
/* Why the last answer fits no order. */
void fore_story_reason(struct fore_explorer *s, struct fore_strbuf *out);
/* The operations without an answer, as text: "read() of c3". */
void fore_story_open(const struct fore_explorer *s, struct fore_strbuf *out);

#endif
