/* Analysing while events come in: a pipe, standard input. */
#ifndef FORE_CLI_LIVE_H
#define FORE_CLI_LIVE_H

#include "cli/cli.h"

/* Is it something that is read while it is being written? */
bool fore_cli_is_live(const char *path);
/* As fore_cli_analyse, but analyses that can take a stream get the events as they come and
 * say at once what they find. The others get the whole trace at the end. */
enum fore_status fore_cli_analyse_live(struct fore_cli *c, const char *path,
                                       struct fore_findings *f,
                                       struct fore_err *e) FORE_MUST_USE;
/* For fore_analysis_ctx.on_finding: runs the command of --on-finding, once; `watcher` is the
 * struct fore_cli. The second one also says what was found. */
void fore_cli_react(struct fore_analysis_ctx *ctx, const struct fore_finding *x);
void fore_cli_announce(struct fore_analysis_ctx *ctx, const struct fore_finding *x);

#endif
