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
/* Replaces the content of the file by this text, or creates it. */
enum fore_status fore_file_write(const char *path, const char *text, size_t n,
                                 struct fore_err *e);
/* The same by writing another file and renaming it: no reader ever sees half of it. */
enum fore_status fore_file_replace(const char *path, const char *text, size_t n,
                                   struct fore_err *e);
/* Copies `from` to `to`, holes included: little is read of a large file of which little was
 * written. */
enum fore_status fore_file_copy(const char *from, const char *to, struct fore_err *e);
/* A new file in `folder` that no other process can open and that disappears when it is closed;
 * -1 with errno if that fails. */
int fore_file_nameless(const char *folder);
/* Finds a file of this name in the current folder or the nearest one above it, up to the
 * repository's root (which has .git). Gives its path; false: there is none. */
bool fore_file_above(const char *name, char path[PATH_MAX]);

#endif
