/* The observer: messages of algorithm A in, states of the lattice, verdicts and counts out.
 * Knows no traces; what it is told of an event it hands back in witnesses. */
#ifndef FORE_ANALYSIS_LATTICE_OBSERVER_H
#define FORE_ANALYSIS_LATTICE_OBSERVER_H

#include "analysis/lattice/queue.h"
#include "analysis/lattice/tier.h"
#include "base/budget.h"
#include "base/progress.h"

/* FORE_OBSERVE_LEVELS keeps one level at a time. Without a window it starts when all events are
 * in. FORE_OBSERVE_EAGER keeps all states and extends them by each event as it comes: it finds
 * violations as early as possible, at the price of memory. */
enum fore_observe_mode { FORE_OBSERVE_LEVELS, FORE_OBSERVE_EAGER };

/* Which relevant events can come next, where that is more than a matter of the cut (locks):
 * states then have one more word, `extra`, which is 0 at the start. */
struct fore_space {
    /* May the next event of `thread` happen? Then `*next` is the extra word after it. */
    bool (*step)(void *ctx, uint32_t extra, uint32_t thread, uint32_t *next);
    void *ctx;
};

struct fore_observer_options {
    enum fore_observe_mode mode;
    uint32_t window; /* most states of a level; 0: all. 1: only the observed run */
    uint32_t queue;  /* events that must be there to complete a level; 0: 2 x window */
    bool count;      /* runs, exactly, up to 2^4096 (with a window: 2^1024) */
    /* Also keep counts and chains for each monitor state, which are needed to count the runs
     * that violate a property, and to show one. Without them, only the verdict is found. */
    bool detail;
    struct fore_budget *budget; /* or NULL */
    /* number of properties that will be violated: no budget ends the search before */
    uint32_t expected;
    struct fore_progress *progress; /* or NULL */
    const struct fore_space *space; /* or NULL: the clocks say it all */
    /* The first run that violates a property was found. */
    void (*violated)(void *ctx, uint32_t prop, bool observed);
    /* For pictures: called for each state once it is complete, and for each edge. */
    void (*state)(void *ctx, uint64_t level, const uint32_t *cut, uint32_t width,
                  const struct fore_val *values);
    void (*edge)(void *ctx, const uint32_t *from, const uint32_t *to, uint32_t width,
                 const struct fore_lattice_step *step);
    void *ctx;
};

struct fore_observer_stats {
    uint64_t states, levels, widest, edges;
    bool counted;         /* runs and violating are exact */
    struct fore_big runs; /* through what was kept */
    bool pruned;          /* the window left states out */
    const char *stopped;  /* a budget ran out, or NULL */
};

/* The result for one property. */
struct fore_violation {
    bool observed, predicted; /* in the observed run; in some run */
    uint64_t observed_at;     /* relevant events of the observed run up to it */
    uint64_t level;           /* of the state at which the shortest one found ends */
    uint32_t chain;
    struct fore_big runs; /* that violate it; 0 without detail */
};

struct fore_observer;

struct fore_observer *fore_observer_new(struct fore_watch *w,
                                        const struct fore_observer_options *o);
void fore_observer_free(struct fore_observer *o);
/* `in_order`: the event is the next one of the observed run. Only then is that run followed, and
 * only then may there be a window. False: stop, because the budget is spent. */
bool fore_observer_message(struct fore_observer *o, const struct fore_observation *m,
                           bool in_order);
/* With window 1 clocks do not matter: this is the cheaper entry. */
void fore_observer_write(struct fore_observer *o, uint32_t var, struct fore_val value);
void fore_observer_end(struct fore_observer *o);
const struct fore_observer_stats *fore_observer_stats(const struct fore_observer *o);
const struct fore_violation *fore_observer_violation(const struct fore_observer *o,
                                                     uint32_t prop);
/* The run that violates the property, up to the violation. */
void fore_observer_witness(const struct fore_observer *o, uint32_t prop,
                           struct fore_lattice_steps *out);

#endif
