#include "program.h"

#include "foresee/csp.h"

#include <stdlib.h>

static const struct program *program;
static struct notes *notes;
static foresee_chan *channels[CHANNELS];
static foresee_mutex locks[LOCKS];
static foresee_rwmutex rw;
static foresee_waitgroup group;
static foresee_cond condition;
static foresee_once once;
static unsigned started;

void program_make(struct program *p, struct fore_rng *r)
{
    p->seed = fore_rng_next(r);
    p->processes = 2 + (unsigned)fore_rng_below(r, MOST_PROCESSES - 1);
    for (int i = 0; i < CHANNELS; i++)
        p->capacity[i] = (unsigned)fore_rng_below(r, 3);
    for (unsigned i = 0; i < p->processes; i++) {
        struct process *x = &p->process[i];
        x->n = 1 + (unsigned)fore_rng_below(r, 8);
        for (unsigned k = 0; k < x->n; k++) {
            unsigned kind = (unsigned)fore_rng_below(r, STEP_KINDS + 4);
            bool loops = fore_rng_below(r, 4) == 0;
            x->steps[k] = (struct step){
                .kind = (uint8_t)(kind < STEP_KINDS ? kind : kind % 2),
                .a = (uint8_t)fore_rng_below(r, CHANNELS),
                .b = (uint8_t)fore_rng_below(r, CHANNELS),
                .how = (uint8_t)fore_rng_below(r, 4),
                .times = (uint8_t)(loops ? 1 + fore_rng_below(r, 12) : 1),
            };
            /* A close usually comes late, if at all. */
            if (x->steps[k].kind == STEP_CLOSE && (k + 1 < x->n || fore_rng_below(r, 3)))
                x->steps[k].kind = STEP_RECV;
        }
    }
    p->process[0].steps[0].kind = STEP_SPAWN;
}

static void note(char what, unsigned object)
{
    if (notes->n < MOST_NOTES)
        notes->at[notes->n++] =
            (struct note){foresee_self(), (uint8_t)what, (uint8_t)object};
}

static void do_select(const struct step *s)
{
    bool ok[2] = {true, true};
    foresee_case cases[3] = {
        s->how & 1 ? FORESEE_SEND(channels[s->a], NULL)
                   : FORESEE_RECV_OK(channels[s->a], NULL, &ok[0]),
        s->how & 2 ? FORESEE_SEND(channels[s->b], NULL)
                   : FORESEE_RECV_OK(channels[s->b], NULL, &ok[1]),
    };
    size_t n = 2;
    if (s->kind == STEP_DEFAULT)
        cases[n++] = FORESEE_DEFAULT;
    else if (s->kind == STEP_TIMEOUT)
        cases[n++] = FORESEE_TIMEOUT(5000);
    int taken = foresee_select_array(cases, n);
    if (taken == 2)
        note('d', 0);
    else if (s->how & 1 << taken)
        note('s', taken ? s->b : s->a);
    else
        note(ok[taken] ? 'r' : 'z', taken ? s->b : s->a);
}

static void run_process(void *arg);

static void run_once(void *arg)
{
    (void)arg;
    foresee_yield();
}

static void do_section(uint8_t kind)
{
    if (kind == STEP_READ) {
        foresee_rlock(&rw);
        note('R', 0);
        foresee_yield();
        foresee_runlock(&rw);
        note('U', 0);
        return;
    }
    foresee_wlock(&rw);
    foresee_yield();
    foresee_wunlock(&rw);
}

/* What is neither channel nor plain lock. */
static void do_other(uint8_t kind)
{
    switch (kind) {
    case STEP_TASK:
        foresee_wg_add(&group, 1);
        note('A', 0);
        foresee_yield();
        foresee_wg_done(&group);
        note('D', 0);
        break;
    case STEP_TASKS:
        foresee_wg_wait(&group);
        note('G', 0);
        break;
    case STEP_ONCE:
        foresee_once_do(&once, run_once, NULL);
        note('O', 0);
        break;
    case STEP_WAIT:
        foresee_lock(&locks[0]);
        foresee_cond_wait(&condition, &locks[0]);
        note('W', 0);
        note('K', 0);
        foresee_unlock(&locks[0]);
        break;
    case STEP_SIGNAL:
        foresee_cond_signal(&condition);
        note('S', 0);
        break;
    case STEP_BROADCAST:
        foresee_cond_broadcast(&condition);
        note('B', 0);
        break;
    default:
        do_section(kind);
    }
}

static void do_step(const struct step *s)
{
    switch (s->kind) {
    case STEP_SEND:
        foresee_send(channels[s->a], NULL);
        note('s', s->a);
        break;
    case STEP_RECV:
        note(foresee_recv(channels[s->a], NULL) ? 'r' : 'z', s->a);
        break;
    case STEP_SECTION:
        foresee_lock(&locks[s->a % LOCKS]);
        note('l', s->a % LOCKS);
        foresee_yield();
        foresee_unlock(&locks[s->a % LOCKS]);
        note('u', s->a % LOCKS);
        break;
    case STEP_CLOSE:
        foresee_close(channels[s->a]);
        note('c', s->a);
        break;
    case STEP_YIELD:
        foresee_yield();
        break;
    case STEP_SPAWN:
        while (started < program->processes)
            foresee_go(run_process, (void *)(uintptr_t)started++);
        break;
    case STEP_SELECT:
    case STEP_DEFAULT:
    case STEP_TIMEOUT:
        do_select(s);
        break;
    default:
        do_other(s->kind);
    }
}

static void run_process(void *arg)
{
    const struct process *x = &program->process[(uintptr_t)arg];
    for (unsigned i = 0; i < x->n; i++)
        for (unsigned k = 0; k < x->steps[i].times; k++)
            do_step(&x->steps[i]);
}

void program_run(const struct program *p, struct notes *out)
{
    static const char *const names[CHANNELS] = {"0", "1", "2", "3"};
    program = p;
    notes = out;
    started = 1;
    foresee_seed(p->seed);
    for (int i = 0; i < CHANNELS; i++)
        channels[i] = foresee_make_named(0, p->capacity[i], names[i]);
    run_process(NULL);
    foresee_sleep(1000000);
    exit(0);
}
