/* Shared by the parts of a session's child. */
#ifndef FORE_EXPLORE_CHILD_STATE_H
#define FORE_EXPLORE_CHILD_STATE_H

#include "explore/child.h"
#include "explore/explorer.h"
#include "explore/wire.h"

struct child {
    const struct fore_session *x;
    struct fore_shared *shared;
    int fd;
    struct fore_arena arena;
    struct fore_system system;
    struct fore_harness harness;
    struct fore_explore_options options;
    struct fore_bug_report bugs[FORE_BUGS]; /* the shortest bugs over all schedulers */
    uint64_t progress_ns;
};

void fore_child_send(struct child *c, enum fore_frame kind,
                     const struct fore_strbuf *json);
void fore_child_send_row(struct child *c, const struct fore_explorer *s);
enum fore_status fore_child_open(struct child *c, struct fore_explorer *s,
                                 struct fore_err *e) FORE_MUST_USE;
/* Sets the options for this scheduler. */
void fore_child_choose(struct child *c, const struct fore_scheduler *rule);
/* Explores with one scheduler. */
enum fore_status fore_child_explore(struct child *c, const struct fore_scheduler *rule,
                                    struct fore_explorer *s,
                                    struct fore_err *e) FORE_MUST_USE;
/* Reports the row, keeps the bugs, and releases the explorer. */
enum fore_status fore_child_tell(struct child *c, struct fore_explorer *s,
                                 struct fore_err *e) FORE_MUST_USE;

/* In child_script.c: follows a script step by step and reports what happens; or only follows it. */
enum fore_status fore_child_follow(struct child *c, struct fore_err *e) FORE_MUST_USE;
enum fore_status fore_child_take_over(struct child *c, struct fore_explorer *s,
                                      struct fore_err *e) FORE_MUST_USE;
/* Called while a node takes a step: its output belongs to that step. `user`: the explorer. */
void fore_child_hear(const char *text, void *user);

/* In child_job.c: runs all schedulers, by all ranks of a job. */
enum fore_status fore_child_explore_together(struct child *c,
                                             struct fore_err *e) FORE_MUST_USE;

#endif
