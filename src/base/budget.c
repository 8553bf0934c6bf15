#include "base/budget.h"

#include "base/progress.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { EVERY = 256, EVERY_MEMORY = 8 };

const char *fore_spent_text(enum fore_spent why)
{
    static const char *const texts[] = {NULL, "time", "memory", "interrupted", "runs"};
    return why < sizeof texts / sizeof *texts ? texts[why] : NULL;
}

size_t fore_budget_resident(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f)
        return 0;
    if (fscanf(f, "%*u %llu", &pages) != 1)
        pages = 0;
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

uint64_t fore_cpu_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t fore_cpu_all_ns(void)
{
    struct rusage r = {0};
    getrusage(RUSAGE_CHILDREN, &r);
    return fore_cpu_ns() +
           (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 +
           (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

static bool is_time_over(const struct fore_budget *b)
{
    return (b->deadline_ns && fore_now_ns() >= b->deadline_ns) ||
           (b->most_cpu_ns && fore_cpu_ns() >= b->most_cpu_ns);
}

enum fore_spent fore_budget_spent_now(struct fore_budget *b)
{
    if (!b || b->spent)
        return b ? b->spent : FORE_SPENT_NOTHING;
    if (b->interrupted && *b->interrupted)
        return b->spent = FORE_SPENT_INTERRUPTED;
    if (is_time_over(b))
        return b->spent = FORE_SPENT_TIME;
    return FORE_SPENT_NOTHING;
}

enum fore_spent fore_budget_spent(struct fore_budget *b)
{
    if (!b || b->spent)
        return b ? b->spent : FORE_SPENT_NOTHING;
    if (b->interrupted && *b->interrupted)
        return b->spent = FORE_SPENT_INTERRUPTED;
    if (b->polls++ % EVERY)
        return FORE_SPENT_NOTHING;
    if (is_time_over(b))
        return b->spent = FORE_SPENT_TIME;
    if (b->max_bytes && b->polls / EVERY % EVERY_MEMORY == 0 &&
        fore_budget_resident() > b->max_bytes)
        return b->spent = FORE_SPENT_MEMORY;
    return FORE_SPENT_NOTHING;
}
