#ifndef FORE_ANALYSIS_WAITGROUP_WAITGROUP_H
#define FORE_ANALYSIS_WAITGROUP_WAITGROUP_H

#include "analysis/analysis.h"

extern const struct fore_analysis fore_analysis_waitgroup;

#endif
