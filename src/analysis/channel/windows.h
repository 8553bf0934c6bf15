/* Finds, for each offer on some channels and each thread of interest, which operations of that
 * thread are neither done before the offer's pre nor begun after its post, by the clocks of a
 * replay. Made by two passes, forward and backward; used by clocks.c. */
#ifndef FORE_ANALYSIS_CHANNEL_WINDOWS_H
#define FORE_ANALYSIS_CHANNEL_WINDOWS_H

#include "analysis/channel/comm.h"

/* Operations of a thread, counted along it from 0: the first that the offer's pre does not know
 * to be done, and the first whose pre knows the offer to be done (UINT32_MAX: none). */
struct fore_window {
    uint32_t from, to;
};

struct fore_windows {
    const struct fore_comm *c;
    uint32_t *party,
        *parties; /* channel -> first and number of its threads of interest */
    FORE_VEC(uint32_t) threads; /* those */
    uint32_t *slot; /* offer -> its first window, one per party; or FORE_NO_OFFER */
    FORE_VEC(struct fore_window) list;
};

void fore_windows_init(struct fore_windows *w, const struct fore_comm *c);
void fore_windows_release(struct fore_windows *w);
void fore_windows_clear(struct fore_windows *w);
/* Adds threads of interest for a channel: call it for one channel after the other. */
void fore_windows_party(struct fore_windows *w, uint32_t chan, uint32_t thread);
/* Keeps windows for the offers of one kind, or both, on the channel. */
void fore_windows_want(struct fore_windows *w, uint32_t chan, unsigned kind);
void fore_windows_fill(struct fore_windows *w);

/* The windows of an operation that offers `kind` on the channel; NULL if none are kept. */
const struct fore_window *fore_windows_of(const struct fore_windows *w, uint32_t chan,
                                          unsigned kind, uint32_t op);
/* The thread's number among the channel's parties; it must be one of them. */
uint32_t fore_windows_index(const struct fore_windows *w, uint32_t chan, uint32_t thread);

#endif
