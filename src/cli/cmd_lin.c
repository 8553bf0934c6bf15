#include "cli/cli.h"
#include "cli/verbs.h"

#include "analysis/linear/linear.h"
#include "base/progress.h"
#include "history/format.h"
#include "history/user.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct fore_option options[] = {
    {"object", 0, "M",
     "the object that the operations belong to (default: inferred from their names)"},
    {"init", 0, "V", "the initial value (default: as the object and the format have it)"},
    {"call-time", 0, "S",
     "seconds that one call of a shared object may take (default 5)"},
    {"criterion", 0, "C", "linearizable (default) or sequential"},
    {"input", 0, "FORMAT",
     "the format: jepsen, kv, edn, jsonl or trace (default: inferred from the content)"},
    {"witness", 0, NULL, "show an order that explains the results"},
    {"general", 0, NULL,
     "use only the general search, not the faster ones for certain objects"},
    {"max-configs", 0, "N", "give up on a part of a history after N configurations"},
    {NULL, 0, NULL, NULL},
};

/* One history: read, checked, and what went wrong. */
struct history_job {
    const char *path;
    struct fore_linear linear;
    enum fore_status status;
    struct fore_err err;
    const char *spent; /* while it was read: that is no error */
};

struct lin {
    struct fore_cli *c;
    struct fore_lin_options o;
    const struct fore_model *model;
    const struct fore_history_format *format;
    struct history_job *jobs;
    size_t n;
    atomic_size_t next;
};

static enum fore_status read_and_check(const struct lin *l, struct history_job *j)
{
    uint64_t start = fore_now_ns();
    struct fore_budget budget = l->c->budget;
    enum fore_status s = fore_history_load_within(&j->linear.h, j->path, l->model,
                                                  l->format, &budget, &j->err);
    j->spent = s == FORE_OK ? NULL : budget.spent;
    FORE_TRY(s);
    j->linear.parse_ns = fore_now_ns() - start;
    return fore_linear_check(&j->linear, &l->o, &j->err);
}

static void *work_on_jobs(void *arg)
{
    struct lin *l = arg;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;)
        l->jobs[i].status = read_and_check(l, &l->jobs[i]);
    return NULL;
}

/* Several histories at once; or the parts of one at once. */
static void run_jobs(struct lin *l)
{
    unsigned threads = l->c->jobs ? l->c->jobs : 1;
    pthread_t *others = fore_calloc(threads, sizeof *others);
    size_t started = 0;
    l->o.jobs = l->n > 1 ? 1 : threads;
    l->o.limits.max_bytes = l->c->budget.max_bytes / (l->n < threads ? l->n : threads);
    while (started + 1 < threads && started + 1 < l->n &&
           !pthread_create(&others[started], NULL, work_on_jobs, l))
        started++;
    work_on_jobs(l);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    fore_free(others);
}

static int report_histories(struct lin *l, struct fore_err *e)
{
    struct fore_findings f;
    FORE_VEC(const struct fore_linear *) good = {0};
    struct fore_err first = {0};
    size_t unread = 0;
    fore_findings_init(&f);
    for (size_t i = 0; i < l->n; i++) {
        struct history_job *j = &l->jobs[i];
        if (j->spent) {
            fore_findings_incomplete(&f, "%s: %s spent while it was read", j->path,
                                     j->spent);
            unread++;
            continue;
        }
        if (j->status != FORE_OK) {
            char text[1200];
            fore_err_format(&j->err, text, sizeof text);
            if (first.status != FORE_OK)
                fore_cli_say(l->c, "%s", text);
            else
                first = j->err;
            continue;
        }
        fore_vec_push(&f.traces,
                      (struct fore_trace_summary){
                          fore_arena_strdup(&f.arena, j->path), j->linear.h.events,
                          j->linear.h.processes.n, 0, false, NULL});
        fore_linear_report(&j->linear, fore_params_has(&l->c->params, "witness"), &f);
        fore_vec_push(&good, &j->linear);
    }
    fore_linear_stats(good.at, good.n, &f);
    int status = FORE_EXIT_OK;
    if (good.n || unread)
        status = fore_cli_finish(l->c, &f, e);
    if (first.status != FORE_OK) {
        *e = first;
        status = FORE_EXIT_ERROR;
    }
    fore_vec_release(&good);
    fore_findings_release(&f);
    return status;
}

static int check_all(struct lin *l, struct fore_err *e)
{
    l->n = l->c->words.v.n;
    l->jobs = fore_calloc(l->n, sizeof *l->jobs);
    for (size_t i = 0; i < l->n; i++)
        l->jobs[i].path = l->c->words.v.at[i];
    fore_progress_start(&l->c->progress, l->c->progress_mode, "checking");
    run_jobs(l);
    fore_progress_finish(&l->c->progress);
    int status = report_histories(l, e);
    for (size_t i = 0; i < l->n; i++)
        fore_linear_release(&l->jobs[i].linear);
    fore_free(l->jobs);
    return status;
}

static enum fore_status set_up(struct lin *l, struct fore_user_model *user,
                               struct fore_err *e)
{
    const struct fore_params *p = &l->c->params;
    const char *object = fore_params_text(p, "object", NULL);
    const char *input = fore_params_text(p, "input", NULL);
    unsigned criterion;
    if (!l->c->words.v.n)
        return fore_fail(
            e, FORE_USAGE,
            "lin needs a history: foresee lin history.edn --object register");
    FORE_TRY(
        fore_params_choice(p, "criterion", "linearizable|sequential", 0, &criterion, e));
    FORE_TRY(fore_params_u64(p, "max-configs", 0, &l->o.limits.max_configs, e));
    if (object)
        FORE_TRY(fore_model_named(object, user, &l->model, e));
    l->format = input ? fore_history_format_named(input) : NULL;
    if (input && !l->format)
        return fore_fail(e, FORE_USAGE,
                         "--input: '%s' is none of jepsen, kv, edn, jsonl, trace", input);
    l->o.criterion = (enum fore_criterion)criterion;
    l->o.init = fore_params_text(p, "init", NULL);
    l->o.limits.budget = l->c->budget;
    l->o.general_only = fore_params_has(p, "general");
    l->o.keep_orders = fore_params_has(p, "witness");
    return FORE_OK;
}

static int run_lin(struct fore_cli *c, struct fore_err *e)
{
    struct lin l = {.c = c};
    struct fore_user_model user = {.beat = c->budget.beat};
    if (set_up(&l, &user, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    atomic_init(&l.next, 0);
    int status = check_all(&l, e);
    fore_user_model_release(&user);
    return status;
}

const struct fore_verb fore_verb_lin = {
    .name = "lin",
    .summary = "is a recorded history linearizable?",
    .usage = "HISTORY... [--object M] [--init V] [--criterion C]",
    .details =
        "Reads histories of operations (Jepsen's logs, Knossos' EDN, Porcupine's kv "
        "logs,\n"
        "JSON lines, or the trace notation's invoke and return; - is standard input) "
        "and\n"
        "looks for an order of the operations that the object allows and that keeps "
        "real\n"
        "time. M is register, cas-register, kv, counter, set, multiset, queue, stack,\n"
        "pqueue, mutex, log, or the path of a shared object (foresee/model.h). set-full "
        "and\n"
        "counter are Jepsen's objects of these names. foresee checks every file, also "
        "after one "
        "that it\n"
        "cannot read. Exits with 0 if all histories are linearizable, 1 if one is not, 3 "
        "if\n"
        "foresee could not find out within the limits, 2 if it could not read one.",
    .examples = "foresee lin etcd.log --object cas-register\n"
                "foresee lin run1.edn run2.edn --object register --init 0\n"
                "foresee lin kv.jsonl --object kv --criterion sequential --max-time 10",
    .options = options,
    .runs_objects = true,
    .finds = true,
    .run = run_lin,
};
