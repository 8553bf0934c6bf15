/* The names behind a trace's ids: strings, threads, objects, locations. Filled by the source
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
    uint32_t group; /* string id: the test that it belongs to, 0 if none is known */
    bool earlier;   /* it was begun before the first event of this trace */
};

enum fore_object_flags {
    FORE_OBJ_RECURSIVE = 1 << 0,
    FORE_OBJ_RW = 1 << 1,
    FORE_OBJ_READERS_FIRST = 1 << 2,
    FORE_OBJ_WRITERS_FIRST = 1 << 3,
    FORE_OBJ_HIDDEN = 1 << 4,   /* inside a library: kept for the order, not reported */
    FORE_OBJ_DECLARED = 1 << 5, /* by a declaration, not by its first use */
    FORE_OBJ_TIMED = 1 << 6,    /* a channel that a timer sends on, or closes */
    FORE_OBJ_ROBUST = 1 << 7, /* a lock whose next owner is told that the last one died */
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

/* A node of the calling context. file 0: unknown. An instruction of a program that nobody has looked up yet is
 * a file "/bin/program+0x1234" without function and line: a call, or with this behind it the place that is called. */
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
};

/* at[0] of each vector is an empty none; ids index directly. */
struct fore_tables {
    struct fore_intern strings;
    FORE_VEC(struct fore_thread_info) threads;
    FORE_VEC(struct fore_object) objects;
    FORE_VEC(struct fore_where) wheres;
    FORE_VEC(uint32_t) thread_by_label; /* a string's id -> the thread, or 0 */
    struct fore_map object_by_name;     /* kind << 32 | string -> id */
    struct fore_map where_by_hash;      /* content hash -> id */
    /* Recorded apart, thread by thread: of events that nothing orders, which came first is not
     * known, and the trace has them in one order of those that are possible. */
    bool merged;
    bool endless;  /* the format has no events for the ends of threads */
    unsigned sees; /* enum fore_sees; see fore_tables_sees */
    FORE_VEC(struct fore_unseen) unseen; /* from at[0] on */
    enum fore_ended ended;
    uint32_t ended_text; /* string id: which signal, or 0 */
    uint32_t folder;     /* string id: where the process was started, or 0 */
    uint64_t written_ns; /* when the file was that this came from; 0: it came from none */
};

void fore_tables_init(struct fore_tables *t);
void fore_tables_release(struct fore_tables *t);

/* Does the capture see all of `what`? It does of everything if nothing was declared. */
static inline bool fore_tables_sees(const struct fore_tables *t, unsigned what)
{
    return !(t->sees & FORE_SEES_DECLARED) || (t->sees & what) == what;
}

uint32_t fore_tables_string(struct fore_tables *t, const char *s, size_t n);
const char *fore_tables_text(const struct fore_tables *t, uint32_t string);

/* Begins anew, with all threads as they are, of the objects and of the places in the source only the keys of
 * the two maps, whose values become their new ids, and what those need. */
void fore_tables_renew(struct fore_tables *t, struct fore_map *objects,
                       struct fore_map *wheres);

/* Finds or adds. A new thread is a root until fore_tables_adopt. */
uint32_t fore_tables_thread(struct fore_tables *t, const char *label, size_t n);
/* The same by a string's id; `*fresh`, if wanted, tells whether it was added. */
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

/* "1.3.2"; "main.go:4:2" or "main.go:4" or "" ; "g5 worker" or "5". */
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
