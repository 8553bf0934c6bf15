#include "node/home.h"

#include "base/folder.h"
#include "base/mem.h"
#include "node/process.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fore_status fore_home_make(struct fore_process *p, struct fore_err *e)
{
    const char *below = getenv(FORE_NODES_FOLDER);
    char path[FORE_HOME_PATH], real[PATH_MAX];
    snprintf(path, sizeof path, "%.60s/node-XXXXXX", below ? below : "/tmp");
    if (!mkdtemp(path))
        return fore_fail(e, FORE_IO, "cannot make a folder for a node: %s",
                         strerror(errno));
    if (realpath(path, real) && strlen(real) < sizeof path - 16)
        snprintf(path, sizeof path, "%.79s", real); /* as nodes see it */
    p->home = fore_calloc(1, sizeof *p->home);
    *p->home = (struct fore_home){.users = 1, .busy = true};
    memcpy(p->home->path, path, sizeof path);
    memcpy(p->folder, path, sizeof path);
    return FORE_OK;
}

void fore_home_spare(const struct fore_home *h, char path[FORE_HOME_PATH])
{
    static _Atomic unsigned serial;
    snprintf(path, FORE_HOME_PATH, "%.80s.%u", h->path, atomic_fetch_add(&serial, 1));
}

/* A process that has a home of its own stays in it. */
bool fore_home_park(struct fore_process *p)
{
    char spare[FORE_HOME_PATH];
    p->home->busy = false;
    if (p->home->users == 1)
        return true;
    fore_home_spare(p->home, spare);
    if (rename(p->folder, spare))
        return false;
    memcpy(p->folder, spare, sizeof spare);
    return true;
}

bool fore_home_return(struct fore_process *p)
{
    p->home->busy = true;
    if (!strcmp(p->folder, p->home->path))
        return true;
    if (rename(p->folder, p->home->path))
        return false;
    memcpy(p->folder, p->home->path, sizeof p->folder);
    return true;
}

void fore_home_leave(struct fore_process *p)
{
    if (!p->home)
        return;
    if (!strcmp(p->folder, p->home->path))
        p->home->busy = false;
    fore_folder_remove(p->folder);
    p->folder[0] = 0;
    if (!--p->home->users)
        fore_free(p->home);
    p->home = NULL;
}
