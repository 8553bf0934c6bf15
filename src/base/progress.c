#include "base/progress.h"

#include <stdio.h>
#include <time.h>

enum { CALLS = 1024 };
static const uint64_t live_ns = 100000000u, plain_ns = 5000000000u;

uint64_t fore_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void fore_progress_start(struct fore_progress *p, enum fore_progress_mode mode,
                         const char *what)
{
    *p = (struct fore_progress){.mode = mode, .what = what};
    if (mode != FORE_PROGRESS_NONE)
        p->started_ns = p->shown_ns = fore_now_ns();
}

static void show_progress(struct fore_progress *p, uint64_t now)
{
    double seconds = (double)(now - p->started_ns) / 1e9;
    double rate = seconds > 0 ? (double)p->done / seconds : 0;
    bool live = p->mode == FORE_PROGRESS_LIVE;
    fprintf(stderr, "%s%s: %llu", live ? "\r\033[K" : "", p->what,
            (unsigned long long)p->done);
    if (p->total)
        fprintf(stderr, " of %llu", (unsigned long long)p->total);
    fprintf(stderr, ", %.0f/s", rate);
    if (p->found)
        fprintf(stderr, ", %llu found", (unsigned long long)p->found);
    if (p->total > p->done && rate > 0)
        fprintf(stderr, ", ~%.0f s left", (double)(p->total - p->done) / rate);
    fputs(live ? "" : "\n", stderr);
    fflush(stderr);
    p->line_open = live;
    p->shown_ns = now;
}

void fore_progress_step(struct fore_progress *p, uint64_t done, uint64_t total)
{
    p->done = done;
    p->total = total;
    if (p->mode == FORE_PROGRESS_NONE || ++p->calls % CALLS)
        return;
    uint64_t now = fore_now_ns();
    if (now - p->shown_ns >= (p->mode == FORE_PROGRESS_LIVE ? live_ns : plain_ns))
        show_progress(p, now);
}

void fore_progress_finish(struct fore_progress *p)
{
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}
