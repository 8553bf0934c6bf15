/* What a random program did, as it noted itself, against what its ring file says: each process
 * did the same in the same order, and the merged order is one that the operations allow (the
 * machine replays it). Once merged afterwards, once while the program runs. */
#include "program.h"
#include "unit/check.h"

#include "machine/replay.h"
#include "ring/merge.h"
#include "trace/format.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 1200 };

/* Programs that end while processes wait leave memory behind. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static void put_line(struct fore_strbuf *lines, char what, const char *object)
{
    fore_strbuf_printf(lines, "%c%s ", what, object);
}

/* One text per process, from its notes. */
static void lines_of_notes(const struct notes *n, struct fore_strbuf *lines)
{
    for (unsigned i = 0; i < n->n; i++) {
        char object[8];
        snprintf(object, sizeof object, "%u", n->at[i].object);
        put_line(&lines[n->at[i].process], (char)n->at[i].what,
                 strchr("srzclu", n->at[i].what) ? object : "");
    }
}

/* The same from the trace. Locks are called locks[…], of which the number matters. */
static unsigned how_often[128]; /* by letter */

static char letter_of(const struct fore_event *e)
{
    static const char letters[FORE_KINDS] = {
        [FORE_EV_SELECT] = 'd',  [FORE_EV_RLOCK] = 'R',     [FORE_EV_RUNLOCK] = 'U',
        [FORE_EV_WGADD] = 'A',   [FORE_EV_WGDONE] = 'D',    [FORE_EV_WGWAIT] = 'G',
        [FORE_EV_ONCE] = 'O',    [FORE_EV_CWAIT] = 'W',     [FORE_EV_CWOKEN] = 'K',
        [FORE_EV_CSIGNAL] = 'S', [FORE_EV_CBROADCAST] = 'B'};
    return letters[e->kind];
}

static void add_event(const struct fore_trace *t, const struct fore_event *e,
                      struct fore_strbuf *lines)
{
    const char *name = fore_tables_name(&t->tables, e->object);
    bool closed = e->flags & FORE_F_CLOSED;
    if (e->flags & FORE_F_PRE)
        return;
    switch (e->kind) {
    case FORE_EV_SEND:
        if (!closed)
            put_line(lines, 's', name);
        break;
    case FORE_EV_RECV:
        put_line(lines, closed ? 'z' : 'r', name);
        break;
    case FORE_EV_CLOSE:
        if (!closed)
            put_line(lines, 'c', name);
        break;
    default:
        how_often[(unsigned)letter_of(e)]++;
        if (letter_of(e))
            put_line(lines, letter_of(e), "");
    }
}

static void lines_of_trace(const struct fore_trace *t, struct fore_strbuf *lines)
{
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        add_event(t, e, &lines[atoi(fore_tables_label(&t->tables, e->thread))]);
    }
}

/* Locks have names of the source in the trace, so they are compared by count only. */
static void without_locks(struct fore_strbuf *s)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    for (const char *at = s->at; *at;) {
        size_t n = strcspn(at, " ") + 1;
        if (*at != 'l' && *at != 'u')
            fore_strbuf_add(&out, at, n);
        at += n;
    }
    fore_strbuf_release(s);
    *s = out;
}

/* A program may end between an operation and its note: the last one may be missing. */
static void assert_same(struct fore_strbuf *noted, struct fore_strbuf *traced)
{
    for (unsigned i = 0; i <= MOST_PROCESSES; i++) {
        without_locks(&noted[i]);
        bool prefix = !strncmp(traced[i].at, noted[i].at, noted[i].n);
        size_t more = traced[i].n - (prefix ? noted[i].n : 0);
        if (!prefix || more > 3)
            fail_msg("process %u did    %s\nbut recorded %s", i, noted[i].at,
                     traced[i].at);
        fore_strbuf_release(&noted[i]);
        fore_strbuf_release(&traced[i]);
    }
}

static void assert_replays(const struct fore_trace *t)
{
    struct fore_program p;
    struct fore_machine m;
    struct fore_err e = {0};
    assert_int_equal(fore_program_build(&p, t, &e), FORE_OK);
    fore_machine_init(&m, &p);
    if (fore_replay_run(&m, NULL, &e) != FORE_OK) {
        FILE *f = fopen("contradiction.trace", "w");
        struct fore_arena a = FORE_ARENA_INIT;
        (void)!fore_trace_replay(t, fore_format_named("trace")->write(&a, f), NULL);
        fore_arena_release(&a);
        fclose(f);
        fail_msg("the merged order is no run: %s (see contradiction.trace)", e.msg);
    }
    fore_machine_release(&m);
    fore_program_release(&p);
}

static void ring_path(const char *folder, pid_t pid, char *path, size_t size)
{
    snprintf(path, size, "%s/%ld.fsr", folder, (long)pid);
}

/* Runs the program and merges while it runs. */
static void watch(pid_t pid, const char *folder, struct fore_trace *t)
{
    char path[512];
    struct fore_merge m;
    struct fore_trace_collector c;
    struct fore_err e = {0};
    struct stat st = {0};
    void *base = NULL;
    int fd = -1, status;
    size_t room = (size_t)1 << 30;
    bool open_ = false, ended = false;
    ring_path(folder, pid, path, sizeof path);
    fore_trace_collector_init(&c, t);
    while (!ended) {
        ended = waitpid(pid, &status, WNOHANG) == pid;
        if (fd < 0 && (fd = open(path, O_RDONLY)) >= 0)
            base = mmap(NULL, room, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
        if (fd < 0 || fstat(fd, &st) || st.st_size < FORE_RING_HEADER)
            continue;
        size_t size = (size_t)st.st_size;
        if (!open_)
            open_ =
                fore_merge_open(&m, path, base, size, &t->tables, &c.sink, &e) == FORE_OK;
        if (open_ && !ended)
            fore_merge_poll(&m, size);
    }
    assert_true(open_);
    assert_int_equal(fore_merge_finish(&m, (size_t)st.st_size, &e), FORE_OK);
    fore_merge_release(&m);
    munmap(base, room);
    close(fd);
}

static pid_t launch(const struct program *p, struct notes *n, const char *folder)
{
    memset(n, 0, sizeof *n);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        setenv("FORESEE_RING", folder, 1);
        program_run(p, n);
    }
    return pid;
}

static void one_trial(struct fore_rng *r, const char *folder, struct notes *n, bool live)
{
    struct program p;
    struct fore_trace t;
    struct fore_err e = {0};
    char path[512];
    struct fore_strbuf noted[MOST_PROCESSES + 1], traced[MOST_PROCESSES + 1];
    for (unsigned i = 0; i <= MOST_PROCESSES; i++)
        noted[i] = traced[i] = (struct fore_strbuf)FORE_STRBUF_INIT;
    program_make(&p, r);
    pid_t pid = launch(&p, n, folder);
    fore_trace_init(&t, "ring");
    ring_path(folder, pid, path, sizeof path);
    if (live) {
        watch(pid, folder, &t);
    } else {
        waitpid(pid, NULL, 0);
        assert_int_equal(fore_trace_load(path, &t, &e), FORE_OK);
    }
    unlink(path);
    assert_int_equal(t.lost, 0);
    assert_false(t.torn);
    lines_of_notes(n, noted);
    lines_of_trace(&t, traced);
    assert_same(noted, traced);
    assert_replays(&t);
    fore_trace_release(&t);
}

static void run_trials(uint64_t seed, bool live, int trials)
{
    char folder[] = "/tmp/foresee-oracle-XXXXXX";
    struct fore_rng r;
    assert_non_null(mkdtemp(folder));
    struct notes *n =
        mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fore_rng_seed(&r, seed);
    for (int i = 0; i < trials; i++)
        one_trial(&r, folder, n, live);
    munmap(n, sizeof *n);
    rmdir(folder);
}

static void a_ring_says_what_the_program_did(void)
{
    run_trials(1, false, TRIALS);
    for (const char *letter = "dRUADGOWKSB"; *letter; letter++)
        assert_true(how_often[(unsigned)*letter] > 50);
}

static void read_while_it_is_written_it_says_the_same(void)
{
    run_trials(2, true, TRIALS / 10);
}

RUN_CASES(CASE(a_ring_says_what_the_program_did),
          CASE(read_while_it_is_written_it_says_the_same))
