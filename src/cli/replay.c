#include "cli/replay.h"

#include "explore/program/witness.h"
#include "report/report.h"
#include "trace/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 16, STUCK = 2, ABORTED = 128 + 6 };

/* ---- from a witness to a schedule ---- */

/* Each thread's last pre, whether that is all there is of it, and how many operations the
 * thread has done. */
struct doing {
    const struct fore_event *pre;
    bool open;
    uint32_t operations;
};

static bool is_waiting(const struct fore_event *e)
{
    return e && (e->kind == FORE_EV_PRE || e->flags & FORE_F_PRE);
}

static bool is_operation(const struct fore_event *e)
{
    enum fore_group g = fore_kind_group(e->kind);
    return e->kind != FORE_EV_PRE && !(e->flags & FORE_F_PRE) &&
           (g == FORE_GROUP_CHANNEL || g == FORE_GROUP_LOCK);
}

static void add_step(const struct fore_finding *x, const struct fore_trace *t,
                     const struct fore_event *e, struct doing *d, struct fore_strbuf *out)
{
    bool of_select = e->kind == FORE_EV_SELECT;
    if (d->pre && (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV))
        of_select = d->pre->kind == FORE_EV_PRE && d->pre->flags & FORE_F_CASES;
    fore_witness_path(x, t, (struct fore_moved){0}, e->thread, out);
    fore_strbuf_printf(out, " %u ", d->operations++);
    if (of_select && d->pre)
        fore_strbuf_printf(out, "select %d\n", fore_witness_case(t, d->pre, e));
    else
        fore_strbuf_printf(out, "%s\n", fore_kind_name(e->kind));
}

/* What only begins: the wait for a condition's signal has no beginning of its own. */
static void add_beginning(const struct fore_finding *x, const struct fore_trace *t,
                          const struct fore_event *e, const struct doing *d,
                          struct fore_strbuf *out)
{
    const char *what = e->kind != FORE_EV_PRE    ? fore_kind_name(e->kind)
                       : e->flags & FORE_F_CASES ? "select"
                       : e->flags & FORE_F_SEND  ? "send"
                                                 : "receive";
    if (e->kind == FORE_EV_CWOKEN || e->kind == FORE_EV_JOIN)
        return;
    fore_witness_path(x, t, (struct fore_moved){0}, e->thread, out);
    fore_strbuf_printf(out, " %u %s\n", d->operations, what);
}

/* Operations that complete come in their order. Those that only begin come after them, since
 * one that waits could take what another is to get, but in their own order: a writer that
 * waits keeps readers out. */
static void print_schedule(const struct fore_finding *x, const struct fore_trace *witness,
                           struct fore_strbuf *out)
{
    struct doing *all = fore_calloc(witness->tables.threads.n, sizeof *all);
    fore_strbuf_puts(out, "foresee-schedule 1\n");
    for (size_t i = 0; i < witness->events.n; i++) {
        const struct fore_event *e = &witness->events.at[i];
        struct doing *d = &all[e->thread];
        if (is_waiting(e)) {
            d->pre = e;
            d->open = true;
        } else if (is_operation(e)) {
            add_step(x, witness, e, d, out);
            d->open = false;
        }
    }
    for (size_t i = 0; i < witness->events.n; i++) {
        const struct fore_event *e = &witness->events.at[i];
        if (all[e->thread].open && all[e->thread].pre == e)
            add_beginning(x, witness, e, &all[e->thread], out);
    }
    fore_free(all);
}

/* ---- what the program did ---- */

/* The last event of each thread, by the thread's creation path. */
static const struct fore_event *last_of(const struct fore_trace *t, const char *path)
{
    const struct fore_event *last = NULL;
    uint32_t thread = 0;
    for (uint32_t i = 1; i < t->tables.threads.n && !thread; i++) {
        struct fore_strbuf p = FORE_STRBUF_INIT;
        fore_tables_path(&t->tables, i, &p);
        thread = strcmp(p.at, path) ? 0 : i;
        fore_strbuf_release(&p);
    }
    for (size_t i = 0; thread && i < t->events.n; i++)
        if (t->events.at[i].thread == thread)
            last = &t->events.at[i];
    return last;
}

static bool came_true(const struct fore_finding *x, const struct fore_trace *witness,
                      const struct fore_trace *did)
{
    bool all = true;
    for (size_t i = 0; i < witness->expects.n; i++) {
        const struct fore_expect *want = &witness->expects.at[i];
        struct fore_strbuf path = FORE_STRBUF_INIT;
        if (want->kind == FORE_EXPECT_VIOLATION || want->kind == FORE_EXPECT_RACE)
            continue;
        fore_witness_path(x, witness, (struct fore_moved){0}, want->subject, &path);
        const struct fore_event *last = last_of(did, path.at);
        fore_strbuf_release(&path);
        all &= want->kind == FORE_EXPECT_BLOCKED ? is_waiting(last)
                                                 : last && last->kind == FORE_EV_PANIC;
    }
    return all;
}

/* As the finding calls it, since numbers may be others in this run. */
static void put_thread(const struct fore_finding *x, const struct fore_trace *t,
                       uint32_t thread, struct fore_strbuf *out)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    const struct fore_tables *tab = &t->tables;
    fore_tables_path(tab, thread, &path);
    fore_report_thread(x, path.at, path.at,
                       fore_tables_text(tab, tab->threads.at[thread].name), out);
    fore_strbuf_release(&path);
}

static void describe_end(const struct fore_finding *x, const struct fore_trace *t,
                         const struct fore_event *e, struct fore_strbuf *out)
{
    struct fore_findings f;
    fore_findings_init(&f);
    put_thread(x, t, e->thread, out);
    fore_strbuf_printf(out, " %s",
                       e->kind == FORE_EV_PANIC
                           ? "panicked"
                           : fore_deed_of(&f, &t->tables, e, t->cases.at).does);
    if (e->where) {
        fore_strbuf_puts(out, " at ");
        fore_tables_place(&t->tables, e->where, out);
    }
    fore_strbuf_putc(out, '\n');
    fore_findings_release(&f);
}

static void describe_ends(const struct fore_finding *x, const struct fore_trace *t,
                          struct fore_strbuf *out)
{
    const struct fore_event **last = fore_calloc(t->tables.threads.n, sizeof *last);
    for (size_t i = 0; i < t->events.n; i++)
        last[t->events.at[i].thread] = &t->events.at[i];
    for (uint32_t i = 1; i < t->tables.threads.n; i++)
        if (last[i] && (is_waiting(last[i]) || last[i]->kind == FORE_EV_PANIC))
            describe_end(x, t, last[i], out);
    fore_free(last);
}

/* ---- running ---- */

static enum fore_status put_schedule(const struct fore_finding *x,
                                     const struct fore_trace *witness, char *path,
                                     struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    print_schedule(x, witness, &text);
    int fd = mkostemp(path, O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text.at, text.n) == (ssize_t)text.n;
    if (fd >= 0)
        close(fd);
    fore_strbuf_release(&text);
    return good ? FORE_OK : fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
}

static enum fore_status run_forced(struct fore_cli_replay *r,
                                   const struct fore_finding *x,
                                   const struct fore_trace *witness,
                                   const struct fore_launch_how *how, double seconds,
                                   struct fore_err *e)
{
    struct fore_launch l;
    struct fore_rings rings = {0};
    enum fore_status s = fore_launch_start(&l, how, e);
    if (s == FORE_OK) {
        uint64_t until = fore_now_ns() + (uint64_t)(seconds * 1e9);
        while (!fore_launch_wait(&l, 100) && fore_now_ns() < until)
            ;
        r->timed_out = l.running;
        fore_launch_kill(&l);
        s = fore_rings_finish(&rings, l.folder, e);
        r->status = l.status;
    }
    r->recorded = rings.v.n > 0;
    for (size_t i = 0; s == FORE_OK && i < rings.v.n; i++) {
        const struct fore_ring_reader *ring = rings.v.at[i];
        if (!ring->steps && rings.v.n > 1)
            continue;
        r->steps = ring->steps;
        r->done = ring->steps_done;
        r->confirmed =
            r->steps && r->done == r->steps && came_true(x, witness, &ring->trace);
        describe_ends(x, &ring->trace, &r->outcome);
        break;
    }
    fore_rings_release(&rings);
    fore_launch_release(&l);
    return s;
}

/* What comes after the witness is not forced. If the program then ends well, it may end badly
 * in another order: the first seed for which it does is kept. */
static enum fore_status try_seeds(struct fore_cli_replay *r, const struct fore_finding *x,
                                  const struct fore_trace *witness,
                                  const struct fore_launch_how *how, double seconds,
                                  struct fore_err *e)
{
    for (unsigned seed = 1; seed <= SEEDS && !(r->confirmed && r->status); seed++) {
        char text[16];
        struct fore_cli_replay again = {.outcome = FORE_STRBUF_INIT, .seed = seed};
        struct fore_launch_how seeded = *how;
        if (r->confirmed && witness->expects.n)
            break;
        snprintf(text, sizeof text, "%u", seed);
        seeded.seed = text;
        seeded.silent = true;
        FORE_TRY(run_forced(&again, x, witness, &seeded, seconds, e));
        if (again.confirmed && (again.status || !r->confirmed)) {
            fore_cli_replay_release(r);
            *r = again;
        } else {
            fore_cli_replay_release(&again);
        }
    }
    return FORE_OK;
}

enum fore_status fore_replay_schedule(const struct fore_finding *x,
                                      struct fore_strbuf *out, struct fore_err *e)
{
    struct fore_trace w;
    fore_trace_init(&w, "witness");
    enum fore_status s =
        fore_trace_parse(&w, x->witness_trace, strlen(x->witness_trace), e);
    if (s == FORE_OK)
        print_schedule(x, &w, out);
    fore_trace_release(&w);
    return s;
}

static enum fore_status replay_schedule(struct fore_cli_replay *r,
                                        const struct fore_finding *x, char *const *argv,
                                        bool silent, double seconds, struct fore_err *e)
{
    char path[] = "/tmp/foresee-schedule-XXXXXX";
    struct fore_trace w;
    *r = (struct fore_cli_replay){.outcome = FORE_STRBUF_INIT};
    fore_trace_init(&w, "witness");
    enum fore_status s =
        fore_trace_parse(&w, x->witness_trace, strlen(x->witness_trace), e);
    if (s == FORE_OK)
        s = put_schedule(x, &w, path, e);
    if (s == FORE_OK) {
        struct fore_launch_how how = {.argv = argv, .schedule = path, .silent = silent};
        s = run_forced(r, x, &w, &how, seconds, e);
        if (s == FORE_OK && r->recorded && r->steps && !r->timed_out)
            s = try_seeds(r, x, &w, &how, seconds, e);
        unlink(path);
    }
    fore_trace_release(&w);
    return s;
}

void fore_cli_replay_release(struct fore_cli_replay *r)
{
    fore_strbuf_release(&r->outcome);
}

static void enter_replay(struct fore_findings *f, struct fore_finding *x,
                         const struct fore_cli_replay *r)
{
    if (!r->confirmed) {
        if (r->done < r->steps)
            fore_finding_fact(
                f, x, "replayed",
                "the program departed from the witness after %u of %u steps", r->done,
                r->steps);
        return;
    }
    fore_finding_happened(x, FORE_VERDICT_CONFIRMED);
    fore_finding_fact(
        f, x, "confirmed",
        "run again on the schedule of the witness (%u step%s), the program did it%s",
        r->steps, r->steps == 1 ? "" : "s",
        r->status == STUCK     ? "; it ended with every process waiting"
        : r->status == ABORTED ? "; it panicked"
                               : "");
    if (r->seed)
        fore_finding_fact(f, x, "seed", "%u, for what comes after the witness", r->seed);
    for (const char *at = r->outcome.at; *at;) {
        size_t n = strcspn(at, "\n");
        fore_finding_fact(f, x, "then", "%.*s", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

enum fore_status fore_replay_finding(struct fore_findings *f, struct fore_finding *x,
                                     char *const *argv, bool silent, double seconds,
                                     struct fore_cli_replay *r, struct fore_err *e)
{
    FORE_TRY(replay_schedule(r, x, argv, silent, seconds, e));
    enter_replay(f, x, r);
    return FORE_OK;
}
