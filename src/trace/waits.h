/* Can the threads of a trace come to wait for each other? Proves from the survey alone that they
 * cannot. */
#ifndef FORE_TRACE_WAITS_H
#define FORE_TRACE_WAITS_H

#include "trace/survey.h"

/* True: in no order of the recorded operations do threads wait for each other for ever. False:
 * that is not known. `so_far`: more events will follow, so threads that wait now may go on. The
 * trace must have lost nothing. */
bool fore_survey_waits_end(const struct fore_survey *s, bool so_far);

#endif
