/* The properties that a lattice is watched for: their monitors and the variables' values. */
#ifndef FORE_ANALYSIS_LATTICE_WATCH_H
#define FORE_ANALYSIS_LATTICE_WATCH_H

#include "spec/monitor.h"

struct fore_watch {
    struct fore_spec *spec;
    struct fore_monitor **monitors; /* one per property */
    uint32_t props, vars;
    bool *mentions;           /* props x vars */
    struct fore_val *initial; /* of each variable */
};

enum fore_status fore_watch_init(struct fore_watch *w, struct fore_spec *s,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_watch_release(struct fore_watch *w);

static inline bool fore_watch_mentions(const struct fore_watch *w, uint32_t prop,
                                       uint32_t var)
{
    return w->mentions[prop * w->vars + var];
}

#endif
