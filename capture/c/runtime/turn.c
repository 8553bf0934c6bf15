/* The turn: which thread has it, which threads wait for it, and which gets it next. */
#include "capture/c/runtime/turn.h"
#include "capture/c/runtime/turn_tell.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

_Static_assert((int)FORE_OP_create == FORE_RING_SIGNAL &&
                   (int)FORE_OP_join == FORE_RING_JOIN &&
                   (int)FORE_OP_lock == FORE_RING_LOCK &&
                   (int)FORE_OP_cwait == FORE_RING_CWAIT &&
                   (int)FORE_OP_once == FORE_RING_ONCE &&
                   (int)FORE_OP_read == FORE_RING_READ &&
                   (int)FORE_OP_rmw == FORE_RING_RMW,
               "operations are events");

enum {
    MOST_LIVE = 4096,
    MICROSECOND = 1000, /* what a step takes */
    MILLISECOND = 1000 * MICROSECOND,
    WATCH_MS = 50,
    /* after this many steps that change nothing the thread counts as spinning */
    FRUITLESS = 50,
    /* some programs spin this long before they wait, as std::atomic does */
    HESITATES = 24,
};

unsigned fore_turn_active;
struct fore_turn fore_turn;

static _Thread_local struct fore_turn_thread *self;

static long wait_on(uint32_t *word, uint32_t value, int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms < 0 ? NULL : &t, NULL,
                   0);
}

static void wake(uint32_t *word)
{
    __atomic_store_n(word, 1u, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void fore_turn_lock(void)
{
    uint32_t none = 0;
    while (!__atomic_compare_exchange_n(&fore_turn.lock, &none, 1u, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        syscall(SYS_sched_yield);
        none = 0;
    }
}

void fore_turn_unlock(void)
{
    __atomic_store_n(&fore_turn.lock, 0u, __ATOMIC_RELEASE);
}

void fore_turn_lost(const char *by)
{
    struct fore_outcome *o = fore_turn.outcome;
    o->uncontrolled++;
    snprintf(o->uncontrolled_by, sizeof o->uncontrolled_by, "%s", by);
}

struct fore_turn_thread *fore_turn_self(void)
{
    if (!self && fore_turn_on())
        return fore_turn_take_in();
    return fore_turn_on() && self && !self->busy && !self->over && !foresee_rt_self.inside
               ? self
               : NULL;
}

struct fore_turn_thread *fore_turn_in_here(void)
{
    return fore_turn_on() && self && !self->over && (self->busy || foresee_rt_self.inside)
               ? self
               : NULL;
}

_Noreturn static void end_run(enum fore_outcome_end how)
{
    fore_turn_tell_all();
    fore_turn.outcome->end = how;
    fore_rt_stuck(FORE_TURN_STUCK);
    if (fore_turn.schedule.stops)
        raise(SIGTRAP);
    _exit(FORE_TURN_STUCK);
}

/* ---- who is next ---- */

/* Does it change what others can do or see? */
static bool writes(const struct fore_turn_op *op)
{
    return op->kind != FORE_OP_read;
}

static bool may_time_out(const struct fore_turn_thread *t)
{
    return fore_turn_may_time_out(t) && !fore_turn.schedule.real_clock &&
           fore_turn.schedule.early_ns && fore_turn.strategy.kind != FORE_STRATEGY_free &&
           t->op.deadline <= fore_turn.clock + fore_turn.schedule.early_ns;
}

static bool is_waiting(const struct fore_turn_thread *t)
{
    return t->state == FORE_OUTCOME_WAITS || t->state == FORE_OUTCOME_NEW;
}

static bool can_go(struct fore_turn_thread *t)
{
    if (t->state == FORE_OUTCOME_NEW)
        return true;
    return is_waiting(t) && !t->stands &&
           (fore_turn_enabled(t) || t->late_n ||
            (t->op.deadline <= fore_turn.clock && fore_turn_may_time_out(t)));
}

bool fore_turn_others_can(const struct fore_turn_thread *t)
{
    for (struct fore_turn_thread *x = fore_turn.first; x; x = x->after)
        if (x != t && can_go(x))
            return true;
    return false;
}

/* Does the thread ask for others to go first? Not if it yields only a few times before it waits:
 * a thread that is always preferred to it would never find it waiting. */
static bool gives_way(const struct fore_turn_thread *t)
{
    bool free = fore_turn.strategy.kind == FORE_STRATEGY_free;
    return (t->op.yields && (free || t->idle > HESITATES)) || t->idle > FRUITLESS;
}

static struct fore_turn_thread *by_strategy(void)
{
    static struct fore_goer choice[MOST_LIVE];
    static struct fore_turn_thread *who[MOST_LIVE];
    size_t n = 0;
    for (struct fore_turn_thread *t = fore_turn.first; t && n < MOST_LIVE; t = t->after) {
        bool can = can_go(t);
        if (t->state == FORE_OUTCOME_WAITS)
            fore_turn_tell(t, !can);
        if (!can && !(is_waiting(t) && !t->stands && may_time_out(t)))
            continue;
        who[n] = t;
        choice[n++] =
            (struct fore_goer){&t->mark, t->index, (uint64_t)(uintptr_t)t->op.address,
                               writes(&t->op), gives_way(t) || !can};
    }
    if (!n)
        return NULL;
    fore_turn.choice = n > 1;
    uint32_t last = fore_turn.running ? fore_turn.running->index : 0;
    return who[fore_strategy_pick(&fore_turn.strategy, choice, n, last)];
}

/* No thread is enabled: virtual time moves on to the earliest deadline. */
static bool pass_time(void)
{
    struct fore_turn_thread *first = NULL;
    bool files = false;
    if (fore_turn.schedule.real_clock)
        return false;
    for (struct fore_turn_thread *t = fore_turn.first; t; t = t->after) {
        files |= is_waiting(t) && t->op.kind == FORE_OP_input;
        if (is_waiting(t) && !t->stands && fore_turn_may_time_out(t) &&
            (!first || t->op.deadline < first->op.deadline))
            first = t;
    }
    uint64_t timer = files ? fore_turn_next_timer() : FORE_TURN_NEVER;
    uint64_t next = first && first->op.deadline < timer ? first->op.deadline : timer;
    if (next != FORE_TURN_NEVER && next > fore_turn.clock)
        fore_turn.clock = next;
    return first || timer != FORE_TURN_NEVER;
}

static bool is_outside(const struct fore_turn_thread *t)
{
    return t->state == FORE_OUTCOME_OUTSIDE ||
           (is_waiting(t) &&
            (t->op.kind == FORE_OP_input || t->op.kind == FORE_OP_output) &&
            !fore_turn_is_own(&t->op)) ||
           (is_waiting(t) && fore_turn.schedule.real_clock &&
            t->op.deadline != FORE_TURN_NEVER);
}

/* Could an event from outside enable a thread? */
static bool is_help_possible(void)
{
    struct itimerval timer = {0};
    for (const struct fore_turn_thread *t = fore_turn.first; t; t = t->after)
        if (is_outside(t))
            return true;
    getitimer(ITIMER_REAL, &timer);
    return timer.it_value.tv_sec || timer.it_value.tv_usec ||
           fore_turn_may_stranger_help();
}

/* A timer that is over has sent its signal, which may be on its way to the thread. */
static bool may_signal_come(unsigned *looks)
{
    enum { MOST = 5 }; /* of a millisecond */
    return ++*looks <= MOST && fore_turn_handles_signals();
}

/* Call it with the lock, which is released meanwhile. */
static void wait_for_help(struct fore_turn_thread *me)
{
    enum { MOST = 64 };
    struct pollfd files[MOST];
    nfds_t n = 0;
    for (const struct fore_turn_thread *t = fore_turn.first; t && n < MOST; t = t->after)
        if (is_waiting(t) && !t->op.ready &&
            (t->op.kind == FORE_OP_input || t->op.kind == FORE_OP_output))
            files[n++] =
                (struct pollfd){(int)(intptr_t)t->op.other, (short)t->op.number, 0};
    fore_turn_unlock();
    syscall(SYS_poll, files, n, 1);
    fore_turn_look_for_signal(me);
    fore_turn_lock();
}

/* Another waiting thread, which takes over watching for a turn that lasts too long. */
static struct fore_turn_thread *other_watcher(const struct fore_turn_thread *next)
{
    struct fore_turn_thread *t = fore_turn.first;
    while (t && (t == next || t->state != FORE_OUTCOME_WAITS))
        t = t->after;
    if (t)
        syscall(SYS_futex, &t->go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return t;
}

/* Gives the turn to a thread; call it with the lock. A thread that has ended waits for no other,
 * but asks another one to watch. */
static void hand_over(struct fore_turn_thread *t)
{
    struct fore_turn_thread *next = NULL;
    bool waits = false;
    unsigned looks = 0;
    fore_turn.holder = NULL;
    fore_turn.picking = true;
    for (;;) {
        fore_turn_read_clock();
        next = fore_turn.follows ? fore_turn_follow(&waits) : NULL;
        if (!next && !waits)
            next = by_strategy();
        if (next || (!waits && pass_time())) {
            if (next)
                break;
            continue;
        }
        if (!waits && !is_help_possible() && !may_signal_come(&looks))
            end_run(FORE_OUTCOME_STUCK);
        if (t->over) {
            struct fore_turn_thread *other = fore_turn.first;
            while (other && other->state != FORE_OUTCOME_WAITS)
                other = other->after;
            fore_turn.picking = false;
            if (other) {
                other->picks = 1;
                wake(&other->go);
            }
            return;
        }
        wait_for_help(t);
    }
    fore_turn.picking = false;
    fore_turn.holder = next;
    fore_turn_look_for_race(next);
    if (next == t) {
        t->go = 1;
        return;
    }
    fore_turn.watcher = t->over ? other_watcher(next) : t;
    if (next->state != FORE_OUTCOME_NEW)
        wake(&next->go);
    else
        __atomic_store_n(&next->go, 1u, __ATOMIC_RELEASE);
}

/* ---- waiting ---- */

/* Does the thread sleep in the kernel? A wait for the disk does not count, because it ends by
 * itself. */
bool fore_turn_is_asleep(int tid)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? (ssize_t)syscall(SYS_read, fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    const char *end = strrchr(text, ')');
    return end && end[2] == 'S';
}

/* The thread that has the turn sleeps in a call that the runtime does not know: others go on. */
static void take_turn_away(struct fore_turn_thread *t, uint64_t steps)
{
    fore_turn_lock();
    struct fore_turn_thread *holder = fore_turn.holder;
    if (fore_turn.watcher == t && holder && holder != t && fore_turn.steps == steps &&
        holder->state == FORE_OUTCOME_RUNS && fore_turn_is_asleep(holder->tid)) {
        holder->state = FORE_OUTCOME_OUTSIDE;
        fore_turn_lost("a call that blocks and is not known");
        hand_over(t);
    }
    fore_turn_unlock();
}

/* The thread was woken only to give the turn to another one. */
static void pick_for_another(struct fore_turn_thread *t)
{
    fore_turn_lock();
    t->picks = 0;
    t->go = fore_turn.holder == t; /* another thread may have been faster */
    if (!fore_turn.holder && !fore_turn.picking)
        hand_over(t);
    fore_turn_unlock();
}

static void wait_for_turn(struct fore_turn_thread *t)
{
    while (!__atomic_load_n(&t->go, __ATOMIC_ACQUIRE) || t->picks) {
        if (t->picks) {
            pick_for_another(t);
            continue;
        }
        if (!fore_turn.watcher)
            fore_turn.watcher = t;
        uint64_t steps = __atomic_load_n(&fore_turn.steps, __ATOMIC_RELAXED);
        bool watches = fore_turn.watcher == t;
        long failed = wait_on(&t->go, 0, watches || t->lets_in ? WATCH_MS : -1);
        if (failed && errno == ETIMEDOUT && watches)
            take_turn_away(t, steps);
        fore_turn_look_for_signal(t);
    }
    t->go = 0;
    int leaving = __atomic_exchange_n(&fore_turn.leaving, 0, __ATOMIC_ACQ_REL);
    if (leaving)
        fore_turn_wait_until_gone(leaving);
}

static bool is_counted(unsigned kind)
{
    return kind >= FORE_OP_close && kind <= FORE_OP_wgwait;
}

/* Does the thread spin? A thread that reads the same few places again does; one that goes
 * through memory does not. */
static bool looks_again(struct fore_turn_thread *t)
{
    for (size_t i = 0; i < FORE_TURN_LOOKS; i++)
        if (t->looked[i] == t->op.address)
            return true;
    t->looked[fore_turn.steps % FORE_TURN_LOOKS] = t->op.address;
    return false;
}

/* Did the thread's last write to the place change nothing? A thread that waits in a loop may
 * keep a copy of what it reads there. Only the first byte is compared, because the size is not
 * known here. */
static bool writes_again(struct fore_turn_thread *t)
{
    const unsigned char *p = t->op.address;
    size_t i = ((uintptr_t)p >> 2) % FORE_TURN_LOOKS;
    unsigned char is = __atomic_load_n(p, __ATOMIC_RELAXED);
    bool again = t->wrote[i].at == p && t->wrote[i].was == is;
    t->wrote[i].at = p;
    t->wrote[i].was = is;
    return again;
}

/* Does the thread, at this point of the program, change the place from the same value as last
 * time? A counter does not; a thread that announces itself and takes that back, again and again,
 * does, and so waits. */
static bool changes_again(struct fore_turn_thread *t)
{
    const unsigned char *p = t->op.address;
    size_t i = (((uintptr_t)p >> 2) + ((uintptr_t)t->op.site >> 4)) % FORE_TURN_LOOKS;
    unsigned char is = __atomic_load_n(p, __ATOMIC_RELAXED);
    bool again = t->changed[i].at == p && t->changed[i].site == t->op.site &&
                 t->changed[i].was == is;
    t->changed[i].at = p;
    t->changed[i].site = t->op.site;
    t->changed[i].was = is;
    return again;
}

/* Time passes faster the longer nothing happens, because some threads wait for a time in a loop.
 * In the end the run is given up. */
static void count_vain(struct fore_turn_thread *t, bool fruitless)
{
    enum { DOUBLES = 256, MOST = 20 };
    bool vain = fruitless && (t->op.kind != FORE_OP_read || looks_again(t));
    fore_turn.vain = vain ? fore_turn.vain + 1 : 0;
    uint32_t times = fore_turn.vain / DOUBLES;
    fore_turn.clock += (uint64_t)MICROSECOND << (times < MOST ? times : MOST);
    if (fore_turn.vain < FORE_OUTCOME_VAIN)
        return;
    fore_turn.vain = 0;
    fore_turn_lock();
    if (!is_help_possible())
        end_run(FORE_OUTCOME_SPINS);
    fore_turn_unlock();
}

/* Called by the thread that has the turn and is about to do its operation. */
static void go_on(struct fore_turn_thread *t)
{
    bool fruitless = t->op.kind == FORE_OP_read || t->op.kind == FORE_OP_trylock ||
                     t->op.kind == FORE_OP_tryrlock || t->op.kind == FORE_OP_yield ||
                     t->op.kind == FORE_OP_sleep ||
                     (t->op.kind == FORE_OP_write && writes_again(t));
    t->timed_out = t->op.deadline != FORE_TURN_NEVER && !fore_turn_enabled(t);
    bool jumps = t->timed_out && t->op.deadline > fore_turn.clock;
    t->early = jumps && fore_turn.choice && !fore_turn.lingers &&
               t->op.deadline > fore_turn.clock + MILLISECOND;
    if (jumps)
        fore_turn.clock = t->op.deadline;
    t->state = FORE_OUTCOME_RUNS;
    bool waits = fruitless || (t->op.kind == FORE_OP_rmw && changes_again(t));
    t->idle = waits ? t->idle + 1 : 0;
    count_vain(t, fruitless);
    __atomic_store_n(&fore_turn.steps, fore_turn.steps + 1, __ATOMIC_RELAXED);
    fore_turn.running = t;
    fore_turn_log(t);
    fore_turn_followed(t);
    if (is_counted(t->op.kind))
        t->operations++;
}

/* A cancelled thread ends when it has come to an operation of such a kind. */
static bool is_cancellable(unsigned kind)
{
    return kind == FORE_OP_join || kind == FORE_OP_acquire || kind == FORE_OP_sleep ||
           kind == FORE_OP_input || kind == FORE_OP_back;
}

static void await_turn(struct fore_turn_thread *t, struct fore_turn_op op)
{
    fore_turn_lock();
    t->op = op;
    t->state = FORE_OUTCOME_WAITS;
    if (fore_turn.holder == t || (!fore_turn.holder && !fore_turn.picking))
        hand_over(t);
    fore_turn_unlock();
    wait_for_turn(t);
}

void fore_turn_point(struct fore_turn_op op)
{
    struct fore_turn_thread *t = fore_turn_self();
    if (!t || (fore_turn.schedule.sync_points && fore_schedule_is_access(op.kind) &&
               !op.atomic))
        return;
    int why = errno;
    t->busy = true;
    await_turn(t, op);
    while (t->late_n) {
        struct fore_turn_op interrupted = t->op;
        t->op = (struct fore_turn_op){
            .kind = FORE_OP_handle, .deadline = FORE_TURN_NEVER, .site = op.site};
        go_on(t);
        t->busy = false;
        fore_turn_handle_late(t);
        t->busy = true;
        await_turn(t, interrupted);
    }
    go_on(t);
    t->busy = false;
    errno = why;
    if (t->cancelled && is_cancellable(t->op.kind))
        fore_turn_cancelled(t);
}

/* ---- threads ---- */

void fore_turn_begin(struct fore_turn_thread *t)
{
    if (!t || !fore_turn_on())
        return;
    self = t;
    t->busy = true;
    t->tid = (int)syscall(SYS_gettid);
    fore_turn_lock();
    t->state = FORE_OUTCOME_WAITS;
    if (!fore_turn.holder && !fore_turn.picking)
        hand_over(t);
    fore_turn_unlock();
    wait_for_turn(t);
    go_on(t);
    t->busy = false;
}

void fore_turn_end(void)
{
    struct fore_turn_thread *t = self;
    if (!t || !fore_turn_on() || t->over)
        return;
    while (t->late_n)
        fore_turn_handle_late(t);
    t->busy = true;
    fore_turn_lock();
    bool has = fore_turn.holder == t;
    fore_turn_unlink(t);
    if (fore_turn.watcher == t)
        fore_turn.watcher = NULL;
    if (t->tid !=
        (int)syscall(SYS_getpid)) /* the first thread is there until all are gone */
        __atomic_store_n(&fore_turn.leaving, t->tid, __ATOMIC_RELEASE);
    if (has && fore_turn.first)
        hand_over(t);
    fore_turn_unlock();
}

/* ---- outside ---- */

void fore_turn_leave(void)
{
    struct fore_turn_thread *t = fore_turn_self();
    if (!t)
        return;
    int why = errno;
    t->busy = true;
    fore_turn_lock();
    t->state = FORE_OUTCOME_OUTSIDE;
    t->op = (struct fore_turn_op){
        .kind = FORE_OP_back, .deadline = FORE_TURN_NEVER, .site = fore_rt_site()};
    if (fore_turn.holder == t) {
        fore_turn.holder = NULL;
        bool others = false;
        for (struct fore_turn_thread *o = fore_turn.first; o; o = o->after)
            others |= is_waiting(o);
        t->over = true; /* it does not wait for any thread, see hand_over */
        if (others)
            hand_over(t);
        t->over = false;
    }
    fore_turn_unlock();
    t->busy = false;
    errno = why;
    if (t->late_n) { /* it came just now, and would not end the call any more */
        fore_turn_back();
        fore_turn_leave();
    }
}

void fore_turn_back(void)
{
    struct fore_turn_thread *t = fore_turn_self();
    if (t && t->state == FORE_OUTCOME_OUTSIDE)
        fore_turn_point(t->op);
}

/* ---- the first thread ---- */

bool fore_turn_begin_first(void)
{
    self = fore_turn_make_first();
    if (!self)
        return false;
    self->state = FORE_OUTCOME_RUNS;
    self->tid = (int)syscall(SYS_gettid);
    fore_turn.holder = fore_turn.running = self;
    return true;
}

void fore_turn_forget_self(void)
{
    self = NULL;
}
