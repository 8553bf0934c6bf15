#include "analysis/analysis.h"
#include "analysis/channel/channel.h"
#include "analysis/deadlock/deadlock.h"
#include "analysis/lattice/lattice.h"
#include "analysis/linear/linear.h"
#include "analysis/observed/observed.h"
#include "analysis/race/race.h"
#include "analysis/waitgroup/waitgroup.h"

/* One row per analysis, in the order in which they run. */
const struct fore_analysis *const fore_analyses[] = {
    &fore_analysis_observed,  &fore_analysis_channel,
    &fore_analysis_lattice,   &fore_analysis_deadlock,
    &fore_analysis_waitgroup, &fore_analysis_linear,
    &fore_analysis_race,      NULL,
};

bool fore_trace_has_group(const struct fore_trace *t, enum fore_group group)
{
    struct fore_survey own = {0};
    const struct fore_survey *s = fore_trace_survey(t, &own);
    bool has = false;
    for (unsigned kind = 0; kind < FORE_KINDS; kind++)
        has |= fore_survey_has(s, kind) && fore_kind_group(kind) == group;
    fore_survey_release(&own);
    return has;
}
