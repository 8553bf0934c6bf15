/* The ring files (.fsr) that captures write: the only header of the tool that code living
 * in other people's programs includes. Plain C, no dependency but <stdint.h>.
 *
 *   0      header, one page
 *   4096   chunk 0 | chunk 1 | ...      each `chunk_size` bytes, taken by one atomic add
 *
 * A chunk belongs to one thread: a 16-byte chunk header, then 16-byte records, in the
 * thread's order. The file is a shared mapping that begins as zeros: nothing has to be
 * flushed, and what was written before a crash is there. A record counts from the moment
 * its kind is not 0, so a writer stores `word` last (release). A thread that has filled a
 * chunk takes another, or several that lie side by side with one header (`span`). A chunk
 * without header (thread 0) was taken but not begun: readers go on with the next one.
 *
 *     record:   | where 32 | object 32 | ticket 40 | extra 8 | flags 8 | kind 8 |
 *
 * `kind` is an enum fore_kind, or one of the definitions below. `extra` counts the
 * 16-byte units that follow and belong to the record (they are written before its word).
 * `ticket` orders the events of one object: the object's counter, taken while the
 * operation holds the object, from 1; 0 is none.
 *
 * One record per operation: a blocking operation is written without RING_DONE before it
 * is tried and patched (RING_DONE, ticket) when it has succeeded. A record that stays
 * without RING_DONE is a wait that never ended.
 *
 *   SEND RECV      object = channel (0 nil). ticket n: the channel's n-th send / n-th receive;
 *                  the n-th receive takes the n-th send (a message that was dropped, as by
 *                  stopping a timer, leaves a number that nobody receives).
 *                  RING_CLOSED: panicked / found closed.
 *                  RING_TRY: a select of this one case and default; RING_DEFAULT: default was
 *                  taken, and ticket = 1 + the receives (of a SEND) or sends (of a RECV) that
 *                  the channel had seen then; in a polling loop it is kept once
 *   PRE            a select: extra units hold its cases, two per unit (struct fore_ring_case),
 *                  an unused second one has all bits of `kind` set. RING_DONE: object = the
 *                  chosen channel, RING_SEND or not, ticket as above; RING_DEFAULT or
 *                  RING_TIMEOUT: none was chosen. If then ticket n is not 0, there were n cases,
 *                  and n more units {sends, receives} are the counters of their channels at that
 *                  moment; until then those units are filled with unused cases
 *   CLOSE          one unit {a = sends before it, b = receives before it}; RING_CLOSED: it
 *                  panicked, the channel was closed or nil
 *   SIGNAL JOIN SPAWN   one unit {a = thread}; Go's SIGNAL: a = thread | string of its group << 32
 *                  (the test that began it; 0: none), b = entry pc relative to load_base
 *                  | goroutine id << 32; RING_STACK: further units, the callers of `where`, four
 *                  u32 in each. A thread that no SIGNAL names is a root
 *   LOCK … WGWAIT, ARM, FIRE   ticket = the object's counter, taken by every one of them
 *                  CWAIT CWOKEN: one unit {a = lock's object id, b = ticket of that lock;
 *                  of a lock of an unknown type, which is released before and retaken after by
 *                  events of its own, one that is hidden}; other operands (count, delta, size): one unit {a}
 *   TRYLOCK TRYRLOCK   always DONE; RING_BUSY if it was not obtained (ticket may be 0)
 *   ONCE           the one that ran the function is written DONE, after the function returned
 *                  (what the function did comes before it); those that waited are patched,
 *                  with RING_BUSY. Of Go, the thread that runs the function holds a lock of the Once, and
 *                  one that waits is written as waiting for that lock
 *   CSIGNAL        one unit {a = the thread woken, or 0}
 *   FENCE          no object; as below
 *   READ WRITE RMW one unit {a, b}; RING_TYPES: a second unit holds {flags as in an event}, or
 *                  without a second one b does; RING_RUN: the unit is {more, distance}, and the
 *                  same access, with the same ticket, was done to `more` further places, whose
 *                  ids follow at that distance; RING_BRIEF, of READ and WRITE: no unit and no ticket, in
 *                  whose place is the value << 3, signed, and its type
 *                  RING_EARLY, of READ: it has no ticket, was done before the access that has this
 *                  one, and after the one before that
 *   AFTER          no event: what the thread does next comes after the object's ticket that is one
 *                  less than this ticket, which is not counted. READ and WRITE need no ticket where
 *                  the locks that are held order them; a thread that holds none of these writes AFTER
 *   USE            no object: a value that the thread has learnt decides here. RING_USES of a C program's event says that
 *                  one comes before it, so that USE itself is only what is left of an event that was taken back
 *   IN OUT         object = what it came from or went to (OBJ_OUTSIDE), 0: not known; ticket as of
 *                  locks; no unit, or one or two as of READ
 *   MISUSE         of a lock; one unit {a = string of DEF_STRING: what was wrong}
 *   INVOKE …       one unit {a, b} whose string ids are of DEF_STRING; RING_TYPES as above.
 *                  RETURN, FAIL: object and ticket are those of the object, too
 *
 * Short records: pages of memory cost more than instructions, so a writer may put two channel
 * operations into one slot. A SEND or RECV record is also the thread's base number (where % 4),
 * in place of an earlier one. A slot whose kind is RING_SHORT + SEND or RECV holds one or two
 * words, first the one at `word`, then the one at `where` and `object` if it is not 0; each
 * has flags and ticket as usual, and `extra` is the number of the base that gives where and
 * object. A word of kind RING_AGAIN, in a place of a short record, says that the two channel
 * operations before it occur again, alternately, as many times in all as its ticket says; the
 * ticket of each is one above that of the thread's last operation of that kind on that base.
 * It grows in place. Without RING_DONE one more of them has begun.
 *
 * Bounded room: a writer that has set `limit` takes chunks again that were read by `reader`, a
 * process that follows the program: when it needs a chunk no more, it zeroes it, puts it in
 * front of the list `returned` (each names the next in `after`) and counts it in `given_back`.
 * The writer takes the whole list at once. How many chunks may be out, and what happens then,
 * is in FORESEE_ROOM: "wait:CHUNKS:MS:READER:MOST" (the program waits, until nothing was given back
 * for MS milliseconds or the reader died) or "drop:...". MOST
 * chunks are all that there may be where nobody gives any back, because CHUNKS is 0. When there is no room at last, the
 * state becomes FULL and nothing is recorded any more: what was dropped is counted, and what
 * was recorded before is a beginning of the run.
 *
 * Parts: a Go program's file may be used again without a reader. The run has parts, each a third of the file; `part` is
 * the present one. A chunk belongs to the part that its thread was in, and all of an object's operations in a part come
 * before those in the next: the two last parts are the run's newest, behind a beginning of it that is not there. The first
 * operation on an object in a part is preceded by a DEF_OBJECT with the state before it: RING_INIT and a unit {sends, receives |
 * closed << 63} of a channel, {thread that holds it, where it was taken} of a lock, {count, 0} of a wait group; RING_BUSY: told
 * by one that is going to wait, so that one without is better. A thread that was created in an earlier part begins with
 * a DEF_BORN. Chunks that were left (`after` is not 0) in earlier parts do not count; of others, whose thread
 * has written nothing since, its last record does if it waits. What the thread FORE_RING_KEEPER defines is known in all parts.
 *
 * A record with its units never crosses the end of a chunk: a writer for which the rest
 * is too small leaves it zero and takes another chunk. Numbers of objects, locations and
 * strings are the capture's own, unique within the file.
 *
 * Where to write: the environment's FORESEE_RING names a directory; each process that is
 * traced creates <pid>.fsr in it. Without it nothing is recorded.
 */
#ifndef FORE_TRACE_RING_H
#define FORE_TRACE_RING_H

#include <stddef.h>
#include <stdint.h>

#define FORE_RING_MAGIC "FORESEER"
enum {
    FORE_RING_VERSION = 1,
    FORE_RING_HEADER = 4096,
    FORE_RING_RECORD = 16,
    FORE_RING_BASES = 4,
    FORE_RING_LONGEST_RUN = 1 << 20,
    FORE_RING_STREAM_ROOM = 12, /* 32nds of `limit`, the bound while `streams` is set */
    FORE_RING_SIZE = 44,        /* of a block, from this bit on */
    FORE_RING_LONG = (1 << 20) - 1,
    FORE_RING_KEPT_PARTS = 2,
    FORE_RING_LOCAL = 'l',
    FORE_RING_HEAP = 'h',
};

#define FORE_RING_KEEPER UINT32_MAX
#define FORE_RING_ENVIRONMENT "FORESEE_RING"
#define FORE_RING_ROOM "FORESEE_ROOM"
#define FORE_RING_LINGER "FORESEE_LINGER" /* of C: milliseconds */

/* The numbers of the event model (trace/event.h), for writers that cannot include it. */
enum fore_ring_kind {
    FORE_RING_SIGNAL = 1,
    FORE_RING_WAIT = 2,
    FORE_RING_END = 3,
    FORE_RING_EXIT = 4,
    FORE_RING_PANIC = 5,
    FORE_RING_JOIN = 6,
    FORE_RING_PRE = 7,
    FORE_RING_SEND_EVENT = 8,
    FORE_RING_RECV_EVENT = 9,
    FORE_RING_CLOSE_EVENT = 11,
    FORE_RING_LOCK = 12,
    FORE_RING_TRYLOCK = 13,
    FORE_RING_UNLOCK = 14,
    FORE_RING_RLOCK = 15,
    FORE_RING_TRYRLOCK = 16,
    FORE_RING_RUNLOCK = 17,
    FORE_RING_CWAIT = 18,
    FORE_RING_CWOKEN = 19,
    FORE_RING_CSIGNAL = 20,
    FORE_RING_CBROADCAST = 21,
    FORE_RING_ACQUIRE = 22,
    FORE_RING_RELEASE = 23,
    FORE_RING_BARRIER = 24,
    FORE_RING_ONCE = 25,
    FORE_RING_WGADD = 26,
    FORE_RING_WGDONE = 27,
    FORE_RING_WGWAIT = 28,
    FORE_RING_ARM = 29,
    FORE_RING_FIRE = 30,
    FORE_RING_READ = 31,
    FORE_RING_WRITE = 32,
    FORE_RING_RMW = 33,
    FORE_RING_FENCE = 34,
    FORE_RING_INVOKE = 40,
    FORE_RING_RETURN = 41,
    FORE_RING_FAIL = 42,
    FORE_RING_USE = 44,
    FORE_RING_IN = 45,
    FORE_RING_OUT = 46,
    FORE_RING_MISUSE = 47,
    FORE_RING_AFTER = 126,
    FORE_RING_AGAIN = 127,
    FORE_RING_SHORT = 128, /* added to SEND_EVENT or RECV_EVENT */
};

enum fore_ring_object {
    FORE_RING_OBJ_CHAN = 1,
    FORE_RING_OBJ_LOCK = 2,
    FORE_RING_OBJ_COND = 3,
    FORE_RING_OBJ_SEM = 4,
    FORE_RING_OBJ_BARRIER = 5,
    FORE_RING_OBJ_ONCE = 6,
    FORE_RING_OBJ_WG = 7,
    FORE_RING_OBJ_TIMER = 8,
    FORE_RING_OBJ_PLACE = 9,
    FORE_RING_OBJ_OBJECT = 10,
    FORE_RING_OBJ_OUTSIDE = 11,
};

/* Of DEF_OBJECT: what a lock is, and whether its users see it. */
enum fore_ring_object_flags {
    FORE_RING_OBJ_RECURSIVE = 1 << 0,
    FORE_RING_OBJ_RW = 1 << 1,
    FORE_RING_OBJ_READERS_FIRST = 1 << 2,
    FORE_RING_OBJ_WRITERS_FIRST = 1 << 3,
    FORE_RING_OBJ_HIDDEN = 1 << 4,
    FORE_RING_OBJ_ROBUST = 1 << 7,
};

enum fore_ring_case_kind {
    FORE_RING_CASE_RECV,
    FORE_RING_CASE_SEND,
    FORE_RING_CASE_DEFAULT,
    FORE_RING_CASE_TIMEOUT,
    FORE_RING_CASE_NONE = 0xff, /* fills the last unit of an odd number of cases */
};

/* Types of values: enum fore_value_type. */
enum fore_ring_value {
    FORE_RING_VALUE_INT = 1,
    FORE_RING_VALUE_FLOAT = 2,
    FORE_RING_VALUE_BOOL = 3,
    FORE_RING_VALUE_NIL = 4,
    FORE_RING_VALUE_STRING = 5,
    FORE_RING_VALUE_LIST = 6,
};

enum fore_ring_source { FORE_RING_CSP = 1, FORE_RING_GO = 2, FORE_RING_C = 3 };

enum fore_ring_state {
    FORE_RING_RECORDING = 0,
    FORE_RING_ENDED = 1,    /* the program ended in order; otherwise it was killed */
    FORE_RING_DEADLOCK = 2, /* its own runtime ended it: every thread was blocked */
    FORE_RING_FULL = 3, /* no room any more: it went on without being recorded, so that
                             * what looks blocked need not be */
};

/* How the process ended: enum fore_ended (trace/ended.h), of which the captures write these, and
 * the process that started it SIGNAL and CRASH, or EXIT if the capture said nothing. */
enum fore_ring_ended {
    FORE_RING_BY_RETURN = 1,
    FORE_RING_BY_EXIT = 2,
    FORE_RING_BY_SIGNAL = 3,
    FORE_RING_BY_CRASH = 4,
    FORE_RING_BY_PANIC = 5,
};

/* What the capture sees: enum fore_sees (trace/sees.h). A capture sets DECLARED and the bits of
 * what it records whole; what it cannot record in one place it tells with DEF_UNSEEN. In a file
 * without DECLARED it follows from the source: threads, channels and locks, of C memory, atomics
 * and values too if there are accesses. */
enum fore_ring_sees {
    FORE_RING_SEES_THREADS = 1 << 0,
    FORE_RING_SEES_CHANNELS = 1 << 1,
    FORE_RING_SEES_LOCKS = 1 << 2,
    FORE_RING_SEES_ATOMICS = 1 << 3,
    FORE_RING_SEES_MEMORY = 1 << 4,
    FORE_RING_SEES_VALUES = 1 << 5,
    FORE_RING_SEES_OUTSIDE = 1 << 6,
    FORE_RING_MARKS_USES = 1 << 14, /* USE is written, but not after what PAST tells */
    FORE_RING_SEES_DECLARED = 1 << 15,
};

/* Fields that change while the program runs are marked; writers use atomic operations. */
struct fore_ring_header {
    char magic[8];
    uint32_t version, header_size, chunk_size, source;
    uint64_t chunks; /* room: how many chunks the file may hold */
    uint64_t run_id;
    uint32_t pid, parent_pid;
    uint64_t unused; /* 0 */
    uint64_t start_ns;
    uint64_t
        load_base; /* where the executable was mapped: addresses are relative to it */
    uint64_t next_chunk; /* atomic: how many were taken, may exceed `chunks` */
    uint64_t dropped;    /* atomic: records for which there was no room */
    uint32_t state;      /* atomic: enum fore_ring_state */
    int32_t exit_status;
    char executable[1024];
    /* Of a run that was forced along a schedule (FORESEE_SCHEDULE): */
    uint32_t schedule_steps,
        schedule_done; /* done < steps: the program departed from it */
    int64_t go_func;   /* Go: distance from .gopclntab to go:func.*, for inlined calls */
    uint32_t has_past; /* atomic: a PAST may come, so that nothing after this is in order
                        * before the program has ended, or has gone on for long */
    /* Of bounded room: */
    uint64_t limit;      /* chunks that may be out at a time; 0: there is no bound */
    uint64_t given_back; /* atomic: chunks that were read, over the whole run */
    uint32_t returned;   /* atomic: the first of those that can be taken again, + 1 */
    uint32_t reader;     /* the process that gives them back */
    uint32_t sees; /* enum fore_ring_sees; before the first record. 0: an older capture */
    uint32_t ended;  /* enum fore_ring_ended; 0: nobody told */
    uint32_t signal; /* its number, of SIGNAL and CRASH */
    char folder
        [1024];      /* Go: where the process was started; a test: the package's folder */
    uint64_t cpu_ns; /* Go: processor time that it took; 0: not known */
    /* C: of a crash. The thread, or 0; its callers, innermost first, a line for each, as
     * "/bin/program+0x1234"; what abort() was given to say. The process that started it writes the place. */
    uint32_t crash_thread;
    char crash_callers[1000], crash_said[256], crash_place[240];
    uint32_t streams; /* atomic, set by the reader: it does not wait for the end, though
                       * `has_past` is set. No record grows in place any more */
    uint32_t
        part; /* atomic. Go: the file is used again from its oldest part on, and this is the present
                    * part, from 1 on; the two last are whole. 0: it is not used again */
    uint32_t again; /* atomic: it was; the first parts are gone */
};

struct fore_ring_chunk {
    uint32_t thread; /* numbered by the capture from 1; stored last (release) */
    uint32_t number; /* the thread's k-th chunk, from 0 */
    uint32_t
        span; /* how many chunks it is long, its header included; 0 is 1. Of a file with parts the low 8
                      * bits; above them is its part */
    uint32_t
        after; /* of a chunk that was given back, or whose thread is done with it: the next one, + 1 */
};

struct fore_ring_record {
    uint32_t where; /* id of a DEF_WHERE, or for Go an address relative to load_base */
    uint32_t object;
    uint64_t word;
};

struct fore_ring_case {
    uint32_t chan;
    uint32_t kind; /* enum fore_case_kind; bits 8 up: its own `where` (24 bits), or 0 */
};

enum fore_ring_flags {
    FORE_RING_DONE = 1 << 0,
    FORE_RING_CLOSED = 1 << 1,
    FORE_RING_BUSY = 1 << 2,
    FORE_RING_SEND = 1 << 3,
    FORE_RING_DEFAULT = 1 << 4,
    FORE_RING_TIMEOUT = 1 << 5,
    FORE_RING_INIT = 1 << 5,     /* DEF_OBJECT */
    FORE_RING_BRIEF = 1 << 3,    /* memory events */
    FORE_RING_RUN = 1 << 4,      /* memory events */
    FORE_RING_EARLY = 1 << 2,    /* PAST, READ */
    FORE_RING_NEAR = 1 << 3,     /* PAST */
    FORE_RING_STRAIGHT = 1 << 1, /* DEF_WHERE */
    FORE_RING_ADDRESS = 1 << 2,  /* DEF_WHERE */
    FORE_RING_TYPES = 1 << 6,    /* memory events */
    FORE_RING_STACK = 1 << 6,    /* DEF_OBJECT, SIGNAL */
    FORE_RING_MORE = 1 << 7,     /* DEF_STRING: continues in the next */
    FORE_RING_TRY = 1 << 7,      /* SEND, RECV */
    FORE_RING_USES = 1 << 7,     /* of C, events: a USE comes before it */
};

/* Definitions may come in any thread's chunk, before the first use of what they define.
 *   DEF_OBJECT  object = id, where = make site, ticket = length of the name;
 *               unit {kind | flags << 16, capacity}, name bytes; RING_STACK: no name but the
 *               callers of the make site, four `where` per unit, innermost first;
 *               RING_INIT, of a place: before the name, or behind the callers, a unit {value,
 *               its type}, what it held before its first event. A place without a name is
 *               called by its site
 *   DEF_WHERE   where = id, object = line, ticket = the id of the same place without callers, or 0;
 *               unit {file string | column << 32, function string | parent << 32};
 *               RING_STRAIGHT: between an event there and the thread's previous event there is
 *               no branch, no call and no address from memory; RING_ADDRESS: of C, the line is that of
 *               an instruction in the module `file` (0: the executable), a call or, if the column is 1, the event itself
 *   DEF_STRING  object = id, ticket = length; bytes
 *   DEF_THREAD  object = thread, where = creation site, ticket = length; name bytes, in the place of
 *               what it was called before, by its SIGNAL too
 *   DEF_UNSEEN  something that this capture does not see: where = its place, or 0; ticket =
 *               length; bytes: what it is, "inline assembly"; object = UNSEEN_MEMBER: the name of a member
 *               of a type, which is watched only in the first object that has it
 *   DEF_STACK   of Go: where = a number above all addresses, which stands for an access and its
 *               callers: `where` and callers, innermost first, four u32 per unit, 0: no more
 *   DEF_GROUP   object = thread, ticket = string: the thread itself is of this group, which a
 *               test's own goroutine is not by its creation
 *   DEF_RESTS   object = thread, ticket = how many; four callers per unit, innermost first: where the thread
 *               was when the process ended, of one that waited
 *   DEF_FED     object = a channel that something outside of the program sends on
 *   DEF_SPENT   object = the channel of a timer, for which somebody waited when the process ended and the timer was not
 *               set
 *   DEF_CHILD   object = a process that was started, ticket = string: for this group
 *   DEF_BORN    of a file with parts: what the SIGNAL of the thread `object` said, which is not in this part
 *   DEF_TAKEN   object = a lock that was held when the process ended, and that somebody waited for; ticket = how many
 *               callers; unit {ticket of the operation that took it, thread}, then four callers per unit, innermost
 *               first: who called that operation
 *   PAST        an access of another thread, told by the one that met it (see the owner
 *               filter, docs/formats/fsr.5): where, object and ticket are of that access;
 *               unit {thread | kind << 32 | distance << 40, position | more << 32}: READ or
 *               WRITE or RMW, after so many of that thread's records, definitions and all (Go: slots
 *               of 16 bytes, those of chunk headers not); `more` and
 *               distance as of RING_RUN. RING_EARLY: the access has no ticket, and was done before
 *               the one that has this ticket. RING_NEAR: it was told together with others of the same four bytes, and
 *               where is that of the last of them
 *   DEF_PLACES  object = the first of as many places as ticket says, one per byte; where = the site
 *               of their first access; or, with a unit {offset | size << 44, block | string << 32},
 *               where they were made: they are so far behind the beginning of a block of that size
 *               (or LONG), which has this number and is what the string says, words with blanks
 *               between them: LOCAL or HEAP; the name of the variable; the size, and the layout
 *               (see trace/leaf.h) of that variable or of what it points to. It may also say where an
 *               object without a name is that has a DEF_OBJECT of its own
 * Bytes are padded with zeros to whole units. A string that does not fit is given in pieces:
 * RING_MORE says that the thread's next DEF_STRING of the same id continues it. */
enum fore_ring_definition {
    FORE_RING_DEF_OBJECT = 200,
    FORE_RING_DEF_WHERE = 201,
    FORE_RING_DEF_STRING = 202,
    FORE_RING_DEF_THREAD = 203,
    FORE_RING_PAST = 204,
    FORE_RING_DEF_PLACES = 205,
    FORE_RING_DEF_UNSEEN = 206,
    FORE_RING_DEF_GROUP = 207,
    FORE_RING_DEF_STACK = 208,
    FORE_RING_DEF_RESTS = 209,
    FORE_RING_DEF_FED = 210,
    FORE_RING_DEF_CHILD = 211,
    FORE_RING_DEF_BORN = 212,
    FORE_RING_DEF_TAKEN = 213,
    FORE_RING_DEF_SPENT = 214,
};

enum { FORE_RING_UNSEEN_MEMBER = 1 }; /* object of a DEF_UNSEEN */

#define FORE_RING_WORD(kind, flags, extra, ticket)                                       \
    ((uint64_t)(kind) | (uint64_t)(flags) << 8 | (uint64_t)(extra) << 16 |               \
     (uint64_t)(ticket) << 24)
#define FORE_RING_KIND(word) ((unsigned)((word)&0xff))
#define FORE_RING_FLAGS(word) ((unsigned)((word) >> 8 & 0xff))
#define FORE_RING_EXTRA(word) ((unsigned)((word) >> 16 & 0xff))
#define FORE_RING_TICKET(word) ((uint64_t)(word) >> 24)
#define FORE_RING_BRIEF_VALUE(word) ((int64_t)(word) >> 27)
#define FORE_RING_BRIEF_TYPE(word) ((unsigned)((word) >> 24 & 7))

_Static_assert(sizeof(struct fore_ring_header) <= FORE_RING_HEADER, "one page");
_Static_assert(offsetof(struct fore_ring_header, part) == 3720,
               "where Go's writer has it");
_Static_assert(sizeof(struct fore_ring_record) == FORE_RING_RECORD, "16 bytes");
_Static_assert(sizeof(struct fore_ring_chunk) == FORE_RING_RECORD, "16 bytes");

#endif
