#include "base/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *f)
{
    (void)s, (void)kind, (void)f;
    /* an entry that cannot be removed does not stop the others from being removed */
    remove(path);
    return 0;
}

void fore_folder_remove(const char *folder)
{
    enum { MOST_OPEN = 8 };
    if (folder[0])
        nftw(folder, remove_entry, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}

static bool copy_bytes(int from, int to)
{
    char buffer[65536];
    ssize_t n;
    while ((n = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)n) != n)
            return false;
    return n == 0;
}

static bool copy_file(const char *from, const char *to, mode_t mode)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool ok = in >= 0 && out >= 0 && copy_bytes(in, out);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}

static bool copy_link(const char *from, const char *to)
{
    char target[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    return n > 0 && !symlink(target, to);
}

static const char *copy_entries(const char *from, const char *to, uint64_t *left);

static const char *copy_entry(const char *from, const char *to, uint64_t *left)
{
    struct stat s;
    if (lstat(from, &s))
        return "has a folder that cannot be read";
    if (S_ISDIR(s.st_mode))
        return copy_entries(from, to, left);
    if (S_ISLNK(s.st_mode))
        return copy_link(from, to) ? NULL : "has a link that cannot be copied";
    if (!S_ISREG(s.st_mode))
        return "has something in its folder that is no file";
    if ((uint64_t)s.st_size > *left)
        return "has large files";
    *left -= (uint64_t)s.st_size;
    return copy_file(from, to, s.st_mode & 0777) ? NULL
                                                 : "has a file that cannot be copied";
}

static const char *copy_entries(const char *from, const char *to, uint64_t *left)
{
    char a[PATH_MAX], b[PATH_MAX];
    const char *why = NULL;
    DIR *d = opendir(from);
    if (!d || mkdir(to, 0777))
        why = "has a folder that cannot be copied";
    for (struct dirent *x; !why && (x = readdir(d));) {
        if (!strcmp(x->d_name, ".") || !strcmp(x->d_name, ".."))
            continue;
        int n = snprintf(a, sizeof a, "%s/%s", from, x->d_name);
        int m = snprintf(b, sizeof b, "%s/%s", to, x->d_name);
        why = n < PATH_MAX && m < PATH_MAX ? copy_entry(a, b, left)
                                           : "has a file whose path is too long";
    }
    if (d)
        closedir(d);
    return why;
}

const char *fore_folder_copy(const char *from, const char *to, uint64_t most_bytes)
{
    return copy_entries(from, to, &most_bytes);
}
