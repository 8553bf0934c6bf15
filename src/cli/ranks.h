/* Verbs that go through files share them out among the processes that `mpirun` has started. Each
 * sends what it finds out about a file to rank 0, which reports as if it had been alone. */
#ifndef FORE_CLI_RANKS_H
#define FORE_CLI_RANKS_H

#include "base/json.h"
#include "cli/cli.h"
#include "explore/mpi.h"

#define FORE_RANKS_OPTION                                                                \
    {                                                                                    \
        "no-mpi", 0, NULL,                                                               \
            "do not share the work with the other processes of an MPI job"               \
    }

struct fore_ranks {
    uint32_t rank, ranks; /* 0 of 1: alone */
    struct fore_transport *transport;
    const struct fore_mpi_plugin *plugin;
};

/* What is known of one file, or of a share of it. */
struct fore_parcel {
    size_t file;
    struct fore_err err; /* its status is not OK: it could not be read */
    struct fore_findings found;
    const struct fore_json
        *more; /* what else the verb has to say; in the arena of `found` */
};

/* The plug-in for the MPI that has started this process, in `a`; NULL if none has, or --no-mpi. */
enum fore_status fore_ranks_plugin(const struct fore_cli *c, struct fore_arena *a,
                                   const char **path, uint32_t *rank,
                                   struct fore_err *e) FORE_MUST_USE;
/* Joins the job, if there is one. */
enum fore_status fore_ranks_join(const struct fore_cli *c, struct fore_ranks *r,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_ranks_leave(struct fore_ranks *r);
/* Is it this rank that takes file number i? What only rank 0 can read (-) is rank 0's. */
bool fore_ranks_mine(const struct fore_ranks *r, const char *path, size_t i);

/* To rank 0; `more`: a JSON value, or NULL. */
void fore_ranks_send(struct fore_ranks *r, const struct fore_parcel *p, const char *more);
/* Waits for one; fails if it cannot be understood. Interrupts are answered by the senders, too. */
enum fore_status fore_ranks_receive(struct fore_ranks *r, struct fore_parcel *p,
                                    struct fore_err *e) FORE_MUST_USE;

#endif
