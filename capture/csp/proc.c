#include "capture/csp/proc.h"

#include "capture/csp/clock.h"
#include "capture/csp/force.h"
#include "capture/csp/panic.h"
#include "capture/csp/record.h"
#include "capture/csp/stack.h"
#include "capture/csp/timer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    PERIOD = 512, /* operations that a process may do before others get a turn */
    LEAST_STACK = 16384,
    USUAL_STACK = 65536,
    RESERVE =
        1024, /* if less of the stack is left when a process waits, that is an overflow */
    LOOK_NS = 1000, /* by how much virtual time passes when the scheduler looks up */
};

struct fore_csp fore_csp;
static pthread_t home;

/* ---- random numbers (xorshift128+) ---- */

static void seed(uint64_t n)
{
    for (int i = 0; i < 2; i++) {
        n += 0x9e3779b97f4a7c15u;
        uint64_t x = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        fore_csp.random[i] = x ^ x >> 31;
    }
}

uint64_t fore_proc_random(void)
{
    uint64_t x = fore_csp.random[0], y = fore_csp.random[1];
    fore_csp.random[0] = y;
    x ^= x << 23;
    fore_csp.random[1] = x ^ y ^ x >> 17 ^ y >> 26;
    return fore_csp.random[1] + y;
}

void foresee_seed(uint64_t n)
{
    fore_csp_need();
    seed(n);
    fore_csp.seeded = fore_csp.virtual_time = true;
    fore_csp.ticks = 0;
}

/* ---- the run queue ---- */

static void queue_grow(void)
{
    uint32_t size = fore_csp.mask + 1;
    struct fore_proc **q = malloc(2 * (size_t)size * sizeof *q);
    if (!q)
        fore_csp_fatal("out of memory for processes");
    for (uint32_t i = 0; i < fore_csp.count; i++)
        q[i] = fore_csp.queue[(fore_csp.head + i) & fore_csp.mask];
    free(fore_csp.queue);
    fore_csp.queue = q;
    fore_csp.head = 0;
    fore_csp.mask = 2 * size - 1;
}

void fore_proc_ready(struct fore_proc *p)
{
    if (FORE_UNLIKELY(fore_csp.count > fore_csp.mask))
        queue_grow();
    fore_csp.queue[(fore_csp.head + fore_csp.count++) & fore_csp.mask] = p;
}

/* The index in the run queue of the process that the strategy chooses, which looks only at the
 * first ones. */
static uint32_t strategic_choice(void)
{
    enum { MOST = 256 };
    struct fore_goer c[MOST];
    uint32_t n = fore_csp.count < MOST ? fore_csp.count : MOST;
    for (uint32_t i = 0; i < n; i++) {
        struct fore_proc *p = fore_csp.queue[(fore_csp.head + i) & fore_csp.mask];
        c[i] = (struct fore_goer){.mark = &p->mark, .thread = p->id, .writes = true};
    }
    return (uint32_t)fore_strategy_pick(&fore_csp.strategy, c, n, fore_csp.current->id);
}

static struct fore_proc *queue_take(void)
{
    struct fore_proc **first = &fore_csp.queue[fore_csp.head & fore_csp.mask];
    struct fore_proc *p = *first;
    if ((fore_csp.seeded || fore_csp.strategic) && fore_csp.count > 1) {
        uint32_t i = fore_csp.strategic ? strategic_choice()
                                        : (uint32_t)(fore_proc_random() % fore_csp.count);
        struct fore_proc **any = &fore_csp.queue[(fore_csp.head + i) & fore_csp.mask];
        p = *any;
        *any = *first;
    }
    fore_csp.head++;
    fore_csp.count--;
    return p;
}

/* Who runs next, when the current process cannot. Steps of a forced schedule that wait for a
 * process that will not come are given up only after time has passed for everybody. */
static struct fore_proc *next_process(void)
{
    while (FORE_UNLIKELY(!fore_csp.count)) {
        if (fore_timer_any())
            fore_timer_await();
        else if (!(fore_csp.mode & FORE_CSP_FORCED) || !fore_force_give_up())
            fore_csp_deadlock();
    }
    return queue_take();
}

/* ---- switching ---- */

#ifdef WITH_ASAN
static void *main_low;
static size_t main_size;

static void leave_process(struct fore_proc *from, struct fore_proc *to)
{
    size_t size = main_size;
    void *low = to == &fore_csp.main ? main_low : fore_stack_low(to, &size);
    __sanitizer_start_switch_fiber(from->alive ? &from->fake_stack : NULL, low, size);
}

static void arrive_in_process(struct fore_proc *p)
{
    __sanitizer_finish_switch_fiber(p->fake_stack, NULL, NULL);
    p->fake_stack = NULL;
}

/* A process that ended left frames without returning from them. */
static void clean_stack(void *low, size_t size)
{
    __asan_unpoison_memory_region(low, size);
}

static void find_main_stack(void)
{
    pthread_attr_t a;
    void *low = NULL;
    size_t size = 0;
    if (!pthread_getattr_np(pthread_self(), &a)) {
        pthread_attr_getstack(&a, &low, &size);
        pthread_attr_destroy(&a);
    }
    main_low = low;
    main_size = size;
}
#else
static inline void leave_process(struct fore_proc *from, struct fore_proc *to)
{
    (void)from;
    (void)to;
}

static inline void arrive_in_process(struct fore_proc *p)
{
    (void)p;
}

static inline void clean_stack(void *low, size_t size)
{
    (void)low;
    (void)size;
}

static inline void find_main_stack(void)
{
}
#endif

static inline void switch_to(struct fore_proc *from, struct fore_proc *to)
{
    fore_csp.current = to;
    leave_process(from, to);
    fore_context_switch(&from->context, &to->context);
    arrive_in_process(from);
}

static void check_stack(const struct fore_proc *p)
{
    char here;
    if (p == &fore_csp.main)
        return;
    size_t size;
    char *low = fore_stack_low(p, &size);
    if (FORE_UNLIKELY((uintptr_t)&here - (uintptr_t)low < RESERVE ||
                      (uintptr_t)&here < (uintptr_t)low))
        fore_csp_fatal(
            "a process has used up its stack; give it more with FORESEE_STACK");
}

void fore_proc_park(enum fore_wait why, const void *object, foresee_at at)
{
    struct fore_proc *p = fore_csp.current;
    p->waits_for = (uint8_t)why;
    p->waits_at = at;
    p->object = object;
#ifndef WITH_ASAN /* whose frames may lie elsewhere */
    check_stack(p);
#else
    (void)check_stack;
#endif
    struct fore_proc *next = next_process();
    if (next != p)
        switch_to(p, next);
    p->waits_for = FORE_WAIT_NONE;
}

void fore_proc_wake(struct foresee_waiter *w)
{
    struct fore_proc *p = w->proc;
    for (uint32_t i = 0; i < p->waiter_count; i++)
        if (p->waiters[i].queue)
            fore_queue_remove(&p->waiters[i]);
    if (FORE_UNLIKELY(p->timer))
        fore_timer_disarm(p);
    p->woken = w;
    fore_proc_ready(p);
}

void foresee_yield(void)
{
    fore_csp_need();
    fore_timer_fire();
    if (!fore_csp.count)
        return;
    fore_proc_ready(fore_csp.current);
    fore_proc_park(FORE_WAIT_NONE, NULL, NULL);
}

void fore_proc_lookup(void)
{
    if (!fore_csp.ready) {
        fore_proc_start();
        return;
    }
    fore_csp.ticks = fore_csp.strategic ? 0
                     : fore_csp.seeded  ? (int32_t)(fore_proc_random() % 4)
                                        : PERIOD;
    fore_csp.virtual_ns += LOOK_NS;
    foresee_yield();
}

/* ---- life ---- */

static void run_process(void)
{
    struct fore_proc *p = fore_csp.current;
    arrive_in_process(p);
    if (fore_csp.mode & FORE_CSP_TRACED)
        fore_record(p, FORE_RING_WAIT, FORE_RING_DONE, NULL, 0, 0);
    p->fn(p->arg);
    if (fore_csp.mode & FORE_CSP_TRACED)
        fore_record(p, FORE_RING_END, FORE_RING_DONE, NULL, 0, 0);
    if (p->clock)
        fore_clock_drop(p);
    fore_csp.live--;
    fore_stack_give(p); /* no other process takes it before the switch */
    switch_to(p, next_process());
    __builtin_unreachable();
}

static void check_thread(void)
{
    if (!pthread_equal(home, pthread_self()))
        fore_csp_fatal("processes and channels belong to one operating-system thread");
}

void foresee_go_at(void (*fn)(void *), void *arg, foresee_at at)
{
    struct fore_proc *parent = fore_proc_enter();
    check_thread();
    struct fore_proc *p = fore_stack_take();
    if (!p)
        fore_csp_fatal("out of memory for a process");
    p->id = ++fore_csp.last_id;
    p->fn = fn;
    p->arg = arg;
    p->name = at->text;
    p->made_at = at;
    p->next_record = p->end_record = NULL;
    p->half = NULL;
    memset(p->bases, 0, sizeof p->bases);
    p->repeat = (struct fore_repeat){0};
    p->chunk_number = p->waiter_count = p->children = p->operations = 0;
    p->mark = 0;
    p->plan = NULL;
    p->choice = NULL;
    fore_csp.live++;
    parent->children++;
    if (FORE_UNLIKELY(fore_csp.mode)) {
        if (fore_csp.mode & FORE_CSP_TRACED)
            fore_record_with(parent, FORE_RING_SIGNAL, FORE_RING_DONE, at, 0, 0, p->id,
                             fore_record_text(at));
        if (fore_csp.mode & FORE_CSP_FORCED)
            fore_force_adopt(parent, p);
        if (fore_csp.mode & FORE_CSP_CLOCKS)
            fore_clock_inherit(parent, p);
    }
    size_t size;
    void *low = fore_stack_low(p, &size);
    clean_stack(low, size);
    fore_context_make(&p->context, low, size, run_process);
    fore_proc_ready(p);
}

static void read_environment(void)
{
    const char *text = getenv("FORESEE_STACK");
    size_t size = text ? strtoull(text, NULL, 0) : USUAL_STACK;
    size = size < LEAST_STACK ? LEAST_STACK : size > (1u << 30) ? 1u << 30 : size;
    fore_csp.stack_size = (size + 4095) & ~(size_t)4095;
    if ((text = getenv("FORESEE_SEED")) && *text)
        foresee_seed(strtoull(text, NULL, 0));
    if ((text = getenv(FORE_RING_ENVIRONMENT)) && *text && fore_record_start(text))
        fore_csp.mode |= FORE_CSP_TRACED;
    if ((text = getenv("FORESEE_SCHEDULE")) && *text && fore_force_start(text)) {
        fore_csp.mode |= FORE_CSP_FORCED;
        fore_csp.virtual_time = true;
    }
    text = getenv("FORESEE_METHOD");
    if (text && !strcmp(text, "clocks") && fore_clock_start())
        fore_csp.mode = FORE_CSP_CLOCKS;
}

void fore_proc_start(void)
{
    fore_csp.ready = true;
    fore_csp.ticks = PERIOD;
    fore_csp.current = &fore_csp.main;
    fore_csp.main.alive = true;
    fore_csp.main.name = "main";
    fore_csp.main.id = fore_csp.last_id = 1;
    fore_csp.live = 1;
    fore_csp.queue = malloc(64 * sizeof(struct fore_proc *));
    if (!fore_csp.queue)
        fore_csp_fatal("out of memory");
    fore_csp.mask = 63;
    home = pthread_self();
    find_main_stack();
    seed(1);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    fore_csp.start_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    read_environment();
}

uint32_t foresee_self(void)
{
    fore_csp_need();
    return fore_csp.current->id;
}

size_t foresee_live(void)
{
    fore_csp_need();
    return fore_csp.live;
}

void fore_proc_each(void (*see)(struct fore_proc *p, void *arg), void *arg)
{
    see(&fore_csp.main, arg);
    fore_stack_each(see, arg);
}
