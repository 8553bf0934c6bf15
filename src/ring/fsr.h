/* Reads a ring file: its threads, and their operations one after the other, while the program
 * still writes or afterwards. capture/ring/ring.h defines the words of the file. */
#ifndef FORE_TRACE_FSR_H
#define FORE_TRACE_FSR_H

#include "base/err.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "capture/ring/ring.h"

/* One operation, in whichever form it was written. */
struct fore_fsr_op {
    unsigned kind, flags; /* enum fore_ring_kind, fore_ring_flags */
    uint32_t where, object;
    uint64_t ticket;
    const uint64_t *units; /* two words each */
    unsigned unit_count;
    bool past; /* another thread told it */
    bool near; /* recorded together with others, at the place of the last one */
    bool
        unsure; /* of a past: something that is not there yet may have been used before it */
    uint64_t before; /* if it was early: the ticket that comes after it, or 0 */
    uint64_t after;  /* and the ticket that comes before it */
    uint64_t brief;  /* the record's word if it holds the value, or 0 */
};

/* Decodes a record that is no definition, with that many units behind it. */
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

/* Makes it a read that has no ticket, but comes before one ticket and after the previous one. */
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
    uint32_t chunk; /* 1 + its number; 0: before the first */
    uint32_t slot;
    /* number of slots of the chunk, if it was computed and cannot change any more */
    uint32_t slots;
};

/* The block of memory that a place is in. */
struct fore_fsr_block {
    uint32_t number, shape; /* its number, 0: not known; the string that describes it */
    uint32_t where;         /* it was made */
    uint64_t size, offset;  /* of the place */
};

/* Places that were defined together. */
struct fore_fsr_places {
    uint32_t first, count, where;
    struct fore_fsr_block block; /* of the first */
    uint32_t used;               /* the last part of the run that used them */
};

/* An access, or a run of accesses, that another thread recorded: its thread, and after how many
 * records of that thread it was done. */
struct fore_fsr_past {
    uint32_t thread, position;
    uint64_t ticket; /* orders accesses to one place after the same records */
    uint32_t line;   /* orders accesses to several places: the line in the source */
    uint32_t where, object, more;
    uint32_t read; /* how many were */
    uint8_t kind, distance;
    bool early, near, counted;
    uint32_t number; /* the how-manieth it is */
};

/* How far a thread had come: everything before `at`; in a slot of short words there, the first
 * `halves`, of which the last had repeated `again` times. */
struct fore_fsr_mark {
    struct fore_fsr_place at;
    unsigned halves;
    uint64_t again;
};

struct fore_fsr_thread {
    uint32_t number; /* the capture's */
    /* 1 + index; chunks before the first were given back */
    uint32_t first_chunk, last_chunk;
    uint32_t chunks; /* how many it has had */
    struct fore_fsr_place head,
        scan; /* the next operation; how far definitions were read */
    struct fore_fsr_mark seen, limit; /* as of the last look, and of the one before */
    bool second;                      /* the head is the second short word of its slot */
    bool torn;             /* a record does not fit its chunk: nothing after it is read */
    uint64_t again;        /* number of repetitions that were read */
    uint32_t records;      /* number of records before the head */
    size_t past, past_end; /* of `pasts`, those still to come */
    uint64_t run;          /* how much of the run there was read */
    bool use_read;         /* the use that comes before the head was read */
    bool over; /* it will write nothing more, and everything that it wrote was read */
    uint32_t used[2]; /* the channels that it last sent on and received from */
    uint64_t bases[FORE_RING_BASES];
    uint64_t tickets[2];
    uint32_t what[2], phase;
};

struct fore_fsr_where {
    uint32_t file, function, line, column, parent; /* string ids of the capture */
    bool straight;                                 /* see FORE_RING_STRAIGHT */
    bool address;                                  /* see FORE_RING_ADDRESS */
    uint32_t site; /* the same place without its callers; 0: itself */
};

struct fore_fsr_object {
    uint32_t kind, flags, where;
    uint64_t capacity;
    uint32_t stack[4]; /* callers of `where`; 0: none */
    uint64_t init[2];  /* initial value of a place, and its type: see fore_value */
    struct fore_fsr_block block; /* that it is in */
    struct fore_strbuf name;
    uint32_t used; /* the last part of the run that used it */
    uint64_t rank; /* rank among several definitions: the least one counts */
};

enum { FORE_FSR_DEEPEST = 8 };

/* An access and its callers, innermost first; 0: no more. */
struct fore_fsr_stack {
    uint32_t where[FORE_FSR_DEEPEST];
};

/* The taking of a lock that was held at the end, and waited for; see DEF_TAKEN. */
struct fore_fsr_taken {
    uint64_t ticket;
    uint32_t owner;
    uint32_t first, n; /* of callers */
};

struct fore_fsr_unseen {
    uint32_t where;
    /* the text names a member that is watched only in the first object that has it */
    bool member;
    struct fore_strbuf text;
};

/* The first recorded operation on an object. */
struct fore_fsr_first {
    uint32_t object, thread, where, kind;
    bool busy;
    uint64_t ticket;
};

/* A held lock; or, with a condition, a thread that waits for it. */
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
    uint64_t room; /* number of chunks that fit into the file */
    uint64_t seen; /* number of chunks that were looked at */
    /* number of chunks that belong to a thread, including those given back */
    uint64_t found;
    uint64_t inner;             /* chunks before this one belong to a longer chunk */
    FORE_VEC(uint32_t) after;   /* per chunk: 1 + the thread's next chunk */
    FORE_VEC(uint32_t) number;  /* per chunk: its index among those of its thread */
    FORE_VEC(uint32_t) unowned; /* chunks without a thread so far */
    struct fore_map early; /* thread and number -> a chunk that came before its turn */
    FORE_VEC(struct fore_fsr_thread) threads;
    struct fore_map by_number; /* capture's thread -> index */
    bool live;                 /* the program still writes the file */
    bool whole;                /* the program did not write it while it was read */
    FORE_VEC(struct fore_fsr_past)
    pasts; /* those still to come, by thread and position */
    /* those that cannot come any more, because their thread has gone on */
    FORE_VEC(struct fore_fsr_past) late;
    uint64_t pasts_told, pasts_read;
    uint32_t pasts_found;
    bool streams; /* it is read while the program runs although there are pasts */
    FORE_VEC(struct fore_fsr_places) places;
    bool places_sorted;
    uint32_t part; /* number of the part of the run; see fore_fsr_forget */
    /* What must not come out yet, because a select in which nothing was ready, or an early
     * access, must come out before it: fore_fsr_hold_key -> how many of these there are. */
    struct fore_map holds;
    /* In a whole file: object -> the only thread that used it, or FORE_FSR_SHARED; 0: none did.
     * The map has objects with large numbers. */
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
    struct fore_map fed;      /* channels on which something outside sends */
    struct fore_map spent;    /* channels of timers that were not set at the end */
    struct fore_map children; /* process -> string: the group that started it */
    bool torn;
    /* For a file with parts, see fsr_parts.c: */
    uint32_t first_part;     /* the first whole part; 0: the file has no parts */
    uint32_t scan_part;      /* part of the chunk being looked at; 0: none */
    struct fore_map born;    /* thread -> offset of its DEF_BORN */
    struct fore_map created; /* threads whose SIGNAL is in the file */
    struct fore_map tickets; /* object -> index below */
    FORE_VEC(struct fore_fsr_first) firsts;
    FORE_VEC(struct fore_fsr_held)
    held; /* used while threads are looked at; afterwards the locks held in the beginning */
    FORE_VEC(struct fore_fsr_held) began_with;
    struct fore_map
        asleep; /* threads that wait for a condition -> how often they began to */
};

#define FORE_FSR_SHARED UINT32_MAX

/* Opens the `size` bytes at `base`, which may still be written. Fails if it is no ring file. */
enum fore_status fore_fsr_open(struct fore_fsr *f, const char *name, const void *base,
                               size_t size, struct fore_err *e) FORE_MUST_USE;
void fore_fsr_release(struct fore_fsr *f);
/* Looks for new chunks; the file now has `size` bytes. */
void fore_fsr_find(struct fore_fsr *f, size_t size);
/* The same, and reads the definitions in them. */
void fore_fsr_refresh(struct fore_fsr *f, size_t size);
/* Gives the thread's next operation, if it is there. It may be unfinished (no RING_DONE). */
bool fore_fsr_peek(struct fore_fsr *f, uint32_t thread, struct fore_fsr_op *op);
void fore_fsr_advance(struct fore_fsr *f, uint32_t thread, const struct fore_fsr_op *op);
/* Gives the chunks that were read back to the writer; the file must be mapped for writing. Does
 * nothing if the writer does not use chunks again. */
void fore_fsr_give_back(struct fore_fsr *f);
/* Skips the repetitions that the thread still has, and returns how many operations these are. */
uint64_t fore_fsr_skip_again(struct fore_fsr *f, uint32_t thread);

/* A select without success says what its channels' counters {sends, receives} were; `sends`
 * says which way the case went. For a select of one case both are the counter of the other
 * side's operations. */
typedef void fore_fsr_visit(void *arg, uint32_t chan, bool sends,
                            const uint64_t counters[2]);
void fore_fsr_counters(const struct fore_fsr_op *op, fore_fsr_visit *visit, void *arg);
enum fore_fsr_hold { FORE_HOLD_SEND, FORE_HOLD_RECV, FORE_HOLD_CLOSE, FORE_HOLD_TICKET };
/* The key of what is held back: the send or the receive after the n-th, or the close (n is 0). */
uint64_t fore_fsr_hold_key(enum fore_fsr_hold what, uint32_t chan, uint64_t n);

/* Did one thread alone ever use the object, and does it not wait for it? */
bool fore_fsr_is_private(const struct fore_fsr *f, uint32_t object);
/* For fsr.c: notes which thread uses the object of a record. */
void fore_fsr_note_user(struct fore_fsr *f, uint32_t thread,
                        const struct fore_ring_record *r, unsigned units);

/* In fsr_parts.c: is it a file with parts of which the first ones are gone? */
bool fore_fsr_is_cut(const struct fore_fsr *f);
/* For fsr.c: finds all chunks of such a file that count; notes a record; afterwards the state in
 * the beginning is known. */
void fore_fsr_find_parts(struct fore_fsr *f);
void fore_fsr_note_record(struct fore_fsr *f, uint32_t thread,
                          const struct fore_ring_record *r, unsigned units);
/* For fsr_parts.c: */
const struct fore_ring_chunk *fore_fsr_chunk(const struct fore_fsr *f, uint64_t i);
struct fore_fsr_thread *fore_fsr_thread_of(struct fore_fsr *f, uint32_t number);
void fore_fsr_append_chunk(struct fore_fsr *f, struct fore_fsr_thread *t, uint32_t i);
/* The first operation on the object; NULL: there is none. */
const struct fore_fsr_first *fore_fsr_first(const struct fore_fsr *f, uint32_t object);
/* The record that stands for the creation of a thread whose SIGNAL is gone, or NULL. */
const struct fore_ring_record *fore_fsr_born(const struct fore_fsr *f, uint32_t thread);

/* For fsr.c: reads a definition; a PAST; a record of a select that may have given up. */
void fore_fsr_define(struct fore_fsr *f, const struct fore_ring_record *r, unsigned kind,
                     unsigned units);
void fore_fsr_add_past(struct fore_fsr *f, const struct fore_ring_record *r,
                       unsigned units);
/* Gives each thread its pasts, including those found since the last call. A past whose position
 * was already read is late. */
void fore_fsr_sort_pasts(struct fore_fsr *f);
/* Of a PAST that stands for a run: the access after `run` others. */
struct fore_fsr_op fore_fsr_past_op(const struct fore_fsr_past *p, uint64_t run);
/* How many more accesses a PAST or a record with RING_RUN stands for. */
uint64_t fore_fsr_more(const struct fore_ring_record *r);
void fore_fsr_hold_back(struct fore_fsr *f, const struct fore_ring_record *r,
                        uint64_t word, unsigned units);

const struct fore_fsr_object *fore_fsr_object(struct fore_fsr *f, uint32_t id);
/* Begins another part of the run: forgets places without a name that were used neither in this
 * part nor in the one before. */
void fore_fsr_forget(struct fore_fsr *f);
const struct fore_fsr_where *fore_fsr_where(const struct fore_fsr *f, uint32_t id);
/* The stack of that number; NULL: it is no number of a stack. */
const struct fore_fsr_stack *fore_fsr_stack(const struct fore_fsr *f, uint32_t number);
/* The string of that id; empty if it was not defined. */
const struct fore_strbuf *fore_fsr_string(const struct fore_fsr *f, uint32_t id);
const struct fore_strbuf *fore_fsr_thread_name(const struct fore_fsr *f, uint32_t thread);
/* The places where a thread waited when the process ended, innermost first; NULL: not known. */
const uint32_t *fore_fsr_rests(const struct fore_fsr *f, uint32_t thread, size_t *n);
/* The group that the thread itself recorded; see DEF_GROUP. */
const struct fore_strbuf *fore_fsr_thread_group(const struct fore_fsr *f,
                                                uint32_t thread);
/* The group that started a process; empty: none. */
const struct fore_strbuf *fore_fsr_child_group(const struct fore_fsr *f,
                                               uint32_t process);

#endif
