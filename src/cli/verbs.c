#include "cli/verbs.h"
#include "cli/cli.h"

/* One row per verb, in the order in which help lists them. */
const struct fore_verb *const fore_verbs[] = {
    &fore_verb_demo,    &fore_verb_run,
    &fore_verb_record,  &fore_verb_go,
    &fore_verb_cc,      &fore_verb_cxx,
    &fore_verb_check,   &fore_verb_lin,
    &fore_verb_txn,     &fore_verb_explore,
    &fore_verb_show,    &fore_verb_replay,
    &fore_verb_recover, &fore_verb_report,
    &fore_verb_spec,    &fore_verb_info,
    &fore_verb_order,   &fore_verb_convert,
    &fore_verb_export,  &fore_verb_diff,
    &fore_verb_new,     &fore_verb_baseline,
    &fore_verb_doctor,  &fore_verb_completion,
    &fore_verb_help,    NULL,
};
