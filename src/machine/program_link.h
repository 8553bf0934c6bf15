/* Internal to machine/program: two passes turn the trace into a program; the first one counts. */
#ifndef FORE_MACHINE_PROGRAM_LINK_H
#define FORE_MACHINE_PROGRAM_LINK_H

#include "base/map.h"
#include "machine/program.h"

/* What the two passes keep of each thread. */
struct fore_builder_thread {
    uint32_t next;  /* the operation to fill next */
    uint32_t begun; /* event of a pre that waits for its end, or FORE_NO_EVENT */
};

/* Sends of a channel that have not been received yet, first to last: `link` leads from one to
 * the next. */
struct fore_builder_sent {
    uint32_t first, last;
};

/* A signal; `next` leads to the first one from it on that was not given to a wait: itself, if it was not. */
struct fore_builder_signal {
    uint32_t op, next;
};

/* The signals and broadcasts of one condition. */
struct fore_builder_wakes {
    FORE_VEC(struct fore_builder_signal) signals;
    FORE_VEC(uint32_t) broadcasts;
};

struct fore_builder {
    struct fore_program *p;
    const struct fore_trace *t;
    struct fore_builder_thread *at;
    struct fore_builder_sent *sent; /* by channel */
    struct fore_map
        open;     /* key of a message -> the operation that waits for its other side */
    size_t early; /* receives in `open` */
    uint32_t *list_at; /* place -> the list of cases that was last offered there */
    struct fore_map
        wakes_of; /* condition, or condition and thread -> 1 + number in `wakes` */
    FORE_VEC(struct fore_builder_wakes) wakes;
    uint32_t *
        writer; /* place, timer, lock -> 1 + the operation that wrote, fired or took it last */
    int64_t *count;     /* semaphore -> released minus acquired */
    bool one_outside;   /* some outside thing is unknown: it may be any of them */
    bool filling;       /* the second pass */
    uint32_t announced; /* in it, so far */
};

/* Notes what the operation got, and from which other operation. */
enum fore_status fore_builder_link(struct fore_builder *b, uint32_t op,
                                   struct fore_err *err) FORE_MUST_USE;
/* Of an operation on a condition. */
void fore_builder_link_condition(struct fore_builder *b, const struct fore_event *e,
                                 uint32_t op);
void fore_builder_release_wakes(struct fore_builder *b);
/* Sends that were never received get no other side. True if there are any. */
bool fore_builder_unlink_sent(struct fore_builder *b);
/* Fails: the trace contradicts itself at this event. */
enum fore_status fore_builder_contradiction(const struct fore_builder *b,
                                            const struct fore_event *e, const char *what,
                                            struct fore_err *err);

#endif
