/* Places that several threads come to, whose accesses are recorded one by one. A record costs little
 * by itself; what costs is the unit, whose cache line goes from thread to thread. So it stays where it is in
 * the two most frequent cases:
 *
 * Guarded:  every access holds the same lock. Its tickets order the accesses, which need no
 *           others: they are recorded without the unit's lock and with ticket 0. An access without
 *           it ends this mode, under the unit's lock, and records that it comes after the lock's last
 *           ticket (AFTER): so the order is the real one, except for a section of that lock that was
 *           just going on, with which it races.
 * Read:     no thread writes. A thread that has read once notes, in its own memory, its last read.
 *           A thread that writes records the last read of each thread (PAST), as those of an owner.
 *
 * Sound and complete as the owner filter is: the last read of each thread stands for those before. */
#ifndef FORE_C_SHARED_H
#define FORE_C_SHARED_H

#include "capture/c/runtime/cell.h"

bool fore_rt_shared_open(void);
void fore_rt_shared_forget(void);

/* The calling thread may note reads from now on, until it ends. */
void fore_rt_reader_begins(struct fore_rt_thread *t);
/* Is a thread other than `t` just recording something? */
bool fore_rt_others_record(const struct fore_rt_thread *t);
void fore_rt_reader_ends(struct fore_rt_thread *t);

/* With the unit's lock: before an access to it is recorded; and after one to a place that is
 * shared. */
void fore_rt_shared_before(struct fore_rt_thread *t, const struct cell *c,
                           struct fore_rt_unit *u, const struct fore_rt_part *a);
void fore_rt_shared_after(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                          struct fore_rt_unit *u, const struct fore_rt_part *a);
/* The calling thread alone has come to it for long: it is the owner from now on. */
bool fore_rt_shared_ends(struct fore_rt_thread *t, const struct cell *c, unsigned mask,
                         struct fore_rt_unit *u);

#endif
