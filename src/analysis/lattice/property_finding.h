/* What is said of a violated property: a finding with its witness, beside the observed run. */
#ifndef FORE_ANALYSIS_LATTICE_PROPERTY_FINDING_H
#define FORE_ANALYSIS_LATTICE_PROPERTY_FINDING_H

#include "analysis/lattice/observer.h"
#include "finding/finding.h"

/* A run: the writes up to the violation, or the observed ones as far as they are known. */
struct fore_told {
    const struct fore_watch *watch;
    uint32_t prop;
    bool observed;      /* the witness is the run as it was recorded */
    bool certain;       /* and the program wrote in this very order */
    bool unplayed;      /* no run of the machine was found */
    uint64_t forgotten; /* writes before the first one of the witness, of a long stream */
    const struct fore_lattice_steps *witness, *seen;
};

/* Message, formula, the part that failed, steps with their states. `t` needs only tables. */
struct fore_finding *fore_tell(struct fore_findings *f, const struct fore_trace *t,
                               const struct fore_told *told);
/* The observed run itself broke the property. */
void fore_tell_certain(struct fore_findings *f, struct fore_finding *x,
                       const struct fore_property *p);
/* Adds how many runs there are and violate it, and how complete that is. */
void fore_tell_counts(struct fore_findings *f, struct fore_finding *x,
                      const struct fore_observer_stats *s, const struct fore_violation *v,
                      const char *bound);

/* The figures of the whole lattice: stats.lattice, and a line for people. */
void fore_tell_figures(struct fore_findings *f, const struct fore_watch *watch,
                       const struct fore_observer *o);

#endif
