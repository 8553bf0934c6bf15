/* Each verb, defined in its own cmd_<verb>.c. */
#ifndef FORE_CLI_VERBS_H
#define FORE_CLI_VERBS_H

#include "cli/cli.h"

extern const struct fore_verb fore_verb_baseline;
extern const struct fore_verb fore_verb_cc;
extern const struct fore_verb fore_verb_cxx;
extern const struct fore_verb fore_verb_check;
extern const struct fore_verb fore_verb_completion;
extern const struct fore_verb fore_verb_convert;
extern const struct fore_verb fore_verb_demo;
extern const struct fore_verb fore_verb_diff;
extern const struct fore_verb fore_verb_doctor;
extern const struct fore_verb fore_verb_explore;
extern const struct fore_verb fore_verb_export;
extern const struct fore_verb fore_verb_go;
extern const struct fore_verb fore_verb_help;
extern const struct fore_verb fore_verb_lin;
extern const struct fore_verb fore_verb_report;
extern const struct fore_verb fore_verb_info;
extern const struct fore_verb fore_verb_new;
extern const struct fore_verb fore_verb_order;
extern const struct fore_verb fore_verb_record;
extern const struct fore_verb fore_verb_recover;
extern const struct fore_verb fore_verb_replay;
extern const struct fore_verb fore_verb_run;
extern const struct fore_verb fore_verb_show;
extern const struct fore_verb fore_verb_spec;
extern const struct fore_verb fore_verb_txn;

#endif
