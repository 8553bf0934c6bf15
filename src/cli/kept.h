/* Keeps programs with their findings, in .foresee/programs, so that `foresee replay` runs the
 * same ones: go test and go run remove theirs. Only those of the last analysis are kept, and
 * only a few. */
#ifndef FORE_CLI_KEPT_H
#define FORE_CLI_KEPT_H

#include "cli/cli.h"

/* How a program was started. */
struct fore_started {
    const char *directory; /* NULL: the current one */
    char **argv;
    /* Threads with paths at or below `from` in the recorded run have paths below `to` in this
     * run, in which only one of several tests is run. NULL: all paths stay. */
    const char *from, *to;
};

/* Forgets all of them. */
void fore_kept_clear(void);
/* Keeps the file; gives its path, or NULL if there is no room or it cannot be kept. */
const char *fore_kept_add(struct fore_arena *a, const char *path, const char *name);
/* Makes another name for the file, or a copy. */
bool fore_kept_copy(const char *from, const char *to);
/* Remembers, and recalls, how the program of a finding is started; false: it is not known. */
void fore_kept_remember(uint64_t id, const struct fore_started *s);
bool fore_kept_recall(uint64_t id, struct fore_arena *a, struct fore_started *s);

/* Writes, and reads, a file with the directory and the arguments, each ended by 0. */
bool fore_started_write(const char *path, const struct fore_started *s);
bool fore_started_read(const char *path, struct fore_arena *a, struct fore_started *s);

#endif
