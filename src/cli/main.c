#include "cli/cli.h"
#include "cli/next.h"
#include "cli/supervise.h"

#include "base/version.h"
#include "explore/mpi.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define VERSION "foresee " FORE_VERSION

static volatile sig_atomic_t interrupted;

/* The first interrupt asks for what was found so far, the second ends at once. One that comes right after the first is
 * the same: timeout(1) sends it to foresee, and to its process group. */
static void on_interrupt(int signal_number)
{
    enum { SAME_NS = 300000000 };
    static uint64_t first_ns;
    uint64_t now = fore_now_ns();
    if (interrupted && now - first_ns > SAME_NS)
        _exit(128 + signal_number);
    if (interrupted)
        return;
    first_ns = now;
    interrupted = signal_number;
}

static void print_error(const struct fore_err *e)
{
    char text[2048];
    struct fore_strbuf lines = FORE_STRBUF_INIT;
    fore_err_format(e, text, sizeof text);
    fore_strbuf_lines(&lines, text, strlen(text));
    fprintf(stderr, "foresee: %s\n", lines.at);
    fore_strbuf_release(&lines);
}

static unsigned terminal_width(void)
{
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0)
        return (unsigned)atoi(columns);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col)
        return w.ws_col;
    return 100;
}

/* Megabytes, or a size with its unit. */
static enum fore_status take_memory(const struct fore_params *p, uint64_t *megabytes,
                                    struct fore_err *e)
{
    const char *text = fore_params_text(p, "max-mem", "0");
    char *end;
    errno = 0;
    *megabytes = strtoull(text, &end, 10);
    bool giga = *end == 'G' || *end == 'g', mega = *end == 'M' || *end == 'm';
    if (errno || text[0] < '0' || text[0] > '9' || end[giga || mega])
        return fore_fail(e, FORE_USAGE,
                         "--max-mem takes megabytes, or a size like 512M or 4G, not '%s'",
                         text);
    uint64_t most = SIZE_MAX >> (giga ? 30 : 20);
    if (*megabytes > most)
        return fore_fail(e, FORE_USAGE, "--max-mem takes at most %zu megabytes",
                         SIZE_MAX >> 20);
    *megabytes <<= giga ? 10 : 0;
    return FORE_OK;
}

static enum fore_status take_limits(struct fore_cli *c, struct fore_err *e)
{
    double seconds;
    uint64_t megabytes, jobs, now = fore_now_ns();
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    FORE_TRY(fore_params_double(&c->params, "max-time", 0, &seconds, e));
    FORE_TRY(take_memory(&c->params, &megabytes, e));
    FORE_TRY(fore_params_u64(&c->params, "seed", 1, &c->seed, e));
    FORE_TRY(fore_params_u64(&c->params, "jobs",
                             processors > 0 ? (uint64_t)processors : 1, &jobs, e));
    if (jobs < 1 || jobs > 1024)
        return fore_fail(e, FORE_USAGE, "--jobs takes a number from 1 to 1024");
    c->jobs = (unsigned)jobs;
    c->budget.interrupted = &interrupted;
    if (seconds > 0 && seconds < (double)(UINT64_MAX - now) / 1e9) /* else: never */
        c->budget.deadline_ns = now + (uint64_t)(seconds * 1e9);
    /* Without --max-mem, three quarters of the machine: unknown is better than a killed process. */
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    c->budget.max_bytes = megabytes               ? (size_t)megabytes << 20
                          : pages > 0 && page > 0 ? (size_t)pages / 4 * 3 * (size_t)page
                                                  : 0;
    return FORE_OK;
}

static enum fore_status take_output(struct fore_cli *c, struct fore_err *e)
{
    enum { MOST_STEPS = 20 }; /* of a run that is reported; `show` prints more */
    unsigned color, progress;
    const char *format = fore_params_text(&c->params, "format", "text");
    const char *no_color = getenv("NO_COLOR");
    FORE_TRY(fore_params_choice(&c->params, "color", "auto|always|never", 0, &color, e));
    FORE_TRY(
        fore_params_choice(&c->params, "progress", "auto|plain|none", 0, &progress, e));
    if (fore_params_has(&c->params, "json"))
        format = "json";
    c->reporter = fore_reporter_named(format);
    if (!c->reporter)
        return fore_fail(
            e, FORE_USAGE,
            "--format takes text, json, sarif, junit, github or test2json, not '%s'",
            format);
    c->output = fore_params_text(&c->params, "output", NULL);
    if (c->output && strcmp(c->output, "-") == 0)
        c->output = NULL;
    c->quiet = fore_params_has(&c->params, "quiet");
    c->verbose = fore_params_has(&c->params, "verbose");
    uint32_t rank; /* mpirun passes on what it is told: its terminals are none */
    bool passed_on = fore_mpi_started_by(&rank) != NULL;
    bool terminal =
        !c->output && isatty(STDOUT_FILENO) && !(no_color && *no_color) && !passed_on;
    c->report = (struct fore_report_options){
        .color = color == 1 || (color == 0 && terminal),
        .width = terminal_width(),
        .full = fore_params_has(&c->params, "full"),
        .notation = fore_params_has(&c->params, "notation"),
        .all = fore_params_has(&c->params, "all") || fore_cli_names_notes(c),
        .notes = fore_params_has(&c->params, "notes"),
        .quiet = c->quiet,
        .most_steps = MOST_STEPS,
    };
    c->progress_mode = progress == 1                         ? FORE_PROGRESS_PLAIN
                       : progress == 2 || c->quiet           ? FORE_PROGRESS_NONE
                       : isatty(STDERR_FILENO) && !passed_on ? FORE_PROGRESS_LIVE
                                                             : FORE_PROGRESS_NONE;
    return FORE_OK;
}

static enum fore_status take_options(struct fore_cli *c, struct fore_err *e)
{
    FORE_TRY(take_limits(c, e));
    FORE_TRY(take_output(c, e));
    FORE_TRY(fore_params_choice(&c->params, "fail-on",
                                c->verb->tells_verdict
                                    ? "note|warning|error|never|predicted"
                                    : "note|warning|error|never",
                                FORE_LEVEL_WARNING, &c->fail_on, e));
    return fore_cli_accepts(c, e);
}

static int run_verb(struct fore_cli *c, int argc, char **argv, struct fore_err *e)
{
    const struct fore_option *tables[FORE_MAX_TABLES];
    fore_verb_tables(c->verb, tables);
    if (fore_params_parse(&c->params, &c->words, tables, c->verb->rest, argc, argv, e) !=
        FORE_OK)
        return FORE_EXIT_ERROR;
    if (fore_params_has(&c->params, "help")) {
        struct fore_strbuf help = FORE_STRBUF_INIT;
        fore_help_verb(c->verb, &help);
        fputs(help.at, stdout);
        fore_strbuf_release(&help);
        return FORE_EXIT_OK;
    }
    if (fore_params_has(&c->params, "version")) {
        puts(VERSION);
        return FORE_EXIT_OK;
    }
    if (take_options(c, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    int status = fore_cli_run(c, e);
    fore_progress_finish(&c->progress);
    return status;
}

static int top_level(int argc, char **argv)
{
    struct fore_strbuf help = FORE_STRBUF_INIT;
    if (argc > 1 && (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)) {
        puts(VERSION);
        return FORE_EXIT_OK;
    }
    if (argc < 2 && isatty(STDERR_FILENO)) {
        fore_strbuf_puts(&help, "foresee finds the concurrency bug that a green run did "
                                "not hit. In this folder you can:\n\n");
        fore_next_steps(&help);
    } else {
        fore_help_all(&help);
    }
    fputs(help.at, argc > 1 ? stdout : stderr);
    fore_strbuf_release(&help);
    return argc > 1 ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

static void hear_interrupts(void)
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    if (signal(SIGHUP, on_interrupt) == SIG_IGN)
        signal(SIGHUP, SIG_IGN); /* as nohup asked */
}

int main(int argc, char **argv)
{
    struct fore_cli c = {.program = argc ? argv[0] : "foresee"};
    struct fore_err e = {0};
    int status = FORE_EXIT_ERROR;
    if (argc < 2 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)
        return top_level(argc, argv);
    c.verb = fore_verb_named(argv[1]);
    if (c.verb && !c.verb->ends_at_once)
        hear_interrupts();
    signal(SIGPIPE, SIG_IGN);
    if (c.verb)
        status = run_verb(&c, argc - 2, argv + 2, &e);
    else
        fore_verb_unknown(argv[1], &e);
    if (e.status != FORE_OK && status == FORE_EXIT_ERROR)
        print_error(&e);
    if (fflush(stdout) != 0 && status == FORE_EXIT_OK) {
        perror("foresee: standard output");
        status = FORE_EXIT_ERROR;
    }
    fore_params_release(&c.params);
    fore_vec_release(&c.words.v);
    return status;
}
