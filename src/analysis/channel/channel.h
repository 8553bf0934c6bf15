/* Message passing: which other communications were possible. */
#ifndef FORE_ANALYSIS_CHANNEL_CHANNEL_H
#define FORE_ANALYSIS_CHANNEL_CHANNEL_H

#include "analysis/analysis.h"

extern const struct fore_analysis fore_analysis_channel;

#endif
