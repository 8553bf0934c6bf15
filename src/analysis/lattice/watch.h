/* The properties that a lattice is watched for: their monitors and the variables' values. */
#ifndef FORE_ANALYSIS_LATTICE_WATCH_H
#define FORE_ANALYSIS_LATTICE_WATCH_H

#include "spec/monitor.h"

struct fore_watch {
    struct fore_spec *spec;
    struct fore_monitor **monitors; /* one per property */
    uint32_t props, vars;
    bool *mentions;           /* props x vars */
    bool small;               /* every monitor is an automaton of at most 64 states */
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

/* The states that those of `set` become by the letter. Only if `small`. */
static inline uint64_t fore_watch_step_set(const struct fore_watch *w, uint32_t prop,
                                           uint64_t set, uint32_t letter)
{
    const struct fore_dfa *d = fore_monitor_dfa(w->monitors[prop], false);
    uint64_t next = 0;
    for (; set; set &= set - 1)
        next |= 1ull << d->next[(uint32_t)__builtin_ctzll(set) * d->letters + letter];
    return next;
}

#endif
