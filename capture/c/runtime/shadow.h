/* The owner filter: accesses to memory that one thread alone has touched are not recorded but
 * noted in a shadow of memory, and recorded when a second thread comes.
 *
 * Sound:    yes. What is told of a thread it did, and where it is said to have done it; an
 *           address that is used anew is another place.
 * Complete: for the race of each place that comes first in happens-before, if the accesses to
 *           it have the same bounds. Of what a thread does while it owns a place, the first
 *           access and the first write (unless nobody had it before), the last write and the
 *           last read after it are told, and those are enough for that: an access before the
 *           owner's last write that is not ordered before the next owner's first leaves that
 *           last write unordered, too. Forgotten are: the others; the other bytes of
 *           the same four that an owner has accessed by parts; what was done to a place before it
 *           turned out to be accessed with other bounds, but for the access that does so, which is one of
 *           the place too; an access that the owner is about to note while
 *           another thread takes the place, which only programs do that race there; what a
 *           handler of signals does that comes upon the runtime at work.
 * Cost:     of an owner's access one load and one store; of a change of owner a lock, and at
 *           most three records; what nobody has touched is claimed by lines of 64 bytes. After
 *           HOPS changes a place is shared (shared.h), until one thread has come to it STREAK times
 *           in a row.
 *
 * States of a cell of 4 bytes or of 8, whose words are W and R, under the lock of its line, and that of
 * its unit where it is shared:
 *   untouched   both 0
 *   owned       both words have the tag of a thread. Site and position 0: there was none yet.
 *               FRESH, too (W): the first one is to be recorded
 *   shared      W is SHARED
 * Of 8 bytes either the one cell of 8 or the two of 4 are untouched.
 * Places have their numbers and tickets in units, found by an index beside the shadow. */
#ifndef FORE_C_SHADOW_H
#define FORE_C_SHADOW_H

#define FORE_C_RUNTIME
#include "capture/c/runtime/inline.h"
#include "capture/c/runtime/rt.h"

/* An access, or the part of one that lies within 8 aligned bytes. */
struct fore_rt_part {
    char *p;
    size_t size;
    unsigned kind; /* FORE_RING_READ, _WRITE or _RMW */
    unsigned bits; /* FORE_C_INT and so on */
    unsigned order;
    uint32_t where;
    bool exact;      /* recorded in any case */
    bool whole;      /* not a part: it has a value */
    bool first;      /* nobody has touched the place before */
    uint64_t before; /* the 8 bytes before the access */
};

enum { FORE_RT_FIRST_TAG = 2 };
_Static_assert(FORE_RT_POSITION == (1ul << FORE_C_SITE) - 1, "see write.h");

static inline uint64_t tag_of(uint64_t word)
{
    return word >> FORE_C_TAG;
}

/* ---- map.c ---- */

/* Memory that costs nothing until it is touched, `at` an address if that is not 0. */
void *fore_rt_map(uint64_t at, uint64_t size);
/* Maps pages that will be written soon at once: a fault for each page would cost more. */
void fore_rt_populate(void *from, uint64_t n);
/* Fills it with zeros; if it is much, by giving it back. */
void fore_rt_clear(uint64_t from, uint64_t n, bool much);

/* ---- shadow.c, and shared.c for places that are shared ---- */

/* Maps the shadow; false if it cannot be. */
bool fore_rt_shadow_open(void);
/* Nothing was touched yet. */
void fore_rt_shadow_forget(void);
/* Has this address a shadow of its own? */
bool fore_rt_shadowed(const void *p);
/* Locks the n bytes, which are within 8 aligned ones: the unit of the place that has them all, if it is shared, so that nothing
 * but that goes from thread to thread; their line otherwise. fore_rt_unspin ends it. */
uint32_t *fore_rt_shadow_lock(const char *p, size_t n);
uint32_t *fore_rt_shadow_line(const void *p);
/* What was there has ended its life. */
void fore_rt_shadow_reset(char *p, size_t n);
/* With the lock, in exchange for which another may be held: notes the access if it need not be
 * recorded, otherwise returns false. */
bool fore_rt_shadow_pass(struct fore_rt_thread *t, const struct fore_rt_part *a,
                         uint32_t **held);
/* With the lock: of a place that is shared and accessed as ever, which is the usual case. */
enum fore_rt_sharing { FORE_RT_UNSHARED, FORE_RT_SHARED, FORE_RT_SHARED_VALUE };
enum fore_rt_sharing fore_rt_shadow_sharing(const struct fore_rt_part *a,
                                            const uint32_t *held);
/* Does the same, and records the access if the place is such a one. */
bool fore_rt_shadow_record_shared(struct fore_rt_thread *t, const struct fore_rt_part *a,
                                  const uint32_t *held);
/* Without the lock: is it of a place that is guarded by a lock that the thread holds? Then it is
 * recorded, but for a write whose value is recorded, too: that comes next, when it is done. */
enum fore_rt_sharing fore_rt_shadow_guarded(struct fore_rt_thread *t,
                                            const struct fore_rt_part *a);
void fore_rt_shadow_record_guarded(struct fore_rt_thread *t, uint32_t where,
                                   unsigned kind);
/* The same before the thread has entered, which it has only if the value comes next: is it just what
 * the thread has recorded before, there? */
enum fore_rt_sharing fore_rt_shadow_again(struct fore_rt_thread *t, const char *p,
                                          const struct fore_c_site *site, uint32_t what);
/* With the lock: is the value recorded, too? Then it is recorded after the access. */
bool fore_rt_shadow_valued(const char *p);
/* Records the access; called with the lock, as above. */
void fore_rt_shadow_record(struct fore_rt_thread *t, const struct fore_rt_part *a,
                           uint32_t **held);
/* Without the lock: a read of what was just read, so that it needs no recording either. */
bool fore_rt_shadow_same(const struct fore_rt_thread *t, const char *p, uint32_t what);
/* Without the lock: a read that is known not to need recording, or is noted by this. */
bool fore_rt_shadow_repeats(struct fore_rt_thread *t, const char *p, size_t size,
                            uint32_t where);

/* ---- handed.c: memory that one thread has filled and another goes on with ---- */

/* A plain access outside of the runtime; false: it is none of those. */
bool fore_rt_handed_access(struct fore_rt_thread *t, char *p,
                           const struct fore_c_site *site, uint32_t what);
/* The beginning of an access to n bytes, by a thread that has entered: records it, up to the end of a line of 64 bytes, and returns
 * how many bytes that are; 0: it is none of those. */
size_t fore_rt_handed_part(struct fore_rt_thread *t, char *p, size_t n, uint32_t where,
                           unsigned kind);

#endif
