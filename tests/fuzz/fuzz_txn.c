/* A history of transactions that is read must be judged, at every level, without harm; weaker
 * levels hold where stronger ones do. */
#include "fuzz.h"

#include "../txn_text.h"
#include "history/txn/explain.h"

#include <string.h>

static enum fore_txn_answer judge(struct fore_txn_guess *g, enum fore_txn_level level)
{
    struct fore_txn_decision d;
    struct fore_txn_evidences why;
    fore_txn_judge(g, level, NULL, &d);
    fore_txn_explain(&why, g, level, &d, NULL);
    FORE_BUG_IF((d.answer == FORE_TXN_VIOLATED) != (why.list.n > 0));
    fore_txn_evidences_release(&why);
    fore_txn_decision_release(&d);
    return d.answer;
}

/* What is judged must be small, or the fuzzer finds the hard ones. */
static bool is_small(const struct fore_txns *h)
{
    return h->list.n < 40 && h->ops.n < 200;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_txns h;
    struct fore_txn_index x;
    struct fore_txn_guess g;
    struct fore_err e = {0};
    if (read_txns_text(&h, "fuzz", (const char *)data, size, &e) != FORE_OK)
        return 0;
    if (is_small(&h) && fore_txn_index_make(&x, &h, NULL, &e) == FORE_OK) {
        fore_txn_guess_init(&g, &x);
        enum fore_txn_answer stronger = FORE_TXN_VIOLATED;
        for (int level = FORE_TXN_STRICT; level >= 0; level--) {
            enum fore_txn_answer a = judge(&g, (enum fore_txn_level)level);
            FORE_BUG_IF(stronger == FORE_TXN_HOLDS && a == FORE_TXN_VIOLATED);
            stronger = a;
        }
        fore_txn_guess_release(&g);
        fore_txn_index_release(&x);
    }
    fore_txns_release(&h);
    return 0;
}
