/* Carries messages between the workers of one search, wherever they are: threads of a process,
 * processes of an MPI job, or ranks that a simulator plays. Messages are bytes; they may come in
 * any order, but none is lost unless its rank is. A search is written once, against this. */
#ifndef FORE_EXPLORE_TRANSPORT_H
#define FORE_EXPLORE_TRANSPORT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct fore_transport {
    uint32_t rank, ranks;
    /* Copies the bytes and does not wait. */
    void (*send)(struct fore_transport *t, uint32_t to, const char *at, size_t n);
    /* Puts a message that has arrived into `into`; false if there is none. */
    bool (*receive)(struct fore_transport *t, struct fore_strbuf *into);
    /* Waits for a message, for a few milliseconds at most: the rank has nothing to do. */
    void (*idle)(struct fore_transport *t);
    /* The number of a rank that does not answer any more, or -1. */
    int64_t (*lost)(struct fore_transport *t);
};

/* Mailboxes in shared memory, one transport per thread. */
struct fore_mailboxes;
struct fore_mailboxes *fore_mailboxes_new(uint32_t ranks);
void fore_mailboxes_free(struct fore_mailboxes *m);
struct fore_transport *fore_mailboxes_rank(struct fore_mailboxes *m, uint32_t rank);

#endif
