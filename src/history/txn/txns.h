/* A history of transactions: each a sequence of reads, writes and appends by key, between two
 * moments, committed, aborted, or nobody knows. Made by history/txn/read.h. */
#ifndef FORE_HISTORY_TXN_TXNS_H
#define FORE_HISTORY_TXN_TXNS_H

#include "base/err.h"
#include "history/value.h"

#define FORE_MAX_TXNS ((uint32_t)1 << 28)

enum fore_txn_act { FORE_ACT_READ, FORE_ACT_WRITE, FORE_ACT_APPEND };
enum fore_txn_fate { FORE_TXN_COMMITTED, FORE_TXN_ABORTED, FORE_TXN_UNKNOWN };
enum fore_txn_key_kind { FORE_KEY_OPEN, FORE_KEY_REGISTER, FORE_KEY_LIST };

/* One step of a transaction. */
struct fore_txn_op {
    fore_val value;  /* written, appended, or read from a register; of a list that is no
                      * prefix of its key's longest: that list */
    uint32_t key;    /* dense from 0 */
    uint32_t length; /* of a list that was read */
    uint8_t act;     /* enum fore_txn_act */
    bool strays;     /* a list that is no prefix of its key's longest */
};

struct fore_txn {
    uint32_t first, n; /* its operations */
    uint32_t begin,
        end;          /* positions; begin 0: not recorded; end FORE_NEVER: never ended */
    uint32_t process; /* dense from 0 */
    uint32_t line;    /* of its last record */
    uint8_t fate;     /* enum fore_txn_fate */
    bool told;        /* some record said what it does */
};

/* All lists that were read of a key should be prefixes of one order, so only the longest is
 * kept: a read is then its length, and a history is no larger than its transactions. */
struct fore_txn_key {
    fore_val name;
    enum fore_txn_key_kind kind;
    FORE_VEC(fore_val) longest;
    uint32_t longest_by; /* the transaction that read it first */
    uint32_t line;       /* where the key's kind was settled */
};

struct fore_txns {
    char *name; /* of the file, for messages */
    struct fore_vals values;
    FORE_VEC(struct fore_txn) list;   /* by their first record */
    FORE_VEC(struct fore_txn_op) ops; /* reads only of committed transactions */
    FORE_VEC(struct fore_txn_key) keys;
    FORE_VEC(fore_val) processes;
    struct fore_map key_ids, process_ids;
    uint32_t events; /* positions are below */
    fore_val init;   /* what registers hold at first */
    size_t aborted, unknown;
    bool bank; /* transfers between accounts: judged by the total */
};

void fore_txns_init(struct fore_txns *h, const char *name);
void fore_txns_release(struct fore_txns *h);

/* "r x [1 2]", "append x 3", "w y 4". */
void fore_txn_op_text(const struct fore_txns *h, const struct fore_txn_op *op,
                      struct fore_strbuf *out);
/* All operations, separated by "; ". */
void fore_txn_text(const struct fore_txns *h, uint32_t txn, struct fore_strbuf *out);

#endif
