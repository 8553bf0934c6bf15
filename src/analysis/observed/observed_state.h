/* How a trace ended: which threads are over, which wait and for what, which thread holds which lock,
 * and which threads used what is waited for. */
#ifndef FORE_ANALYSIS_OBSERVED_OBSERVED_STATE_H
#define FORE_ANALYSIS_OBSERVED_OBSERVED_STATE_H

#include "base/map.h"
#include "trace/trace.h"

enum fore_observed_life {
    FORE_LIFE_UNSEEN,  /* no event: created, perhaps, but never started */
    FORE_LIFE_RUNNING, /* its last event is no wait */
    FORE_LIFE_WAITING, /* its last event is a pre */
    FORE_LIFE_TIMED,   /* waits, but a timer will wake it */
    FORE_LIFE_READY,   /* its last event is a pre, and nothing kept it from going on */
    FORE_LIFE_OVER,
};

struct fore_observed_thread {
    enum fore_observed_life life;
    uint32_t last;  /* its last event, position in the trace */
    uint64_t count; /* of its events: the last has index count - 1 */
    bool may_go_on; /* it waits, and a thread that still ran may have ended that */
    bool hidden;    /* waits for what only a library knows */
};

/* What a thread has had to do with an object that a thread waits for. */
enum fore_observed_role {
    FORE_ROLE_SERVED,  /* was its partner before */
    FORE_ROLE_OFFERED, /* a select that could have been, and took another case */
    FORE_ROLE_HOLDS,   /* has the lock */
    FORE_ROLE_COUNTS,  /* raised the wait group */
};

struct fore_observed_tie {
    uint32_t object, thread, event;
    uint32_t next; /* 1 + the next one of the object, in the order of the trace */
    uint64_t index;
    enum fore_observed_role role;
    bool send; /* served or offered by sending (closing, too) */
};

struct fore_observed {
    const struct fore_trace *trace;
    const struct fore_survey *survey;
    struct fore_survey own;
    FORE_VEC(struct fore_observed_thread) threads; /* by id */
    FORE_VEC(struct fore_observed_tie) ties;       /* in the order of the trace */
    struct fore_map wanted;                        /* objects that are waited for */
    struct fore_map latest;                        /* (object, thread, role) -> tie + 1 */
    struct fore_map chains; /* object -> 1 + its first tie, 1 + its last << 32 */
    struct fore_map counts; /* wait group -> its counter, if that is waited for */
    bool exited;            /* an exit or a panic ended the run */
};

void fore_observed_init(struct fore_observed *o, const struct fore_trace *t);
void fore_observed_release(struct fore_observed *o);
/* Does the survey tell all that there is to be told? */
bool fore_observed_is_brief(const struct fore_trace *t);

/* ready.c, for observed_state.c: which threads wait, and may go on yet, because others still ran. */
void fore_observed_find_rescued(struct fore_observed *o);
/* ready.c, for observed_state.c: tells those that wait from those that were about to go on. */
void fore_observed_find_ready(struct fore_observed *o);

/* ready.c: does it wait in a select without cases, and did the program end without it? Nobody writes that by mistake: it
 * stands for work that does not end, and waits for such work are no leaks. */
bool fore_observed_is_endless(const struct fore_observed *o, uint32_t thread);

/* background.c: does a library keep it for as long as the program runs? */
bool fore_observed_is_background(const struct fore_observed *o, uint32_t thread);
/* background.c: does it end a test binary whose time (-timeout) is over? */
bool fore_observed_is_alarm(const struct fore_observed *o, uint32_t thread);
/* ready.c: the test, without sub-tests, that a thread belongs to, as a hash; 0: none. */
uint64_t fore_observed_scope(const struct fore_observed *o, uint32_t thread);

/* 1 + the first tie of an object, 0: none. */
uint32_t fore_observed_ties(const struct fore_observed *o, uint32_t object);
/* Did it still run, or was about to? */
static inline bool fore_observed_alive(enum fore_observed_life life)
{
    return life == FORE_LIFE_RUNNING || life == FORE_LIFE_TIMED ||
           life == FORE_LIFE_READY;
}
/* The channels (or the object) that a waiting thread waits for. */
size_t fore_observed_cases(const struct fore_observed *o, uint32_t thread,
                           struct fore_case *one, const struct fore_case **out);
/* The thread that holds the lock, and the event by which; NULL: nobody does. A robust lock passes
 * on when its holder ends. */
const struct fore_observed_tie *fore_observed_holder(const struct fore_observed *o,
                                                     uint32_t object);

#endif
