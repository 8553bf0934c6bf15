/* A whole trace in memory. */
#ifndef FORE_TRACE_TRACE_H
#define FORE_TRACE_TRACE_H

#include "trace/sink.h"
#include "trace/survey.h"
#include "trace/thin.h"

struct fore_kept_event {
    uint32_t at;
    struct fore_event e;
};

struct fore_trace {
    char *name; /* the file it came from */
    struct fore_tables tables;
    FORE_VEC(struct fore_event) events;
    FORE_VEC(struct fore_case) cases;
    FORE_VEC(struct fore_expect) expects;
    bool torn;
    bool settled; /* its events are in an order in which causes come first */
    uint64_t lost, unknown, doubts; /* see struct fore_trace_end */
    struct fore_survey survey;      /* of what was collected; see fore_trace_survey */
    /* `events` has only the first ones, which are enough for the question asked: see
     * fore_trace_load_brief. Of the others, those that the survey points at are kept. */
    bool brief;
    FORE_VEC(struct fore_kept_event) kept; /* by position */
    /* of a brief trace: all events without empty sections; or NULL */
    struct fore_thin *thin;
    size_t end; /* how many events at its end are then whole; 0: the usual number */
    /* Every run that is looked at keeps the events before this one as they were: the trace is
     * the ending of a thin one (see fore_trace_ending). */
    size_t fixed;
    /* How many events a collector keeps for lack of memory; 0: all. The others are lost, and
     * counted here too. */
    size_t most;
    uint64_t cut;
    /* When it is spent, a collector stops, and passes over the events end where they are:
     * findings are then about a beginning of the run. NULL: never. */
    struct fore_budget *budget;
};

void fore_trace_init(struct fore_trace *t, const char *name);
void fore_trace_release(struct fore_trace *t);
/* Drops the events; name and tables stay. */
void fore_trace_clear(struct fore_trace *t);

/* A sink that appends what it is given to `into`, whose tables the source must fill itself
 * (readers take the tables to fill as a parameter). */
struct fore_trace_collector {
    struct fore_sink sink;
    struct fore_trace *into;
    bool may_be_brief; /* keep only the beginning, if that seems to be enough */
    size_t decided_at; /* after so many events */
};
void fore_trace_collector_init(struct fore_trace_collector *c, struct fore_trace *into);

/* Does the capture see all of `what`, an enum fore_sees? */
static inline bool fore_trace_sees(const struct fore_trace *t, unsigned what)
{
    return fore_tables_sees(&t->tables, what);
}

/* How many events it has, kept or not. */
static inline size_t fore_trace_length(const struct fore_trace *t)
{
    return t->brief ? t->survey.events : t->events.n;
}
/* One of them; of a brief trace, one of the beginning or one that its survey points at. */
const struct fore_event *fore_trace_event(const struct fore_trace *t, uint32_t at);

/* Traces that share everything with `t` (which is brief and has a thin trace) but their events:
 * the thin trace, and the one that is whole at its end. They have no survey, and must not be
 * released. */
struct fore_trace fore_trace_thin(const struct fore_trace *t);
struct fore_trace fore_trace_ending(const struct fore_trace *t);
/* How many events of the thread are left out before the event at this place among those kept. */
static inline uint64_t fore_trace_left_out(const struct fore_trace *t, uint32_t thread,
                                           uint64_t at)
{
    return t->fixed ? fore_thin_left_out(t->thin, thread, at) : 0;
}

/* Must be told when events have changed places: the survey points at some of them. */
void fore_trace_reordered(struct fore_trace *t);

/* The survey of all events. If the trace has none (it was made by hand), `own` is filled, which
 * is the caller's to release in any case. */
const struct fore_survey *fore_trace_survey(const struct fore_trace *t,
                                            struct fore_survey *own);

/* Leaves out the events of hidden objects that only one thread ever used, and of hidden locks
 * under which nothing happens: they hold up no thread, and no report shows them. */
void fore_trace_drop_private(struct fore_trace *t);
bool fore_trace_has_private(const struct fore_trace *t);

/* Pushes the events into `s` in batches, then ends it. */
enum fore_status fore_trace_replay(const struct fore_trace *t, struct fore_sink *s,
                                   struct fore_err *e) FORE_MUST_USE;

static inline const struct fore_case *fore_trace_cases(const struct fore_trace *t,
                                                       const struct fore_event *e,
                                                       struct fore_case *one, size_t *n)
{
    return fore_event_cases(e, t->cases.at, one, n);
}

#endif
