/* What a supervised child tells its parent: frames of a kind and a JSON text, over a pipe. */
#ifndef FORE_EXPLORE_WIRE_H
#define FORE_EXPLORE_WIRE_H

#include "explore/session.h"

enum fore_frame {
    FORE_FRAME_ERROR = 'E',
    FORE_FRAME_KINDS = 'K', /* the names of the system's messages */
    FORE_FRAME_PROGRESS = 'P',
    FORE_FRAME_ROW = 'R',
    FORE_FRAME_FINDING = 'F',
    FORE_FRAME_TOLD = 'T',
    FORE_FRAME_DONE = 'D',
};

void fore_wire_send(int fd, enum fore_frame kind, const char *text, size_t n);
void fore_wire_send_finding(int fd, const struct fore_finding *x);
/* Enters a frame's content into the result; FORE_FRAME_ERROR fills `e`. */
enum fore_status fore_wire_receive(struct fore_session_result *r, enum fore_frame kind,
                                   const char *text, size_t n,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
