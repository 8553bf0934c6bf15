/* The fingerprints of states that were visited: a table in memory and, once memory ends, sorted
 * runs on disk. While there are runs, it is known only later whether a fingerprint is new, when
 * all fingerprints that came meanwhile are compared with the runs in one pass (delayed duplicate
 * detection). */
#ifndef FORE_EXPLORE_STORE_H
#define FORE_EXPLORE_STORE_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* 64 bits of a state, or 128 if the search is asked to keep as many; else `more` is 0. */
struct fore_print {
    uint64_t at, more;
};

enum fore_seen {
    FORE_SEEN_BEFORE,
    FORE_SEEN_FIRST,
    FORE_SEEN_MAYBE, /* fore_store_settle will decide */
};

struct fore_sorted_run {
    int fd;
    uint64_t count;
};

struct fore_maybe {
    struct fore_print print;
    uint32_t index; /* in the order in which they came */
    bool old;
};

struct fore_store {
    uint64_t *slots; /* `words` per fingerprint; 0 is empty */
    unsigned words;  /* 1 or 2 */
    size_t size, n;
    size_t most; /* slots that memory allows; 0: any number */
    const char *folder;
    FORE_VEC(struct fore_sorted_run) runs;
    FORE_VEC(struct fore_maybe) maybes;
    uint64_t on_disk, scanned; /* bytes in runs; bytes read to settle */
    struct fore_err *err;
    bool failed; /* the disk failed; `err` says why */
};

/* `bytes` is the room for table and maybes together, 0 no limit; runs go to `folder`. */
void fore_store_init(struct fore_store *s, bool wide, size_t bytes, const char *folder,
                     struct fore_err *err);
void fore_store_release(struct fore_store *s);
enum fore_seen fore_store_visit(struct fore_store *s, struct fore_print p);
/* Says that a state of this print will be visited soon, so that its slot in the table is fetched
 * meanwhile. */
void fore_store_expect(const struct fore_store *s, struct fore_print p);
/* Has the table no room for another print? Then settle, and spill. */
bool fore_store_full(const struct fore_store *s);
/* Compares with the runs. Afterwards `s->maybes`, in any order, say which states are old; the
 * caller clears them. */
void fore_store_settle(struct fore_store *s);
/* Writes the table to disk. */
void fore_store_spill(struct fore_store *s);
/* Calls `f` with every fingerprint, those on disk too. */
void fore_store_each(struct fore_store *s, void (*f)(void *user, struct fore_print p),
                     void *user);

#endif
