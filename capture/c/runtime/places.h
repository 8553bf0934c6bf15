/* Recorded places in memory: their numbers, and the records about them. Everything here needs
 * the unit's lock, except for guarded places (shared.h). */
#ifndef FORE_C_PLACES_H
#define FORE_C_PLACES_H

#include "capture/c/runtime/shadow.h"

/* The state of the places within 4 bytes, or of the one place of 8. It lies within one cache
 * line, since all of it goes from thread to thread with the place. */
struct fore_rt_unit {
    _Alignas(32) uint32_t lock;
    uint32_t version; /* counts writes while it is shared, for threads that read again */
    uint32_t more;    /* a unit that has further places of these bytes, or 0 */
    uint32_t
        guard;    /* the number of the lock that every access holds, or 0; see shared.h */
    uint8_t last; /* low bits of the thread that came last while it was shared */
    uint8_t streak;     /* how often in a row */
    uint8_t readings;   /* how often it was read since it was written */
    uint8_t hops : 2;   /* how often its owner has changed */
    uint8_t breaks : 2; /* and its guard */
    bool bytes : 1;     /* each byte is a place */
    bool exact : 1;     /* accesses are recorded with their values */
    bool relevant : 1;  /* and always */
    bool is_read : 1;   /* each thread notes its own reads */
    struct fore_rt_place place;
};

bool fore_rt_units_open(void);
void fore_rt_units_forget(void);
/* Gives the unit by its index, which is 0 if there is none; makes a new one then; NULL if no
 * more can be made. */
#define FORE_RT_OLD 0x80000000u /* with the index: what it was of is gone */
/* Instead of an index, with the number of its one place: the place was handed over once. That
 * means a write by its first owner and an access by its second, which needs no unit. */
#define FORE_RT_HANDED 0x40000000u
#define FORE_RT_WRITTEN 0x20000000u /* with it: its second owner has written it since */
#define FORE_RT_WIDENED 0x10000000u /* with it: not all bytes were read of it */
#define FORE_RT_HANDED_IDS (FORE_RT_WIDENED - 1)
extern struct fore_rt_unit *fore_rt_units;
static inline struct fore_rt_unit *fore_rt_unit(const uint32_t *index)
{
    uint32_t i = __atomic_load_n(index, __ATOMIC_RELAXED);
    return i - 1 < FORE_RT_HANDED - 1 ? &fore_rt_units[i] : NULL;
}
/* Has something been recorded of the place? */
static inline bool fore_rt_has_unit(const uint32_t *index)
{
    return __atomic_load_n(index, __ATOMIC_RELAXED) - 1 < FORE_RT_OLD - 1;
}
/* Makes a unit; `wide`: of 8 bytes. The unit is locked. */
struct fore_rt_unit *fore_rt_unit_make(uint32_t *index, bool wide);
/* From now on the memory at p is another place. */
void fore_rt_unit_release(uint32_t *index, const char *p);
void fore_rt_places_renew(const char *p, size_t n);
/* Places around p get other numbers, because their bounds change. */
void fore_rt_places_split(const char *p);

/* The mask of the bytes that an access has within the 4; 0 stands for all 8. */
static inline unsigned fore_rt_mask(unsigned at, unsigned size)
{
    return size == 8 ? 0 : ((1u << size) - 1) << at;
}

/* The place that begins at this byte; NULL if there is none. */
static inline struct fore_rt_place *fore_rt_place(struct fore_rt_unit *u, unsigned at)
{
    struct fore_rt_place *place = &u->place;
    if (u->more)
        place = (struct fore_rt_place *)(void *)&fore_rt_units[u->more] + at;
    return place->size && place->at == at ? place : NULL;
}

/* A read of some bytes of a place counts as a read of the place, because a write of the place
 * writes those bytes, too. Gives the mask of all the place's bytes, or of those that the owner
 * has written. */
unsigned fore_rt_widened(struct fore_rt_unit *u, unsigned mask, unsigned written);
/* Is each place either the same as these bytes or apart from them? */
bool fore_rt_agree(struct fore_rt_unit *u, const unsigned masks[3]);
/* From now on each byte is a place of its own; what was known is forgotten. */
void fore_rt_unit_by_bytes(struct fore_rt_unit *u, const char *p);

/* Records the access at p that a thread noted in the word. An early one has no ticket: it comes before the place's next record. */
void fore_rt_tell(struct fore_rt_thread *t, struct fore_rt_unit *u, char *p,
                  uint64_t word, unsigned kind, bool early, const struct fore_rt_part *a);
/* The owner's write that the word notes, and an access to the place or to a part of it, `where` with its callers; the first write
 * after that. */
void fore_rt_put_written(struct fore_rt_thread *t, uint32_t id, uint32_t where);
void fore_rt_put_handed(struct fore_rt_thread *t, uint64_t word, uint32_t id, bool part,
                        unsigned kind, uint32_t where);
char fore_rt_type(const struct fore_rt_unit *u, const struct fore_rt_place *place,
                  const struct fore_rt_part *a);
/* The same access once more, without a ticket. */
void fore_rt_put_again(struct fore_rt_thread *t, const struct fore_rt_seen *s, bool exact,
                       uint32_t where, unsigned kind);
void fore_rt_put_access(struct fore_rt_thread *t, struct fore_rt_unit *u, char *p,
                        unsigned mask, const struct fore_rt_part *a);
/* Records the access also for the places that it overlaps, which end now, so that it meets what
 * was recorded of them. */
void fore_rt_put_overlapped(struct fore_rt_thread *t, struct fore_rt_unit *u,
                            unsigned mask, const struct fore_rt_part *a);

#endif
