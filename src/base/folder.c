#include "base/folder.h"

#include <ftw.h>
#include <stdio.h>

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *f)
{
    (void)s, (void)kind, (void)f;
    remove(path); /* what cannot be removed does not keep the rest */
    return 0;
}

void fore_folder_remove(const char *folder)
{
    enum { MOST_OPEN = 8 };
    if (folder[0])
        nftw(folder, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}
