#include "cli/go_time.h"

#include <string.h>

uint64_t fore_go_time_begin(struct fore_go_time *t, const struct fore_cli *c,
                            uint64_t process_ns)
{
    const uint64_t least = 500000000;
    if (c->budget.deadline_ns)
        return 0;
    uint64_t own = process_ns > least ? process_ns : least;
    t->allowed_ns += own;
    return own;
}

void fore_go_time_end(struct fore_go_time *t, struct fore_cli *c, struct fore_findings *f,
                      const char *name, uint64_t bound)
{
    c->budget.most_cpu_ns = 0;
    if (c->budget.spent != FORE_SPENT_TIME)
        return;
    c->budget.spent = FORE_SPENT_NOTHING;
    if (!t->bounded++)
        t->bound = fore_findings_printf(f, "%s was analysed for %.1f s of processor time",
                                        name, (double)bound / 1e9);
}

void fore_go_time_tell(const struct fore_go_time *t, struct fore_findings *f)
{
    struct fore_completeness *c = &f->completeness;
    if (!t->bounded || !c->bound ||
        strcmp(c->bound, fore_spent_text(FORE_SPENT_TIME)) != 0)
        return;
    c->bound =
        t->bounded == 1
            ? fore_findings_printf(f, "%s, as long as it had run itself (--max-time)",
                                   t->bound)
            : fore_findings_printf(f,
                                   "%s, and %zu more, each as long as it had run itself "
                                   "(--max-time)",
                                   t->bound, t->bounded - 1);
}

double fore_go_time_left(const struct fore_go_time *t, const struct fore_cli *c)
{
    const uint64_t least = 1000000000;
    uint64_t spent = fore_cpu_ns();
    uint64_t left = t->allowed_ns > spent ? t->allowed_ns - spent : 0;
    return c->budget.deadline_ns ? 0 : (double)(left > least ? left : least) / 1e9;
}
