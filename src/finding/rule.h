/* The rules, by name. Names never change; new ones may be added. */
#ifndef FORE_FINDING_RULE_H
#define FORE_FINDING_RULE_H

#include <stddef.h>

enum fore_level { FORE_LEVEL_NOTE, FORE_LEVEL_WARNING, FORE_LEVEL_ERROR };

/* Later is stronger. */
enum fore_verdict {
    FORE_VERDICT_POSSIBLE,
    FORE_VERDICT_PREDICTED,
    FORE_VERDICT_OBSERVED,
    FORE_VERDICT_CONFIRMED,
};

struct fore_rule {
    const char *name;
    enum fore_level level;
    const char *summary; /* one line */
    const char *help;    /* what to do about it; Markdown */
};

extern const struct fore_rule fore_rules[]; /* ends with a row without name */

/* What kind of witness it is, which decides what `replay` does with it. */
enum fore_witness_of {
    FORE_WITNESS_OF_PROGRAM, /* a run, or a schedule that control forces */
    FORE_WITNESS_OF_ACTORS,  /* a schedule of the explorer */
    FORE_WITNESS_OF_HISTORY, /* a history that is not linearizable */
    FORE_WITNESS_OF_SEQUENTIAL_HISTORY,
};

const struct fore_rule *fore_rule_named(const char *name); /* or NULL */
const char *fore_level_name(enum fore_level l);
const char *fore_witness_of_name(enum fore_witness_of w);
int fore_witness_of_parse(const char *s);
/* The result of running the program on a witness. */
enum fore_tried {
    FORE_UNTRIED,
    FORE_CONFIRMED,
    FORE_NOT_CONFIRMED,
    FORE_REFUTED,
};

const char *
fore_tried_name(enum fore_tried t); /* "confirmed" …; "" if the program was not run */
enum fore_tried fore_tried_parse(const char *s); /* any other text means untried */
const char *fore_verdict_name(enum fore_verdict v);
int fore_level_parse(const char *s);   /* -1: none */
int fore_verdict_parse(const char *s); /* -1: none */

#endif
