#include "capture/csp/force.h"

#include "capture/csp/panic.h"
#include "capture/csp/record.h"

#include "capture/control/schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    unsigned kind;
} words[] = {
    {"send", FORE_RING_SEND_EVENT},
    {"receive", FORE_RING_RECV_EVENT},
    {"select", FORE_RING_PRE},
    {"close", FORE_RING_CLOSE_EVENT},
    {"lock", FORE_RING_LOCK},
    {"trylock", FORE_RING_TRYLOCK},
    {"unlock", FORE_RING_UNLOCK},
    {"rlock", FORE_RING_RLOCK},
    {"runlock", FORE_RING_RUNLOCK},
    {"cwait", FORE_RING_CWAIT},
    {"cwoken", FORE_RING_CWOKEN},
    {"csignal", FORE_RING_CSIGNAL},
    {"cbroadcast", FORE_RING_CBROADCAST},
    {"once", FORE_RING_ONCE},
    {"wgadd", FORE_RING_WGADD},
    {"wgdone", FORE_RING_WGDONE},
    {"wgwait", FORE_RING_WGWAIT},
};

struct forced_step {
    struct fore_plan *who;
    struct forced_step *next_of_same;
    uint32_t operation, kind;
    int choice;
};

/* A process of the schedule: a node of the tree of creation paths. */
struct fore_plan {
    struct fore_plan *first_child, *sibling;
    uint32_t k;                      /* the parent's k-th child */
    struct forced_step *next, *last; /* its steps still to come */
    struct fore_proc *waits;         /* the process, if it came to a step too early */
};

static struct {
    struct forced_step *steps;
    uint32_t n, cap, done;
    struct fore_plan root;
    struct fore_proc **held; /* processes that wait for the end of the schedule */
    size_t held_n, held_cap;
} force;

/* ---- reading ---- */

static struct fore_plan *child_of(struct fore_plan *of, uint32_t k, bool make)
{
    struct fore_plan **at = &of->first_child;
    for (; *at; at = &(*at)->sibling)
        if ((*at)->k == k)
            return *at;
    if (!make)
        return NULL;
    *at = calloc(1, sizeof **at);
    if (!*at)
        fore_csp_fatal("out of memory for a schedule");
    (*at)->k = k;
    return *at;
}

static struct fore_plan *plan_of(const char *path)
{
    struct fore_plan *p = &force.root;
    do {
        char *end;
        unsigned long k = strtoul(path, &end, 10);
        if (end == path || !k || (*end && *end != '.'))
            return NULL;
        p = child_of(p, (uint32_t)k, true);
        path = *end ? end + 1 : end;
    } while (*path);
    return p;
}

static unsigned kind_of(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return words[i].kind;
    return 0;
}

static bool step_add(struct fore_plan *who, uint32_t operation, unsigned kind, int choice)
{
    if (!who || !kind)
        return false;
    if (force.n == force.cap) {
        force.cap = force.cap ? force.cap * 2 : 256;
        force.steps = realloc(force.steps, force.cap * sizeof *force.steps);
        if (!force.steps)
            fore_csp_fatal("out of memory for a schedule");
    }
    force.steps[force.n++] = (struct forced_step){who, NULL, operation, kind, choice};
    return true;
}

static bool step_read(const char *line)
{
    char path[512], word[32];
    unsigned operation;
    int choice = -1;
    if (sscanf(line, "%511s %u %31s %d", path, &operation, word, &choice) < 3)
        return false;
    return step_add(plan_of(path), operation, kind_of(word), choice);
}

/* Reads version 2. Steps of operations that csp programs do not have are left out. */
static bool schedule_read(const char *path)
{
    struct fore_schedule s;
    char why[128];
    if (!fore_schedule_read(&s, path, why, sizeof why)) {
        fprintf(stderr, "foresee-csp: %s:%s\n", path, why);
        return false;
    }
    for (uint32_t i = 0; i < s.n; i++) {
        const struct fore_schedule_step *x = &s.steps[i];
        const char *word = fore_schedule_word(x->kind);
        if (x->how != FORE_SCHEDULE_DOES || !word ||
            !step_add(plan_of(s.paths[x->path]), x->before, kind_of(word), x->choice)) {
            fprintf(stderr, "foresee-csp: %s: step %u is none of a CSP program\n", path,
                    i + 1);
            return false;
        }
    }
    fore_csp.strategic = s.then != FORE_STRATEGY_free;
    fore_csp.ticks = fore_csp.strategic ? 0 : fore_csp.ticks;
    fore_strategy_start(&fore_csp.strategy, s.then, s.depth, s.seed, s.length);
    return true;
}

/* The steps moved while they were read, so they are linked at the end. */
static void link_steps(void)
{
    for (uint32_t i = 0; i < force.n; i++) {
        struct forced_step *s = &force.steps[i];
        if (s->who->last)
            s->who->last->next_of_same = s;
        else
            s->who->next = s;
        s->who->last = s;
    }
}

static void hold_process(struct fore_proc *p, foresee_at at);

/* The program ends before its schedule does: other processes first go on with their steps. */
static void finish_schedule(int status, void *unused)
{
    (void)status;
    (void)unused;
    if (fore_csp.mode & FORE_CSP_FORCED && force.done < force.n && !fore_csp.ending)
        hold_process(fore_csp.current, NULL);
}

bool fore_force_start(const char *path)
{
    char line[1024];
    unsigned number = 0;
    FILE *f = fopen(path, "re");
    if (!f) {
        fprintf(stderr, "foresee-csp: cannot read %s: %s\n", path, strerror(errno));
        return false;
    }
    bool good = true, second = false;
    while (good && !second && fgets(line, sizeof line, f)) {
        second = !number && !strcmp(line, FORE_SCHEDULE_FIRST_LINE "\n");
        good =
            number++ ? step_read(line) : second || !strcmp(line, "foresee-schedule 1\n");
    }
    fclose(f);
    if (second && !schedule_read(path))
        return false;
    if (!good || !number) {
        fprintf(stderr, "foresee-csp: %s:%u: not a schedule\n", path, number);
        return false;
    }
    link_steps();
    fore_csp.main.plan = child_of(&force.root, 1, false);
    fore_record_steps(force.n, 0);
    on_exit(finish_schedule, NULL);
    return true;
}

/* ---- running ---- */

static void release_all(void)
{
    fore_csp.mode &= ~(unsigned)FORE_CSP_FORCED;
    for (uint32_t i = force.done; i < force.n; i++) {
        struct fore_plan *who = force.steps[i].who;
        if (who->waits)
            fore_proc_ready(who->waits);
        who->waits = NULL;
    }
    for (size_t i = 0; i < force.held_n; i++)
        fore_proc_ready(force.held[i]);
    force.held_n = 0;
}

bool fore_force_give_up(void)
{
    fore_record_steps(force.n, force.done);
    release_all();
    return fore_csp.count > 0;
}

static void hold_process(struct fore_proc *p, foresee_at at)
{
    if (force.held_n == force.held_cap) {
        force.held_cap = force.held_cap ? force.held_cap * 2 : 64;
        force.held = realloc(force.held, force.held_cap * sizeof(struct fore_proc *));
        if (!force.held)
            fore_csp_fatal("out of memory for a schedule");
    }
    force.held[force.held_n++] = p;
    fore_proc_park(FORE_WAIT_TURN, NULL, at);
}

void fore_force_adopt(struct fore_proc *parent, struct fore_proc *child)
{
    child->plan = parent->plan ? child_of(parent->plan, parent->children, false) : NULL;
}

/* The step is taken: the process of the next step may go, once this one is done or waits. */
static void advance_schedule(void)
{
    force.done++;
    fore_record_steps(force.n, force.done);
    if (force.done == force.n) {
        release_all();
        return;
    }
    struct fore_plan *who = force.steps[force.done].who;
    if (who->waits)
        fore_proc_ready(who->waits);
    who->waits = NULL;
}

int fore_force_turn(unsigned kind, foresee_at at)
{
    struct fore_proc *p = fore_csp.current;
    struct fore_plan *plan = p->plan;
    uint32_t operation = p->operations++;
    p->waiter_count = 0;
    if (!plan || !plan->next) {
        if (force.done < force.n)
            hold_process(p, at);
        return -1;
    }
    struct forced_step *s = plan->next;
    if (s->operation != operation || s->kind != kind) {
        fore_force_give_up(); /* another program was recorded, or it took another branch */
        return -1;
    }
    plan->next = s->next_of_same;
    if (s != &force.steps[force.done]) {
        plan->waits = p;
        fore_proc_park(FORE_WAIT_TURN, NULL, at);
        if (!(fore_csp.mode & FORE_CSP_FORCED))
            return -1;
    }
    int choice = s->choice;
    advance_schedule();
    return choice;
}
