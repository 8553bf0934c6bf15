/* A file in which the processes of one exploration (an MPI job) tell each other what they have
 * found out: records, which are only ever added. A process that meets an unknown name reads what
 * others have added meanwhile. */
#ifndef FORE_NODE_LOG_H
#define FORE_NODE_LOG_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>

struct fore_log {
    int fd;        /* -1: nothing is shared */
    uint64_t seen; /* bytes that were read */
};

enum fore_status fore_log_open(struct fore_log *l, const char *path,
                               struct fore_err *e) FORE_MUST_USE;
void fore_log_close(struct fore_log *l);

/* A record is built and taken apart piece by piece. */
void fore_log_put_number(struct fore_strbuf *record, uint64_t n);
void fore_log_put_text(struct fore_strbuf *record, const char *s, size_t n);

struct fore_log_record {
    const char *at, *end;
};
uint64_t fore_log_get_number(struct fore_log_record *r);
const char *fore_log_get_text(struct fore_log_record *r, size_t *n);

/* Adds it for the others to see. */
void fore_log_add(struct fore_log *l, const struct fore_strbuf *record);
/* Calls `take` with each record that was added since the last call, including one's own. */
void fore_log_read(struct fore_log *l, void (*take)(struct fore_log_record r, void *user),
                   void *user);

#endif
