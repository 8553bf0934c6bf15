/* What comes in and goes out: descriptors, signals, children. */
#ifndef FORE_C_OUTSIDE_H
#define FORE_C_OUTSIDE_H

#include "capture/c/runtime/rt.h"

enum fore_rt_thing_kind {
    FORE_RT_THING_UNKNOWN,
    FORE_RT_THING_PIPE = 1,
    FORE_RT_THING_FILE,
    FORE_RT_THING_DEVICE,
    FORE_RT_THING_SOCKETS,
    FORE_RT_THING_OTHER, /* what has no file: eventfd, timerfd, epoll */
    FORE_RT_THING_SYSV,
    FORE_RT_THING_SIGNALS,
    FORE_RT_THING_CHILDREN,
    FORE_RT_THING_CONNECTION, /* two sockets that are known to belong together */
    FORE_RT_THING_NUMBER,     /* of a descriptor, from its close to its next use */
    FORE_RT_THING_NAMES,      /* of files */
    FORE_RT_THING_ANY,        /* one of many */
    FORE_RT_THING_TOLD,       /* an address by which the program says what it orders */
    FORE_RT_THINGS
};

/* Something goes to it, or came from it (FORE_RING_OUT, FORE_RING_IN). */
void fore_rt_outside(enum fore_rt_thing_kind thing, uint64_t which, unsigned kind,
                     struct fore_c_site *site);
/* The same of a descriptor. */
void fore_rt_outside_file(int fd, unsigned kind, struct fore_c_site *site);
/* Memory is shared with processes that are still to be made. */
void fore_rt_outside_shares(struct fore_c_site *site);
/* A thread has begun that nobody in the program has created, after a timer or a message. */
void fore_rt_outside_stranger(struct fore_rt_thread *t);
/* Something that cannot be seen happens here; told once for each site. */
void fore_rt_unseen(struct fore_c_site *site, const char *what);
/* Before the program begins: where its output goes, which nobody in it reads. */
void fore_rt_outside_begin(void);

#endif
