/* The command that runs one test of a Go package alone. */
#ifndef FORE_CLI_GO_ALONE_H
#define FORE_CLI_GO_ALONE_H

#include "finding/finding.h"

/* Gives the findings from the `from`-th on, which are about a process that was started in `folder`,
 * their package and the command that runs their test. */
void fore_go_alone(struct fore_findings *f, size_t from, const char *folder,
                   const char *package);

/* The pattern that makes -run choose that test: ^TestPool$/^empty$. */
void fore_go_alone_pattern(const char *test, struct fore_strbuf *out);

#endif
