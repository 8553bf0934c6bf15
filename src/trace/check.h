/* Checks whether a trace makes sense. Reports what no order of its events could explain: a
 * wait(i) without signal(i), a receive of what was never sent, an unlock by a thread that does
 * not hold the lock. Lines may be grouped by thread, so causes may come after their effects, and
 * what is missing is known only at the end. Whether the observed order itself replays is another
 * question, which machine/ answers.
 *
 * Memory: per thread, per object, per (thread, channel), and per message under way. */
#ifndef FORE_TRACE_CHECK_H
#define FORE_TRACE_CHECK_H

#include "trace/pairs.h"
#include "trace/trace.h"

/* A place in the input, in one word: line << 24 | column. */
typedef uint64_t fore_mark;

static inline fore_mark fore_mark_at(uint64_t line, uint64_t column)
{
    return line << 24 | (column < 0xffffff ? column : 0xffffff);
}

struct fore_check_thread {
    fore_mark first, wait, created, mention; /* 0: has not happened */
    bool over;                               /* after `end` or `exit` */
    bool must_wait;                          /* created by signal, not by spawn */
    struct fore_event pending;               /* its pre, if kind is not 0 */
    FORE_VEC(struct fore_case) cases;        /* of the pending pre */
};

struct fore_check_object {
    uint64_t base, low,
        high;           /* messages in (base, low] are done; high is the largest number */
    uint64_t ticket[2]; /* the last; of receives apart */
    fore_mark closed, found_closed;
    bool misused; /* a lock whose owner is unknown */
};

struct fore_check {
    const struct fore_tables *tables;
    const char *file;
    struct fore_err first; /* the first problem in the order of the input */
    fore_mark first_at;
    uint64_t problems;
    FORE_VEC(struct fore_check_thread) threads;
    FORE_VEC(struct fore_check_object) objects;
    struct fore_pairs pairs;
    struct fore_map held;     /* thread << 32 | lock -> write holds | read holds << 32 */
    struct fore_map messages; /* channel (0: actors) | number -> mark << 2 | bits */
    struct fore_map
        operations; /* thread, or number | top bit -> how many are under way */
    struct fore_map
        answers; /* number -> mark of a return whose invoke was not seen yet */
};

/* Limits that keep a (channel, message number) in one word. */
enum { FORE_CHECK_NUMBER_BITS = 36, FORE_CHECK_OBJECT_BITS = 28 };

void fore_check_init(struct fore_check *c, const struct fore_tables *t, const char *file);
void fore_check_release(struct fore_check *c);
/* An event in the order of the input; `ticket` 0 is none. */
void fore_check_event(struct fore_check *c, const struct fore_event *e,
                      const struct fore_case *cases, uint64_t ticket, fore_mark at);
/* After the last event. */
void fore_check_end(struct fore_check *c);
/* The number that a send without one gets. */
uint64_t fore_check_next_message(struct fore_check *c, uint32_t chan);

#endif
