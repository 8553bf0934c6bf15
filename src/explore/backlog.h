/* A queue of records, written once and then read once, from memory and, beyond a limit, from
 * disk: the states of one distance from the start. */
#ifndef FORE_EXPLORE_BACKLOG_H
#define FORE_EXPLORE_BACKLOG_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fore_chunk {
    char *at; /* NULL: on disk */
    size_t n;
    off_t offset;
};

struct fore_backlog {
    FORE_VEC(struct fore_chunk) chunks;
    uint64_t count;    /* records written */
    size_t in_memory;  /* bytes */
    size_t most;       /* of them; 0: any number */
    size_t chunk, pos; /* where the next record is read */
    char *loaded;      /* a chunk that was read back, or NULL */
    int fd;            /* -1: none yet */
    off_t end;
    uint64_t spilled; /* bytes */
    const char *folder;
    struct fore_err *err;
    bool failed;
};

void fore_backlog_init(struct fore_backlog *q, size_t bytes, const char *folder,
                       struct fore_err *err);
void fore_backlog_release(struct fore_backlog *q);
void fore_backlog_clear(struct fore_backlog *q); /* to be written again */
/* Gives room for a record of at most `most` bytes; fore_backlog_commit then says how long it is. */
char *fore_backlog_room(struct fore_backlog *q, size_t most);
void fore_backlog_commit(struct fore_backlog *q, size_t n);
/* The next record, good until the next call; NULL at the end. No record may be written
 * meanwhile. */
const char *fore_backlog_next(struct fore_backlog *q, size_t *n);
/* Calls `f` with every record that was not read yet. */
void fore_backlog_each(struct fore_backlog *q,
                       void (*f)(void *user, const char *at, size_t n), void *user);

#endif
