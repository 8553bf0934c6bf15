#include "analysis/analysis.h"
#include "analysis/channel/channel.h"
#include "analysis/deadlock/deadlock.h"
#include "analysis/lattice/lattice.h"
#include "analysis/linear/linear.h"
#include "analysis/observed/observed.h"
#include "analysis/race/race.h"

/* One row per analysis, in the order in which they run. */
const struct fore_analysis *const fore_analyses[] = {
    &fore_analysis_observed,
    &fore_analysis_channel,
    &fore_analysis_lattice,
    &fore_analysis_deadlock,
    &fore_analysis_linear,
    &fore_analysis_race,
    NULL,
};

bool fore_trace_has_group(const struct fore_trace *t, enum fore_group group)
{
    for (size_t i = 0; i < t->events.n; i++)
        if (fore_kind_group(t->events.at[i].kind) == group)
            return true;
    return false;
}
