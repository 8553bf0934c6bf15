/* One run of a program, and its trace as captures of different sight would write it. */
#ifndef FORE_TESTS_ORACLE_VERDICT_RECORD_H
#define FORE_TESTS_ORACLE_VERDICT_RECORD_H

#include "oracle/verdict/world.h"

#include "trace/sees.h"

/* What a capture must see to write the event. */
enum sight { SIGHT_ALWAYS, SIGHT_USE, SIGHT_MEMORY, SIGHT_ATOMIC, SIGHT_OUTSIDE };

struct record {
    uint8_t thread, pc, sight;
    bool branch;              /* since the thread's previous record */
    char text[64], blind[64]; /* with and without values */
};

struct recording {
    FORE_VEC(struct record) list;
    struct paths paths;
    bool recorded[OPS]; /* the operation was done, or waits for ever */
    struct waits waits; /* who waited when the run was over */
    bool cut;           /* it was over before everybody had ended or waited for ever */
    bool green;         /* everybody has ended */
    bool negative; /* a wait group was counted below zero, for which there is no event */
};

struct sees {
    const char *name;
    unsigned mask; /* enum fore_sees */
    bool use, straight;
    bool
        unseen; /* what the second thread does to memory is not recorded, and that is said */
    bool torn; /* some of what is done to memory and outside was lost, and that is said */
    bool anonymous; /* it does not know what things are read and written outside */
};

enum { SEES_USE = 0, SEES_STRAIGHT = 4, SEES = 12 }; /* rows of the table */
extern const struct sees all_sees[SEES];

/* A random run, rather one in which nothing goes wrong. If `cut`, it is over before its time. */
void record_run(const struct program *p, struct fore_rng *r, bool cut,
                struct recording *out);
void recording_release(struct recording *r);
/* The trace. */
void record_write(const struct program *p, const struct recording *r,
                  const struct sees *sees, struct fore_strbuf *out);

#endif
