/* Random small histories of transactions, from a pretended database that isolates them badly
 * or well, and what brute force says about them. */
#ifndef TESTS_ORACLE_TXN_RANDOM_TXNS_H
#define TESTS_ORACLE_TXN_RANDOM_TXNS_H

#include "base/rng.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum { MAX_TXNS = 6, MAX_OPS = 4, MAX_KEYS = 3, MAX_LIST = 24, NOTHING = -1 };
enum small_act { SMALL_READ, SMALL_WRITE };
enum small_fate { SMALL_COMMITTED, SMALL_ABORTED, SMALL_UNKNOWN };

struct small_list {
    int n;
    int at[MAX_LIST]; /* a register's value is at[0] */
};

struct small_op {
    enum small_act act;
    int key, value;         /* written or appended */
    struct small_list read; /* what was read */
};

struct small_txn {
    enum small_fate fate;
    int n;
    struct small_op ops[MAX_OPS];
    int begin, end;
};

struct small_history {
    bool lists;
    int n, keys;
    struct small_txn txns[MAX_TXNS];
};

struct small_shape {
    int txns, keys, ops;
    bool lists, repeats; /* registers: values may repeat */
    bool split;     /* a transaction writes once (the first two do) or reads every key */
    unsigned wrong; /* per cent of reads that are falsified */
};

void random_txns(struct small_history *h, const struct small_shape *shape,
                 struct fore_rng *rng);
/* As JSON lines. */
void txns_text(const struct small_history *h, struct fore_strbuf *out);

/* By trying everything. `level` as in history/txn/index.h. */
bool brute_force(const struct small_history *h, int level);

#endif
