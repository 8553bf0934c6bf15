/* One record of a transactional history, parsed but not yet part of it. */
#ifndef FORE_HISTORY_TXN_RECORD_H
#define FORE_HISTORY_TXN_RECORD_H

#include "history/history.h"
#include "history/scan.h"
#include "history/txn/txns.h"

/* A step as it is written: `items` of a list that was read are in the record. */
struct fore_txn_step {
    enum fore_txn_act act;
    fore_val key, value;
    bool is_list;
    size_t first, n;
};

struct fore_txn_record {
    enum fore_record_type type;
    fore_val process;
    uint32_t number; /* tells open transactions of one process apart; 0: only one */
    uint32_t line;
    bool skip;     /* not a client's */
    bool transfer; /* between accounts */
    bool told;     /* it says what the transaction does */
    FORE_VEC(struct fore_txn_step) steps;
    FORE_VEC(fore_val) items;
    /* While it is read. */
    struct fore_bytes f;
    bool has_type, has_process, has_value;
};

void fore_txn_record_release(struct fore_txn_record *r);
/* Reads the map whose opening bracket was the last word. FORE_TORN if the text ends before
 * it does: the caller may have more. */
enum fore_status fore_txn_record_read(struct fore_txn_record *r, struct fore_scan *s,
                                      struct fore_vals *t,
                                      struct fore_err *e) FORE_MUST_USE;

#endif
