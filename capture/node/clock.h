/* Shared by foresee and a node process: the node's time, and which of its threads wait for what
 * time.
 *
 * foresee makes one for each process and passes it as a file descriptor; the preload library in
 * the process maps it. Time moves only when foresee says so. */
#ifndef CAPTURE_NODE_CLOCK_H
#define CAPTURE_NODE_CLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define FORE_NODE_ENV "FORESEE_NODE_CLOCK" /* the descriptor */
#define FORE_NODE_MAGIC 0x666f72656e6f6465u
#define FORE_NODE_WAITS 64
/* Where time begins: the first of January 2024, and an uptime of a day. */
#define FORE_NODE_EPOCH_NS 1704067200000000000
#define FORE_NODE_UPTIME_NS 86400000000000

/* A thread in a call that ends at some time at the latest. */
struct fore_node_wait {
    _Atomic int32_t tid;      /* 0: none; below 0: a timer, see timers.c */
    _Atomic int64_t deadline; /* in nanoseconds since the start */
};

/* What keeps the node's time. */
enum fore_node_keeper {
    FORE_NODE_NOBODY,
    FORE_NODE_LIBRARY, /* the preload library */
    FORE_NODE_GO,      /* the runtime of a program of `foresee go` */
};

struct fore_node_clock {
    uint64_t magic;
    uint64_t seed;           /* seed of the process's randomness */
    _Atomic int64_t now;     /* nanoseconds since the start */
    _Atomic uint32_t keeper; /* enum fore_node_keeper */
    /* Go only. foresee adds one to `asked` when it has given the node something; a node that
     * then finds nothing more to do copies that number to `rested`. Both are futexes. */
    _Atomic uint32_t asked, rested;
    /* Library only: a descriptor that can be read from when time has moved. */
    int32_t bell;
    struct fore_node_wait waits[FORE_NODE_WAITS];
    /* Library only: see copy.c. Both are futexes. */
    _Atomic int32_t
        copy; /* set by the original: the number of the copy, or a negative error */
    _Atomic uint32_t ready; /* set by the copy: this page is its own */
};

/* The descriptors that foresee gives a node besides its standard input and outputs: out of the
 * way of its own files, and the same in all nodes. */
enum {
    FORE_NODE_PAGE_FD = 240, /* the page */
    FORE_NODE_BELL_FD,       /* can be read from when time has moved */
    FORE_NODE_COPY_FD, /* a socket through which a copy of the process gets its descriptors */
    FORE_NODE_FREE_FD, /* from here on no descriptors are used */
};

/* A signal that few programs use. It tells a process with the library that a timer's time has
 * come, or asks it for a copy of itself. The descriptors for the copy come through the socket
 * before, with this as data. */
#define FORE_NODE_SIGNAL (SIGRTMAX - 3)
#define FORE_NODE_COPY_MOST 64
struct fore_node_copy {
    uint32_t n;
    struct {
        int32_t to;      /* the descriptor that it becomes in the copy; -1: its folder */
        int32_t cloexec; /* closed when another program is run */
    } at[FORE_NODE_COPY_MOST];
};

/* The hooks of Go know these by number. */
_Static_assert(offsetof(struct fore_node_clock, seed) == 8, "turn_node.go");
_Static_assert(offsetof(struct fore_node_clock, now) == 16, "turn_node.go");
_Static_assert(offsetof(struct fore_node_clock, keeper) == 24, "turn_node.go");
_Static_assert(offsetof(struct fore_node_clock, asked) == 28, "turn_node.go");
_Static_assert(offsetof(struct fore_node_clock, rested) == 32, "turn_node.go");
_Static_assert(offsetof(struct fore_node_clock, waits) == 40, "turn_node.go");
_Static_assert(offsetof(struct fore_node_wait, deadline) == 8, "turn_node.go");
_Static_assert(offsetof(struct fore_node_clock, copy) == 40 + FORE_NODE_WAITS * 16,
               "turn_node.go");
_Static_assert(FORE_NODE_GO == 2, "turn_node.go");

#endif
