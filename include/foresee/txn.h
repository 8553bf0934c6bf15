/* Records the transactions that a program runs against a database, so that `foresee txn` can
 * judge whether the database isolated them as it promised.
 *
 *     foresee_txns *log = foresee_txns_open("history.jsonl");
 *     ...in any thread, and in any process that opened the same file:
 *     foresee_txn *t = foresee_txn_begin(log);      before BEGIN is sent
 *     foresee_txn_read_int(t, "x", 7);              what a read answered
 *     foresee_txn_write(t, "y", 8);                 what a write wrote
 *     foresee_txn_append(t, "list", 9);             what was put at the end of a list
 *     foresee_txn_read_list(t, "list", items, 3);
 *     foresee_txn_commit(t);                        after COMMIT has answered
 *
 * and then `foresee txn history.jsonl --level snapshot-isolation`. Every element that is
 * appended to a key must be another one; what is written to registers should be. A key is
 * either written or appended to.
 *
 * What a transaction did is written when it ends, with one system call, behind what others
 * wrote: the order of the lines is real time. If the program may be killed while a commit is
 * under way, call foresee_txn_prepare before it: then it is known what the transaction wrote,
 * even if not whether it committed.
 *
 * Link with libforesee-history. Nothing here aborts the program; if memory or the disk runs
 * out, foresee_txns_close says so. */
#ifndef FORESEE_TXN_H
#define FORESEE_TXN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foresee_txns foresee_txns; /* a file of transactions */
typedef struct foresee_txn foresee_txn;   /* one of them; used by one thread at a time */

/* Appends to the file, which is made if there is none. NULL if it cannot be written (errno
 * says why); everything below takes NULL and then does nothing. */
foresee_txns *foresee_txns_open(const char *path);
/* 0 if everything was written, else an errno. */
int foresee_txns_close(foresee_txns *log);

foresee_txn *foresee_txn_begin(foresee_txns *log);
/* A register that holds nothing is read with foresee_txn_read_nil. */
void foresee_txn_read_int(foresee_txn *t, const char *key, int64_t value);
void foresee_txn_read_nil(foresee_txn *t, const char *key);
void foresee_txn_read_list(foresee_txn *t, const char *key, const int64_t *items,
                           size_t n);
void foresee_txn_write(foresee_txn *t, const char *key, int64_t value);
void foresee_txn_append(foresee_txn *t, const char *key, int64_t value);

/* Optional, before the commit: see above. */
void foresee_txn_prepare(foresee_txn *t);
/* One of these ends it; `t` must not be used afterwards. */
void foresee_txn_commit(foresee_txn *t);
void foresee_txn_abort(foresee_txn *t);   /* it certainly did not happen */
void foresee_txn_unknown(foresee_txn *t); /* nobody knows: the connection broke, say */

#ifdef __cplusplus
}
#endif

#endif
