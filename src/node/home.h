/* The folders that nodes run in. A process and its copies have a folder each, and all of them
 * find it at the same path while they run: a node may remember where its files are. So only one
 * of them runs at a time, and the folders of the others are out of the way. */
#ifndef FORE_NODE_HOME_H
#define FORE_NODE_HOME_H

#include "base/err.h"

#include <stdbool.h>

enum { FORE_HOME_PATH = 96 };

struct fore_home {
    char path[FORE_HOME_PATH];
    unsigned users; /* processes */
    bool busy;      /* one of them runs */
};

struct fore_process;

/* Makes a folder for a process, which runs in it. */
enum fore_status fore_home_make(struct fore_process *p, struct fore_err *e) FORE_MUST_USE;
/* The name of a folder that is out of the way. */
void fore_home_spare(const struct fore_home *h, char path[FORE_HOME_PATH]);
/* The process stands still from now on, or runs again; false: its folder cannot be moved. */
bool fore_home_park(struct fore_process *p);
bool fore_home_return(struct fore_process *p);
/* Removes the process's folder; it is no user any more. */
void fore_home_leave(struct fore_process *p);

#endif
