/* What the findings about waits have in common: who waits for what, where, and who could have ended it. */
#ifndef FORE_ANALYSIS_OBSERVED_WORDING_H
#define FORE_ANALYSIS_OBSERVED_WORDING_H

#include "analysis/analysis.h"
#include "analysis/observed/observed_state.h"

struct fore_observed_job {
    const struct fore_trace *t;
    struct fore_analysis_ctx *ctx;
    struct fore_observed o;
    FORE_VEC(bool) told; /* threads whose wait is in a finding */
    bool lost;           /* events: whoever ends a wait may be among them */
    size_t cycles;
};

/* A finding about waits that were observed. */
struct fore_finding *fore_observed_begin(struct fore_observed_job *j, const char *rule);
const char *fore_observed_who(const struct fore_observed_job *j, uint32_t thread);
/* " at main.go:4", or nothing. */
const char *fore_observed_at(const struct fore_observed_job *j, uint32_t where);
/* "to receive from x", "in a select", "to lock m" … */
const char *fore_observed_waits_how(const struct fore_observed_job *j, uint32_t thread);
static inline const struct fore_event *
fore_observed_last(const struct fore_observed_job *j, uint32_t thread)
{
    return &j->o.survey->threads.at[thread].end;
}
/* Does the thread wait at the end, for what is not a library's alone, and no finding says so yet? */
static inline bool fore_observed_is_left(const struct fore_observed_job *j,
                                         uint32_t thread)
{
    enum fore_observed_life life = j->o.threads.at[thread].life;
    return (life == FORE_LIFE_WAITING || life == FORE_LIFE_READY) &&
           !j->told.at[thread] && !j->o.threads.at[thread].hidden;
}

void fore_observed_place(struct fore_observed_job *j, struct fore_finding *x,
                         const char *role, uint32_t event, uint64_t index);
void fore_observed_add_wait(struct fore_observed_job *j, struct fore_finding *x,
                            const char *role, uint32_t thread);
/* Has a thread that still runs used what the thread waits for? */
bool fore_observed_is_served(const struct fore_observed_job *j, uint32_t thread);
void fore_observed_tell_partners(struct fore_observed_job *j, struct fore_finding *x,
                                 uint32_t thread);
/* Who called the place where the thread waits. */
void fore_observed_tell_stack(struct fore_observed_job *j, struct fore_finding *x,
                              uint32_t thread);
void fore_observed_tell_creation(struct fore_observed_job *j, struct fore_finding *x,
                                 uint32_t thread);
/* Where the channels were made that it waits for. */
void fore_observed_tell_makes(struct fore_observed_job *j, struct fore_finding *x,
                              uint32_t thread);
/* The thread that holds the lock that `thread` waits for, or 0. */
uint32_t fore_observed_waits_for(const struct fore_observed_job *j, uint32_t thread);

/* leak.c: who is left waiting although nobody ended the process; goroutines of tests that were over when somebody did. */
void fore_observed_find_leaks(struct fore_observed_job *j);
void fore_observed_find_left(struct fore_observed_job *j);

#endif
