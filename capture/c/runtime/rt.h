/* Inside the runtime: threads, objects with their tickets, records. The runtime lives in users'
 * programs: it calls nothing that is instrumented, and does nothing while it is off. */
#ifndef FORE_C_RT_H
#define FORE_C_RT_H

#include "capture/c/module.h"
#include "capture/ring/leaf.h"
#include "capture/ring/ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Written by all threads all the time: on a cache line of its own. */
#define FORE_RT_APART _Alignas(64)

struct fore_rt_clock;
struct fore_rt_way;
struct fore_rt_unit;

/* A place in memory, see places.h. */
struct fore_rt_place {
    uint32_t id, ticket;
    /* its size in bytes, 0: there is no place; where it begins in the 4 */
    uint8_t size, at;
    char type;
    bool
        widened; /* set by the unit: a read of fewer bytes was recorded as one of a place */
};

enum {
    FORE_RT_CROWDED = 1,   /* too much is unread: the thread must wait */
    FORE_RT_SIGNALLED = 2, /* a signal handler must run, see signals.c */
};

struct fore_rt_thread {
    uint32_t number, chunks, records;
    int tid;                             /* the system's number */
    struct fore_ring_record *next, *end; /* what is left of the current chunk */
    /* the thread is inside the runtime: what happens meanwhile is not recorded */
    uint32_t inside;
    uint8_t
        left_to_do; /* to do when the operation is over: FORE_RT_CROWDED, FORE_RT_SIGNALLED */
    uint32_t segment;       /* how often it has synchronised */
    pthread_mutex_t *quiet; /* a lock that it holds without having recorded it yet */
    struct fore_c_site *quiet_site;
    uint32_t events; /* how often it did something other than lock */
    uint32_t news;   /* how often it did or learnt something new; see know.c */
    uint32_t taught,
        eventful; /* its events when it last taught; how often there were some */
    struct fore_rt_clock *clock; /* what it knows; NULL: there are too many threads */
    /* the same, or NULL: no other thread knows its news yet */
    struct fore_rt_clock *shown;
    struct fore_rt_clock *spare;
    uint64_t before_rest; /* of the 8 bytes behind those */
    uint64_t before;      /* the 8 bytes of the access, when it began */
    /* a value that it has learnt decides: to be recorded before its next record */
    bool uses;
    bool late; /* the access is recorded when it is over */
    struct fore_rt_seen {
        struct fore_rt_unit *unit;
        char *p;
        uint64_t note; /* of the last read since, as in the shadow; 0: there was none */
        uint32_t version;       /* of the unit */
        uint32_t segment, mask; /* when it was read, and which bytes */
        uint32_t guard, what;   /* 0: the rest is not valid */
        struct fore_rt_place place;
        char type; /* of its value */
    } seen[64],
        *again; /* accesses that were recorded, see shared.c; the last read of them */
    struct fore_rt_thread *next_reader, **link; /* and what leads to it */
    bool reads;                                 /* it is one of those */
    struct fore_rt_object *lock[8]; /* the locks that it holds alone, see hold.h */
    uint32_t locks;
    uint32_t dice, seldom; /* see shared.c */
    bool looks;
    /* reads, writes: how often the program has asked to ignore them */
    uint16_t ignored[2];
    uint64_t tag;        /* as a stamp; see tags.h */
    uint64_t kept_stamp; /* for when that is over */
    struct {
        char *from, *to;
        uint32_t segment;
    } read;          /* see memory.c */
    uint32_t units;  /* the next unit that is its own, unless it is the first of many */
    uint32_t *place; /* lock of the access in progress */
    struct fore_rt_run {
        struct fore_ring_record *record;
        uint64_t of;
        uint32_t where, ticket, last, distance;
    } told[2], run; /* see places.c */
    /* The call in progress, and paths that lead to such calls; see callers.h. */
    uint32_t at_site, tries;
    bool at_kept;
    const void *at_pc;
    const char *at_frame;
    struct fore_rt_way *ways;
    /* neither a definition nor about another thread */
    struct fore_ring_record *last_event;
    char *stack;
    size_t stack_size;
    /* For leaving the runtime by another way; see jump.c. */
    uint32_t *held[8], holds;         /* spin locks that it holds, or waits for */
    struct fore_ring_record *open;    /* the record that was taken last */
    uint32_t open_at;                 /* after how many others */
    struct fore_ring_chunk *chunk;    /* the last one, which it may not have begun yet */
    struct fore_ring_record *pending; /* an operation in progress */
    struct fore_rt_put_off {
        struct fore_ring_record *record, copy;
        uint64_t unit[2];
    } put_off[4]; /* operations in progress when signal handlers interrupted them */
    uint32_t puts_off;
    bool
        over; /* far from `inside`: compilers read both at once, and would wait for the write to
               * one */
};

/* What an address stands for: a lock, a condition … Places in memory are in shadow.c. */
struct fore_rt_object {
    FORE_RT_APART struct fore_rt_object *after;
    const void *address; /* NULL: it was destroyed */
    unsigned kind;
    uint32_t id;
    uint64_t ticket;
    uint32_t size;  /* a barrier's threads; a bit-field's type */
    uint32_t guard; /* of a lock: its number, if it guards something; see shared.h */
};

/* record.c */
/* The first thread is inside main, or leaves it. */
void foresee_rt_main(unsigned inside);
extern _Thread_local unsigned long foresee_rt_stamp; /* see inline.h */
extern _Thread_local unsigned long
    foresee_rt_since; /* the position after the last record that may order */
extern _Thread_local unsigned
    foresee_rt_learnt; /* it has learnt something that was not used yet */
extern unsigned foresee_rt_on, foresee_rt_watched;
static inline bool fore_rt_on(void)
{
    return __atomic_load_n(&foresee_rt_on, __ATOMIC_RELAXED);
}
/* What the thread has learnt decides: recorded when the next record is, so that accesses without
 * values, which share one, still do. */
void foresee_rt_use(void);
/* What the inline functions of write.h call when the thread or its ring is not ready. */
struct fore_rt_thread *fore_rt_enter_slowly(void);
struct fore_ring_record *fore_rt_take_slowly(struct fore_rt_thread *t, size_t units);
void fore_rt_finish(struct fore_rt_thread *t);
#ifdef FORE_C_ALONE /* which never begins, and may be loaded where room for threads is scarce */
#define FORE_RT_OWN
#else
#define FORE_RT_OWN _Thread_local
#endif
extern FORE_RT_OWN struct fore_rt_thread foresee_rt_self;
static inline struct fore_rt_thread *fore_rt_self(void) /* between those two */
{
    return &foresee_rt_self;
}
uint32_t fore_rt_new_thread(void);
/* Is this a forked process, with the one thread that it began with? */
bool fore_rt_is_alone_in_child(void);
void fore_rt_begin_thread(uint32_t number);
void fore_rt_end_thread(void);
void fore_rt_dropped(void);
/* Stops recording. */
void fore_rt_stop(void);
/* No thread can go on any more: the process is about to end with this status. */
void fore_rt_stuck(int status);
/* Stops recording the calling thread, and soon all threads. */
void fore_rt_full(struct fore_rt_thread *t);
/* If the thread was just taking a chunk, it takes another one. */
void fore_rt_abandon_chunk(struct fore_rt_thread *t);
/* Are accesses noted? */
extern unsigned foresee_rt_telling;
static inline bool fore_rt_tells(void)
{
    return __atomic_load_n(&foresee_rt_telling, __ATOMIC_RELAXED);
}
/* Is everything read while the program runs? Then no record may grow. */
bool fore_rt_streams(void);
/* From now on PAST records may come. */
void fore_rt_may_tell(void);
/* The id of a new string. At most 4064 bytes are kept. */
uint32_t fore_rt_text(struct fore_rt_thread *t, const char *s, size_t n);
/* Site of the call in progress; | 1 if its callee may synchronise. */
extern _Thread_local uintptr_t foresee_rt_site;
extern _Thread_local const char *foresee_rt_starts; /* the function of its next thread */
static inline struct fore_c_site *fore_rt_site(void)
{
    return (struct fore_c_site *)(foresee_rt_site & ~(uintptr_t)1);
}
/* A library that is not instrumented is about to synchronise: should that be recorded? */
bool fore_rt_from_library(void);

/* sites.c */
/* Numbers the sites of the program; those of a shared library; forgets those before it is unloaded. */
void fore_rt_sites_number(void);
void foresee_rt_sites(struct fore_c_site *from, struct fore_c_site *to);
void foresee_rt_sites_gone(const struct fore_c_site *from);
/* A number for a site that belongs to no module, and cannot be found by it. */
uint32_t fore_rt_sites_one(void);
/* Has the library that begins here sites, that is, was it instrumented? */
bool fore_rt_sites_in(const void *library);
/* Called in a forked process, whose file has none of the sites yet. */
void fore_rt_sites_forget(void);
/* The number of a site, which is defined if it was not yet in this file; 0 of NULL. */
extern uint32_t fore_rt_files;
uint32_t fore_rt_where_first(struct fore_rt_thread *t, struct fore_c_site *site);
/* The same if it was defined, otherwise 0. */
static inline uint32_t fore_rt_where_known(const struct fore_c_site *site)
{
    bool defined =
        site && __atomic_load_n(&site->defined, __ATOMIC_ACQUIRE) == fore_rt_files;
    return defined ? site->id : 0;
}
static inline uint32_t fore_rt_where(struct fore_rt_thread *t, struct fore_c_site *site)
{
    uint32_t known = fore_rt_where_known(site);
    return known ? known : fore_rt_where_first(t, site);
}
/* The id of a name of a file or function, up to the end of its first line. */
uint32_t fore_rt_name(struct fore_rt_thread *t, const char *name);
/* The site that has a number; NULL if it is not known any more. */
struct fore_c_site *fore_rt_site_of(uint32_t id);
/* The same of a site that has a number; 0 if it is not known any more. */
uint32_t fore_rt_where_again(struct fore_rt_thread *t, uint32_t id);
/* The same, with the id of the string that says what is made there, or 0. */
uint32_t fore_rt_where_made(struct fore_rt_thread *t, uint32_t id, uint32_t *what);

/* threads.c: the first thread is known; in a forked process, which has none of the others. */
void fore_rt_threads_begin(void);
/* The calling thread, which nobody was seen to create, tells when it ends. */
void fore_rt_thread_taken_in(void);
/* Is there another thread that runs and that somebody could join? Those that were detached are left to
 * themselves when main returns. */
bool fore_rt_threads_await(void);
void fore_rt_threads_forget(void);

/* outside.c: in a forked process, whose file has none of it yet. */
void fore_rt_outside_forget(void);

/* tables.c; a thread that was at work in it is not in the forked process. */
void fore_rt_tables_forget(void);
extern char *foresee_rt_low, *foresee_rt_high; /* all variables are between them */
void fore_rt_variables_sort(void);             /* of the program */
/* libc.c: finds the program's constants, names what the C library keeps. */
void fore_rt_libc_start(void);
/* The table of a shared library; before it is unloaded. */
void foresee_rt_variables(struct fore_c_variable *from, struct fore_c_variable *to);
void foresee_rt_variables_gone(const struct fore_c_variable *from);
/* The kinds of variables that modules take the addresses of. */
extern unsigned char foresee_rt_taken[FORE_C_KINDS];
void foresee_rt_take(const uint32_t *from, const uint32_t *to);
const struct fore_c_variable *fore_rt_variable(const void *address);
/* Does the specification name one of these bits, or the variable that they are in? */
bool fore_rt_is_named(const char *p, uint64_t first, uint64_t bits);
enum {
    FORE_RT_VALUED = 256
}; /* variables up to this size are recorded with their values */
/* Also those that the specification does not name, if there are locks in them. */
void foresee_rt_locks(struct fore_c_variable *from, struct fore_c_variable *to);
const struct fore_c_variable *fore_rt_variable_around(const void *lock);

/* annotate.c: has the program asked that this access is not reported? */
bool fore_rt_is_ignored(const struct fore_rt_thread *t, const char *p, unsigned kind);

/* objects.c */
/* The first of n numbers of objects. When all are used, the recording ends. */
uint32_t fore_rt_new_ids(uint32_t n);
/* May the numbers that are given next reach this one? */
bool fore_rt_ids_near(uint64_t most);
/* Announces a place of `size` bytes in a variable; `before` is what it held, or NULL. Returns
 * its type, see trace/leaf.h, or 0 if that is unknown. */
char fore_rt_define_place(struct fore_rt_thread *t, uint32_t id, const char *p,
                          size_t size, const void *before);
/* Of a bit-field the kind is FORE_RING_OBJ_PLACE | (1 + its first bit of that byte) << 8. */
struct fore_rt_object *fore_rt_object(struct fore_rt_thread *t, const void *address,
                                      unsigned kind, unsigned flags);
/* The same of something that has no address, but a key and a name. */
struct fore_rt_object *fore_rt_object_called(struct fore_rt_thread *t, const void *key,
                                             unsigned kind, const char *name);
/* NULL if nothing was recorded about it yet. */
struct fore_rt_object *fore_rt_known(const void *address, unsigned kind);
void fore_rt_forget(const void *address, unsigned kind);
void fore_rt_objects_forget(void);
struct fore_rt_value {
    unsigned type; /* enum fore_ring_value */
    uint64_t bits;
};
struct fore_rt_value fore_rt_value(char type, const void *at, size_t size);

/* mark.c: objects whose operations are marked, in a file that has just begun. Also how the
 * linker comes to know of it: programs refer to marks weakly. */
void fore_rt_marks_again(struct fore_rt_thread *t);

/* mutex.c: something happens: the lock that it holds is recorded first. */
void fore_rt_say_lock(struct fore_rt_thread *t);

/* alloc.c: its functions are to be in the program. */
void fore_rt_alloc_stand(void);

/* names.c */
/* Static variables of one name get those of their files, too. */
void fore_rt_names_qualify(struct fore_c_variable *all, size_t n);

/* functions.c */
/* The functions that threads may begin with: those of the program; of a shared library; before it is unloaded. */
void fore_rt_functions_of_program(void);
void foresee_rt_functions(const struct fore_c_start *from, const struct fore_c_start *to);
void foresee_rt_functions_gone(const struct fore_c_start *from);
void fore_rt_functions_forget(void); /* in a forked process */
/* NULL: nobody knows it. */
const char *fore_rt_function_name(uintptr_t function);

/* bits.c: the bit-field that begins with a bit of *p, in the 8 aligned bytes around p. */
struct fore_rt_value fore_rt_bits_value(char type, uint64_t bytes, const char *p,
                                        unsigned bit, unsigned width);

/* signals.c: runs the handlers that came while the runtime was at work; when the thread is about to jump, perhaps out of
 * one; in a forked process. */
void fore_rt_signals_run(struct fore_rt_thread *t);
void fore_rt_signals_jumped(void);
void fore_rt_signals_forget(void);

/* jump.c: whatever the calling thread was doing in here, it will not come back to it. */
void fore_rt_abandon(void);
/* The thread's pending operation begins anew when it is over. */
void fore_rt_put_off(struct fore_rt_thread *t);
/* The record says nothing. */
void fore_rt_void(struct fore_ring_record *r, size_t units);

static inline uint32_t fore_rt_mine(void) /* a spin lock that the thread has */
{
    return foresee_rt_self.number ? foresee_rt_self.number : UINT32_MAX;
}

static inline void fore_rt_unspin(uint32_t *lock)
{
    __atomic_store_n(lock, 0u, __ATOMIC_RELEASE);
    foresee_rt_self.holds--;
}

/* Of the two that it has taken last, gives back the first. */
static inline void fore_rt_unspin_first(uint32_t *first, uint32_t *last)
{
    fore_rt_unspin(first);
    foresee_rt_self.held[(foresee_rt_self.holds - 1) % 8] = last;
}

static inline void fore_rt_pause(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Sleeps for a moment, or until *word is another value. By a futex: a program that lets the kernel kill it for
 * calls that it does not need (seccomp) needs this one for its locks. */
void fore_rt_nap(const uint32_t *word, uint32_t value, long ns);

/* The holder of this lock keeps it for a few instructions only, unless it was descheduled. */
static inline void fore_rt_spin(uint32_t *lock)
{
    enum { LOOKS = 100 };
    uint32_t none = 0, mine = fore_rt_mine();
    foresee_rt_self.held[foresee_rt_self.holds++ % 8] = lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(lock, &none, mine, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        unsigned looks = 0;
        while (__atomic_load_n(lock, __ATOMIC_RELAXED) && looks++ < LOOKS)
            fore_rt_pause();
        if (looks > LOOKS)
            fore_rt_nap(lock, none, 20000);
        none = 0;
    }
}

/* True if it was free. */
static inline bool fore_rt_try(uint32_t *lock)
{
    uint32_t none = 0;
    foresee_rt_self.held[foresee_rt_self.holds++ % 8] = lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_compare_exchange_n(lock, &none, fore_rt_mine(), false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return true;
    foresee_rt_self.holds--;
    return false;
}

static inline uint64_t fore_rt_ticket(struct fore_rt_object *o)
{
    return __atomic_add_fetch(&o->ticket, 1, __ATOMIC_ACQ_REL);
}

#include "capture/c/runtime/write.h"

#endif
