/* What the analyses say of a trace, against what its program can do. */
#ifndef FORE_TESTS_ORACLE_VERDICT_JUDGE_H
#define FORE_TESTS_ORACLE_VERDICT_JUDGE_H

#include "oracle/verdict/record.h"

#include "finding/finding.h"

/* Runs every analysis that has something to do on the trace, without the clauses `ablated`
 * (1 << enum fore_clause). False if one fails. */
bool analyse_text(const struct fore_strbuf *text, uint32_t ablated,
                  struct fore_findings *out, struct fore_err *e);

/* The bit of a clause; ends the test if there is none of that name. */
uint32_t clause_named(const char *name);

/* The same for a kind of event (trace/event.h). */
unsigned kind_named(const char *name);

/* Is it more than possible, and worse than a note? */
bool is_claim(const struct fore_finding *x);
/* Can the program do it? `*known` is false for a rule that programs here cannot break. */
bool is_reachable(const struct graph *g, const struct fore_finding *x, bool *known);
/* The threads that wait in it, and where; false if none does. */
bool waits_of(const struct fore_finding *x, struct waits *out);
/* Are all that wait in the finding among those of the deadlock? */
bool covers(const struct waits *finding, const struct waits *deadlock);

void finding_print(const struct fore_finding *x, struct fore_strbuf *out);

#endif
