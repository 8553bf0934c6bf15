#include "base/path.h"

#include <limits.h>
#include <unistd.h>

const char *fore_path_here(const char *path)
{
    char here[PATH_MAX];
    const char *below = getcwd(here, sizeof here) ? fore_path_below(path, here) : NULL;
    return below ? below : path;
}
