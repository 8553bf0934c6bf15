/* A step as a person would tell it, and what pictures need to know of it. */
#ifndef FORE_FINDING_DEED_H
#define FORE_FINDING_DEED_H

#include "trace/trace.h"

/* Texts may be NULL: none. */
struct fore_deed {
    const char *does;   /* "locks accounts", "sets balance to 90" */
    const char *kind;   /* of the event: "lock", "send" … */
    const char *object; /* its name */
    const char *value;  /* that was read or written */
    const char *other; /* creation path of the thread that is started, joined, woken … */
    const char *message; /* equal for a send and its receive */
    bool waits;          /* has come to where it may have to wait */
    bool odd;            /* a try that failed, a channel that was found closed */
    uint32_t frame;      /* 1 + its place in the finding's frames; 0: none */
    uint64_t at;         /* 1 + its position in the observed run; 0: not known */
};

struct fore_findings;
/* All but frame and position; texts live as long as the findings. */
struct fore_deed fore_deed_of(struct fore_findings *f, const struct fore_tables *t,
                              const struct fore_event *e, const struct fore_case *cases);

#endif
