/* The beginning and the end of control: reads the schedule, maps the outcome. */
#include "capture/c/runtime/turn.h"
#include "capture/c/runtime/turn_tell.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct fore_outcome *map_outcome(void)
{
    const char *path = getenv(FORE_OUTCOME_ENVIRONMENT);
    size_t size =
        FORE_OUTCOME_STEPS + (size_t)FORE_OUTCOME_MOST * sizeof(struct fore_outcome_step);
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *at = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, (off_t)size))
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED)
        at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* A handover within one processor is several times as fast. */
static void pin(void)
{
    cpu_set_t set;
    int cpu = sched_getcpu();
    if (cpu < 0 || sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2)
        return;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

bool fore_turn_start(void)
{
    const char *path = getenv(FORE_SCHEDULE_ENVIRONMENT);
    struct fore_turn *turn = &fore_turn;
    char why[256];
    if (!path || !*path)
        return false;
    if (!fore_schedule_read(&turn->schedule, path, why, sizeof why)) {
        fprintf(stderr, "foresee: %s:%s\n", path, why);
        return false;
    }
    turn->outcome = map_outcome();
    if (!turn->outcome)
        return false;
    unsetenv(FORE_SCHEDULE_ENVIRONMENT); /* children are programs of their own */
    unsetenv(FORE_OUTCOME_ENVIRONMENT);
    pin();
    memcpy(turn->outcome->magic, FORE_OUTCOME_MAGIC, sizeof turn->outcome->magic);
    turn->outcome->version = FORE_OUTCOME_VERSION;
    turn->outcome->hash = 0xcbf29ce484222325u;
    turn->outcome->steps = turn->schedule.n;
    turn->follows = turn->schedule.n > 0;
    fore_strategy_start(&turn->strategy, turn->schedule.then, turn->schedule.depth,
                        turn->schedule.seed, turn->schedule.length);
    if (!fore_turn_begin_first())
        return false;
    fore_turn_calls_start();
    fore_turn_files_start();
    __atomic_store_n(&fore_turn_active, 1u, __ATOMIC_RELAXED);
    return true;
}

void fore_turn_forks(void)
{
    fore_turn.has_forked = true;
    if (fore_turn_on() && fore_turn.first && fore_turn.first->after)
        fore_turn.outcome->forks++;
}

void fore_turn_forked(void)
{
    if (!fore_turn_on())
        return;
    __atomic_store_n(&fore_turn_active, 0u, __ATOMIC_RELAXED);
    fore_turn_calls_stop();
    fore_turn_forget_self();
}

void fore_turn_child_waits(void)
{
    const struct fore_c_site *site = fore_rt_site();
    struct fore_outcome *o = fore_turn.outcome; /* of the run that the parent is in */
    if (!o)
        return;
    snprintf(o->child_waits, sizeof o->child_waits, "%s:%u:%u", site ? site->file : "?",
             site ? site->line : 0, site ? fore_turn_column(site) : 0);
    _exit(FORE_TURN_STUCK);
}

void fore_turn_finish(bool cut)
{
    if (!fore_turn_on())
        return;
    fore_turn_lock();
    fore_turn_tell_all();
    fore_turn.outcome->end = FORE_OUTCOME_EXITED;
    fore_turn.outcome->cut = cut;
    fore_turn_unlock();
}
