/* Judges the linearizability of histories, event by event, with memory: an exploration meets the
 * same situations again and again, so each distinct state of the monitor is kept once, and steps
 * between them are remembered. */
#ifndef FORE_EXPLORE_JUDGE_H
#define FORE_EXPLORE_JUDGE_H

#include "actor/actors.h"
#include "base/map.h"
#include "history/monitor.h"

/* A step that was computed before: the latest of those that share the slot. */
struct fore_judge_step {
    uint32_t state, op, next;
    bool response;
    int64_t result;
};
enum { FORE_JUDGE_STEPS = 4096 };

struct fore_judge {
    const struct fore_harness *harness;
    const struct fore_model *model;
    struct fore_vals values;
    FORE_VEC(struct fore_op) ops; /* one per operation of the harness */
    FORE_VEC(struct fore_history_monitor)
    monitors;                      /* [0] is not used: FORE_JUDGE_BROKEN */
    FORE_VEC(uint64_t) hashes;     /* their fingerprints */
    struct fore_map known;         /* fingerprint -> monitor */
    struct fore_judge_step *steps; /* FORE_JUDGE_STEPS of them */
};

enum { FORE_JUDGE_BROKEN = 0, FORE_JUDGE_START = 1 };

/* Release `j` even after an error. */
enum fore_status fore_judge_init(struct fore_judge *j, const struct fore_harness *h,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_judge_release(struct fore_judge *j);

uint32_t fore_judge_invoke(struct fore_judge *j, uint32_t state, uint32_t op);
/* FORE_JUDGE_BROKEN when no sequential order explains the answer. */
uint32_t fore_judge_respond(struct fore_judge *j, uint32_t state, uint32_t op,
                            int64_t result);
/* The state after the last step of `w`: its invocation, then its responses. */
uint32_t fore_judge_follow(struct fore_judge *j, uint32_t state,
                           const struct fore_actors *w);
static inline uint64_t fore_judge_hash(const struct fore_judge *j, uint32_t state)
{
    return j->hashes.at[state];
}

/* Writes which of the values that the harness mentions `op` could have answered: "0 or 1". */
void fore_judge_expected(struct fore_judge *j, uint32_t state, uint32_t op,
                         struct fore_strbuf *out);

#endif
