/* Verbs that go through files share them out among the processes that `mpirun` has started. Each
 * process sends its results about a file to rank 0, which reports as if it had done all the
 * work. */
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

/* The results for one file, or for a share of it. */
struct fore_parcel {
    size_t file;
    struct fore_err err; /* status not OK: the file could not be read */
    struct fore_findings found;
    const struct fore_json *more; /* other results of the verb; in the arena of `found` */
};

/* The plug-in for the MPI that has started this process, in `a`; NULL if none has, or --no-mpi. */
enum fore_status fore_ranks_plugin(const struct fore_cli *c, struct fore_arena *a,
                                   const char **path, uint32_t *rank,
                                   struct fore_err *e) FORE_MUST_USE;
/* Joins the job, if there is one. */
enum fore_status fore_ranks_join(const struct fore_cli *c, struct fore_ranks *r,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_ranks_leave(struct fore_ranks *r);
/* Does this rank take file number i? Rank 0 takes what only it can read (-). */
bool fore_ranks_mine(const struct fore_ranks *r, const char *path, size_t i);

/* Sends a result to rank 0; `more`: a JSON value, or NULL. */
void fore_ranks_send(struct fore_ranks *r, const struct fore_parcel *p, const char *more);
/* Waits for a result; fails if it cannot be understood. Interrupts are answered by the senders,
 * too. */
enum fore_status fore_ranks_receive(struct fore_ranks *r, struct fore_parcel *p,
                                    struct fore_err *e) FORE_MUST_USE;

#endif
