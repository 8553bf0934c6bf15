#include "cli/confirm_hunt.h"

#include "capture/control/schedule.h"
#include "cli/confirm_observed.h"

#include <string.h>

enum { MOST_RUNS = 60 };

/* Strategies take turns. */
static void put_schedule(unsigned run, struct fore_strbuf *out)
{
    static const char *const then[] = {"random", "pct 3", "pos"};
    fore_strbuf_clear(out);
    fore_strbuf_printf(out, "%s\nseed %u\ntimers 5\nthen %s %u\n",
                       FORE_SCHEDULE_FIRST_LINE, run, then[run % 3], run);
}

/* The steps of the run take the place of the witness, which leads elsewhere. */
static void enter_found(struct fore_findings *f, struct fore_finding *x,
                        const struct fore_rerun *p, unsigned run)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_confirm_put_run(p, run, &text);
    fore_finding_happened(x, FORE_VERDICT_CONFIRMED);
    x->witness_trace = fore_arena_strdup(&f->arena, text.at);
    x->witness_of = FORE_WITNESS_OF_PROGRAM;
    x->confirmation = (struct fore_confirmation){FORE_CONFIRMED, "", 0};
    fore_finding_fact(f, x, "confirmed",
                      "the program did not follow the witness, but did this in run %u of "
                      "others, on random schedules",
                      run);
    fore_strbuf_release(&text);
}

enum fore_status fore_confirm_hunt(struct fore_cli *c, struct fore_findings *f,
                                   struct fore_finding *x,
                                   const struct fore_started *program,
                                   const struct fore_confirm *how, struct fore_err *e)
{
    struct fore_rerun_how start = fore_confirm_start(program, how);
    struct fore_rerun p = {0};
    struct fore_strbuf schedule = FORE_STRBUF_INIT;
    uint64_t until = fore_now_ns() + (uint64_t)(how->seconds * 1e9 / 4);
    struct fore_confirm_sight o = {.x = x, .seed = 0};
    enum fore_status s = fore_rerun_open(&p, &start, e);
    for (unsigned run = 1; s == FORE_OK && !o.seen && run <= MOST_RUNS; run++) {
        if (fore_now_ns() > until ||
            (how->cpu_until && fore_cpu_all_ns() > how->cpu_until) ||
            (c->budget.interrupted && *c->budget.interrupted))
            break;
        o.seed = run;
        put_schedule(run, &schedule);
        s = fore_rerun_run(&p, schedule.at, c->budget.interrupted, e);
        if (s == FORE_OK && !p.timed_out)
            s = fore_confirm_observed(c, f, how, &o, &p, e);
        if (s == FORE_OK && o.seen)
            enter_found(f, x, &p, run);
    }
    if (p.folder[0])
        fore_rerun_close(&p);
    fore_strbuf_release(&schedule);
    return s;
}
