/* What went wrong in the observed run itself. */
#ifndef FORE_ANALYSIS_OBSERVED_OBSERVED_H
#define FORE_ANALYSIS_OBSERVED_OBSERVED_H

#include "analysis/analysis.h"

extern const struct fore_analysis fore_analysis_observed;

#endif
