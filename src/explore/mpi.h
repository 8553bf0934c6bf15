/* Lets processes that `mpirun` has started explore together. Only a plug-in uses MPI, one for
 * each MPI that foresee was built with. */
#ifndef FORE_EXPLORE_MPI_H
#define FORE_EXPLORE_MPI_H

#include "base/arena.h"
#include "base/err.h"
#include "explore/transport.h"

/* What the plug-in exports. */
struct fore_mpi_plugin {
    uint32_t size;
    struct fore_transport *(*open)(void);
    void (*close)(struct fore_transport *t);
};

extern const struct fore_mpi_plugin fore_mpi_plugin;

/* The MPI that has started this process ("openmpi", "mpich"), or NULL; and its rank, as far as
 * the environment says. */
const char *fore_mpi_started_by(uint32_t *rank);
/* The plug-in's path, beside the program or in lib/foresee; NULL if it was not built. */
const char *fore_mpi_plugin_path(struct fore_arena *a, const char *which);
/* Loads it and joins the job. */
enum fore_status fore_mpi_open(const char *path, const struct fore_mpi_plugin **plugin,
                               struct fore_transport **t,
                               struct fore_err *e) FORE_MUST_USE;

#endif
