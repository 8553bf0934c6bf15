/* How long `foresee go` analyses each process unless --max-time says so: as long as the process itself ran, or half a
 * second. Runs that confirm have what the analyses left. */
#ifndef FORE_CLI_GO_TIME_H
#define FORE_CLI_GO_TIME_H

#include "cli/cli.h"
#include "finding/finding.h"

struct fore_go_time {
    uint64_t allowed_ns; /* processor time for analyses and for runs that confirm */
    size_t bounded;      /* number of analyses that came to that limit */
    const char *bound;   /* the first of them, in words */
};

/* The processor time for the analysis of a process that took so much itself; 0: no limit of its own. */
uint64_t fore_go_time_begin(struct fore_go_time *t, const struct fore_cli *c,
                            uint64_t process_ns);
/* Gives the next process a time of its own; notes that the time of this one ran out, if it did. */
void fore_go_time_end(struct fore_go_time *t, struct fore_cli *c, struct fore_findings *f,
                      const char *name, uint64_t bound);
/* Replaces what the analyses say themselves, because they do not know whose time limit it was. */
void fore_go_time_tell(const struct fore_go_time *t, struct fore_findings *f);
/* Seconds left for runs that confirm, at least one; 0: no limit of their own. */
double fore_go_time_left(const struct fore_go_time *t, const struct fore_cli *c);

#endif
