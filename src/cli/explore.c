#include "cli/explore.h"

#include "cli/explore_nodes.h"
#include "node/system.h"

#include "base/jsonw.h"
#include "explore/script.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *mode_of(const struct fore_session_row *r)
{
    return r->compat ? "compat" : "sound";
}

static double percent(uint64_t a, uint64_t b)
{
    return b ? 100.0 * (double)a / (double)b : 0;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* The time it would have taken if every schedule had begun at the start. */
static uint64_t stateless_ns(const struct fore_session_row *r)
{
    double share =
        r->row.steps ? (double)r->row.stateless_steps / (double)r->row.steps : 1;
    return (uint64_t)((double)r->row.ns * (share < 1 ? 1 : share));
}

static uint64_t search_ns(const struct fore_session_row *r)
{
    return r->row.ns > r->check_ns ? r->row.ns - r->check_ns : 0;
}

/* 4200 -> "4,200" */
static void print_thousands(char *out, size_t size, uint64_t v)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
    size_t k = 0;
    for (int i = 0; i < n && k + 2 < size; i++) {
        if (i && (n - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = '\0';
}

enum metric_unit { COUNT, PERCENT, SECONDS };

struct metric {
    const char *label;
    enum metric_unit unit;
    bool stateful; /* shown also (or only, if `only`) for the stateful search */
    bool only;
};

enum {
    M_S,
    M_IH,
    M_UH,
    M_NL,
    M_NLUH,
    M_UHS,
    M_NLS,
    M_CLASSES,
    M_VIOLATING,
    M_STATES,
    M_TRANSITIONS,
    M_RENAMINGS,
    M_WALKS,
    M_ON_DISK,
    M_PROCESS_STEPS,
    M_AGAIN,
    M_PROCESSES,
    M_COPIES,
    M_TS,
    M_ST,
    M_TC,
    M_TT,
    M_HF,
    M_TF,
    METRICS
};

static const struct metric metrics[METRICS] = {
    [M_S] = {"#S   schedules", COUNT, false, false},
    [M_IH] = {"#IH  incomplete histories", COUNT, false, false},
    [M_UH] = {"#UH  unique histories", COUNT, false, false},
    [M_NL] = {"#NL  not linearizable", COUNT, false, false},
    [M_NLUH] = {"NL/UH", PERCENT, false, false},
    [M_UHS] = {"UH/S", PERCENT, false, false},
    [M_NLS] = {"NL/S", PERCENT, false, false},
    [M_CLASSES] = {"history classes", COUNT, false, false},
    [M_VIOLATING] = {"violating classes", COUNT, false, false},
    [M_STATES] = {"states", COUNT, true, true},
    [M_TRANSITIONS] = {"transitions", COUNT, true, true},
    [M_RENAMINGS] = {"symmetric renamings", COUNT, true, true},
    [M_WALKS] = {"walks beside it", COUNT, true, true},
    [M_ON_DISK] = {"bytes on disk", COUNT, true, true},
    [M_PROCESS_STEPS] = {"steps of processes", COUNT, true, false},
    [M_AGAIN] = {"of them, done again", COUNT, true, false},
    [M_PROCESSES] = {"processes started", COUNT, true, false},
    [M_COPIES] = {"copies of them made", COUNT, true, false},
    [M_TS] = {"TS   time of the search", SECONDS, true, false},
    [M_ST] = {"ST   time without snapshots", SECONDS, false, false},
    [M_TC] = {"TC   time of the checks", SECONDS, false, false},
    [M_TT] = {"TT   time in all", SECONDS, true, false},
    [M_HF] = {"#HF  schedules before a bug", COUNT, false, false},
    [M_TF] = {"TF   time to the first bug", SECONDS, true, false},
};

static uint64_t count_of(const struct fore_session_row *r, int m)
{
    switch (m) {
    case M_S:
        return r->row.schedules;
    case M_IH:
        return r->row.incomplete;
    case M_UH:
        return r->unique;
    case M_NL:
        return r->broken;
    case M_CLASSES:
        return r->history_classes;
    case M_VIOLATING:
        return r->violating_classes;
    case M_STATES:
        return r->row.states;
    case M_TRANSITIONS:
        return r->row.transitions;
    case M_RENAMINGS:
        return r->row.renamings;
    case M_WALKS:
        return r->row.walks;
    case M_ON_DISK:
        return r->row.on_disk;
    case M_PROCESS_STEPS:
        return r->process_steps;
    case M_AGAIN:
        return r->process_steps_again;
    case M_PROCESSES:
        return r->processes;
    case M_COPIES:
        return r->copies;
    default:
        return r->row.first_bug ? r->row.first_bug - 1 : 0;
    }
}

static double percent_of(const struct fore_session_row *r, int m)
{
    return m == M_NLUH  ? percent(r->broken, r->unique)
           : m == M_UHS ? percent(r->unique, r->row.schedules)
                        : percent(r->broken, r->row.schedules);
}

static uint64_t time_of(const struct fore_session_row *r, int m)
{
    return m == M_TS   ? search_ns(r)
           : m == M_ST ? stateless_ns(r)
           : m == M_TC ? r->check_ns
           : m == M_TT ? r->row.ns
                       : r->row.first_bug_ns;
}

static bool column_applies(const struct fore_session_row *r, int m)
{
    if ((m == M_HF && !r->row.first_bug) || (m == M_TF && !r->row.first_bug_ns) ||
        (m == M_RENAMINGS && r->row.renamings < 2) || (m == M_WALKS && !r->row.walks) ||
        (m == M_ON_DISK && !r->row.on_disk) ||
        (m >= M_PROCESS_STEPS && m <= M_COPIES && !r->processes))
        return false;
    return r->crossed ? metrics[m].stateful : !metrics[m].only;
}

static void write_cell(const struct fore_session_row *r, int m, char *out, size_t size)
{
    if (!column_applies(r, m))
        snprintf(out, size, "-");
    else if (metrics[m].unit == COUNT)
        print_thousands(out, size, count_of(r, m));
    else if (metrics[m].unit == PERCENT)
        snprintf(out, size, "%.2f%%", percent_of(r, m));
    else
        snprintf(out, size, "%.3f s", seconds(time_of(r, m)));
}

#define ODDS_WORTH_A_WORD 1e-6

/* The probability that two different states had the same fingerprint, so that one of them was
 * not explored: at most pairs of states / values of a fingerprint. */
static double collision_odds(const struct fore_session_row *r)
{
    double n = (double)r->row.states;
    return ldexp(n * (n - 1) / 2, r->row.wide ? -128 : -64);
}

/* In a job: tells which schedulers one rank alone runs, and why. */
static void remark_one_rank(const struct fore_session *x, struct fore_findings *f)
{
    struct fore_strbuf names = FORE_STRBUF_INIT;
    size_t n = 0;
    for (size_t i = 0; x->mpi && i < x->scheduler_count; i++)
        if (!fore_scheduler_talks(x->schedulers[i], &x->options) &&
            !fore_scheduler_deals(x->schedulers[i], &x->options))
            fore_strbuf_printf(&names, "%s%s", n++ ? ", " : "", x->schedulers[i]->name);
    if (n)
        fore_findings_remark(
            f,
            "%s: explored by one process of the job%s%s, because what comes next depends "
            "on what came before%s",
            names.at, n > 1 ? " each" : "", n > 1 ? ", several at once" : "",
            x->options.compat          ? " (--ds2-compat)"
            : x->options.max_schedules ? " (--max-schedules)"
                                       : "");
    fore_strbuf_release(&names);
}

void fore_explore_remarks(const struct fore_session *x,
                          const struct fore_session_result *r, struct fore_findings *f)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    if (!r->rows.n)
        return;
    fore_strbuf_printf(&line, "%s %s, %s", x->subject.system_name,
                       x->subject.harness_name, mode_of(&r->rows.at[0]));
    fore_findings_remark(f, "%s", line.at);
    fore_strbuf_clear(&line);
    fore_strbuf_printf(&line, "%-27s", "");
    for (size_t i = 0; i < r->rows.n; i++)
        fore_strbuf_printf(&line, "%11s", r->rows.at[i].scheduler->name);
    fore_findings_remark(f, "%s", line.at);
    for (int m = 0; m < METRICS; m++) {
        bool any = false;
        fore_strbuf_clear(&line);
        fore_strbuf_printf(&line, "%-27s", metrics[m].label);
        for (size_t i = 0; i < r->rows.n; i++) {
            char text[32];
            write_cell(&r->rows.at[i], m, text, sizeof text);
            any |= column_applies(&r->rows.at[i], m);
            fore_strbuf_printf(&line, "%11s", text);
        }
        if (any)
            fore_findings_remark(f, "%s", line.at);
    }
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].crossed && collision_odds(&r->rows.at[i]) > ODDS_WORTH_A_WORD)
            fore_findings_remark(f,
                                 "%s: foresee took two states for one with a probability "
                                 "of %.1g (next to 0 with --fingerprint 128)",
                                 r->rows.at[i].scheduler->name,
                                 collision_odds(&r->rows.at[i]));
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].hint)
            fore_findings_remark(f, "hint: %s", r->rows.at[i].hint);
    remark_one_rank(x, f);
    if (r->rows.at[0].no_copy && !r->rows.at[0].copies)
        fore_findings_remark(f,
                             "%s %s, so its processes are not copied but led again from "
                             "the start",
                             x->subject.system_name, r->rows.at[0].no_copy);
    fore_strbuf_release(&line);
}

static const char *const json_keys[METRICS] = {
    [M_S] = "S",
    [M_IH] = "IH",
    [M_UH] = "UH",
    [M_NL] = "NL",
    [M_NLUH] = "NL_UH",
    [M_UHS] = "UH_S",
    [M_NLS] = "NL_S",
    [M_CLASSES] = "history_classes",
    [M_VIOLATING] = "violating_classes",
    [M_STATES] = "states",
    [M_TRANSITIONS] = "transitions",
    [M_RENAMINGS] = "renamings",
    [M_WALKS] = "walks",
    [M_ON_DISK] = "bytes_on_disk",
    [M_PROCESS_STEPS] = "process_steps",
    [M_AGAIN] = "process_steps_again",
    [M_PROCESSES] = "processes",
    [M_COPIES] = "copies",
    [M_TS] = "TS",
    [M_ST] = "ST",
    [M_TC] = "TC",
    [M_TT] = "TT",
    [M_HF] = "HF",
    [M_TF] = "TF",
};

static void json_row(const struct fore_session *x, const struct fore_session_row *r,
                     struct fore_jsonw *w)
{
    fore_jsonw_open(w, NULL, '{');
    fore_jsonw_text(w, "system", x->subject.system_name);
    fore_jsonw_text(w, "harness", x->subject.harness_name);
    fore_jsonw_text(w, "scheduler", r->scheduler->name);
    fore_jsonw_text(w, "mode", mode_of(r));
    for (int m = 0; m < METRICS; m++) {
        if (!column_applies(r, m) && !(m == M_HF || m == M_TF))
            continue;
        if (!column_applies(r, m))
            fore_jsonw_null(w, json_keys[m]);
        else if (metrics[m].unit == COUNT)
            fore_jsonw_u64(w, json_keys[m], count_of(r, m));
        else
            fore_jsonw_real(w, json_keys[m],
                            metrics[m].unit == PERCENT ? percent_of(r, m) / 100
                                                       : seconds(time_of(r, m)));
    }
    if (r->crossed) {
        fore_jsonw_u64(w, "fingerprint_bits", r->row.wide ? 128 : 64);
        fore_jsonw_real(w, "collision_odds", collision_odds(r));
    } else {
        fore_jsonw_u64(w, "redundant", r->row.redundant);
        fore_jsonw_u64(w, "class_fingerprint", r->class_fingerprint);
    }
    fore_jsonw_u64(w, "steps", r->row.steps);
    fore_jsonw_bool(w, "exhausted", !r->bound);
    fore_jsonw_text(w, "bound", r->bound);
    if (r->hint)
        fore_jsonw_text(w, "hint", r->hint);
    if (r->no_copy)
        fore_jsonw_text(w, "no_copy", r->no_copy);
    fore_jsonw_close(w, '}');
}

void fore_explore_stats(const struct fore_session *x, const struct fore_session_result *r,
                        struct fore_findings *f)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    fore_jsonw_init(&w, &text);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_open(&w, "table", '[');
    for (size_t i = 0; i < r->rows.n; i++)
        json_row(x, &r->rows.at[i], &w);
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_findings_stats(f, "explore", text.at);
    fore_strbuf_release(&text);
}

void fore_explore_findings(struct fore_session_result *r, struct fore_findings *f)
{
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].bound)
            fore_findings_incomplete(f, "%s: %s", r->rows.at[i].scheduler->name,
                                     r->rows.at[i].bound);
    fore_findings_join(f, &r->findings);
}

int fore_explore_told(struct fore_cli *c, const struct fore_session_result *r,
                      struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    fore_strbuf_puts(&out, r->told);
    enum fore_status s = fore_cli_write_lines(c, &out, e);
    fore_strbuf_release(&out);
    bool found = r->rows.n && (r->rows.at[0].broken || r->rows.at[0].row.incomplete);
    return s != FORE_OK ? FORE_EXIT_ERROR : found ? FORE_EXIT_FINDINGS : FORE_EXIT_OK;
}

/* --gdb=n2, --dlv=n2: one node is debugged, in its last step. */
static enum fore_status choose_debugger(struct fore_cli *c, struct fore_session *x,
                                        struct fore_err *e)
{
    static const char *const known[][2] = {{"gdb", "FORESEE_GDB"},
                                           {"dlv", "FORESEE_DLV"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *node = fore_params_text(&c->params, known[i][0], NULL);
        const char *command = getenv(known[i][1]);
        char *end = NULL;
        if (!node)
            continue;
        x->debug_node = *node == 'n' ? strtoll(node + 1, &end, 10) : 0;
        if (x->debug_node < 1 || *end || strcmp(x->subject.system, FORE_NODES_NAME) != 0)
            return fore_fail(e, FORE_USAGE,
                             "--%s=NODE debugs one of the nodes of 'foresee explore "
                             "--nodes': n1, n2, ...",
                             known[i][0]);
        x->debugger = command ? command : known[i][0];
        x->handler_seconds = 1e6; /* people think */
        signal(SIGINT, SIG_IGN);  /* it is the debugger's */
    }
    return FORE_OK;
}

int fore_explore_replay(struct fore_cli *c, const char *name, const char *trace,
                        struct fore_err *e)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_script script;
    struct fore_session x = {.script_file = name, .script = trace, .handler_seconds = 5};
    struct fore_session_result r = {.told = ""};
    int status = FORE_EXIT_ERROR;
    enum fore_status s = fore_script_read(&script, name, trace, strlen(trace), e);
    if (s == FORE_OK)
        s = fore_system_find(&a, script.system, script.harness, &x.subject, e);
    if (s == FORE_OK)
        s = choose_debugger(c, &x, e);
    char folder[64] = "";
    if (s == FORE_OK)
        fore_nodes_folder_make(folder);
    if (s == FORE_OK) {
        x.options.budget = c->budget;
        s = fore_session_run(&x, &c->progress, &r, e);
    }
    if (s == FORE_OK)
        status = fore_explore_told(c, &r, e);
    fore_nodes_folder_remove(folder);
    fore_session_release(&r);
    fore_script_release(&script);
    fore_arena_release(&a);
    return status;
}
