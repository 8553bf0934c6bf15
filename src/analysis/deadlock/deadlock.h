#ifndef FORE_ANALYSIS_DEADLOCK_DEADLOCK_H
#define FORE_ANALYSIS_DEADLOCK_DEADLOCK_H

#include "analysis/analysis.h"

extern const struct fore_analysis fore_analysis_deadlock;

#endif
