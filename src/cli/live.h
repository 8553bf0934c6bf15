/* Analyses while events come in: from a pipe, standard input, or a running program. */
#ifndef FORE_CLI_LIVE_H
#define FORE_CLI_LIVE_H

#include "cli/cli.h"
#include "ring/merge.h"

/* Is it a source that is read while it is being written? */
bool fore_cli_is_live(const char *path);

/* Analyses that can take a stream get the events as they come and say at once what they find.
 * The others get the whole trace at the end. */
struct fore_live;
/* `to_the_end`: the source must be read to its end, even if no analysis wants more. NULL on
 * failure. */
struct fore_live *fore_live_open(struct fore_cli *c, const char *name, bool to_the_end,
                                 struct fore_err *e);
/* Names the merger from which the events come: if there are too many to keep, they are analysed
 * part by part. */
void fore_live_source(struct fore_live *l, struct fore_merge *m);
/* Was the run analysed in parts? Then no kept trace is a beginning of it. */
bool fore_live_in_parts(const struct fore_live *l);
struct fore_sink *fore_live_sink(struct fore_live *l, struct fore_tables **tables);
/* After the source has ended: gives the findings, as from a whole trace. */
enum fore_status fore_live_finish(struct fore_live *l, struct fore_findings *f,
                                  struct fore_err *e) FORE_MUST_USE;
/* Makes it only announce findings, which another analysis reports in full: nothing is kept for
 * other analyses. */
void fore_live_announces(struct fore_live *l);
void fore_live_free(struct fore_live *l); /* NULL is fine */

/* Like fore_cli_analyse, for a file that is being written. */
enum fore_status fore_cli_analyse_live(struct fore_cli *c, const char *path,
                                       struct fore_findings *f,
                                       struct fore_err *e) FORE_MUST_USE;
/* For fore_analysis_ctx.on_finding: runs the command of --on-finding, once; `watcher` is the
 * struct fore_cli. */
void fore_cli_react(struct fore_analysis_ctx *ctx, const struct fore_finding *x);

#endif
