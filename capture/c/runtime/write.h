/* Each event goes through these, so they are inlined; record.c has what is seldom. Included by
 * rt.h. */
#ifndef FORE_C_WRITE_H
#define FORE_C_WRITE_H

#define FORE_RT_POSITION (((uint64_t)1 << 27) - 1) /* in a stamp; see inline.h */

/* The calling thread, numbered; NULL if nothing is to be recorded now. */
static inline struct fore_rt_thread *fore_rt_enter(void)
{
    struct fore_rt_thread *t = &foresee_rt_self;
    if (!fore_rt_on())
        return NULL;
    if (t->inside || t->over || !t->number || t->pending || t->quiet)
        return fore_rt_enter_slowly();
    t->inside = true;
    return t;
}

static inline void fore_rt_leave(struct fore_rt_thread *t)
{
    if (!t->at_kept)
        t->at_site = 0;
    t->inside = false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&t->left_to_do, __ATOMIC_RELAXED))
        fore_rt_finish(t);
}

/* One more of the thread's records. */
static inline void fore_rt_count(struct fore_rt_thread *t)
{
    uint64_t position = ++t->records;
    if (foresee_rt_stamp)
        foresee_rt_stamp = (foresee_rt_stamp & ~FORE_RT_POSITION) | position;
    if (position + 1 >= FORE_RT_POSITION)
        foresee_rt_stamp = 0; /* positions are used up: everything is recorded */
}

/* Takes room for a record with `units` behind it, filled by the caller before the put. */
static inline struct fore_ring_record *fore_rt_take(struct fore_rt_thread *t,
                                                    size_t units)
{
    if (t->uses)
        t->run.record = NULL; /* what comes now may have been decided */
    struct fore_ring_record *r = t->next;
    if ((size_t)(t->end - r) < units + 1)
        return fore_rt_take_slowly(t, units);
    t->open_at = t->records;
    t->open = r;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->next = r + units + 1;
    fore_rt_count(t);
    return r;
}

/* Does the thread learn something from an event of this kind? */
static inline bool fore_rt_teaches(uint64_t word)
{
    unsigned kind = FORE_RING_KIND(word);
    return kind == FORE_RING_READ || kind == FORE_RING_RMW || kind == FORE_RING_IN ||
           kind == FORE_RING_TRYLOCK || kind == FORE_RING_TRYRLOCK ||
           (kind == FORE_RING_ACQUIRE && FORE_RING_FLAGS(word) & FORE_RING_BUSY);
}

/* May an event of this kind order what the thread did before it? An atomic access may, too (places.c). */
static inline bool fore_rt_may_order(unsigned kind)
{
    return kind < FORE_RING_READ || (kind > FORE_RING_RMW && kind < FORE_RING_DEF_OBJECT);
}

static inline void fore_rt_put(struct fore_rt_thread *t, struct fore_ring_record *r,
                               uint32_t where, uint32_t object, uint64_t word)
{
    unsigned kind = FORE_RING_KIND(word);
    bool uses = t->uses && kind < FORE_RING_AFTER;
    r->where = where;
    r->object = object;
    __atomic_store_n(&r->word, word | (uses ? (uint64_t)FORE_RING_USES << 8 : 0),
                     __ATOMIC_RELEASE);
    if (uses)
        t->uses = false;
    if (kind < FORE_RING_DEF_OBJECT)
        t->last_event = r;
    if (fore_rt_teaches(word))
        foresee_rt_learnt = 1;
    if (fore_rt_may_order(kind))
        foresee_rt_since = t->records;
    if (kind < FORE_RING_READ) /* neither an access nor a definition */
        t->segment++;
    if (kind < FORE_RING_DEF_OBJECT && kind != FORE_RING_UNLOCK) {
        t->events++;
        t->news++;
        t->shown = NULL;
    }
}

#endif
