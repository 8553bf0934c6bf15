/* The messages of a path as arrows between lanes, for reports that draw. */
#ifndef FORE_EXPLORE_SEQUENCE_H
#define FORE_EXPLORE_SEQUENCE_H

#include "explore/explorer.h"
#include "finding/finding.h"

/* Fills the graph, whose texts `f` owns; only its title if the path is too long to look at. The
 * answer to operation `blamed` stands out. */
void fore_sequence_draw(const struct fore_explorer *s, uint32_t blamed,
                        struct fore_findings *f, struct fore_graph *g);

#endif
