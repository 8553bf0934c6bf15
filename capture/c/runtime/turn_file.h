/* A thread is about to read from a file or to write to it: it waits at a point until that would
 * not block, or until the deadline. */
#ifndef FORE_C_TURN_FILE_H
#define FORE_C_TURN_FILE_H

#include <poll.h>
#include <stdint.h>

void fore_turn_file(int fd, short events, uint64_t deadline);

#endif
