/* Who wrote what each transaction read. What no order of the transactions could explain is
 * told here at once; the rest is left to the orders. */
#ifndef FORE_HISTORY_TXN_INDEX_H
#define FORE_HISTORY_TXN_INDEX_H

#include "base/budget.h"
#include "history/txn/txns.h"

#define FORE_NO_TXN UINT32_MAX

/* Anomalies, from those that no level allows to those that only the strictest forbid. The
 * names are Adya's and Elle's. */
#define FORE_TXN_ANOMALIES(X)                                                            \
    X(GARBAGE, "garbage-read", READ_COMMITTED, "a value was read that nobody wrote")     \
    X(DUPLICATE, "duplicate-elements", READ_COMMITTED,                                   \
      "an element that was appended once is in a list twice")                            \
    X(INCOMPATIBLE, "incompatible-order", READ_COMMITTED,                                \
      "two lists of one key disagree about its order")                                   \
    X(OWN_WRITE, "internal", READ_COMMITTED,                                             \
      "a transaction did not see what it had written itself")                            \
    X(G1A, "G1a", READ_COMMITTED, "a value of an aborted transaction was read")          \
    X(G1B, "G1b", READ_COMMITTED, "a value was read that its writer replaced later")     \
    X(DIRTY_UPDATE, "dirty-update", READ_COMMITTED,                                      \
      "a committed transaction built on the write of an aborted one")                    \
    X(G0, "G0", READ_COMMITTED, "writes of the transactions are in each other's way")    \
    X(G1C, "G1c", READ_COMMITTED, "information flows in a circle")                       \
    X(INTERNAL, "internal", PARALLEL_SNAPSHOT,                                           \
      "a transaction read a key twice and saw different values")                         \
    X(LOST_UPDATE, "lost-update", PARALLEL_SNAPSHOT,                                     \
      "two transactions read the same version of a key and both replaced it")            \
    X(WRONG_TOTAL, "wrong-total", PARALLEL_SNAPSHOT,                                     \
      "two reads of all accounts have different totals")                                 \
    X(OVERDRAWN, "negative-balance", PARALLEL_SNAPSHOT,                                  \
      "an account was overdrawn, which transfers refuse to do")                          \
    X(G_SINGLE, "G-single", PARALLEL_SNAPSHOT,                                           \
      "a transaction saw some of another's effects and missed others (read skew)")       \
    X(G_NONADJACENT, "G-nonadjacent", SNAPSHOT,                                          \
      "two transactions saw others in opposite orders (long fork)")                      \
    X(G2_ITEM, "G2-item", SERIALIZABLE,                                                  \
      "transactions each missed what another wrote (write skew)")                        \
    X(G0_REALTIME, "G0-realtime", STRICT, "the order of writes contradicts real time")   \
    X(G1C_REALTIME, "G1c-realtime", STRICT,                                              \
      "the flow of information contradicts real time")                                   \
    X(G_SINGLE_REALTIME, "G-single-realtime", STRICT,                                    \
      "a transaction missed what was there before it began (stale read)")                \
    X(G2_REALTIME, "G2-item-realtime", STRICT,                                           \
      "transactions missed each other's writes, against real time")

/* Each includes those before it. */
enum fore_txn_level {
    FORE_TXN_READ_COMMITTED,
    FORE_TXN_PARALLEL_SNAPSHOT,
    FORE_TXN_SNAPSHOT,
    FORE_TXN_SERIALIZABLE,
    FORE_TXN_STRICT,
};

enum fore_txn_anomaly {
#define X(name, text, level, words) FORE_ANOMALY_##name,
    FORE_TXN_ANOMALIES(X)
#undef X
        FORE_TXN_ANOMALY_COUNT,
};

const char *fore_txn_anomaly_name(enum fore_txn_anomaly a);
const char *fore_txn_anomaly_words(enum fore_txn_anomaly a);
/* The weakest level that forbids it. */
enum fore_txn_level fore_txn_anomaly_level(enum fore_txn_anomaly a);

/* The first of a kind, and how many there are. `txn` did it, `other` has to do with it. */
struct fore_txn_oddity {
    uint64_t count;
    uint32_t txn, op, other,
        other_op; /* operations are indices into ops; or UINT32_MAX */
};

/* What a register held: who wrote it, as a list, because values may repeat. */
struct fore_txn_write {
    uint32_t txn, op, key;
    uint32_t next;  /* with the same key and value, index + 1 */
    uint32_t entry; /* its place in the chain of the key, + 1; 0: among the others */
    bool final;     /* its transaction wrote the key no more */
};

/* A read of what another transaction (or nobody yet) wrote. */
struct fore_txn_reading {
    uint32_t txn, op, key;
    uint32_t seen;  /* of a list: how many entries of the chain */
    uint32_t write; /* of a register: the first of its possible writes, index + 1 */
    bool initial;   /* a register: it may be the initial value */
    bool unclear;   /* a register: several could have written it */
    bool repeated;  /* the transaction has read the key before: only for read committed */
};

/* Versions of one key: the chain is known, in order; the others come after it in an order
 * that nobody recorded. `others` is sorted by a guess, which may be improved. */
struct fore_txn_versions {
    FORE_VEC(uint32_t) chain, others;
    FORE_VEC(uint32_t)
    entry;        /* of a list: how many of the chain its first i + 1 elements
                               * come from */
    bool tangled; /* a transaction is in the chain twice */
};

struct fore_txn_index {
    const struct fore_txns *h;
    uint8_t *counts;                        /* by transaction: does it take part? */
    struct fore_txn_versions *versions;     /* by key */
    FORE_VEC(struct fore_txn_write) writes; /* by transaction */
    uint32_t *writes_at;                    /* where a transaction's begin; one more */
    FORE_VEC(struct fore_txn_reading) readings; /* by key */
    uint32_t *readings_at;                  /* where a key's readings begin; one more */
    uint32_t *readings_of, *readings_of_at; /* the same, by transaction */
    struct fore_map written;                /* key, value -> write + 1 */
    struct fore_map value_ids;
    struct fore_txn_oddity odd[FORE_TXN_ANOMALY_COUNT];
    /* Transactions began and nobody knows what they wrote; values that nobody else wrote, and
     * that may therefore be theirs. */
    bool has_silent;
    bool any_open; /* the order of some writes, or who wrote what was read */
    uint64_t excused;
};

/* Fails if a value is appended twice to the same list. If the budget ends first, so does the
 * index; it is then not to be used for anything but its release. */
enum fore_status fore_txn_index_make(struct fore_txn_index *x, const struct fore_txns *h,
                                     struct fore_budget *budget,
                                     struct fore_err *e) FORE_MUST_USE;
/* May a transaction have read this write of another one? Follow `next` for the others. */
bool fore_txn_may_read(const struct fore_txn_index *x, uint32_t write, uint32_t reader);
void fore_txn_index_release(struct fore_txn_index *x);

#endif
