/* Reads histories of transactions as Jepsen's txn workloads write them, in EDN or JSON, one
 * record at a time: memory grows with the transactions, not with the file. */
#ifndef FORE_HISTORY_TXN_READ_H
#define FORE_HISTORY_TXN_READ_H

#include "base/budget.h"
#include "history/txn/txns.h"

/* Hands over up to `room` bytes and returns how many; 0 at the end, negative on failure. */
struct fore_byte_source {
    long (*read)(struct fore_byte_source *s, char *into, size_t room);
};

/* What is understood of a record's value:
 *   [[:append k v] [:r k [1 2]] ...]   list-append     [[:w k v] [:r k v] ...]   registers
 *   [i [[:w k v] ...]]                 the same, under an independent key i
 *   {k v ...} of a read or write       registers, or accounts if there are transfers
 *   [k [a b]] of an insert             "at most one of the two rows", Adya's test for G2
 * On failure `h` is released. If the budget ends before the file does (`budget->spent`), `h`
 * has what was read until then. */
enum fore_status fore_txns_read(struct fore_txns *h, const char *name,
                                struct fore_byte_source *from, const char *init,
                                struct fore_budget *budget,
                                struct fore_err *e) FORE_MUST_USE;
/* Reads a file, or "-". */
enum fore_status fore_txns_load(struct fore_txns *h, const char *path, const char *init,
                                struct fore_budget *budget,
                                struct fore_err *e) FORE_MUST_USE;

#endif
