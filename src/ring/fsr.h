/* A ring file from the reading side: its threads, and their operations one after the other,
 * while the program still writes or afterwards. What a word means is in capture/ring/ring.h. */
#ifndef FORE_TRACE_FSR_H
#define FORE_TRACE_FSR_H

#include "base/err.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "capture/ring/ring.h"

/* One operation, whatever it was written as. */
struct fore_fsr_op {
    unsigned kind, flags; /* enum fore_ring_kind, fore_ring_flags */
    uint32_t where, object;
    uint64_t ticket;
    const uint64_t *units; /* two words each */
    unsigned unit_count;
    bool past; /* another thread told it */
    bool near; /* and together with others, at the place of the last */
    bool
        unsure; /* of a past: something that is not there yet may have been used before it */
    uint64_t before; /* it was early: the ticket that comes after it, or 0 */
    uint64_t after;  /* and the one that comes before it */
    uint64_t brief;  /* the record's word if that has the value, or 0 */
};

/* What a record that is no definition says, with so many units behind it. */
static inline struct fore_fsr_op fore_fsr_op(const struct fore_ring_record *r,
                                             uint64_t word, unsigned units)
{
    return (struct fore_fsr_op){.kind = FORE_RING_KIND(word),
                                .flags = FORE_RING_FLAGS(word),
                                .where = r->where,
                                .object = r->object,
                                .ticket = FORE_RING_TICKET(word),
                                .units = (const uint64_t *)(r + 1),
                                .unit_count = units};
}

/* A read that has no ticket, but comes before one and after the one before that. */
static inline void fore_fsr_take_early(struct fore_fsr_op *op)
{
    if (op->kind != FORE_RING_READ || !(op->flags & FORE_RING_EARLY))
        return;
    op->flags &= ~(unsigned)FORE_RING_EARLY;
    op->before = op->ticket;
    op->after = op->ticket ? op->ticket - 1 : 0;
    op->ticket = 0;
}

struct fore_fsr_place {
    uint32_t chunk; /* + 1; 0: before the first */
    uint32_t slot;
    uint32_t slots; /* of the chunk, if it was looked up and cannot change any more */
};

/* The block of memory that a place is in. */
struct fore_fsr_block {
    uint32_t number, shape; /* 0: not known; the string that describes it */
    uint32_t where;         /* it was made */
    uint64_t size, offset;  /* of the place */
};

/* Places that were defined together. */
struct fore_fsr_places {
    uint32_t first, count, where;
    struct fore_fsr_block block; /* of the first */
    uint32_t used;               /* in which part of the run */
};

/* An access that another thread told, or a run of them: whose it is, and after how many records. */
struct fore_fsr_past {
    uint32_t thread, position;
    uint64_t ticket; /* orders what was done to one place after the same records */
    uint32_t line;   /* and this what was done to several: the place in the source */
    uint32_t where, object, more;
    uint32_t read; /* how many were */
    uint8_t kind, distance;
    bool early, near, counted;
    uint32_t number; /* the how-manieth it is */
};

/* How far a thread had come: all before `at`; of a slot of short words there the first
 * `halves`, of which the last had repeated `again` times. */
struct fore_fsr_mark {
    struct fore_fsr_place at;
    unsigned halves;
    uint64_t again;
};

struct fore_fsr_thread {
    uint32_t number;                  /* the capture's */
    uint32_t first_chunk, last_chunk; /* + 1; those before the first were given back */
    uint32_t chunks;                  /* how many it has had */
    struct fore_fsr_place head,
        scan; /* the next operation; where definitions are known to */
    struct fore_fsr_mark seen, limit; /* by the last look, and by the one before */
    bool second;                      /* the head is the second short word of its slot */
    bool torn;             /* a record does not fit its chunk: nothing follows */
    uint64_t again;        /* repetitions that were read */
    uint32_t records;      /* that lie before the head */
    size_t past, past_end; /* of `pasts`, what is still to come */
    uint64_t run;          /* what was read of the run there */
    bool over;             /* it will write nothing more, and all it wrote was read */
    uint32_t used[2]; /* channels that it was last seen to send on and receive from */
    uint64_t bases[FORE_RING_BASES];
    uint64_t tickets[2];
    uint32_t what[2], phase;
};

struct fore_fsr_where {
    uint32_t file, function, line, column, parent; /* the capture's string ids */
    bool straight;                                 /* see FORE_RING_STRAIGHT */
    bool address;                                  /* see FORE_RING_ADDRESS */
    uint32_t site; /* the same place without its callers; 0: itself */
};

struct fore_fsr_object {
    uint32_t kind, flags, where;
    uint64_t capacity;
    uint32_t stack[4];           /* callers of `where`, 0: none */
    uint64_t init[2];            /* of a place: value and type, see fore_value */
    struct fore_fsr_block block; /* that it is in */
    struct fore_strbuf name;
    uint32_t used; /* in which part of the run */
    uint64_t rank; /* which of several definitions it is: the least counts */
};

enum { FORE_FSR_DEEPEST = 8 };

/* An access and its callers, innermost first; 0: no more. */
struct fore_fsr_stack {
    uint32_t where[FORE_FSR_DEEPEST];
};

/* Of a lock that was held at the end, and waited for; see DEF_TAKEN. */
struct fore_fsr_taken {
    uint64_t ticket;
    uint32_t owner;
    uint32_t first, n; /* of callers */
};

struct fore_fsr_unseen {
    uint32_t where;
    struct fore_strbuf text;
};

/* The first operation on an object that is there. */
struct fore_fsr_first {
    uint32_t object, thread, where, kind;
    bool busy;
    uint64_t ticket;
};

/* A lock, or with a condition one that waits for it. */
struct fore_fsr_held {
    uint32_t thread, lock, where, cond;
    bool shared;
};

struct fore_fsr {
    const char *name;
    const char *base;
    size_t size;
    const struct fore_ring_header *header;
    uint32_t chunk_size;
    uint64_t room;  /* chunks that the file holds by its size */
    uint64_t seen;  /* chunks that were looked at */
    uint64_t found; /* that belong to a thread, those that were given back too */
    uint64_t inner; /* those before this one belong to a longer chunk */
    FORE_VEC(uint32_t) after;   /* per chunk: the thread's next, + 1 */
    FORE_VEC(uint32_t) number;  /* per chunk: its index among those of its thread */
    FORE_VEC(uint32_t) unowned; /* chunks whose thread was not there yet */
    struct fore_map early;      /* thread and number -> chunk that is not its next one */
    FORE_VEC(struct fore_fsr_thread) threads;
    struct fore_map by_number; /* capture's thread -> index */
    bool live;                 /* the program still writes */
    bool whole;                /* it never did while this was looking */
    FORE_VEC(struct fore_fsr_past)
    pasts; /* by thread and position, those that are to come */
    FORE_VEC(struct fore_fsr_past) late; /* whose thread has gone on: they cannot come */
    uint64_t pasts_told, pasts_read;
    uint32_t pasts_found;
    bool streams; /* it is read while the program runs, though there are pasts */
    FORE_VEC(struct fore_fsr_places) places;
    bool places_sorted;
    uint32_t part; /* of the run; see fore_fsr_forget */
    /* Selects in which nothing was ready, and accesses that were told as early, which are still
     * to come out, by what must not come before them: fore_fsr_hold_key -> how many. */
    struct fore_map holds;
    /* Of a whole file: object -> the only thread that used it, or FORE_FSR_SHARED; 0: nobody. The map has those
     * with large numbers. */
    FORE_VEC(uint32_t) small_users;
    struct fore_map users;
    struct fore_map wheres, objects, strings; /* capture's id -> index below */
    FORE_VEC(struct fore_fsr_where) where_list;
    FORE_VEC(struct fore_fsr_object) object_list;
    FORE_VEC(struct fore_strbuf) string_list;
    FORE_VEC(struct fore_fsr_unseen) unseen;
    struct fore_map stacks; /* number -> index below */
    FORE_VEC(struct fore_fsr_stack) stack_list;
    struct fore_map groups; /* thread -> string */
    struct fore_map rests;  /* thread -> first of its callers << 32 | how many */
    FORE_VEC(uint32_t) callers;
    struct fore_map taken; /* lock -> index in taken_list */
    FORE_VEC(struct fore_fsr_taken) taken_list;
    struct fore_map fed;      /* channels that something outside sends on */
    struct fore_map children; /* process -> string: the group that it was started for */
    bool torn;
    /* Of a file with parts, see fsr_parts.c: */
    uint32_t first_part;     /* the first that is whole; 0: there are none */
    uint32_t scan_part;      /* of the chunk that is being looked at; 0: of no part */
    struct fore_map born;    /* thread -> offset of its DEF_BORN */
    struct fore_map created; /* threads whose SIGNAL is there */
    struct fore_map tickets; /* object -> index below */
    FORE_VEC(struct fore_fsr_first) firsts;
    FORE_VEC(struct fore_fsr_held)
    held; /* while threads are looked at, and what was held in the beginning */
    FORE_VEC(struct fore_fsr_held) began_with;
    struct fore_map
        asleep; /* threads that wait for a condition: how often they began to */
};

#define FORE_FSR_SHARED UINT32_MAX

/* `size` bytes at `base`, which may still be written to. Refuses what is no ring file. */
enum fore_status fore_fsr_open(struct fore_fsr *f, const char *name, const void *base,
                               size_t size, struct fore_err *e) FORE_MUST_USE;
void fore_fsr_release(struct fore_fsr *f);
/* Looks for new chunks; the file now has `size` bytes. */
void fore_fsr_find(struct fore_fsr *f, size_t size);
/* The same, and for definitions in them. */
void fore_fsr_refresh(struct fore_fsr *f, size_t size);
/* The thread's next operation, if it is there. It may be waiting (no RING_DONE). */
bool fore_fsr_peek(struct fore_fsr *f, uint32_t thread, struct fore_fsr_op *op);
void fore_fsr_advance(struct fore_fsr *f, uint32_t thread, const struct fore_fsr_op *op);
/* Gives back the chunks that were read, for the writer to use again; the file must be mapped
 * to be written. Does nothing if the writer has no use for them. */
void fore_fsr_give_back(struct fore_fsr *f);
/* Leaves out what the thread still has to repeat, and says how many operations that is. */
uint64_t fore_fsr_skip_again(struct fore_fsr *f, uint32_t thread);

/* A select without success says what its channels' counters {sends, receives} were; `sends`
 * says which way the case went. For a select of one case both are the counter of the other
 * side's operations. */
typedef void fore_fsr_visit(void *arg, uint32_t chan, bool sends,
                            const uint64_t counters[2]);
void fore_fsr_counters(const struct fore_fsr_op *op, fore_fsr_visit *visit, void *arg);
enum fore_fsr_hold { FORE_HOLD_SEND, FORE_HOLD_RECV, FORE_HOLD_CLOSE, FORE_HOLD_TICKET };
/* What is held back: the send or the receive after the n-th, or the close (n is 0). */
uint64_t fore_fsr_hold_key(enum fore_fsr_hold what, uint32_t chan, uint64_t n);

/* Is there one thread alone that ever used the object, and does not wait for it? */
bool fore_fsr_is_private(const struct fore_fsr *f, uint32_t object);
/* For fsr.c: who uses the object of a record. */
void fore_fsr_note_user(struct fore_fsr *f, uint32_t thread,
                        const struct fore_ring_record *r, unsigned units);

/* fsr_parts.c: is the file one with parts of which the first are gone? */
bool fore_fsr_is_cut(const struct fore_fsr *f);
/* For fsr.c: all chunks of such a file that count; notes a record; what was so in the beginning is then known. */
void fore_fsr_find_parts(struct fore_fsr *f);
void fore_fsr_note_record(struct fore_fsr *f, uint32_t thread,
                          const struct fore_ring_record *r, unsigned units);
/* For fsr_parts.c: */
const struct fore_ring_chunk *fore_fsr_chunk(const struct fore_fsr *f, uint64_t i);
struct fore_fsr_thread *fore_fsr_thread_of(struct fore_fsr *f, uint32_t number);
void fore_fsr_append_chunk(struct fore_fsr *f, struct fore_fsr_thread *t, uint32_t i);
/* The operation that is the first on the object; NULL: none is there. */
const struct fore_fsr_first *fore_fsr_first(const struct fore_fsr *f, uint32_t object);
/* Of a thread whose creation is not there: the record that stands for it, or NULL. */
const struct fore_ring_record *fore_fsr_born(const struct fore_fsr *f, uint32_t thread);

/* For fsr.c: a definition; a PAST; a record that may have given up. */
void fore_fsr_define(struct fore_fsr *f, const struct fore_ring_record *r, unsigned kind,
                     unsigned units);
void fore_fsr_add_past(struct fore_fsr *f, const struct fore_ring_record *r,
                       unsigned units);
/* Each thread gets its own, those that were found since the last time too. Those that come after
 * records that were read already are late. */
void fore_fsr_sort_pasts(struct fore_fsr *f);
/* Of a PAST the one after `run` others. */
struct fore_fsr_op fore_fsr_past_op(const struct fore_fsr_past *p, uint64_t run);
/* How many more accesses a PAST or a record with RING_RUN stands for. */
uint64_t fore_fsr_more(const struct fore_ring_record *r);
void fore_fsr_hold_back(struct fore_fsr *f, const struct fore_ring_record *r,
                        uint64_t word, unsigned units);

const struct fore_fsr_object *fore_fsr_object(struct fore_fsr *f, uint32_t id);
/* Another part of the run begins: places without a name that were not asked for in this one and the one before
 * are forgotten. */
void fore_fsr_forget(struct fore_fsr *f);
const struct fore_fsr_where *fore_fsr_where(const struct fore_fsr *f, uint32_t id);
/* NULL: it is no number of a stack. */
const struct fore_fsr_stack *fore_fsr_stack(const struct fore_fsr *f, uint32_t number);
/* Empty if it was not defined. */
const struct fore_strbuf *fore_fsr_string(const struct fore_fsr *f, uint32_t id);
const struct fore_strbuf *fore_fsr_thread_name(const struct fore_fsr *f, uint32_t thread);
/* Where a thread was that waited when the process ended, innermost first; NULL: not known. */
const uint32_t *fore_fsr_rests(const struct fore_fsr *f, uint32_t thread, size_t *n);
/* What the thread said itself; see DEF_GROUP. */
const struct fore_strbuf *fore_fsr_thread_group(const struct fore_fsr *f,
                                                uint32_t thread);
/* The group that started a process; empty: none. */
const struct fore_strbuf *fore_fsr_child_group(const struct fore_fsr *f,
                                               uint32_t process);

#endif
