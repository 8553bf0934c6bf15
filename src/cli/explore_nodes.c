#include "cli/explore_nodes.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/program.h"
#include "base/strbuf.h"
#include "cli/go_programs.h"
#include "cli/launch.h"
#include "node/binary.h"
#include "node/process.h"
#include "node/system.h"
#include "node/workload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the library that gives nodes foresee's time: beside foresee, or where it is installed. */
static const char *find_preload(struct fore_arena *a)
{
    static const char *const where[] = {"capture/node", "../lib/foresee",
                                        "../lib/x86_64-linux-gnu/foresee",
                                        "../lib/aarch64-linux-gnu/foresee"};
    char folder[PATH_MAX];
    fore_program_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        const char *path =
            fore_arena_printf(a, "%s/%s/libforesee-node.so", folder, where[i]);
        if (!access(path, R_OK))
            return path;
    }
    return NULL;
}

/* Makes words that name files absolute, because nodes run in folders of their own. A word
 * without a slash or a dot does not count as a file, even if there is one of that name. */
static char **absolute_words(struct fore_cli *c, struct fore_arena *a)
{
    char **argv = FORE_NEW_ARRAY(a, char *, c->words.v.n + 1), path[PATH_MAX];
    for (size_t i = 0; i < c->words.v.n; i++) {
        const char *word = c->words.v.at[i];
        bool file =
            strpbrk(word, i ? "/." : "/") && !access(word, F_OK) && realpath(word, path);
        argv[i] = fore_arena_strdup(a, file ? path : word);
    }
    argv[c->words.v.n] = NULL;
    return argv;
}

/* The name of the node, from the last word that is a file: `python3 /there/quorum.py --fast` is
 * called quorum.py. */
static const char *node_name(struct fore_arena *a, char *const *argv)
{
    const char *name = argv[0];
    for (size_t i = 1; argv[i] && argv[i][0] == '/'; i++)
        name = argv[i];
    name = fore_base_name(name);
    size_t number = strspn(name, "0123456789"); /* of a program that was kept */
    return fore_arena_strdup(a, number && name[number] == '-' ? name + number + 1 : name);
}

static enum fore_status write_harness(struct fore_arena *a,
                                      const struct fore_strbuf *text, const char **path,
                                      struct fore_err *e)
{
    char folder[PATH_MAX];
    const char *store = fore_store_folder();
    if ((mkdir(store, 0777) && errno != EEXIST) || !realpath(store, folder))
        return fore_fail(e, FORE_IO, "cannot make %s: %s", store, strerror(errno));
    *path = fore_arena_printf(a, "%s/nodes-%016llx.harness", folder,
                              (unsigned long long)fore_hash(text->at, text->n));
    return fore_file_write(*path, text->at, text->n, e);
}

static enum fore_status can_be_run(const char *name, struct fore_err *e)
{
    char path[PATH_MAX];
    struct stat st;
    if (!fore_program_find(name, path, sizeof path))
        return fore_fail(e, FORE_IO, "'%s' could not be run: %s", name,
                         strchr(name, '/') ? strerror(errno) : "it is not on PATH");
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
        return fore_fail(e, FORE_IO, "'%s' could not be run: it is a folder", name);
    return FORE_OK;
}

/* Checks the count: a harness of the user's own says itself how many nodes there are. */
static enum fore_status check_count(const struct fore_workload_want *want,
                                    const struct fore_strbuf *text, struct fore_err *e)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_workload w;
    enum fore_status s = FORE_OK;
    if (want->file)
        s = fore_workload_read(&w, &a, want->file, text->at, e);
    if (want->file && s == FORE_OK && w.nodes && w.nodes != want->nodes)
        s = fore_fail(e, FORE_USAGE, "--nodes %u, but [agents] of %s has %u", want->nodes,
                      want->file, w.nodes);
    fore_arena_release(&a);
    return s;
}

/* Finds what runs as a node: the words, or the program that `go run` would run. */
static enum fore_status find_command(struct fore_cli *c, struct fore_arena *a,
                                     char *const **argv, struct fore_err *e)
{
    struct fore_started built = {0};
    char **words = fore_launch_argv(a, &c->words, 0);
    *argv = absolute_words(c, a);
    if (!fore_go_is_command(words))
        return can_be_run(words[0], e);
    if (strcmp(words[1], "run") != 0)
        return fore_fail(e, FORE_USAGE,
                         "a node is a program: -- go run PACKAGE, not go %s", words[1]);
    fore_kept_clear();
    FORE_TRY(fore_go_program(c, words, NULL, a, &built, e));
    *argv = built.argv;
    return FORE_OK;
}

/* Chooses how the program gets foresee's time, as far as that is possible; prints a line about
 * what is not. */
static enum fore_status choose_time(struct fore_cli *c, struct fore_arena *a,
                                    struct fore_workload_want *want, struct fore_err *e)
{
    unsigned real;
    const char *why = NULL;
    FORE_TRY(fore_params_choice(&c->params, "clock", "virtual|real", 0, &real, e));
    if (real)
        return FORE_OK;
    want->preload = find_preload(a);
    want->time = fore_binary_time(want->argv[0], &why);
    if (want->time == FORE_TIME_LIBRARY && !want->preload) {
        want->time = FORE_TIME_REAL;
        why = "runs in real time: libforesee-node.so is not beside foresee or in "
              "lib/foresee";
    }
    if (why)
        fore_cli_say(c, "%s %s", node_name(a, want->argv), why);
    return FORE_OK;
}

enum fore_status fore_explore_nodes(struct fore_cli *c, struct fore_arena *a,
                                    struct fore_found *subject, struct fore_err *e)
{
    uint64_t n;
    FORE_TRY(fore_params_u64(&c->params, "nodes", 0, &n, e));
    if (!n || n > FORE_NODES_MAX)
        return fore_fail(e, FORE_USAGE, "--nodes takes a number from 1 to %d",
                         FORE_NODES_MAX);
    struct fore_workload_want want = {
        .name = fore_params_text(&c->params, "workload", "lin-kv"),
        .file = fore_params_text(&c->params, "harness", NULL),
        .nodes = (unsigned)n,
        .seed = c->seed};
    FORE_TRY(find_command(c, a, &want.argv, e));
    FORE_TRY(choose_time(c, a, &want, e));
    struct fore_strbuf text = FORE_STRBUF_INIT;
    enum fore_status s = fore_workload_write(&want, &text, e);
    const char *path;
    if (s == FORE_OK)
        s = check_count(&want, &text, e);
    if (s == FORE_OK)
        s = write_harness(a, &text, &path, e);
    if (s == FORE_OK)
        s = fore_system_find(a, FORE_NODES_NAME, path, subject, e);
    if (s == FORE_OK) {
        subject->system_name = node_name(a, want.argv);
        subject->harness_name = want.file ? want.file : fore_arena_strdup(a, want.name);
    }
    fore_strbuf_release(&text);
    return s;
}

void fore_nodes_own_error(struct fore_cli *c, const struct fore_found *subject,
                          struct fore_err *e)
{
    const char *own = fore_params_text(&c->params, "harness", NULL);
    if (own && subject->harness && !strcmp(e->file, subject->harness))
        snprintf(e->file, sizeof e->file, "%s", own);
}

void fore_nodes_folder_make(char folder[64])
{
    const char *tmp = getenv("TMPDIR");
    const char *const places[] = {tmp && *tmp ? tmp : "/dev/shm", "/dev/shm", "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(folder, 64, "%.40s/foresee-nodes-XXXXXX", places[i]);
        if (mkdtemp(folder)) {
            setenv(FORE_NODES_FOLDER, folder, 1);
            return;
        }
    }
    folder[0] = 0;
}

void fore_nodes_folder_remove(const char *folder)
{
    fore_folder_remove(folder);
}

/* When a process began, in ticks since the machine started: together with its number that
 * identifies it. */
static unsigned long long began_at(pid_t pid)
{
    enum { BEGAN = 20 }; /* words behind the name */
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *at = strrchr(text, ')');
    for (int i = 0; at && i < BEGAN; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

void fore_nodes_share(void)
{
    char name[96];
    const char *place = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    /* mpirun, or the process that it has started on this machine */
    pid_t job = getppid();
    snprintf(name, sizeof name, "%s/foresee-nodes-job-%d-%llu", place, (int)job,
             began_at(job));
    setenv(FORE_NODES_SHARED, name, 1);
}

void fore_nodes_unshare(void)
{
    static const char *const endings[] = {"steps", "texts"};
    const char *name = getenv(FORE_NODES_SHARED);
    char path[128];
    for (size_t i = 0; name && i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s.%s", name, endings[i]);
        unlink(path);
    }
}
