/* Explorations on the command line: the paper's table as text and as JSON, and findings. */
#ifndef FORE_CLI_EXPLORE_H
#define FORE_CLI_EXPLORE_H

#include "cli/cli.h"
#include "explore/session.h"

/* Metrics down, schedulers across, as the paper's tables have it; one remark per line. */
void fore_explore_remarks(const struct fore_session *x,
                          const struct fore_session_result *r, struct fore_findings *f);
/* stats.explore: {"table": […]} */
void fore_explore_stats(const struct fore_session *x, const struct fore_session_result *r,
                        struct fore_findings *f);
/* Moves the findings to `f`, with the limits that were reached. */
void fore_explore_findings(struct fore_session_result *r, struct fore_findings *f);
/* Prints what a script led to; returns the exit status, which says whether that is a finding. */
int fore_explore_told(struct fore_cli *c, const struct fore_session_result *r,
                      struct fore_err *e);
/* Runs a witness of the explorer again, step by step; false if it is no such witness. */
int fore_explore_replay(struct fore_cli *c, const char *name, const char *trace,
                        struct fore_err *e);

#endif
