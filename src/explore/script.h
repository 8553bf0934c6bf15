/* Schedules as text: written as witness traces, read back from them or from plain lists of
 * message numbers. Messages are numbered in the order in which they are sent. */
#ifndef FORE_EXPLORE_SCRIPT_H
#define FORE_EXPLORE_SCRIPT_H

#include "base/strbuf.h"
#include "explore/explorer.h"

/* The explorer's path in the trace notation. Its header names system and harness, for replay;
 * `expect` is its last line. A lost message is one that is never received; comments tell of
 * losses and other faults. */
void fore_script_write(const struct fore_explorer *s, const char *system,
                       const char *harness, const char *expect, struct fore_strbuf *out);

struct fore_script_step {
    uint32_t msg;
    enum fore_how how;
    uint64_t line;
};

struct fore_script {
    char system[256], harness[256]; /* "" if the file does not say */
    FORE_VEC(struct fore_script_step) steps;
};

/* Reads such a trace, or lines `[how] NUMBER`. Release `x` even after an error. */
enum fore_status fore_script_read(struct fore_script *x, const char *file,
                                  const char *text, size_t n,
                                  struct fore_err *e) FORE_MUST_USE;
void fore_script_release(struct fore_script *x);

#endif
