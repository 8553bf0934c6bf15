#include "explore/program/series.h"

#include "base/progress.h"
#include "capture/control/schedule.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OUTPUT = 1 << 20 };

enum fore_status fore_series_open(struct fore_series *b, const struct fore_rerun_how *how,
                                  struct fore_err *e)
{
    struct fore_rerun_how own = *how;
    *b = (struct fore_series){0};
    own.alone = own.unrecorded = true;
    return fore_rerun_open(&b->program, &own, e);
}

void fore_series_close(struct fore_series *b)
{
    if (b->program.folder[0])
        fore_rerun_close(&b->program);
}

enum fore_status fore_series_begin(struct fore_series *b,
                                   const struct fore_series_plan *plan,
                                   struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    memset(fore_rerun_runs(&b->program), 0, sizeof(struct fore_outcome_runs));
    b->done = 0;
    fore_strbuf_printf(&text, "%s\n%sseed %llu\nrepeats %llu %llu %llu %llu\n%s",
                       FORE_SCHEDULE_FIRST_LINE, plan->options,
                       (unsigned long long)plan->seed, (unsigned long long)plan->first,
                       (unsigned long long)plan->step, (unsigned long long)plan->last,
                       (unsigned long long)plan->seed, plan->strategies);
    enum fore_status s = fore_rerun_begin(&b->program, text.at, e);
    fore_strbuf_release(&text);
    return s;
}

/* Cuts the output: tests print the same in every run, and only the last of it matters. */
static void cut_output(const struct fore_rerun *p)
{
    char path[PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s/output", p->folder);
    if (!stat(path, &st) && st.st_size > MOST_OUTPUT && truncate(path, 0))
        unlink(path);
}

/* Each run has its time. */
static void take_classes(struct fore_series *b, void (*each)(void *ctx, uint64_t class),
                         void *ctx)
{
    struct fore_outcome_runs *told = fore_rerun_runs(&b->program);
    uint64_t done = __atomic_load_n(&told->done, __ATOMIC_ACQUIRE);
    if (done == b->done)
        return;
    /* the count cannot be right: another process wrote there */
    if (done - b->done > FORE_OUTCOME_RING)
        b->done = done - FORE_OUTCOME_RING;
    for (; b->done < done; b->done++)
        each(ctx, told->class[b->done % FORE_OUTCOME_RING]);
    __atomic_store_n(&told->taken, done, __ATOMIC_RELEASE);
    fore_rerun_prolong(&b->program);
    cut_output(&b->program);
}

bool fore_series_look(struct fore_series *b, int ms,
                      void (*each)(void *ctx, uint64_t class), void *ctx)
{
    bool over = fore_rerun_look(&b->program, ms);
    take_classes(b, each, ctx);
    return over;
}

void fore_series_stop(struct fore_series *b)
{
    b->program.until = 0;
}

const struct fore_outcome_runs *fore_series_told(const struct fore_series *b)
{
    return fore_rerun_runs(&b->program);
}
