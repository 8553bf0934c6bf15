/* A whole file as one piece of memory: mapped if it can be, read if it cannot (pipes). */
#ifndef FORE_BASE_FILE_H
#define FORE_BASE_FILE_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct fore_file {
    const char *at; /* never NULL; not NUL-terminated */
    size_t n;
    void *mapped, *heap;
};

/* "-" is standard input. */
enum fore_status fore_file_open(struct fore_file *f, const char *path,
                                struct fore_err *e) FORE_MUST_USE;
void fore_file_release(struct fore_file *f);
/* Makes the file, or what was in it, this text. */
enum fore_status fore_file_write(const char *path, const char *text, size_t n,
                                 struct fore_err *e);
/* The same, written beside and renamed: nobody ever sees half of it. */
enum fore_status fore_file_replace(const char *path, const char *text, size_t n,
                                   struct fore_err *e);
/* A new file in `folder` that nobody else can open and that is gone when it is closed; -1 and
 * errno if there can be none. */
int fore_file_nameless(const char *folder);
/* The path of a file of this name in the current folder, or in the nearest one above it up to the repository's (which has
 * .git); false: there is none. */
bool fore_file_above(const char *name, char path[PATH_MAX]);

#endif
