/* Turn-taking: the program runs on a schedule that was chosen for it (FORESEE_SCHEDULE). One thread
 * at a time runs; before each operation that others could notice it comes to a point, where the
 * turn may go to another. What an operation would do is known from a shadow of its object
 * (turn_objects.c), so that a thread that would block is not given the turn.
 *
 *   turn.c          the turn itself: who has it, who waits, who gets it
 *   turn_list.c     the threads that there are
 *   turn_objects.c  which operations could be done now
 *   turn_follow.c   the steps of a schedule
 *   turn_tell.c     what the outcome file says
 *   turn_calls.c    the library's calls that block, done by turns; they stand in fore_rt_real
 *   turn_futex.c    the same for locks that the program makes of futexes itself
 *   turn_poll.c     calls that wait for several files at once, and timers that are files
 *   turn_outside.c  other calls that no thread of the program can end, sleep, and the clock
 *   turn_signals.c  handlers of signals that come to a thread while it waits for its turn
 *
 * While no schedule is named nothing of this is called but fore_turn_on(), in places where the
 * runtime is slow anyway. */
#ifndef FORE_C_TURN_H
#define FORE_C_TURN_H

#include "capture/c/runtime/rt.h"
#include "capture/control/outcome.h"
#include "capture/control/schedule.h"

#include <signal.h>
#include <time.h>
#include <ucontext.h>

#define FORE_TURN_NEVER UINT64_MAX

static inline uint32_t fore_turn_column(const struct fore_c_site *site)
{
    return site->column & ~FORE_C_STRAIGHT;
}

struct fore_turn_thread;

struct fore_turn_op {
    uint16_t kind; /* enum fore_operation */
    bool atomic, yields;
    uint32_t size;
    const void *address, *other;
    const struct fore_c_site *site;
    struct fore_turn_thread *whom; /* to be joined */
    uint64_t deadline;             /* on the turn's clock, or NEVER */
    uint64_t number;               /* a barrier's round, events of a file */
    bool (*ready)(
        const void *other); /* of a wait for several files; NULL: `other` is one */
    bool (*own)(
        const void *other); /* of such a wait: can only the program make one ready? */
};

enum { FORE_TURN_LOOKS = 8, FORE_TURN_LATE = 4, FORE_TURN_STUCK = 2 /* a status */ };

/* A signal that came while its thread waited for the turn. */
struct fore_turn_late {
    int number;
    siginfo_t info;
    ucontext_t context;
};

struct fore_turn_thread {
    struct fore_turn_thread *after; /* in order of creation */
    uint32_t index;                 /* from 0 */
    uint32_t go;                    /* it has been given the turn: a futex */
    uint32_t picks;                 /* it is asked to give the turn to a thread */
    enum fore_outcome_state state;
    bool
        busy; /* it is in here: what a handler of signals does meanwhile is not controlled */
    bool over, signalled, timed_out, early, cancelled, stands;
    bool interrupted;        /* a signal came while it waited for files */
    const sigset_t *lets_in; /* which signals may not, while it does; see turn_poll.c */
    int tid;
    struct fore_turn_op op;
    uint32_t operations;  /* synchronisation that it has done */
    uint32_t hits, parts; /* see turn_follow.c */
    uint32_t idle;        /* steps since it did something that others could notice */
    const void *looked[FORE_TURN_LOOKS]; /* where it read last */
    struct {
        const unsigned char *at;
        unsigned char was;
    } wrote[FORE_TURN_LOOKS]; /* where it wrote last, and what was there then */
    struct {
        const unsigned char *at;
        const struct fore_c_site *site;
        unsigned char was;
    } changed[FORE_TURN_LOOKS]; /* where it read and wrote at once */
    uint64_t since;             /* when it began to wait for its condition */
    const void *condition;      /* which one that is */
    uint32_t late_n;            /* signals whose handlers it has yet to run */
    struct fore_turn_late late[FORE_TURN_LATE];
    uint64_t mark; /* of the strategy */
    uint32_t children, plan;
    struct fore_turn_thread *after_known; /* those that can be joined */
    struct fore_turn_thread *after_every; /* those that there were */
    unsigned long handle;
    char path[sizeof((struct fore_outcome_thread *)0)->path];
};

extern unsigned fore_turn_active;
static inline bool fore_turn_on(void)
{
    return __builtin_expect(__atomic_load_n(&fore_turn_active, __ATOMIC_RELAXED), 0);
}

struct fore_turn {
    uint32_t lock;
    struct fore_turn_thread *first, *holder, *running, *watcher;
    uint32_t threads;
    bool picking; /* a thread is looking for whom to give the turn to */
    bool choice;  /* its thread was one of several that could have it */
    bool lingers; /* main has returned: it only gives the others time */
    uint64_t clock, steps;
    int leaving;     /* the thread that has ended last and may not be gone yet; 0: none */
    uint32_t vain;   /* steps since any thread did something that others could notice */
    bool has_forked; /* others may have its files */
    struct fore_schedule schedule;
    struct fore_strategy strategy;
    uint32_t done; /* steps of the schedule */
    bool follows;
    struct fore_outcome *outcome; /* never NULL while it is on */
};
extern struct fore_turn fore_turn;

/* Reads the schedule; called when recording begins. False if there is none, or with a message. */
bool fore_turn_start(void);
void fore_turn_forks(void);  /* in the parent */
void fore_turn_forked(void); /* in the child, which runs as it likes */
/* In the child, which waits for what nobody can give it: that ends it if its parent is controlled. */
void fore_turn_child_waits(void);
void fore_turn_finish(bool cut); /* the process ends in order */

/* The calling thread comes to a point; it returns when the thread may go on. */
void fore_turn_point(struct fore_turn_op op);
/* The common case, if anything is controlled. */
static inline void fore_turn_at(unsigned kind, const void *address)
{
    if (fore_turn_on())
        fore_turn_point((struct fore_turn_op){.kind = (uint16_t)kind,
                                              .address = address,
                                              .site = fore_rt_site(),
                                              .deadline = FORE_TURN_NEVER});
}
/* A wait for a condition begins, and gives its lock back. */
static inline void fore_turn_release(unsigned kind, const void *condition,
                                     const void *lock)
{
    if (fore_turn_on())
        fore_turn_point((struct fore_turn_op){.kind = (uint16_t)kind,
                                              .address = condition,
                                              .other = lock,
                                              .site = fore_rt_site(),
                                              .deadline = FORE_TURN_NEVER});
}
static inline void fore_turn_access(const void *p, const struct fore_c_site *site,
                                    uint32_t what)
{
    bool bits = what >> 8 & FORE_C_BITS;
    if (fore_turn_on())
        fore_turn_point((struct fore_turn_op){.kind = what & 0x7f,
                                              .address = p,
                                              .site = site,
                                              .atomic = what >> 12 & 0xf,
                                              .size = what >> 16 & (bits ? 0xf : 0xffff),
                                              .deadline = FORE_TURN_NEVER});
}
/* The calling thread's, or NULL if it is not controlled now. */
struct fore_turn_thread *fore_turn_self(void);
/* The calling thread's if it was interrupted in here, or while it recorded something. */
struct fore_turn_thread *fore_turn_in_here(void);
/* turn_list.c. A thread that the calling one is about to create; NULL if the calling one is not controlled. */
struct fore_turn_thread *fore_turn_create(const char *name);
/* What the thread is called from now on: that with this handle, or if it is `own` the one that runs. */
void fore_turn_name(unsigned long handle, bool own, const char *name);
/* Notes the thread's pthread_t, or 0 if it could not be created; finds the thread of a pthread_t; forgets a pthread_t
 * that nobody can join any more. */
void fore_turn_made(struct fore_turn_thread *t, unsigned long handle);
struct fore_turn_thread *fore_turn_known(unsigned long handle);
void fore_turn_gone(unsigned long handle);
struct fore_turn_thread *fore_turn_make_first(void);
struct fore_turn_thread *fore_turn_make_stranger(void); /* with the lock */
void fore_turn_unlink(struct fore_turn_thread *t);      /* with the lock: it is over */
/* turn_strangers.c. The calling thread is controlled from now on; NULL if it cannot be. */
struct fore_turn_thread *fore_turn_take_in(void);
bool fore_turn_may_stranger_help(void);  /* with the lock */
void fore_turn_wait_until_gone(int tid); /* one that has ended */
/* The thread that control begins in, which has the turn; a forked process has none. */
bool fore_turn_begin_first(void);
void fore_turn_forget_self(void);
void fore_turn_begin(struct fore_turn_thread *t); /* first thing in the thread */
void fore_turn_end(void);                         /* last thing */
/* Around a call that may block and that nobody here can end. */
void fore_turn_leave(void);
void fore_turn_back(void);
void fore_turn_lock(void);
void fore_turn_unlock(void);
/* Something was not under control. */
void fore_turn_lost(const char *by);

/* turn_objects.c, with the turn's lock or the turn. */
bool fore_turn_enabled(struct fore_turn_thread *t);
/* Has a signal, or a wake of its futex, come to the thread since it began to wait? */
bool fore_turn_is_woken(const struct fore_turn_thread *t);
/* Has the thread a deadline, and has that come? It can then go on. */
bool fore_turn_may_time_out(const struct fore_turn_thread *t);
/* What was done: taken (alone or to read), given back. */
void fore_turn_took(const void *lock, bool alone);
void fore_turn_gave(const void *lock);
void fore_turn_forget(const void *object);
/* Conditions: a thread that waits now can be woken by a later signal; the one that goes on takes it. */
void fore_turn_wait_begins(struct fore_turn_thread *t, const void *condition);
bool fore_turn_signal(const void *condition, bool all); /* false: nobody to be woken */
void fore_turn_wait_ends(struct fore_turn_thread *t);
/* Of the threads that wait for one condition and are not woken, so many wait for another from now on; returns how many. */
long fore_turn_move_waiters(const void *from, const void *to, uint32_t most);
/* Barriers. Arrives: the number of the round; `last` if the round is over. */
void fore_turn_barrier(const void *barrier, unsigned count);
bool fore_turn_knows_barrier(const void *barrier);
uint64_t fore_turn_arrive(const void *barrier, bool *last);
/* Once: a thread runs it, no thread does. */
void fore_turn_once(const void *control, bool runs);

/* turn_follow.c: with the lock. Whose turn it is by the schedule; NULL: somebody else decides, or
 * (`*wait`) the one is not there yet. */
struct fore_turn_thread *fore_turn_follow(bool *wait);
/* Can a thread other than `t` go on now? */
bool fore_turn_others_can(const struct fore_turn_thread *t);
void fore_turn_followed(struct fore_turn_thread *t); /* it goes past its point */

/* turn_calls.c */
void fore_turn_calls_start(void);
void fore_turn_calls_stop(void);
void fore_turn_cancelled(struct fore_turn_thread *t); /* ends the thread if it is to */
/* turn_futex.c: may other processes have the memory, too? */
bool fore_turn_is_shared(const void *address);
/* turn_signals.c: the handler of a signal that comes while the thread waits in here is run when it has
 * the turn. False: it is to be run now. */
bool fore_turn_put_off(int number, const siginfo_t *info, const void *context);
void fore_turn_handle_late(struct fore_turn_thread *t); /* runs the oldest */
/* Are there signals that somebody may send it, and that it handles? */
bool fore_turn_handles_signals(void);
bool fore_turn_is_asleep(int tid); /* in the kernel */
/* After the calling thread has sent a signal: those who are to handle it know of it. */
void fore_turn_signal_sent(void);
/* turn_outside.c */
uint64_t fore_turn_until(clockid_t clock, const struct timespec *until);
bool fore_turn_ready(const struct fore_turn_op *op); /* a file */
/* Is it a pipe, or what has no file at all, so that most likely the program itself writes to it? */
bool fore_turn_is_inner(const struct fore_turn_op *op);
/* Can nobody but the program itself write to it, or read what it writes? */
bool fore_turn_is_own(const struct fore_turn_op *op);
bool fore_turn_is_own_file(int fd);
void fore_turn_files_start(void); /* those that are open now are others' */
void fore_turn_read_clock(void);
void fore_turn_sleep(const struct timespec *t);
/* turn_poll.c: timers that are files, in the schedule's time */
uint64_t fore_turn_next_timer(void);
bool fore_turn_is_timer(int fd);
void fore_turn_look_for_signal(struct fore_turn_thread *t); /* by itself */
void fore_turn_expire_timers(void);
/* Around a call of the C library with these effects (libc.h). */
void fore_turn_libc_begin(const char *effects, const uint64_t *args);
void fore_turn_libc_end(const char *effects);
/* What a program calls in place of syscall. */
long foresee_rt_syscall(long number, ...);

#endif
