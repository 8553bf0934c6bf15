/* The names behind a trace's ids: strings, threads, objects, locations. The source fills them
 * while events flow; a sink that gets an event may look its ids up at once. */
#ifndef FORE_TRACE_TABLES_H
#define FORE_TRACE_TABLES_H

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/ended.h"
#include "trace/event.h"
#include "trace/sees.h"

struct fore_value {
    enum fore_value_type type;
    uint64_t bits; /* as in an event's a */
};

/* A thread's identity is its creation path: the k-th child of its parent. */
struct fore_thread_info {
    uint32_t label;  /* string id: how the notation writes it ("2", "worker") */
    uint32_t name;   /* string id: for display, 0 if none */
    uint32_t where;  /* creation site */
    uint32_t parent; /* 0: a root */
    uint32_t
        child; /* k: this is the parent's k-th child; 0: a root, numbered by its place */
    uint32_t children;
    uint32_t group;     /* string id: the test that it belongs to, 0 if none is known */
    uint32_t goroutine; /* its number in Go's runtime, 0 of other threads */
    uint32_t
        begins; /* string id: the function that a goroutine begins in, 0 if it is not known */
    bool earlier; /* it began before the first event of this trace */
};

enum fore_object_flags {
    FORE_OBJ_RECURSIVE = 1 << 0,
    FORE_OBJ_RW = 1 << 1,
    FORE_OBJ_READERS_FIRST = 1 << 2,
    FORE_OBJ_WRITERS_FIRST = 1 << 3,
    /* it belongs to a library: kept for the order, not reported */
    FORE_OBJ_HIDDEN = 1 << 4,
    /* it was introduced by a declaration, not by its first use */
    FORE_OBJ_DECLARED = 1 << 5,
    FORE_OBJ_TIMED = 1 << 6,  /* a channel that a timer sends on, or closes */
    FORE_OBJ_ROBUST = 1 << 7, /* a lock whose next owner is told that the last one died */
    FORE_OBJ_SPENT = 1 << 8,  /* timed, but at the end of the run its timer was not set */
    FORE_OBJ_LOCK_FLAGS = FORE_OBJ_RECURSIVE | FORE_OBJ_RW | FORE_OBJ_READERS_FIRST |
                          FORE_OBJ_WRITERS_FIRST | FORE_OBJ_ROBUST,
};

struct fore_object {
    uint16_t kind, flags;
    uint32_t name; /* string id */
    uint32_t where;
    uint64_t capacity; /* channel: of its buffer; place: bytes of a range */
    struct fore_value init;
};

/* A node of the calling context. file 0: unknown. An instruction that has not been looked up yet
 * is a file "/bin/program+0x1234" without function and line: a call or, with this suffix, the
 * address that is called. */
#define FORE_WHERE_ITSELF " itself"
struct fore_where {
    uint32_t function, file; /* string ids */
    uint32_t line, column;   /* 0: none */
    uint32_t parent;         /* the caller's node */
};

/* Something that the capture could not see, as `unseen "inline assembly"@f.c:12` says it. */
struct fore_unseen {
    uint32_t text;  /* string id */
    uint32_t where; /* 0: nowhere in particular */
    /* String id: a member of a type ("pool.size") that is watched only in the first object that
     * has it; 0: the entry is about something else. */
    uint32_t member;
};

/* at[0] of each vector is an empty entry; ids index directly. */
struct fore_tables {
    struct fore_intern strings;
    FORE_VEC(struct fore_thread_info) threads;
    FORE_VEC(struct fore_object) objects;
    FORE_VEC(struct fore_where) wheres;
    FORE_VEC(uint32_t) thread_by_label; /* a string's id -> its thread, or 0 */
    struct fore_map object_by_name;     /* kind << 32 | string -> id */
    struct fore_map where_by_hash;      /* content hash -> id */
    /* The threads were recorded apart: it is not known which of two unordered events came first,
     * and the trace has one of the possible orders. */
    bool merged;
    bool endless;  /* the format has no events for the ends of threads */
    unsigned sees; /* bits of enum fore_sees; see fore_tables_sees */
    FORE_VEC(struct fore_unseen) unseen; /* from at[0] on */
    enum fore_ended ended;
    uint32_t ended_text; /* string id: which signal, or 0 */
    uint32_t folder;     /* string id: where the process was started, or 0 */
    /* the time of the file that the trace came from; 0: it came from none */
    uint64_t written_ns;
};

void fore_tables_init(struct fore_tables *t);
void fore_tables_release(struct fore_tables *t);

/* Does the capture see all of `what`? If nothing was declared it sees everything. */
static inline bool fore_tables_sees(const struct fore_tables *t, unsigned what)
{
    return !(t->sees & FORE_SEES_DECLARED) || (t->sees & what) == what;
}

uint32_t fore_tables_string(struct fore_tables *t, const char *s, size_t n);
const char *fore_tables_text(const struct fore_tables *t, uint32_t string);

/* Begins anew: keeps all threads; of objects and source places keeps only the keys of the two
 * maps, whose values become their new ids, and what those refer to. */
void fore_tables_renew(struct fore_tables *t, struct fore_map *objects,
                       struct fore_map *wheres);

/* Finds or adds. A new thread is a root until fore_tables_adopt. */
uint32_t fore_tables_thread(struct fore_tables *t, const char *label, size_t n);
/* The same by a string's id; `*fresh`, if wanted, says whether it was added. */
uint32_t fore_tables_thread_of(struct fore_tables *t, uint32_t label, bool *fresh);
uint32_t fore_tables_object_of(struct fore_tables *t, enum fore_object_kind kind,
                               uint32_t name, bool *fresh);
/* By its label, a string's id; 0 if there is none. */
static inline uint32_t fore_tables_find_thread(const struct fore_tables *t,
                                               uint32_t label)
{
    return label < t->thread_by_label.n ? t->thread_by_label.at[label] : 0;
}
/* `child` becomes the next child of `parent`. False if it has a parent already. */
bool fore_tables_adopt(struct fore_tables *t, uint32_t parent, uint32_t child);
uint32_t fore_tables_object(struct fore_tables *t, enum fore_object_kind kind,
                            const char *name, size_t n);
uint32_t fore_tables_where(struct fore_tables *t, struct fore_where w);

/* Makes the thread a goroutine. Its display name follows ("goroutine 7 (main.worker)"), unless it has one. */
void fore_tables_goroutine(struct fore_tables *t, uint32_t thread, uint32_t number,
                           const char *begins, size_t n);
/* Notes that only the first object that has this member is watched. */
void fore_tables_unseen_member(struct fore_tables *t, uint32_t member, uint32_t where);

/* Names for display: "1.3.2"; "main.go:4:2" or "main.go:4" or "" ; "g5 worker" or "5". */
void fore_tables_path(const struct fore_tables *t, uint32_t thread,
                      struct fore_strbuf *out);
/* The same for many threads: the numbers are counted once (the caller frees them). */
uint32_t *fore_tables_root_numbers(const struct fore_tables *t);
void fore_tables_path_with(const struct fore_tables *t, uint32_t thread,
                           const uint32_t *root_numbers, struct fore_strbuf *out);
void fore_tables_place(const struct fore_tables *t, uint32_t where,
                       struct fore_strbuf *out);
const char *fore_tables_label(const struct fore_tables *t, uint32_t thread);
const char *fore_tables_name(const struct fore_tables *t, uint32_t object);

#endif
