#include "capture/csp/timer.h"

#include "capture/csp/panic.h"
#include "capture/csp/select.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* A heap of processes by (deadline, id): ids break ties, so that a schedule is repeatable. */
static struct fore_proc **heap;
static uint32_t heap_n, heap_cap;

static bool earlier(const struct fore_proc *a, const struct fore_proc *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->id < b->id;
}

static void place_in_heap(struct fore_proc *p, uint32_t i)
{
    heap[i] = p;
    p->timer = i + 1;
}

static void sift_up(struct fore_proc *p, uint32_t i)
{
    for (; i && earlier(p, heap[(i - 1) / 2]); i = (i - 1) / 2)
        place_in_heap(heap[(i - 1) / 2], i);
    place_in_heap(p, i);
}

static void sift_down(struct fore_proc *p, uint32_t i)
{
    for (uint32_t child; (child = 2 * i + 1) < heap_n; i = child) {
        if (child + 1 < heap_n && earlier(heap[child + 1], heap[child]))
            child++;
        if (!earlier(heap[child], p))
            break;
        place_in_heap(heap[child], i);
    }
    place_in_heap(p, i);
}

void fore_timer_arm(struct fore_proc *p, int64_t deadline)
{
    if (heap_n == heap_cap) {
        heap_cap = heap_cap ? heap_cap * 2 : 64;
        heap = realloc(heap, heap_cap * sizeof *heap);
        if (!heap)
            fore_csp_fatal("out of memory for timers");
    }
    p->deadline = deadline;
    sift_up(p, heap_n++);
}

void fore_timer_disarm(struct fore_proc *p)
{
    if (!p->timer)
        return;
    uint32_t i = p->timer - 1;
    struct fore_proc *last = heap[--heap_n];
    p->timer = 0;
    if (last == p)
        return;
    if (i && earlier(last, heap[(i - 1) / 2]))
        sift_up(last, i);
    else
        sift_down(last, i);
}

bool fore_timer_any(void)
{
    return heap_n > 0;
}

void fore_timer_fire(void)
{
    if (!heap_n)
        return;
    int64_t now = foresee_now();
    while (heap_n && heap[0]->deadline <= now) {
        struct fore_proc *p = heap[0];
        fore_timer_disarm(p);
        for (uint32_t i = 0; i < p->waiter_count; i++)
            if (p->waiters[i].queue)
                fore_queue_remove(&p->waiters[i]);
        p->woken = NULL;
        if (p->choice)
            fore_select_expired(p);
        fore_proc_ready(p);
    }
}

void fore_timer_await(void)
{
    int64_t wait = heap[0]->deadline - foresee_now();
    if (wait > 0 && fore_csp.virtual_time) {
        fore_csp.virtual_ns += wait;
    } else if (wait > 0) {
        struct timespec t = {wait / 1000000000, wait % 1000000000};
        while (nanosleep(&t, &t) && errno == EINTR)
            ;
    }
    fore_timer_fire();
}

int64_t foresee_now(void)
{
    fore_csp_need();
    if (fore_csp.virtual_time)
        return fore_csp.virtual_ns;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - fore_csp.start_ns;
}

int64_t fore_timer_in(int64_t ns)
{
    int64_t now = foresee_now();
    return ns <= 0 ? now : ns > INT64_MAX - now ? INT64_MAX : now + ns;
}

void foresee_sleep(int64_t ns)
{
    struct fore_proc *p = fore_proc_enter();
    p->waiter_count = 0;
    fore_timer_arm(p, fore_timer_in(ns));
    fore_proc_park(FORE_WAIT_SLEEP, NULL, NULL);
}

/* ---- timers with a channel ---- */

/* A process of its own that sleeps and then sends, so that the timer needs no special treatment. */
struct foresee_timer {
    foresee_chan *chan;
    struct fore_proc *sleeper; /* while it sleeps */
    int64_t ns;
    foresee_at at;
    bool over; /* it has fired or was stopped */
    bool ended, unwanted;
};

static void release_timer(struct foresee_timer *t)
{
    foresee_free(t->chan);
    free(t);
}

static void run_timer(void *arg)
{
    struct foresee_timer *t = arg;
    t->sleeper = fore_csp.current;
    if (!t->over)
        foresee_sleep(t->ns);
    t->sleeper = NULL;
    if (!t->over) {
        t->over = true;
        int64_t now = foresee_now();
        foresee_case cases[] = {FORESEE_SEND(t->chan, &now), FORESEE_DEFAULT};
        foresee_select_at(cases, 2, t->at);
    }
    t->ended = true;
    if (t->unwanted)
        release_timer(t);
}

foresee_timer *foresee_after_at(int64_t ns, foresee_at at)
{
    struct foresee_timer *t = calloc(1, sizeof *t);
    if (!t)
        fore_csp_fatal("out of memory for a timer");
    t->chan = foresee_make_at(sizeof(int64_t), 1, "timer", at);
    t->ns = ns;
    t->at = at;
    foresee_go_at(run_timer, t, at);
    return t;
}

foresee_chan *foresee_timer_chan(foresee_timer *t)
{
    return t->chan;
}

bool foresee_timer_stop(foresee_timer *t)
{
    if (t->over)
        return false;
    t->over = true;
    if (t->sleeper) {
        fore_timer_disarm(t->sleeper);
        fore_proc_ready(t->sleeper);
    }
    return true;
}

void foresee_timer_free(foresee_timer *t)
{
    foresee_timer_stop(t);
    t->unwanted = true;
    if (t->ended)
        release_timer(t);
}
