/* Shared by the parts of the channel analysis: the program with its replay, the index of the
 * offers, and pairs of operations that might have met. */
#ifndef FORE_ANALYSIS_CHANNEL_COMM_H
#define FORE_ANALYSIS_CHANNEL_COMM_H

#include "base/budget.h"
#include "machine/replay.h"
#include "machine/run.h"

#define FORE_NO_OFFER UINT32_MAX

/* What two operations on a channel might do together. */
enum fore_comm_rule {
    FORE_COMM_ALTERNATIVE, /* a: send, b: receive */
    FORE_COMM_SEND,        /* a: close, b: send that comes after it */
    FORE_COMM_RECEIVE,     /* a: close, b: receive that finds the channel closed */
    FORE_COMM_CLOSE,       /* a: close, b: another close after it */
    FORE_COMM_RULES
};

/* Is it about something that is often intended? */
static inline bool fore_comm_is_note(unsigned rule)
{
    return rule == FORE_COMM_ALTERNATIVE || rule == FORE_COMM_RECEIVE;
}

struct fore_comm_pair {
    uint32_t rule, chan;
    uint32_t a, b; /* operations */
};

/* The operations of one thread, at one place in the source, that offer the same case on one
 * channel, in program order. */
struct fore_comm_lane {
    uint32_t thread, where;
    uint32_t first, n; /* in `ops` */
};

/* A thread that offers on a channel: its first and last operation that does. */
struct fore_comm_party {
    uint32_t thread, first, last;
    uint32_t next; /* 1 + another one; 0: none */
};

/* One channel. [0] is about receives, [1] about sends. */
struct fore_comm_chan {
    uint32_t lane[2], lanes[2]; /* first and how many */
    uint32_t party[2];          /* 1 + one of its parties; 0: none */
    uint32_t threads[2];        /* how many threads offer to receive, to send */
    uint32_t only[2];           /* the last of them: the only one if threads is 1 */
    uint32_t offers[2];         /* of operations that have lanes */
    uint32_t loose[2];          /* offers that were not taken up, or found it closed */
    uint32_t dangling[2];       /* threads that end in such an offer */
    uint32_t close, closes;     /* first and how many, in `closes` */
    bool busy; /* it may have something to report; other channels have no lanes */
};

struct fore_comm {
    struct fore_run *run;
    const struct fore_program *p;
    const struct fore_trace *t;
    struct fore_budget *budget;
    const uint32_t *order, *when; /* see machine/run.h */
    uint32_t steps;
    uint32_t
        noted; /* notes are about this many of the first steps; set it before; 0: all */
    uint32_t *limit; /* thread -> end of its operations among them; of all, if they are */
    struct fore_comm_chan *chans; /* by object id */
    FORE_VEC(struct fore_comm_party) parties;
    /* For the operations that notes are about: */
    uint32_t *offer; /* operation -> number of its first case */
    uint32_t offers; /* cases of all of them */
    FORE_VEC(struct fore_comm_lane) lanes;
    uint32_t *ops;    /* of the lanes */
    uint32_t *closes; /* operations, by channel */
    unsigned jobs;    /* processors that may be used; 0: one */
    uint64_t most;    /* clock entries that are kept at a time; 0: the usual number */
    bool unbounded;   /* treat buffers as the paper does: without order, without end */
    bool simple;      /* only threads and channels: replays decide everything */
    bool queues;      /* some channel has a buffer */
    bool busy;        /* some channel is */
};

/* Builds it from a run that was replayed, which must outlive it. */
void fore_comm_build(struct fore_comm *c, struct fore_run *o);
void fore_comm_release(struct fore_comm *c);

/* The place in the source: of the pre, if that has one. */
static inline uint32_t fore_comm_where(const struct fore_program *p, uint32_t op)
{
    return p->ops[op].where;
}

/* Did the operation communicate on the channel, as a send or a receive? */
static inline bool fore_comm_took(const struct fore_program *p, uint32_t op,
                                  uint32_t chan, unsigned kind)
{
    const struct fore_insn *o = &p->ops[op];
    return o->object == chan && !(o->flags & FORE_F_CLOSED) &&
           o->kind == (kind == FORE_CASE_SEND ? FORE_EV_SEND : FORE_EV_RECV);
}

/* Is the operation among those that notes are about? */
static inline bool fore_comm_is_noted(const struct fore_comm *c, uint32_t op)
{
    return op < c->limit[fore_insn_thread(c->p, op)];
}

/* Is the pair what was recorded, and so no alternative? */
static inline bool fore_comm_was(const struct fore_program *p, uint32_t chan,
                                 uint32_t send, uint32_t receive)
{
    return p->ops[send].link == receive && fore_comm_took(p, send, chan, FORE_CASE_SEND);
}

/* Receives pairs; returns false if it has enough. */
struct fore_comm_sink {
    bool (*pair)(struct fore_comm_sink *s, struct fore_comm_pair x);
};

#endif
