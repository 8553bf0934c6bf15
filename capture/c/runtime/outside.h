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
    FORE_RT_THING_OTHER, /* a thing without a file: eventfd, timerfd, epoll */
    FORE_RT_THING_SYSV,
    FORE_RT_THING_SIGNALS,
    FORE_RT_THING_CHILDREN,
    FORE_RT_THING_CONNECTION, /* two sockets that are known to belong together */
    FORE_RT_THING_NUMBER, /* the number of a descriptor, from its close to its next use */
    FORE_RT_THING_NAMES,  /* of files */
    FORE_RT_THING_ANY,    /* one of many */
    FORE_RT_THING_TOLD,   /* an address by which the program itself says what it orders */
    FORE_RT_THING_OPENMP, /* a team, barrier or task of OpenMP */
    FORE_RT_THING_CANCELLATION, /* of threads; the machine knows its name */
    FORE_RT_THINGS
};

/* Something goes out to the thing, or came in from it (FORE_RING_OUT, FORE_RING_IN). */
void fore_rt_outside(enum fore_rt_thing_kind thing, uint64_t which, unsigned kind,
                     struct fore_c_site *site);
/* The same for a descriptor. */
void fore_rt_outside_file(int fd, unsigned kind, struct fore_c_site *site);
/* An exception has left a function that is to run once, and others may try; a thread tries,
 * perhaps not the first. */
void fore_rt_once_left(const void *what, struct fore_c_site *site);
void fore_rt_once_tried(const void *what, struct fore_c_site *site);
/* Memory is shared with processes that are still to be made. */
void fore_rt_outside_shares(struct fore_c_site *site);
/* Are there processes that came from this one, or from which it came, with whom it may share memory? */
bool fore_rt_has_relatives(void);
/* A thread has begun that no thread of the program created: for a timer or a message. */
void fore_rt_outside_stranger(struct fore_rt_thread *t);
/* Records that something happens here that cannot be seen; once for each site. */
void fore_rt_unseen(struct fore_c_site *site, const char *what);
/* Called before the program begins: notes where its output goes, which no thread of it reads. */
void fore_rt_outside_begin(void);

#endif
