/* Describes a schedule for people: its steps, a message sequence diagram, the history with its
 * intervals, and the reason why no order fits. All of it is about the present path of the
 * explorer's world. */
#ifndef FORE_EXPLORE_STORY_H
#define FORE_EXPLORE_STORY_H

#include "base/strbuf.h"
#include "explore/explorer.h"

/* The columns of a diagram: the clients that take part, then actors in the order of their slots. */
struct fore_columns {
    FORE_VEC(int64_t) ids;
};

void fore_columns_of(struct fore_columns *c, const struct fore_explorer *s);
size_t fore_column_of(const struct fore_columns *c, int64_t id);
/* The replies of step number `step` (from 1) end before this one. */
size_t fore_story_reply_end(const struct fore_actors *w, uint32_t step);
/* read() = 5; write(5) */
void fore_story_reply(const struct fore_explorer *s, const struct fore_reply *r,
                      struct fore_strbuf *out);

/* One step in words, without its number: "2 receives Read(client=c2) from c2; sends …". */
void fore_story_step(const struct fore_explorer *s, uint32_t step,
                     struct fore_strbuf *out);
/* Writes a column per client and actor, and an arrow per message that was received or answered. */
void fore_story_diagram(const struct fore_explorer *s, struct fore_strbuf *out);
/* Writes a line per operation: when it was invoked and answered, and with what. */
void fore_story_history(const struct fore_explorer *s, struct fore_strbuf *out);
/* Writes why the last answer fits no order. */
void fore_story_reason(struct fore_explorer *s, struct fore_strbuf *out);
/* Lists the operations without an answer: "read() of c3". */
void fore_story_open(const struct fore_explorer *s, struct fore_strbuf *out);

#endif
