#include "cli/cli.h"
#include "cli/live.h"
#include "cli/ranks.h"
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
    FORE_RANKS_OPTION,
    {NULL, 0, NULL, NULL},
};

/* One history: read, checked, and what went wrong. */
struct history_job {
    const char *path;
    struct fore_linear linear;
    bool own;                /* this rank checks it, or a part of it */
    struct fore_parcel told; /* what is to be reported, except the summary */
    struct fore_linear_summary sum;
    size_t turn; /* the turn in which it was found to fail */
    /* the limit that was reached while it was read, which is no error */
    const char *spent;
};

struct lin {
    struct fore_cli *c;
    struct fore_lin_options o;
    const struct fore_model *model;
    const struct fore_history_format *format;
    struct history_job *jobs;
    size_t n;
    atomic_size_t next;
    struct fore_ranks ranks;
    bool shared; /* ranks share the parts of the only history */
};

static enum fore_status read_and_check(const struct lin *l, struct history_job *j)
{
    uint64_t start = fore_now_ns();
    struct fore_budget budget = l->c->budget;
    enum fore_status s = fore_history_load_within(&j->linear.h, j->path, l->model,
                                                  l->format, &budget, &j->told.err);
    j->spent = s == FORE_OK ? NULL : fore_spent_text(budget.spent);
    FORE_TRY(s);
    j->linear.parse_ns = fore_now_ns() - start;
    return fore_linear_check(&j->linear, &l->o, &j->told.err);
}

/* Fills in what is to be reported of it. */
static void tell_job(const struct lin *l, struct history_job *j)
{
    struct fore_findings *f = &j->told.found;
    if (j->spent || j->told.err.status != FORE_OK)
        return;
    j->sum = fore_linear_sum(&j->linear);
    j->turn = j->linear.result.turn;
    fore_vec_push(&f->traces,
                  (struct fore_trace_summary){fore_arena_strdup(&f->arena, j->path),
                                              j->linear.h.events, j->linear.h.processes.n,
                                              0, false, NULL});
    fore_linear_find(&j->linear, f);
    if (l->o.keep_orders)
        fore_linear_order(&j->linear, f);
}

static void *work_on_jobs(void *arg)
{
    struct lin *l = arg;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;)
        if (l->jobs[i].own) {
            (void)!read_and_check(l, &l->jobs[i]);
            tell_job(l, &l->jobs[i]);
        }
    return NULL;
}

/* Checks several histories at once; or the parts of one at once. */
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

/* In the order of the command line. */
static int report_histories(struct lin *l, struct fore_err *e)
{
    struct fore_findings f;
    FORE_VEC(struct fore_linear_summary) good = {0};
    struct fore_err first = {0};
    size_t unread = 0;
    fore_findings_init(&f);
    for (size_t i = 0; i < l->n; i++) {
        struct history_job *j = &l->jobs[i];
        if (j->spent) {
            fore_findings_incomplete(&f, "%s: %s spent while it was read", j->path,
                                     j->spent);
            unread++;
        } else if (j->told.err.status == FORE_OK) {
            fore_vec_push(&f.traces, fore_vec_last(&j->told.found.traces));
            fore_linear_remark(&j->sum, &f);
            fore_findings_join(&f, &j->told.found);
            fore_vec_push(&good, j->sum);
        } else if (first.status != FORE_OK) {
            char text[1200];
            fore_err_format(&j->told.err, text, sizeof text);
            fore_cli_say(l->c, "%s", text);
        } else {
            first = j->told.err;
        }
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

static void send_job(struct lin *l, const struct history_job *j)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &text);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "spent", j->spent);
    fore_jsonw_u64(&w, "turn", j->turn);
    fore_jsonw_text(&w, "name", j->sum.name);
    fore_jsonw_text(&w, "object", j->sum.object);
    fore_jsonw_text(&w, "bound", j->sum.bound);
    fore_jsonw_u64(&w, "verdict", j->sum.verdict);
    fore_jsonw_u64(&w, "operations", j->sum.operations);
    fore_jsonw_u64(&w, "partitions", j->sum.partitions);
    fore_jsonw_u64(&w, "special", j->sum.special);
    fore_jsonw_u64(&w, "configs", j->sum.configs);
    fore_jsonw_u64(&w, "parse_ns", j->sum.parse_ns);
    fore_jsonw_u64(&w, "search_ns", j->sum.search_ns);
    fore_jsonw_close(&w, '}');
    fore_ranks_send(&l->ranks, &j->told, text.at);
    fore_strbuf_release(&text);
}

static uint64_t number_of(const struct fore_json *o, const char *key)
{
    return (uint64_t)fore_json_int(fore_json_get(o, key), 0);
}

/* Texts stay in the arena that the parcel came with. */
static const char *text_or_null(const struct fore_json *o, const char *key)
{
    const char *text = fore_json_text(fore_json_get(o, key));
    return text[0] ? text : NULL;
}

static struct history_job receive_job(const struct lin *l, const struct fore_parcel *p)
{
    const struct fore_json *o = p->more;
    return (struct history_job){
        .told = *p,
        .turn = number_of(o, "turn"),
        .spent = text_or_null(o, "spent"),
        .sum = {.name = text_or_null(o, "name"),
                .object = text_or_null(o, "object"),
                .bound = text_or_null(o, "bound"),
                .criterion = l->o.criterion,
                .verdict = (enum fore_lin)number_of(o, "verdict"),
                .operations = number_of(o, "operations"),
                .partitions = number_of(o, "partitions"),
                .special = number_of(o, "special"),
                .configs = number_of(o, "configs"),
                .parse_ns = number_of(o, "parse_ns"),
                .search_ns = number_of(o, "search_ns")},
    };
}

/* Merges several shares: the finding of the earliest turn counts, as if one process had checked
 * them all. */
static void take_in(struct history_job *j, struct history_job *new)
{
    if (!j->own) { /* the whole file */
        fore_findings_release(&j->told.found);
        j->told = new->told;
        j->sum = new->sum;
        j->spent = new->spent;
        return;
    }
    struct fore_findings *f = &j->told.found, *from = &new->told.found;
    if (j->told.err.status == FORE_OK && !j->spent) {
        bool ours = f->list.n && (!from->list.n || j->turn < new->turn);
        bool theirs = from->list.n && !ours;
        if (theirs) {
            for (size_t i = 0; i < f->list.n; i++)
                fore_finding_release(f->list.at[i]);
            f->list.n = 0;
            j->turn = new->turn;
        } else {
            for (size_t i = 0; i < from->list.n; i++)
                fore_finding_release(from->list.at[i]);
            from->list.n = 0;
        }
        j->told.err = new->told.err;
        j->spent = new->spent;
        if (!j->spent && j->told.err.status == FORE_OK)
            fore_linear_add(&j->sum, &new->sum);
    }
    fore_findings_join(f, from); /* and with it its texts */
}

/* On rank 0: gathers the results of the others. */
static enum fore_status gather_jobs(struct lin *l, struct fore_err *e)
{
    size_t left = l->shared ? l->ranks.ranks - 1 : 0;
    for (size_t i = 0; i < l->n; i++)
        left += !l->jobs[i].own;
    for (; left; left--) {
        struct fore_parcel p;
        enum fore_status s = fore_ranks_receive(&l->ranks, &p, e);
        if (s != FORE_OK || p.file >= l->n) {
            fore_findings_release(&p.found);
            return s;
        }
        struct history_job new = receive_job(l, &p);
        take_in(&l->jobs[p.file], &new);
    }
    return FORE_OK;
}

static void start_jobs(struct lin *l)
{
    l->n = l->c->words.v.n;
    l->jobs = fore_calloc(l->n, sizeof *l->jobs);
    l->shared = l->ranks.ranks > 1 && l->n == 1 && !l->o.keep_orders &&
                l->o.criterion == FORE_LINEARIZABLE &&
                !fore_cli_is_live(l->c->words.v.at[0]);
    if (l->shared) {
        l->o.share = l->ranks.rank;
        l->o.shares = l->ranks.ranks;
    }
    for (size_t i = 0; i < l->n; i++) {
        struct history_job *j = &l->jobs[i];
        j->path = l->c->words.v.at[i];
        j->own = l->shared || fore_ranks_mine(&l->ranks, j->path, i);
        j->told.file = i;
        fore_findings_init(&j->told.found);
    }
}

static int check_all(struct lin *l, struct fore_err *e)
{
    int status = FORE_EXIT_OK;
    start_jobs(l);
    fore_progress_start(&l->c->progress, l->c->progress_mode, "checking");
    run_jobs(l);
    if (l->ranks.rank) {
        for (size_t i = 0; i < l->n; i++)
            if (l->jobs[i].own)
                send_job(l, &l->jobs[i]);
    } else if (gather_jobs(l, e) != FORE_OK) {
        status = FORE_EXIT_ERROR;
    } else {
        fore_progress_finish(&l->c->progress);
        status = report_histories(l, e);
    }
    fore_progress_finish(&l->c->progress);
    for (size_t i = 0; i < l->n; i++) {
        fore_linear_release(&l->jobs[i].linear);
        fore_findings_release(&l->jobs[i].told.found);
    }
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
    int status = FORE_EXIT_ERROR;
    if (fore_ranks_join(c, &l.ranks, e) == FORE_OK)
        status = check_all(&l, e);
    fore_ranks_leave(&l.ranks);
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
        "counter are Jepsen's objects of these names. foresee checks every file, also\n"
        "after one that it cannot read. Exits with 0 if all histories are linearizable, "
        "1\n"
        "if one is not, 3 if foresee could not find out within the limits, 2 if it "
        "could\n"
        "not read one. Processes that mpirun has started share the files, or the keys "
        "of\n"
        "the only one.",
    .examples = "foresee lin etcd.log --object cas-register\n"
                "foresee lin run1.edn run2.edn --object register --init 0\n"
                "foresee lin kv.jsonl --object kv --criterion sequential --max-time 10\n"
                "mpirun -n 8 foresee lin *.edn --object cas-register",
    .options = options,
    .runs_objects = true,
    .finds = true,
    .run = run_lin,
};
