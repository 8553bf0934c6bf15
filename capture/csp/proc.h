/* Processes and the one scheduler that runs them, all on one operating-system thread. */
#ifndef FORE_CSP_PROC_H
#define FORE_CSP_PROC_H

#include "capture/control/strategy.h"
#include "capture/csp/context.h"
#include "capture/ring/ring.h"
#include "foresee/csp.h"

struct fore_plan;   /* force.h */
struct fore_vclock; /* clock.h */

/* What a process waits for, used in messages; the words are in panic.c. */
enum fore_wait {
    FORE_WAIT_NONE,
    FORE_WAIT_SEND,
    FORE_WAIT_RECV,
    FORE_WAIT_SELECT,
    FORE_WAIT_SLEEP,
    FORE_WAIT_LOCK,
    FORE_WAIT_RLOCK,
    FORE_WAIT_COND,
    FORE_WAIT_WG,
    FORE_WAIT_ONCE,
    FORE_WAIT_TURN, /* for its step of a forced schedule */
};

/* One place in one queue; lives on the stack of the process that waits. */
struct foresee_waiter {
    struct fore_proc *proc;
    struct foresee_waiter *next, *prev;
    struct foresee_queue *queue; /* NULL: in none */
    void *value;    /* the value to send, or where to put the received one; may be NULL */
    uint64_t *word; /* word of the record that says that it waits, or NULL */
    uint32_t number; /* number of the case, or what the queue's owner wants */
    bool ok;         /* for a channel: it did not end because the channel was closed */
};

/* A process's last two channel operations, and whether they repeat. */
struct fore_repeat {
    uint64_t *again; /* the word that counts repetitions, or NULL */
    uint64_t ticket[2];
    uint32_t what[2]; /* kind | base << 8 */
    uint32_t phase;   /* which of the two comes next */
    /* how many operations repeated the one two before, with the next ticket */
    uint32_t streak;
};

struct fore_proc {
    struct fore_context context;
    struct fore_ring_record *next_record, *end_record; /* in its current chunk */
    uint64_t *half;                  /* room for one more short record, or NULL */
    uint64_t bases[FORE_RING_BASES]; /* where | object << 32 */
    struct fore_repeat repeat;
    struct foresee_waiter *waiters; /* places of the operation in which it waits */
    uint32_t waiter_count;
    struct foresee_waiter *woken; /* the place that ended the wait; NULL: a timer */
    uint32_t id;
    uint8_t waits_for; /* enum fore_wait */
    bool alive;
    foresee_at waits_at;
    const void *object;               /* the object that it waits for, if there is one */
    const struct fore_choice *choice; /* the select that it waits in */
    uint32_t chunk_number;
    uint32_t children;
    int64_t deadline;
    uint32_t timer; /* 1 + its index in the heap of timers; 0: none */
    uint32_t operations;
    uint64_t mark; /* the strategy's */
    struct fore_plan *plan;
    struct fore_vclock *clock;
    void (*fn)(void *);
    void *arg;
    const char *name;
    foresee_at made_at;
    char *stack;
    struct fore_proc *next_free;
    void *fake_stack; /* AddressSanitizer's */
};

enum fore_csp_mode {
    FORE_CSP_TRACED = 1,
    FORE_CSP_FORCED = 2,
    FORE_CSP_CLOCKS = 4,
};

/* The run queue: a growing ring of processes. */
struct fore_csp {
    struct fore_proc *current;
    int32_t ticks; /* operations until the scheduler looks up */
    uint32_t mode; /* enum fore_csp_mode */
    struct fore_proc **queue;
    uint32_t head, count, mask;
    bool seeded, virtual_time, ready, ending;
    bool strategic; /* a strategy chooses who runs next, after each operation */
    struct fore_strategy strategy;
    uint64_t random[2];
    uint32_t last_id;
    size_t live;
    int64_t virtual_ns, start_ns;
    struct fore_proc main;
    struct fore_proc *free;
    size_t stack_size;
};

extern struct fore_csp fore_csp __attribute__((visibility("hidden")));

#define FORE_LIKELY(x) __builtin_expect(!!(x), 1)
#define FORE_UNLIKELY(x) __builtin_expect(!!(x), 0)

void fore_proc_start(void); /* starts the runtime, at its first use */
void fore_proc_lookup(void);
void fore_proc_ready(struct fore_proc *p);
/* Waits until another process makes the current one ready. */
void fore_proc_park(enum fore_wait why, const void *object, foresee_at at);
uint64_t fore_proc_random(void);
/* Calls `see` for each process that has not ended. */
void fore_proc_each(void (*see)(struct fore_proc *p, void *arg), void *arg);

static inline void fore_csp_need(void)
{
    if (FORE_UNLIKELY(!fore_csp.ready))
        fore_proc_start();
}

/* Every operation begins with this: it starts the runtime and keeps the scheduling fair. */
static inline struct fore_proc *fore_proc_enter(void)
{
    if (FORE_UNLIKELY(--fore_csp.ticks < 0))
        fore_proc_lookup();
    return fore_csp.current;
}

static inline void fore_queue_push(struct foresee_queue *q, struct foresee_waiter *w)
{
    w->queue = q;
    w->next = NULL;
    w->prev = q->last;
    if (q->last)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
}

static inline void fore_queue_remove(struct foresee_waiter *w)
{
    struct foresee_queue *q = w->queue;
    if (w->prev)
        w->prev->next = w->next;
    else
        q->first = w->next;
    if (w->next)
        w->next->prev = w->prev;
    else
        q->last = w->prev;
    w->queue = NULL;
}

/* Ends the wait of w's process through w: out of every queue, and ready. */
void fore_proc_wake(struct foresee_waiter *w);

#endif
