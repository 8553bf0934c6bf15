/* The lattice as a picture: figures 2 and 6 of the paper. Small ones only. */
#ifndef FORE_ANALYSIS_LATTICE_DRAW_H
#define FORE_ANALYSIS_LATTICE_DRAW_H

#include "analysis/lattice/observer.h"
#include "finding/finding.h"

enum { FORE_DRAW_MOST = 400 }; /* states; above, nothing is drawn */

struct fore_drawing {
    const struct fore_watch *watch;
    struct fore_findings *out;
    struct fore_graph *graph;
    struct fore_map node_of; /* hash of the cut -> node */
    FORE_VEC(uint32_t) rows; /* states per level so far */
    FORE_VEC(uint32_t) slot_thread;
    bool too_large;
};

/* Texts go to the arena of `out`. */
void fore_drawing_init(struct fore_drawing *d, const struct fore_watch *w,
                       struct fore_findings *out, struct fore_graph *graph);
void fore_drawing_release(struct fore_drawing *d);
/* Callbacks of the observer; ctx is the drawing. */
void fore_draw_state(struct fore_drawing *d, uint64_t level, const uint32_t *cut,
                     uint32_t width, const struct fore_val *values);
void fore_draw_edge(struct fore_drawing *d, const uint32_t *from, const uint32_t *to,
                    uint32_t width, const struct fore_lattice_step *step);
/* Copies the present picture to `to`, which is the one that is drawn on next. */
void fore_drawing_copy(struct fore_drawing *d, struct fore_graph *to);
/* Marks the states and edges of a run. NULL leaves a style as it is. */
void fore_draw_run(struct fore_drawing *d, const struct fore_lattice_steps *run,
                   const char *node_style, const char *edge_style,
                   const char *last_style);

#endif
