/* Tries each job as a user would: writes a program of a few lines, builds and watches it. For a
 * job that fails it prints the command that mends it. */
#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/child.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/program.h"
#include "explore/mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct fore_option options[] = {
    {"quick", 0, NULL, "only look for the programs that the jobs need; run nothing"},
    {NULL, 0, NULL, NULL},
};

enum { MOST_WORDS = 10, MOST_STEPS = 3, MOST_NEEDS = 3 };

/* "SELF" stands for foresee. A step succeeds with status 0, or with `also` if it is to find
 * something. */
struct doctor_job {
    const char *name, *does;
    const char *needs[MOST_NEEDS];
    const char *file, *text; /* written into an empty folder */
    const char *file2, *text2;
    const char *steps[MOST_STEPS][MOST_WORDS];
    const char *mend;
    int also;
};

#define C_PROGRAM                                                                        \
    "#include <pthread.h>\n"                                                             \
    "static void *run(void *a) { return a; }\n"                                          \
    "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return "               \
    "pthread_join(t, 0); }\n"

static const struct doctor_job jobs[] = {
    {"traces",
     "foresee check: what else could have happened in a recorded run",
     {NULL},
     "t.trace",
     "1: lock(m); unlock(m); end\n",
     NULL,
     NULL,
     {{"SELF", "check", "--no-save", "t.trace"}},
     "build foresee again: make",
     0},
    {"C programs",
     "foresee cc, run: C programs with threads",
     {"clang", "cc", NULL},
     "t.c",
     C_PROGRAM,
     NULL,
     NULL,
     {{"SELF", "cc", "-g", "-o", "t", "t.c", "-lpthread"},
      {"SELF", "run", "--no-save", "--", "./t"}},
     "apt-get install clang-14 llvm-14-dev (or clang-19 llvm-19-dev), then make",
     0},
    {"C++ programs",
     "foresee c++, run: C++ programs with threads",
     {"clang", "c++", NULL},
     "t.cc",
     C_PROGRAM,
     NULL,
     NULL,
     {{"SELF", "c++", "-g", "-o", "t", "t.cc", "-lpthread"},
      {"SELF", "run", "--no-save", "--", "./t"}},
     "apt-get install g++ clang-14 llvm-14-dev (or clang-19 llvm-19-dev), then make",
     0},
    {"Go programs",
     "foresee go: Go programs, unchanged (the first time takes a minute)",
     {"go", NULL},
     "main.go",
     "package main\n"
     "func main() { c := make(chan int); go func() { c <- 1 }(); <-c }\n",
     "go.mod",
     "module t\ngo 1.19\n",
     {{"SELF", "go", "--no-save", "run", "."}},
     "apt-get install golang-go (Go 1.19 or newer)",
     66},
    {"protocols",
     "foresee explore: the schedules of actor systems",
     {NULL},
     NULL,
     NULL,
     NULL,
     NULL,
     {{"SELF", "explore", "edr", "--harness", "2r1w", "--no-save", "--quiet"}},
     "make (the examples are built with foresee)",
     1},
    {"histories",
     "foresee lin: is a recorded history linearizable?",
     {NULL},
     "h.edn",
     "{:process 0, :type :invoke, :f :write, :value 3}\n"
     "{:process 0, :type :ok, :f :write, :value 3}\n",
     NULL,
     NULL,
     {{"SELF", "lin", "--no-save", "h.edn", "--object", "register"}},
     "build foresee again: make",
     0},
};

static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[4096];
    if (!name)
        return true;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fore_file_write(path, text, strlen(text), NULL) == FORE_OK;
}

/* Output goes to FOLDER/said. */
static int prepare_step(struct fore_child_program *p)
{
    const char *folder = p->ctx;
    if (chdir(folder) != 0)
        return errno;
    int out = open("said", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ? errno
                                                                                   : 0;
}

static int run_step(char *folder, const char *const *words, struct fore_err *e)
{
    char self[4096];
    char *argv[MOST_WORDS + 1] = {0};
    int status = 127;
    fore_program_self(self, sizeof self);
    for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
        argv[i] = strcmp(words[i], "SELF") ? (char *)words[i] : self;
    struct fore_child_program step = {argv, prepare_step, folder, SIGKILL};
    return fore_child_run(&step, &status, e) == FORE_OK ? status : 127;
}

/* The first line that is not blank. */
static void first_words(const char *folder, char out[200])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/said", folder);
    FILE *f = fopen(path, "re");
    snprintf(out, 200, "it said nothing");
    while (f && fgets(out, 200, f) && strspn(out, " \n") == strlen(out))
        ;
    out[strcspn(out, "\n")] = '\0';
    if (f)
        fclose(f);
}

/* Gives the program that is missing, or the message of the first step that failed; "" if all is
 * well. */
static void try_job(const struct doctor_job *j, bool quick, char why[200],
                    struct fore_err *e)
{
    char folder[] = "/tmp/foresee-doctor-XXXXXX", path[4096];
    why[0] = '\0';
    for (size_t i = 0; i < MOST_NEEDS && j->needs[i]; i++)
        if (!fore_program_find(j->needs[i], path, sizeof path)) {
            snprintf(why, 200, "%s is not installed", j->needs[i]);
            return;
        }
    if (quick)
        return;
    if (!mkdtemp(folder) || !write_text(folder, j->file, j->text) ||
        !write_text(folder, j->file2, j->text2)) {
        snprintf(why, 200, "nothing can be written in /tmp");
        return;
    }
    for (size_t i = 0; i < MOST_STEPS && j->steps[i][0] && !why[0]; i++) {
        int status = run_step(folder, j->steps[i], e);
        if (status != 0 && status != j->also)
            first_words(folder, why);
    }
    fore_folder_remove(folder);
}

/* Says with which MPI processes can work together. */
static void check_mpi(struct fore_strbuf *out)
{
    static const char *const kinds[] = {"openmpi", "mpich"};
    struct fore_arena a = FORE_ARENA_INIT;
    char path[4096], start[32];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(start, sizeof start, "mpirun.%s", kinds[i]);
        const char *plugin = fore_mpi_plugin_path(&a, kinds[i]);
        bool starter = fore_program_find(start, path, sizeof path);
        fore_strbuf_printf(out, "%-7s  %-13s ", plugin && starter ? "found" : "missing",
                           kinds[i]);
        if (plugin && starter)
            fore_strbuf_printf(
                out,
                "explore, lin and check with several processes: %s -n 4 foresee explore "
                "SYSTEM; under Slurm: srun -n 64 foresee explore SYSTEM\n",
                start);
        else if (plugin)
            fore_strbuf_printf(out, "there is a plug-in, but no %s\n", start);
        else
            fore_strbuf_printf(
                out,
                "explore, lin and check with several processes; install lib%s-dev and "
                "build foresee again\n",
                kinds[i]);
    }
    fore_arena_release(&a);
}

static bool can_keep(void)
{
    return access(fore_store_folder(), W_OK) == 0 || access(".", W_OK) == 0;
}

static int run_doctor(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    bool quick = fore_params_has(&c->params, "quick");
    char why[200], path[4096];
    size_t bad = 0;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        fore_progress_start(&c->progress, c->progress_mode, jobs[i].name);
        try_job(&jobs[i], quick, why, e);
        fore_progress_finish(&c->progress);
        bad += why[0] != '\0';
        fore_strbuf_printf(&out, "%-7s  %-13s %s\n",
                           why[0]  ? "broken"
                           : quick ? "found"
                                   : "works",
                           jobs[i].name, jobs[i].does);
        if (why[0])
            fore_strbuf_printf(&out, "%24s%s\n%24smend it: %s\n", "", why, "",
                               jobs[i].mend);
    }
    bool opens = fore_program_find("xdg-open", path, sizeof path);
    fore_strbuf_printf(
        &out, "%-7s  %-13s foresee report --open%s\n", opens ? "found" : "missing",
        "browser", opens ? "" : ": apt-get install xdg-utils, or open the file yourself");
    check_mpi(&out);
    fore_strbuf_printf(&out, "%-7s  %-13s %s, where findings are kept\n",
                       can_keep() ? "works" : "broken", "storage", fore_store_folder());
    enum fore_status s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s != FORE_OK ? FORE_EXIT_ERROR : bad ? FORE_EXIT_FINDINGS : FORE_EXIT_OK;
}

const struct fore_verb fore_verb_doctor = {
    .name = "doctor",
    .summary = "tries each job of this installation and says how to mend what fails",
    .usage = "[--quick]",
    .details = "For each job it builds, runs and watches a program of a few lines, in a "
               "folder of its\n"
               "own. For what does not work it prints the command that mends it, and "
               "exits with 1.",
    .examples = "foresee doctor\nforesee doctor --quick    # only looks, runs nothing",
    .options = options,
    .run = run_doctor,
};
