#include "explore/mpi.h"

#include "base/program.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/* A variable with the rank, and whose it is. Several MPIs set the last ones. */
static const struct {
    const char *rank, *which;
} signs[] = {
    {"OMPI_COMM_WORLD_RANK", "openmpi"},
    {"MPI_LOCALRANKID", "mpich"},
    {"PMI_RANK", "mpich"},
};

const char *fore_mpi_started_by(uint32_t *rank)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *value = getenv(signs[i].rank);
        if (!value)
            continue;
        const char *own = getenv("PMI_RANK");
        *rank = (uint32_t)strtoul(i && own ? own : value, NULL, 10);
        return signs[i].which;
    }
    return NULL;
}

const char *fore_mpi_plugin_path(struct fore_arena *a, const char *which)
{
    char folder[4096];
    fore_program_folder(folder, sizeof folder);
    const char *const places[] = {"", "/../lib/foresee"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path =
            fore_arena_printf(a, "%s%s/foresee-%s.so", folder, places[i], which);
        if (!access(path, R_OK))
            return path;
    }
    return NULL;
}

enum fore_status fore_mpi_open(const char *path, const struct fore_mpi_plugin **plugin,
                               struct fore_transport **t, struct fore_err *e)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        return fore_fail(e, FORE_IO, "cannot load %s: %s", path, dlerror());
    *plugin = dlsym(handle, "fore_mpi_plugin");
    if (!*plugin || (*plugin)->size != sizeof **plugin)
        return fore_fail(e, FORE_MEANING, "%s was built for another foresee", path);
    *t = (*plugin)->open();
    return *t ? FORE_OK : fore_fail(e, FORE_IO, "%s: MPI does not start", path);
}
