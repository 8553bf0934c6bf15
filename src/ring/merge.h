/* From rings to the observed order: the one merger, for programs that still run and for files
 * that they left behind.
 *
 * Each thread's order is known; across threads the order of an object's tickets, the n-th send
 * and receive of a channel, creation and join decide. The two sides of an unbuffered
 * communication come out together. A `pre` comes out right before what it announces, and at
 * the end if that never came. What only one thread ever did with an object inside a library is
 * left out, if the whole file is there when reading begins. Where records are missing the least blocked thread goes on, and
 * the gap is counted as lost.
 *
 * An access that another thread told (PAST) comes where it was done; since that may be far
 * back, a file that may have some is merged when the program has ended, or when a quarter of the room is
 * used. From then on what was recorded last lies in wait, a 32nd of the room at least, for what others
 * tell of it; what they tell of earlier times is late: it is counted, and does not come.
 *
 * Cost: O(1) per operation (hash tables), O(threads) per poll and per gap; O(n log n) for n
 * accesses that were told.
 * Memory: threads, objects, pairs (thread, channel), 24 bytes per run of accesses that was told, and
 * nothing per operation. */
#ifndef FORE_TRACE_MERGE_H
#define FORE_TRACE_MERGE_H

#include "ring/fsr.h"
#include "trace/carry.h"
#include "trace/pairs.h"
#include "trace/sink.h"

/* What a resolver knows about an object or a thread. */
struct fore_merge_about {
    uint32_t where; /* in the tables */
    unsigned flags; /* enum fore_object_flags */
    bool silent;    /* orders nothing that the program does; only of objects with room */
    struct fore_strbuf name;
};

/* Turns locations that the capture did not define (addresses) into those of the tables, and
 * names what is made there. */
struct fore_merge_resolver {
    uint32_t (*resolve)(struct fore_merge_resolver *r, struct fore_tables *t,
                        uint32_t where);
    void (*object)(struct fore_merge_resolver *r, struct fore_tables *t,
                   const struct fore_fsr_object *def, struct fore_merge_about *out);
    void (*thread)(struct fore_merge_resolver *r, struct fore_tables *t,
                   const struct fore_fsr_op *signal, struct fore_merge_about *out);
    /* The innermost place of the user's own, with its callers. */
    uint32_t (*callers)(struct fore_merge_resolver *r, struct fore_tables *t,
                        const uint32_t *stack, size_t n);
    /* Where the k-th (from 0) case of a kind is, of a select at `where` that has so many
     * receives and sends; `where` itself if that is not known. */
    uint32_t (*choice)(struct fore_merge_resolver *r, struct fore_tables *t,
                       uint32_t where, unsigned kind, size_t k, const size_t counts[2]);
    void (*release)(struct fore_merge_resolver *r);
};

struct fore_merge_object {
    uint32_t id;   /* in the tables; 0: not in those of this part of the run */
    uint32_t from; /* the capture's */
    uint8_t kind;
    bool lost_count; /* it was forgotten, perhaps: its ticket is not known */
    bool atomic;     /* a thread accessed it so: it is never forgotten */
    bool closed;
    bool silent; /* orders nothing, as a library's that one thread alone uses: left out */
    bool timed;  /* fed by a timer, which may take messages back */
    uint64_t capacity;
    uint64_t ticket, sends, recvs; /* the last that came out */
    uint64_t closed_sends;         /* sends before the close */
    uint32_t holders;              /* of a lock */
    uint32_t offer[2];   /* unbuffered: thread + 1 that is ready to receive, send */
    bool touched;        /* is in that list of the merger */
    uint32_t waiting[3]; /* threads that wait for its tickets, sends, receives */
    uint64_t until[3];   /* if there are some: not for less than that */
};

/* What a thread may wait for. Counters step by one, so each value is met. */
enum fore_until {
    FORE_UNTIL_CREATED,
    FORE_UNTIL_ENDED,
    FORE_UNTIL_TICKET,
    FORE_UNTIL_SENDS,
    FORE_UNTIL_RECVS,
    FORE_UNTIL_CLOSED,
    FORE_UNTIL_HELD,
};

/* Why a thread cannot go on, and how far away that is. */
struct fore_obstacle {
    enum fore_until what;
    uint32_t of;
    uint64_t until;
    uint64_t gap;
};

enum fore_merge_state {
    FORE_MERGE_IDLE,    /* no record there */
    FORE_MERGE_QUEUED,  /* to be looked at */
    FORE_MERGE_BLOCKED, /* its next operation must come after another's */
    FORE_MERGE_PENDING, /* its next operation has not completed */
    FORE_MERGE_OVER,    /* ended */
};

struct fore_merge_thread {
    uint32_t id;                /* in the tables */
    uint32_t next_waiting;      /* for the same thing, + 1 */
    struct fore_obstacle waits; /* while it is blocked by one */
    enum fore_merge_state state;
    uint32_t pair; /* 1 + the one that it last sent on */
    bool known;    /* its next operation is `op` */
    struct fore_fsr_op op;
};

/* Batches of so many events go to the sink. */
enum { FORE_MERGE_SMALL = 1 << 20, FORE_MERGE_WHERES = 256, FORE_MERGE_BATCH = 4096 };

struct fore_merge_where {
    uint32_t number; /* the capture's */
    uint32_t id;
    uint16_t flags; /* of events there: FORE_F_STRAIGHT */
};

struct fore_merge {
    struct fore_fsr file;
    struct fore_tables *tables;
    struct fore_sink *sink;
    struct fore_merge_resolver *resolver;       /* of a program with addresses, or NULL */
    FORE_VEC(struct fore_merge_thread) threads; /* as in file.threads */
    FORE_VEC(struct fore_merge_object) objects;
    FORE_VEC(uint8_t) life;       /* per thread of the tables */
    struct fore_map thread_ids;   /* capture's thread -> id in the tables */
    struct fore_map object_index; /* capture's object -> index */
    FORE_VEC(uint32_t) small;     /* the same for small numbers: index + 1 */
    struct fore_map where_ids;    /* -> id | flags << 32, see fore_merge_where */
    struct fore_merge_where recent[FORE_MERGE_WHERES]; /* some of those */
    uint32_t
        waits_at; /* in the tables: where the wait is that comes out next; 0: not known */
    size_t unseen;    /* of file.unseen, as many are in the tables */
    bool sees_memory; /* of an older file: once it has an access that is no atomic */
    struct fore_map waiting; /* condition -> first thread that waits for it, + 1 */
    struct fore_map taken;   /* names of objects: kind and string -> how often */
    struct fore_map made,
        blocks; /* name -> its blocks; name and block -> which of them */
    struct fore_pairs pairs;
    FORE_VEC(uint32_t) touched; /* objects with offers or waiting threads, perhaps */
    FORE_VEC(uint32_t) queue;   /* threads to look at, from queue_at on */
    size_t queue_at;
    FORE_VEC(struct fore_event) events; /* the batch */
    FORE_VEC(struct fore_case) cases;
    uint64_t lost, unknown;
    uint64_t late;            /* accesses that were told too late */
    struct fore_map voids;    /* their tickets, as fore_merge_void_key */
    uint64_t looked;          /* of file.found, at the last look of a stream */
    uint32_t forgotten;       /* objects up to this number may have been */
    unsigned stuck;           /* looks of a stream since something came */
    uint64_t stuck_ns;        /* the time of the first of them */
    struct fore_carry *carry; /* of a file whose first parts are gone */
    bool drained; /* the last poll of a stream came to the end of what it may read */
    bool stopped; /* the sink has had enough */
    uint64_t pushed, most; /* events so far, and at most in this poll */
};

/* `size` bytes at `base` are the file; they stay the caller's. */
enum fore_status fore_merge_open(struct fore_merge *m, const char *name, const void *base,
                                 size_t size, struct fore_tables *tables,
                                 struct fore_sink *sink,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_merge_release(struct fore_merge *m);
/* Pushes what is in order by now, or a part of it if that is much: a caller that polls wants to look
 * at other things in between. */
void fore_merge_poll(struct fore_merge *m, size_t size);
/* Nothing more will be written: pushes the rest and ends the sink. */
enum fore_status fore_merge_finish(struct fore_merge *m, size_t size,
                                   struct fore_err *e) FORE_MUST_USE;

/* merge_stream.c: pasts are read while the program runs. Is it so, and is it time to look at what is new? */
bool fore_merge_streams(struct fore_merge *m, size_t size);
/* What was told too late leaves its ticket to those behind it. */
void fore_merge_take_late(struct fore_merge *m);
/* Is there no access with the ticket? Asked once. */
bool fore_merge_is_void(struct fore_merge *m, uint32_t object, uint64_t ticket);
/* Between two polls: the tables have begun anew (fore_tables_renew, which says which objects are now
 * which). Places that nobody came to since the last time are forgotten. */
void fore_merge_renew(struct fore_merge *m, const struct fore_map *moved);
/* For merge_stream.c: all blocked threads look again; the ticket has come. */
void fore_merge_wake_all(struct fore_merge *m);
void fore_merge_count_ticket(struct fore_merge *m, uint32_t object, unsigned kind,
                             uint64_t ticket);

/* For merge_lost.c: the thread is looked at again; all that are to be looked at go as far as they can. */
void fore_merge_enqueue(struct fore_merge *m, uint32_t thread);
void fore_merge_run_queue(struct fore_merge *m);
/* The operation comes; both sides of an unbuffered communication do. */
void fore_merge_emit_in_turn(struct fore_merge *m, uint32_t thread,
                             const struct fore_fsr_op *op);
void fore_merge_emit_together(struct fore_merge *m, uint32_t sender,
                              const struct fore_fsr_op *send, uint32_t receiver,
                              const struct fore_fsr_op *recv);
/* The operation does not come, if it is an unbuffered receive. */
bool fore_merge_leave_out(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op);
/* merge_lost.c, for merge.c: the least blocked thread goes on, false if none is blocked; all of them do, one after the
 * other; operations that never ended, in the order of the threads, then the exit. */
bool fore_merge_untangle_one(struct fore_merge *m);
void fore_merge_untangle(struct fore_merge *m);
void fore_merge_emit_pending(struct fore_merge *m);

/* merge_begin.c, for merge.c: what was so in the beginning of a file whose first parts are gone comes out before
 * everything else. */
void fore_merge_begin(struct fore_merge *m);
/* For merge_begin.c: who the thread is, by the record that stands for its creation. */
void fore_merge_describe_thread(struct fore_merge *m, uint32_t child,
                                const struct fore_fsr_op *op);
uint32_t fore_merge_where_id(struct fore_merge *m, uint32_t where);
uint32_t fore_merge_object_id(struct fore_merge *m, uint32_t id, unsigned kind);

/* For merge.c: what merge_emit.c makes of an operation. */
uint32_t fore_merge_thread_id(struct fore_merge *m, uint32_t number);
struct fore_merge_object *fore_merge_find_object(struct fore_merge *m, uint32_t id,
                                                 unsigned kind);
static inline struct fore_merge_object *fore_merge_object(struct fore_merge *m,
                                                          uint32_t id, unsigned kind)
{
    return id < m->small.n && m->small.at[id] ? &m->objects.at[m->small.at[id] - 1]
                                              : fore_merge_find_object(m, id, kind);
}
/* merge_name.c: threads that got a name when they had begun are called by it. */
void fore_merge_rename(struct fore_merge *m);
/* The object is called so in the tables, and is new there. */
void fore_merge_name_again(struct fore_merge *m, struct fore_merge_object *o);
/* The thread that a SIGNAL creates gets its parent, its place and its name. */
uint32_t fore_merge_adopt(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op);
/* In the tables, with its callers: where the thread of this number waits, which is at the capture's `where`. */
uint32_t fore_merge_waits_at(struct fore_merge *m, uint32_t number, uint32_t where);
/* The same of the operation that took a lock which is held at the end, and waited for; 0: not known. Ticket 0: any. */
uint32_t fore_merge_taken_at(struct fore_merge *m, uint32_t lock, uint64_t ticket,
                             uint32_t owner, uint32_t where);
void fore_merge_flush(struct fore_merge *m);
/* What the capture could not see goes into the tables. */
void fore_merge_tell_unseen(struct fore_merge *m);
/* The announcement alone, or the operation alone. `peer` is the sending thread of an
 * unbuffered receive, or 0, and `k` which of its sends it was. */
void fore_merge_emit_pre(struct fore_merge *m, uint32_t thread,
                         const struct fore_fsr_op *op);
void fore_merge_emit(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                     uint32_t peer, uint64_t k);

/* Both announcements and both sides of an unbuffered communication without selects. */
void fore_merge_emit_pair(struct fore_merge *m, uint32_t sender,
                          const struct fore_fsr_op *send, uint32_t receiver,
                          const struct fore_fsr_op *recv, uint64_t k);

/* merge_turns.c: if the operation is a lock taken or given back, or a message through a buffer, and may come now, it
 * does, with its announcement, and counts; the thread is then to be advanced. */
bool fore_merge_take_turn(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op);
/* The same for all such operations that the thread has next, in a file that nobody writes to any more; it is advanced
 * behind them. */
void fore_merge_take_turns(struct fore_merge *m, uint32_t thread);
/* For merge_turns.c: what threads wait for has come. */
void fore_merge_came(struct fore_merge *m, enum fore_until what, uint32_t of,
                     uint64_t value);
/* The same for a counter of an object, for which usually no thread waits. */
static inline void fore_merge_counter_came(struct fore_merge *m,
                                           const struct fore_merge_object *c,
                                           enum fore_until what, uint32_t of,
                                           uint64_t value)
{
    unsigned i = what - FORE_UNTIL_TICKET;
    if (c->waiting[i] && value >= c->until[i])
        fore_merge_came(m, what, of, value);
}
/* The place of an operation in the tables; of one that was not asked for lately, it is looked up. */
struct fore_merge_where fore_merge_find_where(struct fore_merge *m, uint32_t where);
static inline struct fore_merge_where fore_merge_where_of(struct fore_merge *m,
                                                          uint32_t where)
{
    const struct fore_merge_where *recent = &m->recent[where * 0x9e3779b1u >> 24];
    return recent->number == where ? *recent : fore_merge_find_where(m, where);
}

/* A select of one case and default that took the default. */
static inline bool fore_merge_gave_up(const struct fore_fsr_op *op)
{
    return op->kind != FORE_RING_PRE && op->flags & FORE_RING_TRY &&
           op->flags & FORE_RING_DEFAULT;
}

/* What an operation on a channel is, select or not. */
static inline bool fore_merge_sends(const struct fore_fsr_op *op)
{
    return op->kind == FORE_RING_SEND_EVENT ||
           (op->kind == FORE_RING_PRE && op->flags & FORE_RING_SEND);
}

#endif
