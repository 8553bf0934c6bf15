#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/program.h"
#include "capture/go/gotool.h"
#include "explore/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What optional parts need; `install` is the Debian package. */
static const struct {
    const char *program, *purpose, *install;
} wanted[] = {
    {"go", "foresee go: watching Go programs", "golang"},
    {"clang", "foresee cc: watching C programs", "clang"},
    {"chromium", "browser tests of the HTML report", "chromium"},
    {"spin", "make bench: the explorer beside SPIN", "spin"},
    {"dot", "drawing graphs larger than foresee lays out itself", "graphviz"},
};

/* With which MPI can processes explore together? */
static void check_mpi(struct fore_strbuf *out)
{
    static const char *const kinds[] = {"openmpi", "mpich"};
    struct fore_arena a = FORE_ARENA_INIT;
    char path[4096], start[32];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(start, sizeof start, "mpirun.%s", kinds[i]);
        const char *plugin = fore_mpi_plugin_path(&a, kinds[i]);
        bool starter = fore_program_find(start, path, sizeof path);
        fore_strbuf_printf(out, "%-8s  %-10s ", plugin && starter ? "found" : "missing",
                           kinds[i]);
        if (plugin && starter)
            fore_strbuf_printf(
                out,
                "exploring with several processes: %s -n 4 foresee explore "
                "SYSTEM; under Slurm: srun -n 64 foresee explore SYSTEM\n",
                start);
        else if (plugin)
            fore_strbuf_printf(out, "there is a plug-in, but no %s\n", start);
        else
            fore_strbuf_printf(out,
                               "exploring with several processes; install lib%s-dev and "
                               "build foresee again\n",
                               kinds[i]);
    }
    fore_arena_release(&a);
}

/* Can this Go be watched? */
static void check_go(struct fore_strbuf *out)
{
    struct fore_gotool go;
    struct fore_err why;
    enum fore_status s = fore_gotool_ask(&go, &why);
    if (s == FORE_OK)
        s = fore_go_overlay_check(&go.install, &why);
    fore_strbuf_printf(out, "%-8s  %-10s %s\n", s == FORE_OK ? "fits" : "unfit",
                       go.install.version ? go.install.version : "go",
                       s == FORE_OK ? "every hook of foresee go has its place" : why.msg);
    fore_gotool_release(&go);
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    char path[4096];
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *at =
            fore_program_find(wanted[i].program, path, sizeof path) ? path : NULL;
        fore_strbuf_printf(&out, "%-8s  %-10s %s", at ? "found" : "missing",
                           wanted[i].program, wanted[i].purpose);
        if (at)
            fore_strbuf_printf(&out, " (%s)\n", at);
        else
            fore_strbuf_printf(&out, "; install the package %s\n", wanted[i].install);
        if (at && strcmp(wanted[i].program, "go") == 0)
            check_go(&out);
    }
    check_mpi(&out);
    fore_strbuf_printf(&out, "%-8s  %-10s where findings are kept\n",
                       access(fore_store_folder(), W_OK) == 0 || access(".", W_OK) == 0
                           ? "writable"
                           : "readonly",
                       fore_store_folder());
    enum fore_status s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_doctor = {
    .name = "doctor",
    .summary = "says what this installation can do and what is missing",
    .usage = "",
    .examples = "foresee doctor",
    .run = run,
};
