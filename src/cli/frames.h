/* Gives functions and lines to the callers that a C program recorded as addresses. */
#ifndef FORE_CLI_FRAMES_H
#define FORE_CLI_FRAMES_H

#include "trace/tables.h"

/* Gives calling frames their functions and lines; frames that no tool here can look up disappear. */
void fore_frames_name(struct fore_tables *t);

#endif
