/* Can the threads of a trace come to wait for each other? A proof that they cannot, from the survey alone. */
#ifndef FORE_TRACE_WAITS_H
#define FORE_TRACE_WAITS_H

#include "trace/survey.h"

/* True: in no order of the recorded operations do threads wait for each other for ever. False: that is not known.
 * `so_far`: there will be more events, and what waits now may go on. The trace has lost nothing. */
bool fore_survey_waits_end(const struct fore_survey *s, bool so_far);

#endif
