/* The verdict of a finding, with the reasons that came with it. */
#include "finding/finding.h"

#include <string.h>

static bool is_claim(const char *label)
{
    return !strcmp(label, FORE_FACT_ONLY_POSSIBLE) || !strcmp(label, FORE_FACT_HOLDS_IF);
}

/* Drops the reasons of an earlier claim. */
static void set_verdict(struct fore_finding *x, enum fore_verdict v)
{
    size_t kept = 0;
    x->verdict = v;
    x->doubt = NULL;
    for (size_t i = 0; i < x->facts.n; i++)
        if (!is_claim(x->facts.at[i].label))
            x->facts.at[kept++] = x->facts.at[i];
    x->facts.n = kept;
}

void fore_finding_happened(struct fore_finding *x, enum fore_verdict how)
{
    FORE_BUG_IF(how < FORE_VERDICT_OBSERVED);
    set_verdict(x, how);
}

void fore_finding_claim_again(struct fore_findings *f, struct fore_finding *x,
                              const struct fore_program *p, const struct fore_claim *c)
{
    struct fore_strbuf why = FORE_STRBUF_INIT;
    bool predicted = c->verdict == FORE_CLAIM_PREDICTED;
    FORE_BUG_IF(c->verdict == FORE_CLAIM_NONE);
    set_verdict(x, predicted ? FORE_VERDICT_PREDICTED : FORE_VERDICT_POSSIBLE);
    if (predicted && c->if_race_free && !strcmp(x->rule->name, "data-race"))
        fore_strbuf_puts(
            &why, "this holds if the program has no other data race: its other reads "
                  "and writes were not recorded");
    else
        fore_claim_reason(p, c, &why);
    if (!predicted)
        x->doubt = fore_arena_strndup(&f->arena, why.at, why.n);
    fore_claim_details(p, c, &why);
    if (why.n)
        fore_finding_fact(f, x, predicted ? FORE_FACT_HOLDS_IF : FORE_FACT_ONLY_POSSIBLE,
                          "%s", why.at);
    fore_strbuf_release(&why);
}

struct fore_finding *fore_findings_claim(struct fore_findings *f, const char *rule,
                                         const struct fore_program *p,
                                         const struct fore_claim *c)
{
    struct fore_finding *x = fore_findings_restore(f, rule, FORE_VERDICT_POSSIBLE);
    fore_finding_claim_again(f, x, p, c);
    return x;
}
