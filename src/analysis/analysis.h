/* An analysis is one folder (or file) and one row of the table in table.c. */
#ifndef FORE_ANALYSIS_ANALYSIS_H
#define FORE_ANALYSIS_ANALYSIS_H

#include "base/budget.h"
#include "base/option.h"
#include "base/progress.h"
#include "finding/finding.h"
#include "machine/run.h"
#include "trace/trace.h"

/* What an analysis gets, beside the trace. */
struct fore_analysis_ctx {
    struct fore_findings *out;
    const struct fore_params *params; /* by the names in its option table */
    struct fore_budget *budget;
    struct fore_progress *progress;
    uint64_t seed;
    unsigned jobs;
    const char
        *graph;    /* export --graph NAME: the analysis that draws it fills out->graph */
    bool possible; /* --possible: also report what is only possible */
    bool notes;    /* notes were asked for; otherwise they get a tenth of the time */
    bool brief;    /* findings are wanted, and no figures about the run */
    bool unsaved;  /* the texts of witnesses are not needed: long ones are not written */
    /* Called at once with each finding of an online analysis; NULL: no caller waits for them. */
    void (*on_finding)(struct fore_analysis_ctx *ctx, const struct fore_finding *x);
    void *watcher;
    /* For a stream: its first events, the current batch included unless there were too many.
     * NULL: they are not kept. Its tables are those of the batches. */
    const struct fore_trace *kept;
    /* The same when the stream has ended and all of it is there; else NULL. */
    struct fore_trace *whole;
    /* Of the trace, for all analyses of it; the caller's to release. NULL: each makes its own. */
    struct fore_run *observed;
};

struct fore_analysis {
    const char *name, *summary;
    const char *rules; /* comma-separated */
    const char
        *graph; /* the name of the graph that it can draw ("lattice"); NULL: none */
    const struct fore_option *options; /* ends with an empty row; NULL: none */
    /* Checks the values of its options. Called before anything is run or read, whether or not
     * the analysis will have something to do. NULL: all values are right. */
    enum fore_status (*accepts)(const struct fore_params *params, struct fore_err *e);
    /* Is there anything in the trace (with these parameters) for this analysis? NULL: always. */
    bool (*applies)(const struct fore_trace *t, const struct fore_params *params);
    /* Is a brief trace enough for it? NULL: it needs the whole trace. */
    bool (*brief)(const struct fore_trace *t, const struct fore_analysis_ctx *ctx);
    /* On a whole trace in memory. It adds its findings, stats and remarks to ctx->out. */
    enum fore_status (*run)(const struct fore_trace *t, struct fore_analysis_ctx *ctx,
                            struct fore_err *e);
    /* On a stream, for live sources; NULL: only whole traces. */
    struct fore_sink *(*open)(struct fore_arena *a, struct fore_analysis_ctx *ctx,
                              struct fore_err *e);
};

extern const struct fore_analysis *const fore_analyses[]; /* NULL-terminated */

/* Does the trace have an event of this group? Many analyses ask that. */
bool fore_trace_has_group(const struct fore_trace *t, enum fore_group group);

#endif
