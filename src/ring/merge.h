/* Merges rings into the observed order, for programs that still run and for files that they left
 * behind.
 *
 * The order within each thread is known; across threads the tickets of an object, the n-th send
 * and receive of a channel, creation and join decide. The two sides of an unbuffered
 * communication come out together. A `pre` comes out right before what it announces, and at the
 * end if that never came. Operations on an object inside a library that only one thread ever
 * used are left out, if the whole file is there when reading begins. Where records are missing
 * the least blocked thread goes on, and the gap is counted as lost.
 *
 * An access that another thread recorded (PAST) comes where it was done; since that may be far
 * back, a file that may have such records is merged when the program has ended, or when a
 * quarter of the room is used. From then on the newest records, at least a 32nd of the room,
 * wait for PAST records about them; a PAST record about an earlier time is late: it is counted
 * and left out.
 *
 * Cost: O(1) per operation (hash tables), O(threads) per poll and per gap; O(n log n) for n
 * accesses that were told. Memory: threads, objects, pairs (thread, channel), 24 bytes per run
 * of accesses that was told, and nothing per operation. */
#ifndef FORE_TRACE_MERGE_H
#define FORE_TRACE_MERGE_H

#include "ring/fsr.h"
#include "trace/carry.h"
#include "trace/pairs.h"
#include "trace/sink.h"

/* What a resolver tells about an object or a thread. */
struct fore_merge_about {
    uint32_t where; /* in the tables */
    unsigned flags; /* enum fore_object_flags */
    bool silent; /* it orders nothing that the program does; only for objects with room */
    uint32_t
        goroutine; /* number of a goroutine, whose name is the function that it begins in */
    struct fore_strbuf name;
};

/* Turns locations that the capture did not define (addresses) into those of the tables, and
 * names the objects made there. */
struct fore_merge_resolver {
    uint32_t (*resolve)(struct fore_merge_resolver *r, struct fore_tables *t,
                        uint32_t where);
    void (*object)(struct fore_merge_resolver *r, struct fore_tables *t,
                   const struct fore_fsr_object *def, struct fore_merge_about *out);
    void (*thread)(struct fore_merge_resolver *r, struct fore_tables *t,
                   const struct fore_fsr_op *signal, struct fore_merge_about *out);
    /* The innermost place in the user's own code, with its callers. */
    uint32_t (*callers)(struct fore_merge_resolver *r, struct fore_tables *t,
                        const uint32_t *stack, size_t n);
    /* The place of the k-th case (from 0) of that kind, in a select at `where` that has that
     * many receives and sends; `where` itself if it is not known. */
    uint32_t (*choice)(struct fore_merge_resolver *r, struct fore_tables *t,
                       uint32_t where, unsigned kind, size_t k, const size_t counts[2]);
    void (*release)(struct fore_merge_resolver *r);
};

struct fore_merge_object {
    uint32_t id;   /* id in the tables; 0: not in the tables of this part of the run */
    uint32_t from; /* the capture's */
    uint8_t kind;
    bool lost_count; /* it may have been forgotten: its next ticket is not known */
    bool atomic;     /* a thread accessed it atomically, so it is never forgotten */
    bool closed;
    bool
        silent; /* left out: a library's object that one thread alone uses, for example */
    bool timed; /* fed by a timer */
    uint64_t capacity;
    uint64_t ticket, sends, recvs; /* the last that came out */
    uint64_t closed_sends;         /* sends before the close */
    uint32_t holders;              /* of a lock */
    uint32_t offer[2]; /* unbuffered: 1 + the thread that is ready to receive, to send */
    bool touched;      /* it is in the merger's list of that name */
    /* number of threads that wait for its tickets, sends, receives */
    uint32_t waiting[3];
    uint64_t until[3]; /* if there are some: the least number that they wait for */
};

/* What a thread may wait for. Counters step by one, so they take each value. */
enum fore_until {
    FORE_UNTIL_CREATED,
    FORE_UNTIL_ENDED,
    FORE_UNTIL_TICKET,
    FORE_UNTIL_SENDS,
    FORE_UNTIL_RECVS,
    FORE_UNTIL_CLOSED,
    FORE_UNTIL_HELD,
};

/* Why a thread cannot go on, and how far away the thing is that it waits for. */
struct fore_obstacle {
    enum fore_until what;
    uint32_t of;
    uint64_t until;
    uint64_t gap;
};

enum fore_merge_state {
    FORE_MERGE_IDLE,    /* no record there */
    FORE_MERGE_QUEUED,  /* to be looked at */
    FORE_MERGE_BLOCKED, /* its next operation must come after another thread's */
    FORE_MERGE_PENDING, /* its next operation is not completed */
    FORE_MERGE_OVER,    /* ended */
};

struct fore_merge_thread {
    uint32_t id;                /* in the tables */
    uint32_t next_waiting;      /* for the same thing, + 1 */
    struct fore_obstacle waits; /* valid while it is blocked by an obstacle */
    enum fore_merge_state state;
    uint32_t pair; /* 1 + the pair that it last sent on */
    bool known;    /* its next operation is `op` */
    struct fore_fsr_op op;
};

/* Batches of this many events go to the sink. */
enum { FORE_MERGE_SMALL = 1 << 20, FORE_MERGE_WHERES = 256, FORE_MERGE_BATCH = 4096 };

struct fore_merge_where {
    uint32_t number; /* the capture's */
    uint32_t id;
    uint16_t flags; /* flags of events there: FORE_F_STRAIGHT */
};

struct fore_merge {
    struct fore_fsr file;
    struct fore_tables *tables;
    struct fore_sink *sink;
    struct fore_merge_resolver *resolver; /* for a program with addresses, or NULL */
    FORE_VEC(struct fore_merge_thread) threads; /* as in file.threads */
    FORE_VEC(struct fore_merge_object) objects;
    FORE_VEC(uint8_t) life;       /* by thread of the tables */
    struct fore_map thread_ids;   /* capture's thread -> id in the tables */
    struct fore_map object_index; /* capture's object -> index */
    FORE_VEC(uint32_t) small;     /* the same for small numbers: 1 + index */
    struct fore_map where_ids;    /* -> id | flags << 32, see fore_merge_where */
    struct fore_merge_where recent[FORE_MERGE_WHERES]; /* some of those */
    uint32_t
        waits_at; /* in the tables: the place of the wait that comes out next; 0: not known */
    size_t unseen;    /* how many entries of file.unseen are in the tables */
    bool sees_memory; /* for an older file: set once it has an access that is no atomic */
    struct fore_map waiting; /* condition -> 1 + the first thread that waits for it */
    struct fore_map taken;   /* names of objects: kind and string -> how often */
    struct fore_map made,
        blocks; /* name -> number of its blocks; name and block -> which of them it is */
    struct fore_pairs pairs;
    FORE_VEC(uint32_t) touched; /* objects that may have offers or waiting threads */
    FORE_VEC(uint32_t) queue;   /* threads to look at, from queue_at on */
    size_t queue_at;
    FORE_VEC(struct fore_event) events; /* the batch */
    FORE_VEC(struct fore_case) cases;
    uint64_t lost, unknown;
    uint64_t late;            /* number of accesses that were recorded too late */
    struct fore_map voids;    /* their tickets, as fore_merge_void_key */
    uint64_t looked;          /* value of file.found at the last look of a stream */
    uint32_t forgotten;       /* objects up to this number may have been forgotten */
    unsigned stuck;           /* looks of a stream since an event last came out */
    uint64_t stuck_ns;        /* the time of the first of these looks */
    struct fore_carry *carry; /* for a file whose first parts are gone */
    bool drained; /* the last poll of a stream reached the end of what it may read */
    bool stopped; /* the sink has had enough */
    uint64_t pushed, most; /* events so far, and the limit for this poll */
};

/* The `size` bytes at `base` are the file; they belong to the caller. */
enum fore_status fore_merge_open(struct fore_merge *m, const char *name, const void *base,
                                 size_t size, struct fore_tables *tables,
                                 struct fore_sink *sink,
                                 struct fore_err *e) FORE_MUST_USE;
void fore_merge_release(struct fore_merge *m);
/* Pushes the events that are in order by now, or some of them if there are many: a caller that
 * polls wants to look at other things in between. */
void fore_merge_poll(struct fore_merge *m, size_t size);
/* The file is complete: pushes the rest and ends the sink. */
enum fore_status fore_merge_finish(struct fore_merge *m, size_t size,
                                   struct fore_err *e) FORE_MUST_USE;

/* In merge_stream.c: are pasts read while the program runs, and is it time to look at the new
 * records? */
bool fore_merge_streams(struct fore_merge *m, size_t size);
/* An access that was recorded too late gives up its ticket, so that those after it can come. */
void fore_merge_take_late(struct fore_merge *m);
/* Is there no access with this ticket? True only once. */
bool fore_merge_is_void(struct fore_merge *m, uint32_t object, uint64_t ticket);
/* Between two polls: the tables have begun anew (fore_tables_renew gives the objects' new
 * numbers). Forgets places that no thread accessed since the last time. */
void fore_merge_renew(struct fore_merge *m, const struct fore_map *moved);
/* For merge_stream.c: all blocked threads are looked at again; the ticket has come. */
void fore_merge_wake_all(struct fore_merge *m);
void fore_merge_count_ticket(struct fore_merge *m, uint32_t object, unsigned kind,
                             uint64_t ticket);

/* For merge_lost.c: queues the thread to be looked at again; lets all queued threads go as far
 * as they can. */
void fore_merge_enqueue(struct fore_merge *m, uint32_t thread);
void fore_merge_run_queue(struct fore_merge *m);
/* Emits the operation; or both sides of an unbuffered communication. */
void fore_merge_emit_in_turn(struct fore_merge *m, uint32_t thread,
                             const struct fore_fsr_op *op);
void fore_merge_emit_together(struct fore_merge *m, uint32_t sender,
                              const struct fore_fsr_op *send, uint32_t receiver,
                              const struct fore_fsr_op *recv);
/* Drops the operation, if it is an unbuffered receive. */
bool fore_merge_leave_out(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op);
/* In merge_lost.c, for merge.c: lets the least blocked thread go on, false if none is blocked;
 * lets all go on, one after the other; emits operations that never ended, in the order of the
 * threads, and then the exit. */
bool fore_merge_untangle_one(struct fore_merge *m);
void fore_merge_untangle(struct fore_merge *m);
void fore_merge_emit_pending(struct fore_merge *m);

/* In merge_begin.c, for merge.c: emits the state at the beginning of a file whose first parts
 * are gone, before everything else. */
void fore_merge_begin(struct fore_merge *m);
/* For merge_begin.c: fills in the thread from the record that stands for its creation. */
void fore_merge_describe_thread(struct fore_merge *m, uint32_t child,
                                const struct fore_fsr_op *op);
uint32_t fore_merge_where_id(struct fore_merge *m, uint32_t where);
uint32_t fore_merge_object_id(struct fore_merge *m, uint32_t id, unsigned kind);

/* In merge_emit.c, for merge.c. */
uint32_t fore_merge_thread_id(struct fore_merge *m, uint32_t number);
struct fore_merge_object *fore_merge_find_object(struct fore_merge *m, uint32_t id,
                                                 unsigned kind);
static inline struct fore_merge_object *fore_merge_object(struct fore_merge *m,
                                                          uint32_t id, unsigned kind)
{
    return id < m->small.n && m->small.at[id] ? &m->objects.at[m->small.at[id] - 1]
                                              : fore_merge_find_object(m, id, kind);
}
/* In merge_name.c: gives threads the names that they got after they had begun. */
void fore_merge_rename(struct fore_merge *m);
/* Enters the object into new tables under its old name. */
void fore_merge_name_again(struct fore_merge *m, struct fore_merge_object *o);
/* Gives the thread that a SIGNAL creates its parent, place and name. */
uint32_t fore_merge_adopt(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op);
/* The place in the tables, with its callers, where this thread waits, which the capture knows as
 * `where`. */
uint32_t fore_merge_waits_at(struct fore_merge *m, uint32_t number, uint32_t where);
/* The place of the operation that took a lock which is held at the end, and waited for; 0: not
 * known. Ticket 0: any operation. */
uint32_t fore_merge_taken_at(struct fore_merge *m, uint32_t lock, uint64_t ticket,
                             uint32_t owner, uint32_t where);
void fore_merge_flush(struct fore_merge *m);
/* Enters what the capture could not see into the tables. */
void fore_merge_tell_unseen(struct fore_merge *m);
/* Emits the announcement alone, or the operation alone. `peer` is the sending thread of an
 * unbuffered receive, or 0, and `k` which of its sends it was. */
void fore_merge_emit_pre(struct fore_merge *m, uint32_t thread,
                         const struct fore_fsr_op *op);
void fore_merge_emit(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                     uint32_t peer, uint64_t k);

/* Emits both announcements and both sides of an unbuffered communication without selects. */
void fore_merge_emit_pair(struct fore_merge *m, uint32_t sender,
                          const struct fore_fsr_op *send, uint32_t receiver,
                          const struct fore_fsr_op *recv, uint64_t k);

/* In merge_turns.c: if the operation takes or gives back a lock, or passes a message through a
 * buffer, and may come now, emits it with its announcement and counts it; the caller must then
 * advance the thread. */
bool fore_merge_take_turn(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op);
/* The same for all such operations that the thread does next, in a file that is complete;
 * advances the thread past them. */
void fore_merge_take_turns(struct fore_merge *m, uint32_t thread);
/* For merge_turns.c: what threads wait for has happened. */
void fore_merge_came(struct fore_merge *m, enum fore_until what, uint32_t of,
                     uint64_t value);
/* The same for a counter of an object, for which mostly no thread waits. */
static inline void fore_merge_counter_came(struct fore_merge *m,
                                           const struct fore_merge_object *c,
                                           enum fore_until what, uint32_t of,
                                           uint64_t value)
{
    unsigned i = what - FORE_UNTIL_TICKET;
    if (c->waiting[i] && value >= c->until[i])
        fore_merge_came(m, what, of, value);
}
/* The place of an operation in the tables, remembered or looked up. */
struct fore_merge_where fore_merge_find_where(struct fore_merge *m, uint32_t where);
static inline struct fore_merge_where fore_merge_where_of(struct fore_merge *m,
                                                          uint32_t where)
{
    const struct fore_merge_where *recent = &m->recent[where * 0x9e3779b1u >> 24];
    return recent->number == where ? *recent : fore_merge_find_where(m, where);
}

/* Is it a select of one case and default that took the default? */
static inline bool fore_merge_gave_up(const struct fore_fsr_op *op)
{
    return op->kind != FORE_RING_PRE && op->flags & FORE_RING_TRY &&
           op->flags & FORE_RING_DEFAULT;
}

/* Is the operation on a channel a send, by itself or of a select? */
static inline bool fore_merge_sends(const struct fore_fsr_op *op)
{
    return op->kind == FORE_RING_SEND_EVENT ||
           (op->kind == FORE_RING_PRE && op->flags & FORE_RING_SEND);
}

#endif
