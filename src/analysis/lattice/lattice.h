/* Safety properties over every consistent run: the analysis behind `--spec`. */
#ifndef FORE_ANALYSIS_LATTICE_LATTICE_H
#define FORE_ANALYSIS_LATTICE_LATTICE_H

#include "analysis/analysis.h"

extern const struct fore_analysis fore_analysis_lattice;

#endif
