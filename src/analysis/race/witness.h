/* The run that leads to a race, played on the machine. */
#ifndef FORE_ANALYSIS_RACE_WITNESS_H
#define FORE_ANALYSIS_RACE_WITNESS_H

#include "analysis/race/race_state.h"
#include "machine/claim.h"
#include "machine/witness.h"

/* Plays the run, or the ideal in the observed order, and then both accesses, `a` first. False if the
 * machine cannot: then it is no witness. */
bool fore_race_play_run(struct fore_race *r, const struct fore_move *run, size_t n,
                        const struct fore_race_access *a,
                        const struct fore_race_access *b, struct fore_witness *out,
                        struct fore_claim *claim);
bool fore_race_play(struct fore_race *r, const struct fore_closure *ideal,
                    const struct fore_race_access *a, const struct fore_race_access *b,
                    struct fore_witness *out, struct fore_claim *claim);

#endif
