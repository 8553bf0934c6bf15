/* What orders the threads of an OpenMP program. LLVM's library for OpenMP is not instrumented;
 * it tells a tool (this file) when teams begin and end, and where their threads meet at barriers
 * and hand over tasks. Each such order is a thing that one thread puts something out to and
 * another takes it in from, as an annotation would be. Locks and critical sections are locks:
 * their calls come here in place of the library.
 *
 * The things are numbers: a team has one of its own for its beginning, + 1 and + 2 for its
 * barriers in turn, + 3 for all its tasks; a task's is the address of its data, + 1 for its
 * children. Both are used again; one thread is then ordered after another without need, which
 * can hide a race and invents none. openmp_calls.c has the calls of which the tool is not told. */
#include "capture/c/runtime/openmp.h"
#include "capture/c/runtime/outside.h"
#include "capture/c/runtime/turn.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak)) int omp_get_max_threads(void);

static bool told; /* by the library */

static void order(uint64_t thing, unsigned kind)
{
    if (fore_rt_on() && !fore_rt_self()->inside)
        fore_rt_outside(FORE_RT_THING_OPENMP, thing, kind, NULL);
}

void fore_rt_openmp_out(uint64_t thing)
{
    order(thing, FORE_RING_OUT);
}

void fore_rt_openmp_in(uint64_t thing)
{
    order(thing, FORE_RING_IN);
}

/* ---- the library's interface for tools: names and numbers are those of the OpenMP specification, 5.0 ---- */

union data {
    uint64_t value;
    void *ptr;
};

struct dependence {
    union data variable;
    int kind;
};

enum {
    THREAD_BEGIN = 1,
    THREAD_END = 2,
    PARALLEL_BEGIN = 3,
    PARALLEL_END = 4,
    TASK_CREATE = 5,
    TASK_SCHEDULE = 6,
    IMPLICIT_TASK = 7,
    SYNC_REGION_WAIT = 16,
    DEPENDENCES = 18,
    SYNC_REGION = 23,
};
enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_COMPLETE = 1, TASK_LATE_FULFILL = 6 };
enum { TASK_INITIAL = 1, TASK_IMPLICIT = 2, TASK_EXPLICIT = 4 };
enum { REGION_TASKWAIT = 5, REGION_TASKGROUP = 6, REGION_REDUCTION = 7 };
enum { DEPENDENCE_IN = 1 };

typedef void function(void);
typedef function *lookup(const char *name);
typedef int set_callback(int event, function *callback);

/* The things of a team, and of a task. */
enum { FORK = 0, BARRIER = 1, TASKS = 3 };
enum { START = 0, CHILDREN = 1 };
enum { WRITTEN = 0, READ = 1 };

/* The data of an explicit task point to it. The data of an implicit task are its team, IMPLICIT,
 * and ODD when it has come to an odd number of barriers. */
enum { ODD = 1, IMPLICIT = 2, MARKS = 7 };
struct task {
    const union data *parent;
    uint64_t team;
    struct dependence *on;
    int n;
    bool begun, away; /* the thread that runs it waits meanwhile */
};

static struct task *explicit_task(const union data *data)
{
    return data && data->value && !(data->value & IMPLICIT) ? data->ptr : NULL;
}

static uint64_t team_of(const union data *data)
{
    const struct task *t = explicit_task(data);
    if (t)
        return t->team;
    return data ? data->value & ~(uint64_t)MARKS : 0;
}

static uint64_t of_data(const void *data)
{
    return (uint64_t)(uintptr_t)data;
}

static void *own_memory(size_t n, size_t size)
{
    fore_rt_self()->inside = true; /* it is not the program's */
    void *p = calloc(n, size);
    fore_rt_self()->inside = false;
    return p;
}

static void own_memory_free(void *p)
{
    fore_rt_self()->inside = true;
    free(p);
    fore_rt_self()->inside = false;
}

/* ---- under control ---- */

/* While the library waits it spins, and runs tasks. A thread that waits in it has no turn, and
 * its operations there do not count, until its wait is over or it begins a task. */
static _Thread_local bool away;

void fore_rt_openmp_leave(void)
{
    if (!fore_turn_on() || away || fore_rt_self()->inside)
        return;
    fore_turn_leave();
    fore_turn_lost("OpenMP's library, which deals out the work");
    away = true;
    fore_rt_self()->inside = true;
}

void fore_rt_openmp_back(void)
{
    if (!away)
        return;
    away = false;
    fore_rt_self()->inside = false;
    fore_turn_back();
}

uint32_t fore_rt_openmp_workers;

static void thread_begins(int type, union data *thread)
{
    enum { WORKER = 2 };
    if (type != WORKER)
        return;
    thread->value = 1;
    __atomic_fetch_add(&fore_rt_openmp_workers, 1, __ATOMIC_RELAXED);
    fore_rt_openmp_leave();
}

static void thread_ends(union data *thread)
{
    fore_rt_openmp_back();
    __atomic_fetch_sub(&fore_rt_openmp_workers, (uint32_t)thread->value,
                       __ATOMIC_RELAXED);
}

/* ---- teams ---- */

static _Thread_local uint64_t team; /* the team that the thread is in; 0: none */

/* Numbers of teams that are over, for new teams: there need be no more numbers than teams at a
 * time. */
static struct {
    uint32_t lock, n;
    uint64_t last, at[256];
} over;

static uint64_t take_number(void)
{
    fore_rt_spin(&over.lock);
    uint64_t number = over.n ? over.at[--over.n] : (over.last += MARKS + 1);
    fore_rt_unspin(&over.lock);
    return number;
}

static void give_number(uint64_t number)
{
    fore_rt_spin(&over.lock);
    if (over.n < sizeof over.at / sizeof *over.at)
        over.at[over.n++] = number;
    fore_rt_unspin(&over.lock);
}

static void parallel_begins(union data *task, const void *frame, union data *parallel,
                            unsigned threads, int flags, const void *address)
{
    (void)task, (void)frame, (void)threads, (void)flags, (void)address;
    parallel->value = take_number();
    fore_rt_openmp_out(parallel->value + FORK);
}

static void parallel_ends(union data *parallel, union data *task, int flags,
                          const void *address)
{
    (void)flags, (void)address;
    fore_rt_openmp_in(parallel->value + BARRIER);
    fore_rt_openmp_in(parallel->value + BARRIER + 1);
    fore_rt_openmp_in(parallel->value + TASKS);
    give_number(parallel->value);
    team = team_of(task);
}

static void implicit_task(int scope, union data *parallel, union data *task, unsigned n,
                          unsigned index, int flags)
{
    (void)n, (void)index, (void)flags;
    if (scope != SCOPE_BEGIN)
        return;
    fore_rt_openmp_back();
    team = parallel ? parallel->value : 0;
    task->value = team | IMPLICIT;
    if (team)
        fore_rt_openmp_in(team + FORK);
}

/* The two things of barriers take turns: no thread comes to the barrier after the next one before all have left this one. The
 * last barrier of a team ends, for all but its first thread, when the next team begins, and says so by `outlived`. */
static void meet(int scope, union data *task, bool outlived)
{
    uint64_t met = explicit_task(task) ? 0 : team_of(task);
    uint64_t barrier = met + BARRIER + (task->value & ODD);
    if (!met || outlived)
        return;
    if (scope == SCOPE_BEGIN) {
        fore_rt_openmp_out(barrier);
        return;
    }
    fore_rt_openmp_in(barrier);
    fore_rt_openmp_in(met + TASKS);
    task->value ^= ODD;
}

static void region(int kind, int scope, union data *parallel, union data *task,
                   const void *address)
{
    (void)address;
    if (!task || kind == REGION_REDUCTION)
        return;
    if (kind == REGION_TASKWAIT) {
        if (scope == SCOPE_END)
            fore_rt_openmp_in(of_data(task) + CHILDREN);
    } else if (kind == REGION_TASKGROUP) {
        if (scope == SCOPE_END)
            fore_rt_openmp_tasks();
    } else {
        meet(scope, task, scope == SCOPE_END && !parallel);
    }
}

static void region_waits(int kind, int scope, union data *parallel, union data *task,
                         const void *address)
{
    (void)kind, (void)parallel, (void)task, (void)address;
    if (scope == SCOPE_BEGIN)
        fore_rt_openmp_leave();
    else
        fore_rt_openmp_back();
}

/* ---- tasks ---- */

static void task_created(union data *parent, const void *frame, union data *made,
                         int flags, int depends, const void *address)
{
    (void)frame, (void)depends, (void)address;
    struct task *t = flags & TASK_EXPLICIT ? own_memory(1, sizeof *t) : NULL;
    if (!t)
        return;
    t->parent = parent;
    t->team = team;
    made->ptr = t;
    fore_rt_openmp_out(of_data(made) + START);
}

static void task_depends(union data *data, const struct dependence *on, int n)
{
    struct task *t = explicit_task(data);
    if (!t || t->on || n <= 0 || !(t->on = own_memory((size_t)n, sizeof *on)))
        return;
    memcpy(t->on, on, (size_t)n * sizeof *on);
    t->n = n;
}

/* A task that only reads comes after all that wrote; a task that writes comes after all. */
static void begin_task(const union data *data, struct task *t)
{
    t->begun = true;
    t->away = away;
    fore_rt_openmp_back();
    team = t->team;
    fore_rt_openmp_in(of_data(data) + START);
    for (int i = 0; i < t->n; i++) {
        fore_rt_openmp_in(t->on[i].variable.value + WRITTEN);
        if (t->on[i].kind != DEPENDENCE_IN)
            fore_rt_openmp_in(t->on[i].variable.value + READ);
    }
}

static void end_task(union data *data, struct task *t)
{
    for (int i = 0; i < t->n; i++)
        fore_rt_openmp_out(t->on[i].variable.value +
                           (t->on[i].kind == DEPENDENCE_IN ? READ : WRITTEN));
    fore_rt_openmp_out(of_data(t->parent) + CHILDREN);
    if (t->team)
        fore_rt_openmp_out(t->team + TASKS);
    own_memory_free(t->on);
    own_memory_free(t);
    data->value = 0;
}

static void task_scheduled(union data *prior, int status, union data *next)
{
    struct task *before = explicit_task(prior), *after = explicit_task(next);
    bool waits = false;
    if (before && (status == TASK_COMPLETE || status == TASK_LATE_FULFILL)) {
        waits = before->away;
        end_task(prior, before);
    }
    if (after && !after->begun)
        begin_task(next, after);
    else if (next)
        team = team_of(next);
    if (waits)
        fore_rt_openmp_leave();
}

void fore_rt_openmp_tasks(void)
{
    if (team)
        fore_rt_openmp_in(team + TASKS);
}

/* ---- the tool ---- */

const char *fore_rt_openmp_from, *fore_rt_openmp_to;

static int find_library(struct dl_phdr_info *object, size_t size, void *inner)
{
    uintptr_t from = UINTPTR_MAX, to = 0, own = (uintptr_t)&fore_rt_openmp_from;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD)
            continue;
        from = at < from ? at : from;
        to = at + h->p_memsz > to ? at + h->p_memsz : to;
    }
    if ((uintptr_t)inner < from || (uintptr_t)inner >= to)
        return 0;
    if (own < from || own >= to) {
        fore_rt_openmp_from = (const char *)from;
        fore_rt_openmp_to = (const char *)to;
    }
    return 1;
}

static int begin_tool(lookup *find, int device, union data *tool)
{
    static const struct {
        int event;
        function *callback;
    } wanted[] = {
        {THREAD_BEGIN, (function *)thread_begins},
        {THREAD_END, (function *)thread_ends},
        {PARALLEL_BEGIN, (function *)parallel_begins},
        {PARALLEL_END, (function *)parallel_ends},
        {IMPLICIT_TASK, (function *)implicit_task},
        {SYNC_REGION, (function *)region},
        {SYNC_REGION_WAIT, (function *)region_waits},
        {TASK_CREATE, (function *)task_created},
        {TASK_SCHEDULE, (function *)task_scheduled},
        {DEPENDENCES, (function *)task_depends},
    };
    enum { SOMETIMES = 3 }; /* a smaller answer is a refusal */
    set_callback *set = (set_callback *)find("ompt_set_callback");
    (void)device, (void)tool;
    told = set;
    for (size_t i = 0; told && i < sizeof wanted / sizeof *wanted; i++)
        told = set(wanted[i].event, wanted[i].callback) >= SOMETIMES;
    if (told)
        dl_iterate_phdr(find_library, (void *)(uintptr_t)find);
    return told;
}

static void end_tool(union data *tool)
{
    (void)tool;
}

struct tool {
    int (*begin)(lookup *, int, union data *);
    void (*end)(union data *);
    union data data;
};

/* The library looks for a function of this name, in the program first. A program that is not
 * watched has no tool. */
__attribute__((weak)) struct tool *ompt_start_tool(unsigned version, const char *library);
struct tool *ompt_start_tool(unsigned version, const char *library)
{
    static struct tool tool = {begin_tool, end_tool, {0}};
    (void)version, (void)library;
    if (!getenv("FORESEE_RING"))
        return NULL;
    if (getenv("FORESEE_SCHEDULE")) /* a thread that spins takes turns in vain */
        setenv("KMP_BLOCKTIME", "0", 0);
    return &tool;
}

bool fore_rt_openmp_knows(const char *call)
{
    if (strncmp(call, "__kmpc_", 7) != 0 && strncmp(call, "omp_", 4) != 0)
        return false;
    if (!told && omp_get_max_threads)
        omp_get_max_threads(); /* makes the library look for its tool */
    return told;
}
