/* Which thread used which object: a summary of a trace, made in one pass while it is read. It
 * tells an analysis, before it looks at any event, what it need not look at.
 *
 * Positions are those of events in the trace; indices count along a thread. */
#ifndef FORE_TRACE_SURVEY_H
#define FORE_TRACE_SURVEY_H

#include "base/map.h"
#include "trace/sink.h"

/* The offers of one thread on one channel in one direction. */
struct fore_use {
    uint32_t chan, thread;
    /* 1 + the next user of this channel in this direction, in the order in which they came */
    uint32_t next;
    uint32_t where; /* the place of its offers; 0 if one has none */
    bool mixed;     /* its offers have different places, or one has no announcement */
    bool chose;     /* it was one of several cases */
    /* how often it offered; how often a message was sent or received */
    uint64_t offers, taken;
    uint64_t closed;            /* how often the channel was found closed */
    uint32_t closed_at;         /* position of the first receive that found it so */
    uint32_t taken_at;          /* position of the last that was sent or received */
    uint32_t last;              /* position of its last event here */
    uint32_t serves;            /* how many sends, receives and closes were done */
    uint32_t served, served_at; /* the first and the last of them */
    uint64_t served_index;      /* the last one's */
    struct fore_event done;     /* the last one itself */
};

struct fore_survey_chan {
    uint32_t first[2], last[2]; /* 1 + uses of receivers and of senders */
    uint32_t closes, closer;    /* how often, and by which thread last */
    uint32_t close_at;          /* position of the last one */
};

struct fore_survey_thread {
    uint64_t count;
    uint32_t first, last;      /* its events */
    struct fore_event end;     /* the last one itself */
    uint32_t parent, creation; /* its creation: position + 1, 0 if no thread created it */
    uint32_t held;             /* locks */
    uint32_t use[2];           /* 1 + the use that was looked up last */
    uint32_t done;             /* 1 + the entry of `dones` that was looked up last */
    uint32_t last_done;        /* 1 + its newest one */
    bool over;                 /* it has ended, or only stands for a timer */
    bool open;                 /* its last event offers cases */
    bool fault;                /* its last event was on a closed channel, and panicked */
};

/* A panic, a send on or a close of a closed channel. */
struct fore_fault {
    uint32_t event;
    uint64_t index;
    bool again; /* a panic that the previous event of its thread explains */
};

/* Which thread adds to a wait group and which waits for it, as long as it is one thread each. */
struct fore_survey_group {
    uint32_t adder, waiter;         /* or FORE_SHARED; 0: nobody */
    uint32_t last_add;              /* position */
    uint32_t first_wait, last_wait; /* positions of waits that ended */
    uint32_t waits;                 /* how many did */
    int64_t sum;                    /* of all that was added */
    uint32_t first;                 /* 1 + first of its `dones` */
};

/* Counts by which one thread counts a wait group down. */
struct fore_survey_done {
    uint32_t group, thread;
    uint32_t last; /* position of the last time */
    uint32_t next,
        older; /* 1 + the next one of this group; the one before, of this thread */
};

/* Order between threads and unbuffered channels, in few bytes per event: for traces whose events
 * are not stored. */
enum fore_link_kind {
    FORE_LINK_MEET,   /* `thread` sends to `other` over `object`; `at` is the receive */
    FORE_LINK_CREATE, /* thread creates other */
    FORE_LINK_JOIN,   /* thread waited for other */
    FORE_LINK_CLOSE,  /* thread closes object */
    FORE_LINK_CLOSED, /* thread finds object closed */
};
struct fore_link {
    uint32_t at, kind, thread, other, object;
};

struct fore_survey {
    size_t events;  /* seen so far */
    uint64_t kinds; /* one bit per kind that occurs */
    FORE_VEC(struct fore_survey_thread) threads;
    FORE_VEC(struct fore_survey_chan) chans; /* by object */
    FORE_VEC(struct fore_use) uses;
    FORE_VEC(uint32_t) user; /* object -> the only thread that used it, or FORE_SHARED */
    FORE_VEC(struct fore_survey_group) groups; /* by object */
    FORE_VEC(struct fore_survey_done) dones;
    FORE_VEC(struct fore_fault) faults;
    struct fore_map index; /* thread << 32 | channel << 1 | sends -> 1 + use */
    struct fore_map done;  /* thread << 32 | group -> 1 + one of `dones` */
    bool logs;             /* from some event on: links */
    FORE_VEC(struct fore_link) log;
    bool exited;        /* an exit or a panic ended the run */
    bool waited_locked; /* a thread began to wait, or to lock, while it held a lock */
    uint64_t met;       /* receives that come right behind their unbuffered sends */
    struct fore_event before; /* the last one */
};

#define FORE_SHARED UINT32_MAX
_Static_assert(FORE_KINDS <= 64, "a bit for each kind");

void fore_survey_release(struct fore_survey *s);
void fore_survey_events(struct fore_survey *s, const struct fore_event *e, size_t n,
                        const struct fore_case *cases);

/* One side of a channel. */
struct fore_side {
    uint32_t users;
    uint64_t taken, loose, dangling; /* offers; of the latter, those that never ended */
    bool chose;                      /* a select was among them */
    bool placed;                     /* each user has one place, which is known */
    bool ordered;  /* its users took turns, by program order and creation */
    uint32_t last; /* user */
};
struct fore_side fore_survey_side(const struct fore_survey *s, uint32_t chan,
                                  unsigned kind);
/* Has the channel no select, and was each of its offers taken up or does it wait? */
static inline bool fore_side_is_even(const struct fore_side *x)
{
    return !x->loose && !x->chose;
}
/* Does one thread add to the group, and one thread wait for it, which is the same or began after
 * the adding? In most programs the waiting thread has added itself, or was started by the thread
 * that did. */
bool fore_survey_adds_first(const struct fore_survey *s,
                            const struct fore_survey_group *g);
/* Does the only close of the channel come after every send, in every order of these operations? False: that is not
 * known. */
bool fore_survey_closed_last(const struct fore_survey *s, uint32_t chan);
/* Makes the event a link; false if it is none. `before` is the event before it. */
bool fore_link_of(const struct fore_event *e, const struct fore_event *before,
                  uint32_t at, struct fore_link *out);

/* Does it look so far as if all analyses could do with the beginning and the survey, or with
 * these and the links? In part: there are alternatives, and notes are about the beginning only. */
enum fore_calm { FORE_NOT_CALM, FORE_CALM_BY_LINKS, FORE_CALM_IN_PART, FORE_CALM };
enum fore_calm fore_survey_calm(const struct fore_survey *s);
/* Has the trace only threads and channels that order it? */
bool fore_survey_is_plain(const struct fore_survey *s);

static inline bool fore_survey_has(const struct fore_survey *s, unsigned kind)
{
    return s->kinds >> kind & 1;
}
/* The users of a channel, 1 + index; 0 if there are none. */
static inline uint32_t fore_survey_users(const struct fore_survey *s, uint32_t chan,
                                         unsigned kind)
{
    return chan < s->chans.n ? s->chans.at[chan].first[kind] : 0;
}

#endif
