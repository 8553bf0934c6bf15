/* Go's message passing for C: processes, channels, select, and Go's locks.
 *
 *     static void ping(void *c)
 *     {
 *         int v = 1;
 *         foresee_send(c, &v);
 *     }
 *
 *     int main(void)
 *     {
 *         foresee_chan *c = foresee_make(sizeof(int), 0);
 *         int v;
 *         foresee_go(ping, c);
 *         foresee_recv(c, &v);
 *     }
 *
 * The semantics are Go's, including what blocks for ever (a nil channel) and what panics (a
 * send on a closed channel): a panic prints what and where, and aborts. When every process
 * waits, the program ends with status 2 and says who waits for what. When main returns, the
 * program ends, whatever other processes do.
 *
 * Processes have their own stacks and share one operating-system thread; a process runs until
 * it waits. All calls come from the thread that made the first one. Pointers to stack
 * variables may be handed to other processes while they live.
 *
 * Environment:
 *   FORESEE_RING=DIR       record this program in DIR/<pid>.fsr (set by `foresee run`)
 *   FORESEE_SEED=N         a random but repeatable schedule; time is then virtual
 *   FORESEE_SCHEDULE=FILE  force the schedule of a witness (set by `foresee replay`)
 *   FORESEE_STACK=BYTES    size of a process's stack, 65536 unless told
 *   FORESEE_METHOD=clocks  exchange vector clocks instead of recording (for the experiment)
 */
#ifndef FORESEE_CSP_H
#define FORESEE_CSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FORESEE_API __attribute__((visibility("default")))

/* A place in the source. The macros below make one per call. */
struct foresee_site {
    const char *file, *function, *text; /* text: the object, as the source writes it */
    uint32_t line, id, text_id;         /* the ids are the library's */
};

#define FORESEE_HERE_FOR(text)                                                           \
    (__extension__({                                                                     \
        static struct foresee_site foresee_site_ = {__FILE__, __func__, (text),          \
                                                    __LINE__, 0,        0};              \
        &foresee_site_;                                                                  \
    }))
#define FORESEE_HERE FORESEE_HERE_FOR(NULL)

/* ---- processes ---- */

/* Starts fn(arg) as a process of its own. */
#define foresee_go(fn, arg) foresee_go_at((fn), (arg), FORESEE_HERE_FOR(#fn))
/* Lets others run. */
FORESEE_API void foresee_yield(void);
FORESEE_API void foresee_sleep(int64_t ns);
/* The number of the running process: main is 1, others count in the order of creation. */
FORESEE_API uint32_t foresee_self(void);
/* How many processes have not ended, main included. */
FORESEE_API size_t foresee_live(void);
/* Nanoseconds since the start; virtual under a seed. */
FORESEE_API int64_t foresee_now(void);
/* Fixes the schedule from here on, as FORESEE_SEED does from the start. */
FORESEE_API void foresee_seed(uint64_t seed);
/* Prints "panic: …" and where, and aborts. */
#define foresee_panic(message) foresee_panic_at((message), FORESEE_HERE)

/* ---- channels ---- */

typedef struct foresee_chan foresee_chan;

/* A channel for elements of `size` bytes (0: only the event counts) with room for `capacity`
 * of them; 0 is unbuffered. The second form gives it a name for reports. */
#define foresee_make(size, capacity)                                                     \
    foresee_make_at((size), (capacity), NULL, FORESEE_HERE)
#define foresee_make_named(size, capacity, name)                                         \
    foresee_make_at((size), (capacity), (name), FORESEE_HERE)
/* Copies the element at `value` (NULL for size 0) into the channel. */
#define foresee_send(chan, value) foresee_send_at((chan), (value), FORESEE_HERE)
/* False if the channel is closed and empty; then *value is zeroed. `value` may be NULL. */
#define foresee_recv(chan, value) foresee_recv_at((chan), (value), FORESEE_HERE)
#define foresee_close(chan) foresee_close_at((chan), FORESEE_HERE)
FORESEE_API size_t foresee_len(const foresee_chan *c); /* elements in the buffer */
FORESEE_API size_t foresee_cap(const foresee_chan *c);
/* Frees it. No process may use it any more; there is no garbage collector. */
FORESEE_API void foresee_free(foresee_chan *c);

/* ---- select ---- */

enum foresee_case_kind {
    FORESEE_CASE_RECV,
    FORESEE_CASE_SEND,
    FORESEE_CASE_DEFAULT,
    FORESEE_CASE_TIMEOUT
};

typedef struct foresee_case {
    foresee_chan *chan; /* NULL: never ready */
    void *value;
    bool *ok; /* of a receive, may be NULL: false if the channel was closed */
    int64_t ns;
    enum foresee_case_kind kind;
} foresee_case;

#ifdef __cplusplus
#define FORESEE_CASE_(...) (foresee_case{__VA_ARGS__})
#else
#define FORESEE_CASE_(...) ((foresee_case){__VA_ARGS__})
#endif
#define FORESEE_RECV(chan, value)                                                        \
    FORESEE_CASE_((chan), (value), NULL, 0, FORESEE_CASE_RECV)
#define FORESEE_RECV_OK(chan, value, ok)                                                 \
    FORESEE_CASE_((chan), (value), (ok), 0, FORESEE_CASE_RECV)
#define FORESEE_SEND(chan, value)                                                        \
    FORESEE_CASE_((chan), (value), NULL, 0, FORESEE_CASE_SEND)
#define FORESEE_DEFAULT FORESEE_CASE_(NULL, NULL, NULL, 0, FORESEE_CASE_DEFAULT)
#define FORESEE_TIMEOUT(ns_) FORESEE_CASE_(NULL, NULL, NULL, (ns_), FORESEE_CASE_TIMEOUT)

/* Waits until one case can go on, does it, and returns its index; of several ready ones, any.
 *
 *     switch (foresee_select(FORESEE_RECV(r, &v), FORESEE_SEND(s, &w), FORESEE_DEFAULT)) {
 *     case 0: ...
 */
#ifdef __cplusplus
#define foresee_select(...) (foresee_select_list({__VA_ARGS__}, FORESEE_HERE))
#else
#define foresee_select(...)                                                              \
    foresee_select_at((foresee_case[]){__VA_ARGS__},                                     \
                      sizeof((foresee_case[]){__VA_ARGS__}) / sizeof(foresee_case),      \
                      FORESEE_HERE)
#endif
/* The same for an array of `n` cases. */
#define foresee_select_array(cases, n) foresee_select_at((cases), (n), FORESEE_HERE)

/* ---- timers ---- */

typedef struct foresee_timer foresee_timer;

/* Sends the time (an int64_t) on its channel, which has room for one, after `ns`. */
#define foresee_after(ns) foresee_after_at((ns), FORESEE_HERE_FOR("timer"))
FORESEE_API foresee_chan *foresee_timer_chan(foresee_timer *t);
/* True if it had not fired yet. As in Go before 1.23, the channel is not drained. */
FORESEE_API bool foresee_timer_stop(foresee_timer *t);
FORESEE_API void
foresee_timer_free(foresee_timer *t); /* stops it; its channel goes too */

/* ---- locks: all of them are ready to use when zeroed, as in Go ---- */

struct foresee_queue {
    struct foresee_waiter *first, *last;
};

typedef struct foresee_mutex {
    struct foresee_queue waiters;
    uint64_t ticket;
    uint32_t id;
    bool locked;
} foresee_mutex;

#define foresee_lock(m) foresee_lock_at((m), FORESEE_HERE_FOR(#m))
#define foresee_trylock(m) foresee_trylock_at((m), FORESEE_HERE_FOR(#m))
#define foresee_unlock(m)                                                                \
    foresee_unlock_at((m), FORESEE_HERE_FOR(#m)) /* panics if not locked */

/* Writers go first: a writer that waits keeps new readers out. */
typedef struct foresee_rwmutex {
    struct foresee_queue waiters; /* readers and writers, in order */
    uint64_t ticket;
    uint32_t id, readers;
    bool writing;
} foresee_rwmutex;

#define foresee_wlock(m) foresee_wlock_at((m), FORESEE_HERE_FOR(#m))
#define foresee_wunlock(m) foresee_wunlock_at((m), FORESEE_HERE_FOR(#m))
#define foresee_rlock(m) foresee_rlock_at((m), FORESEE_HERE_FOR(#m))
#define foresee_runlock(m) foresee_runlock_at((m), FORESEE_HERE_FOR(#m))

typedef struct foresee_waitgroup {
    struct foresee_queue waiters;
    uint64_t ticket;
    int64_t count;
    uint32_t id;
} foresee_waitgroup;

#define foresee_wg_add(w, delta) foresee_wg_add_at((w), (delta), FORESEE_HERE_FOR(#w))
#define foresee_wg_done(w) foresee_wg_done_at((w), FORESEE_HERE_FOR(#w))
#define foresee_wg_wait(w) foresee_wg_wait_at((w), FORESEE_HERE_FOR(#w))

typedef struct foresee_cond {
    struct foresee_queue waiters;
    uint64_t ticket;
    uint32_t id;
} foresee_cond;

#define foresee_cond_wait(c, m) foresee_cond_wait_at((c), (m), FORESEE_HERE_FOR(#c))
#define foresee_cond_signal(c) foresee_cond_signal_at((c), FORESEE_HERE_FOR(#c))
#define foresee_cond_broadcast(c) foresee_cond_broadcast_at((c), FORESEE_HERE_FOR(#c))

typedef struct foresee_once {
    struct foresee_queue waiters;
    uint64_t ticket;
    uint32_t id;
    uint32_t state; /* 0: not run, 1: running, 2: has run */
} foresee_once;

#define foresee_once_do(o, fn, arg)                                                      \
    foresee_once_do_at((o), (fn), (arg), FORESEE_HERE_FOR(#o))

/* ---- what the macros call ---- */

typedef struct foresee_site *foresee_at;

FORESEE_API void foresee_go_at(void (*fn)(void *), void *arg, foresee_at at);
__attribute__((noreturn)) FORESEE_API void foresee_panic_at(const char *message,
                                                            foresee_at at);
FORESEE_API foresee_chan *foresee_make_at(size_t size, size_t capacity, const char *name,
                                          foresee_at at);
FORESEE_API void foresee_send_at(foresee_chan *c, const void *value, foresee_at at);
FORESEE_API bool foresee_recv_at(foresee_chan *c, void *value, foresee_at at);
FORESEE_API void foresee_close_at(foresee_chan *c, foresee_at at);
FORESEE_API int foresee_select_at(const foresee_case *cases, size_t n, foresee_at at);
FORESEE_API foresee_timer *foresee_after_at(int64_t ns, foresee_at at);
FORESEE_API void foresee_lock_at(foresee_mutex *m, foresee_at at);
FORESEE_API bool foresee_trylock_at(foresee_mutex *m, foresee_at at);
FORESEE_API void foresee_unlock_at(foresee_mutex *m, foresee_at at);
FORESEE_API void foresee_wlock_at(foresee_rwmutex *m, foresee_at at);
FORESEE_API void foresee_wunlock_at(foresee_rwmutex *m, foresee_at at);
FORESEE_API void foresee_rlock_at(foresee_rwmutex *m, foresee_at at);
FORESEE_API void foresee_runlock_at(foresee_rwmutex *m, foresee_at at);
FORESEE_API void foresee_wg_add_at(foresee_waitgroup *w, int64_t delta, foresee_at at);
FORESEE_API void foresee_wg_done_at(foresee_waitgroup *w, foresee_at at);
FORESEE_API void foresee_wg_wait_at(foresee_waitgroup *w, foresee_at at);
FORESEE_API void foresee_cond_wait_at(foresee_cond *c, foresee_mutex *m, foresee_at at);
FORESEE_API void foresee_cond_signal_at(foresee_cond *c, foresee_at at);
FORESEE_API void foresee_cond_broadcast_at(foresee_cond *c, foresee_at at);
FORESEE_API void foresee_once_do_at(foresee_once *o, void (*fn)(void *), void *arg,
                                    foresee_at at);

#ifdef __cplusplus
}

#include <initializer_list>
static inline int foresee_select_list(std::initializer_list<foresee_case> cases,
                                      foresee_at at)
{
    return foresee_select_at(cases.begin(), cases.size(), at);
}
#endif

#endif
