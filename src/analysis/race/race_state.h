/* What the files of the race analysis share. */
#ifndef FORE_ANALYSIS_RACE_RACE_STATE_H
#define FORE_ANALYSIS_RACE_RACE_STATE_H

#include "analysis/analysis.h"
#include "causal/lockset.h"
#include "causal/pass.h"
#include "machine/closure.h"

/* One access of a place that two threads may race for. */
struct fore_race_access {
    uint32_t at;    /* position in the trace */
    uint32_t place; /* object */
    uint32_t thread, time, where;
    uint32_t site; /* where, whoever called it: see `sites` */
    uint32_t op;   /* of the program */
    uint32_t
        section; /* how many operations of its thread came before, other than accesses */
    fore_lockset held;
    struct fore_clock past; /* what must happen before it, locks aside */
    bool writes, atomic;
};

struct fore_race_pair {
    const struct fore_race_access *a, *b;
};

struct fore_race {
    const struct fore_trace *t;
    struct fore_analysis_ctx *ctx;
    struct fore_locksets locksets;
    FORE_VEC(bool) shared; /* place -> two threads may race for it */
    FORE_VEC(uint32_t)
    sites; /* where -> the first where at the same place in the source */
    struct fore_clocks clocks;
    FORE_VEC(fore_lockset) held; /* thread -> the locks that it has, while collecting */
    FORE_VEC(uint32_t) sections; /* by thread, while collecting */
    FORE_VEC(struct fore_race_access) accesses; /* of shared places, in visiting order */
    struct fore_map access_of; /* position of one that happens.c found -> 1 + number */
    struct fore_map
        told; /* pairs of places in the source, by variable and by statement */
    FORE_VEC(uint64_t) variables; /* object -> fore_race_variable, or 0: not asked yet */
    struct fore_map enough;       /* object -> how much was told of it with witnesses */
    FORE_VEC(struct fore_finding *) last; /* object -> the last of them */
    const struct fore_run *run;
    const struct fore_program *program; /* of the run */
    const struct fore_index *index;
    FORE_VEC(struct fore_race_pair)
    left;        /* that predict.c left: race_search.c tries them */
    bool unkept; /* there are more of them */
    uint64_t happens, predicted, searched; /* pairs found by each method */
    uint64_t pairs;                        /* of groups of accesses looked at */
};

static inline bool fore_race_is_access(const struct fore_event *e)
{
    return e->kind == FORE_EV_READ || e->kind == FORE_EV_WRITE ||
           e->kind == FORE_EV_RMW || e->kind == FORE_EV_FREE;
}

static inline bool fore_race_writes(const struct fore_event *e)
{
    return e->kind != FORE_EV_READ;
}

static inline bool fore_race_atomic(const struct fore_event *e)
{
    return fore_event_order(e) != FORE_ORDER_PLAIN;
}

/* Two accesses of one place by two threads, at least one of which writes, and at least one of
 * which is not atomic. */
static inline bool fore_race_conflict(bool write_a, bool atomic_a, bool write_b,
                                      bool atomic_b)
{
    return (write_a || write_b) && !(atomic_a && atomic_b);
}

/* collect.c: marks the shared places; then collects their accesses. */
void fore_race_find_shared(struct fore_race *r);
enum fore_status fore_race_collect(struct fore_race *r, struct fore_err *e);

/* happens.c: calls `found` for pairs of positions without order, earlier one first. */
enum fore_status fore_race_happens(struct fore_race *r,
                                   void (*found)(void *ctx, uint32_t a, uint32_t b),
                                   void *ctx, struct fore_err *e);

enum { FORE_RACE_KEEPS = FORE_KEEPS_SECTIONS | FORE_KEEPS_BUFFERS | FORE_KEEPS_ATOMICS };

/* The sync-preserving ideal [syncp] of two accesses is the closure of what comes before each of
 * them: played in the observed order it is a run, after which both are next. False if it has one
 * of them, or something in it was never done. */
bool fore_race_leads_to(struct fore_closure *ideal, const struct fore_race_access *a,
                        const struct fore_race_access *b);

/* predict.c: all pairs of places in the source, by sync-preserving ideals. */
enum fore_status fore_race_predict(struct fore_race *r, struct fore_closure *ideal,
                                   struct fore_err *e);

/* race_search.c: what only another order of the sections of a lock shows, in windows of the trace. */
enum fore_status fore_race_search(struct fore_race *r, struct fore_err *e);

/* race_finding.c: a finding for the pair, with its witness; `ideal` is used for that. */
enum fore_race_how { FORE_RACE_HAPPENS, FORE_RACE_PREDICTED, FORE_RACE_SEARCHED };
enum fore_status fore_race_tell(struct fore_race *r, struct fore_closure *ideal,
                                const struct fore_race_access *a,
                                const struct fore_race_access *b, enum fore_race_how how,
                                struct fore_err *e);
/* The same with the run that leads there. */
enum fore_status fore_race_tell_run(struct fore_race *r, const struct fore_move *run,
                                    size_t n, const struct fore_race_access *a,
                                    const struct fore_race_access *b, struct fore_err *e);
/* Were so many races for this object told that further ones are only counted? They would all be shown as
 * one finding, and each costs a run of the machine. Never so in small traces. */
bool fore_race_enough(const struct fore_race *r, uint32_t place);
/* Has a race of this variable, or of another part of what these two statements access, been told at these two
 * places in the source? */
bool fore_race_known(struct fore_race *r, const struct fore_race_access *a,
                     const struct fore_race_access *b);
/* A number for the variable that the place is a part of; the same for all places without a name of the program's. */
uint64_t fore_race_variable(struct fore_race *r, uint32_t place);

#endif
