/* Data races: in the observed order, and in runs that keep the order of locks. */
#ifndef FORE_ANALYSIS_RACE_RACE_H
#define FORE_ANALYSIS_RACE_RACE_H

#include "analysis/analysis.h"

extern const struct fore_analysis fore_analysis_race;

#endif
