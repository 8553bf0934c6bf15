/* Predicts: nothing; it judges the history that was observed.
 * Sound, complete: yes, within the budget; of a bank only what bank.h says.
 * Cost:     near-linear while the guess holds (history/txn/guess.h); where versions were not
 *           recorded, what the solver takes for the transactions in question.
 * Source:   [adya], [elle] for the anomalies, [cerone-gotsman] for snapshots. */
#include "analysis/txn/txn.h"

#include "base/progress.h"
#include "history/txn/read.h"

/* The level is violated; is a weaker one not? */
static void find_strongest(struct fore_isolation *i, struct fore_budget *budget)
{
    i->strongest = -1;
    for (int level = (int)i->level - 1; level >= 0 && !i->h.bank; level--) {
        struct fore_txn_decision d;
        fore_txn_judge(&i->g, (enum fore_txn_level)level, budget, &d);
        enum fore_txn_answer answer = d.answer;
        fore_txn_decision_release(&d);
        if (answer == FORE_TXN_HOLDS)
            i->strongest = level;
        i->strongest_unknown = answer == FORE_TXN_UNDECIDED;
        if (answer != FORE_TXN_VIOLATED)
            return;
    }
}

/* Orders are looked for even if something else is wrong: it is worth telling, too. */
static void decide_and_explain(struct fore_isolation *i, struct fore_budget *budget)
{
    bool odd = fore_txn_has_oddity(&i->x, i->level);
    if (i->h.bank)
        i->decision = (struct fore_txn_decision){0};
    else if (i->level == FORE_TXN_READ_COMMITTED)
        fore_txn_decide_committed(&i->x, budget, &i->decision);
    else
        fore_txn_decide(&i->g, i->level, budget, &i->decision);
    if (odd)
        i->decision.answer = FORE_TXN_VIOLATED;
    if (i->decision.answer != FORE_TXN_VIOLATED)
        return;
    fore_txn_explain(&i->why, &i->g, i->level, &i->decision, budget);
    find_strongest(i, budget);
}

static enum fore_status check_loaded(struct fore_isolation *i,
                                     const struct fore_isolation_options *o,
                                     struct fore_err *e)
{
    if (i->h.bank) {
        i->x.h = &i->h;
        i->g.x = &i->x;
        if (o->level == FORE_TXN_READ_COMMITTED)
            return fore_fail(e, FORE_USAGE,
                             "%s: the totals of a bank say nothing about read committed; "
                             "--level snapshot-isolation or another would be judged",
                             i->h.name);
        FORE_TRY(fore_bank_check(&i->x, o->total, o->may_be_negative, &i->bank, e));
    } else {
        FORE_TRY(fore_txn_index_make(&i->x, &i->h, o->budget, e));
        i->indexed = true;
        if (o->budget->spent)
            return FORE_OK;
        fore_txn_guess_init(&i->g, &i->x);
    }
    decide_and_explain(i, o->budget);
    return FORE_OK;
}

enum fore_status fore_isolation_check(struct fore_isolation *i, const char *path,
                                      const struct fore_isolation_options *o,
                                      struct fore_err *e)
{
    *i = (struct fore_isolation){.level = o->level, .strongest = -1};
    uint64_t start = fore_now_ns();
    FORE_TRY(fore_txns_load(&i->h, path, o->init, o->budget, e));
    i->loaded = true;
    i->parse_ns = fore_now_ns() - start;
    if (!o->budget->spent)
        FORE_TRY(check_loaded(i, o, e));
    i->search_ns = fore_now_ns() - start - i->parse_ns;
    if (o->budget->spent && i->decision.answer == FORE_TXN_HOLDS) {
        i->decision.answer = FORE_TXN_UNDECIDED; /* of a part of the history */
        i->decision.bound = fore_spent_text(o->budget->spent);
    }
    return FORE_OK;
}

void fore_isolation_release(struct fore_isolation *i)
{
    fore_txn_evidences_release(&i->why);
    fore_txn_decision_release(&i->decision);
    if (i->indexed) {
        fore_txn_guess_release(&i->g);
        fore_txn_index_release(&i->x);
    }
    if (i->loaded)
        fore_txns_release(&i->h);
    i->loaded = i->indexed = false;
}
