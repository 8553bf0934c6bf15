/* Inside the analysis: its state, and how it is drawn. */
#ifndef FORE_ANALYSIS_LATTICE_LATTICE_STATE_H
#define FORE_ANALYSIS_LATTICE_LATTICE_STATE_H

#include "analysis/analysis.h"
#include "analysis/lattice/draw.h"
#include "analysis/lattice/exclusive.h"
#include "analysis/lattice/feed.h"
#include "analysis/lattice/observer.h"
#include "causal/relevant.h"

struct fore_lattice {
    struct fore_sink sink; /* of a stream */
    struct fore_analysis_ctx *ctx;
    struct fore_spec spec;
    struct fore_watch watch;
    struct fore_binding binding;
    struct fore_observer_options opt;
    struct fore_observer *observer;
    struct fore_exclusive *exclusive; /* NULL: locks are ordered */
    struct fore_clocks clocks;
    struct fore_relevant *relevant;
    const struct fore_trace *trace; /* NULL: a stream */
    const struct fore_tables *tables;
    struct fore_lattice_steps seen; /* the observed run, or its end */
    FORE_VEC(struct fore_past) past;
    FORE_VEC(uint32_t) counts; /* events by thread, with a window of one */
    uint64_t position;
    /* by property: the findings of a stream that were reported at once */
    struct fore_finding **told;
    size_t lacking; /* so many objects did not have all variables of the specification */
    struct fore_drawing drawing;
    struct fore_graph picture; /* of a small lattice, for its findings */
    bool draws;                /* export asked for the picture, and nothing else */
    bool pictures;             /* findings get one */
    bool started, overflowed;
    bool attempts; /* a stream in which some attempt at a lock failed */
    unsigned mask;
};

/* In options.c: the options; checks of their values; taking them over. */
extern const struct fore_option fore_lattice_options[];
enum fore_status fore_lattice_accepts(const struct fore_params *params,
                                      struct fore_err *e);
enum fore_status fore_lattice_read_options(struct fore_lattice *l, struct fore_err *e);

/* picture.c */
/* The threads of the writes, in the order of their first one: that of the cuts' entries. */
void fore_lattice_draw_threads(struct fore_lattice *l);
/* The observed run and the violating ones, in the picture that export asked for. */
void fore_lattice_draw_paths(struct fore_lattice *l);
void fore_lattice_draw_finding(struct fore_lattice *l, struct fore_finding *x,
                               const struct fore_lattice_steps *witness);
/* Callbacks of the observer. */
void fore_lattice_draw_state(void *ctx, uint64_t level, const uint32_t *cut,
                             uint32_t width, const struct fore_val *values);
void fore_lattice_draw_edge(void *ctx, const uint32_t *from, const uint32_t *to,
                            uint32_t width, const struct fore_lattice_step *step);

#endif
