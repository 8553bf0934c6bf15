#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/arena.h"
#include "spec/spec.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Source -> bitcode -> instrumented bitcode -> object, each by a program of its own. */

enum mode { MODE_LINK, MODE_OBJECT, MODE_ASSEMBLY, MODE_PLAIN };

enum role {
    ROLE_OPTION,   /* for every step */
    ROLE_SOURCE,   /* becomes an object */
    ROLE_INPUT,    /* of the linker */
    ROLE_LANGUAGE, /* -x: for the first step */
    ROLE_DEPENDS,  /* -MD and the like: for the first step */
    ROLE_OUTPUT,   /* -o, -c, -S: each step has its own */
};

struct arg {
    const char *text;
    enum role role;
};

struct argv {
    FORE_VEC(char *) v;
};

struct job {
    struct fore_cli *cli;
    struct fore_arena arena;
    FORE_VEC(struct arg) args;
    struct fore_spec spec;
    bool with_spec;
    const char *clang, *output, *language;
    char instrument[4096], runtime[4096], folder[4096];
    enum mode mode;
    bool depends, depends_file, depends_target, shared;
    size_t sources, inputs;
};

/* ---- what the arguments are ---- */

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static bool takes_value(const char *a)
{
    static const char *const list[] = {"-I",          "-D",
                                       "-U",          "-L",
                                       "-l",          "-T",
                                       "-u",          "-z",
                                       "-e",          "-B",
                                       "-include",    "-imacros",
                                       "-isystem",    "-iquote",
                                       "-idirafter",  "-isysroot",
                                       "--sysroot",   "-target",
                                       "-Xclang",     "-Xlinker",
                                       "-Xassembler", "-Xpreprocessor",
                                       "-mllvm",      "--param",
                                       "-framework",  "-arch",
                                       "-rpath",      NULL};
    return is_one_of(a, list);
}

static bool is_plain(const char *a)
{
    static const char *const list[] = {
        "-E",     "-M",         "-MM",          "-fsyntax-only", "-###", "--version",
        "--help", "-emit-llvm", "-dumpversion", "-dumpmachine",  NULL};
    return is_one_of(a, list) || strncmp(a, "-print-", 7) == 0 ||
           strncmp(a, "--print-", 8) == 0;
}

static bool ends_in(const char *a, const char *const *endings)
{
    const char *dot = strrchr(a, '.');
    return dot && is_one_of(dot + 1, endings);
}

static enum role input_role(const struct job *j, const char *a)
{
    static const char *const c[] = {"c", "i", NULL};
    if (j->language && strcmp(j->language, "none") != 0)
        return strcmp(j->language, "c") == 0 ? ROLE_SOURCE : ROLE_INPUT;
    return ends_in(a, c) ? ROLE_SOURCE : ROLE_INPUT;
}

static void add(struct job *j, const char *text, enum role role)
{
    struct arg a = {text, role};
    fore_vec_push(&j->args, a);
    j->sources += role == ROLE_SOURCE;
    j->inputs += role == ROLE_INPUT;
}

/* An option whose value may follow it at once or as the next word. */
static const char *value_of(const struct fore_words *w, size_t *i, const char *name)
{
    const char *a = w->v.at[*i];
    size_t n = strlen(name);
    if (a[n])
        return a + n + (a[n] == '=');
    return *i + 1 < w->v.n ? w->v.at[++*i] : "";
}

static void add_depends(struct job *j, const struct fore_words *w, size_t *i)
{
    const char *a = w->v.at[*i];
    j->depends |= strcmp(a, "-MD") == 0 || strcmp(a, "-MMD") == 0;
    add(j, a, ROLE_DEPENDS);
    char which = a[2];
    if (!strchr("FTQ", which) || !which)
        return;
    j->depends_file |= which == 'F';
    j->depends_target |= which != 'F';
    if (!a[3] && *i + 1 < w->v.n)
        add(j, w->v.at[++*i], ROLE_DEPENDS);
}

static void take_option(struct job *j, const struct fore_words *w, size_t *i)
{
    const char *a = w->v.at[*i];
    if (is_plain(a)) {
        j->mode = MODE_PLAIN;
        add(j, a, ROLE_OPTION);
    } else if (strcmp(a, "-c") == 0 || strcmp(a, "-S") == 0) {
        if (j->mode != MODE_PLAIN)
            j->mode =
                a[1] == 'c' && j->mode != MODE_ASSEMBLY ? MODE_OBJECT : MODE_ASSEMBLY;
    } else if (strncmp(a, "-o", 2) == 0) {
        j->output = value_of(w, i, "-o");
    } else if (strncmp(a, "-x", 2) == 0) {
        j->language = value_of(w, i, "-x");
        add(j, "-x", ROLE_LANGUAGE);
        add(j, j->language, ROLE_LANGUAGE);
    } else if (a[1] == 'M') {
        add_depends(j, w, i);
    } else {
        j->shared |= strcmp(a, "-shared") == 0 || strcmp(a, "-r") == 0;
        add(j, a, a[1] == 'l' || strncmp(a, "-Wl,", 4) == 0 ? ROLE_INPUT : ROLE_OPTION);
        if (takes_value(a) && *i + 1 < w->v.n)
            add(j, w->v.at[++*i], ROLE_OPTION);
    }
}

static enum fore_status take_arguments(struct job *j, struct fore_err *e)
{
    static const char *const cxx[] = {"cc", "cpp", "cxx", "C", "c++", "cp", "ii", NULL};
    const struct fore_words *w = &j->cli->words;
    const char *spec = getenv("FORESEE_SPEC");
    for (size_t i = 0; i < w->v.n; i++) {
        const char *a = w->v.at[i];
        if (strncmp(a, "--foresee-spec", 14) == 0)
            spec = value_of(w, &i, "--foresee-spec");
        else if (a[0] == '-' && a[1])
            take_option(j, w, &i);
        else if (ends_in(a, cxx))
            return fore_fail(e, FORE_USAGE, "%s is C++: foresee cc watches C programs",
                             a);
        else
            add(j, a, input_role(j, a));
    }
    if (!spec || !*spec)
        return FORE_OK;
    j->with_spec = true;
    return fore_spec_load(&j->spec, spec, e);
}

/* ---- the programs ---- */

static bool find_part(const char *name, char out[4096])
{
    static const char *const folders[] = {"capture/c", "../lib/foresee"};
    char own[2048];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; i < 2; i++) {
        snprintf(out, 4096, "%s/%s/%s", own, folders[i], name);
        if (access(out, R_OK) == 0)
            return true;
    }
    return false;
}

static bool on_path(const char *name)
{
    char file[4096];
    for (const char *path = getenv("PATH"); path && *path;) {
        size_t n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
        if (access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static enum fore_status find_programs(struct job *j, struct fore_err *e)
{
    const char *set = getenv("FORESEE_CC");
    j->clang = set && *set ? set : on_path("clang-14") ? "clang-14" : "clang";
    if (!find_part("foresee-instrument", j->instrument) ||
        !find_part("libforesee-rt.a", j->runtime))
        return fore_fail(e, FORE_USAGE,
                         "foresee cc was left out of this build: install clang-14 and "
                         "llvm-14-dev, and build foresee again");
    const char *tmp = getenv("TMPDIR");
    snprintf(j->folder, sizeof j->folder, "%s/foresee-cc-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(j->folder)) {
        enum fore_status s = fore_fail(e, FORE_IO, "%s: %s", j->folder, strerror(errno));
        j->folder[0] = 0;
        return s;
    }
    return FORE_OK;
}

static void push(struct job *j, struct argv *to, const char *text)
{
    fore_vec_push(&to->v, fore_arena_strdup(&j->arena, text));
}

/* Its status: 0, its own, or 128 + the signal. */
static enum fore_status run_program(struct argv *a, int *status, struct fore_err *e)
{
    int how = 0;
    fore_vec_push(&a->v, NULL);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(a->v.at[0], a->v.at);
        _exit(errno == ENOENT ? 127 : 126);
    }
    while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    enum fore_status s = FORE_OK;
    if (pid < 0)
        s = fore_fail(e, FORE_IO, "cannot start a program: %s", strerror(errno));
    else if (*status == 127)
        s = fore_fail(e, FORE_CHILD, "cannot run %s: install clang, or set FORESEE_CC",
                      a->v.at[0]);
    fore_vec_release(&a->v);
    return s;
}

/* ---- the steps ---- */

static void push_role(struct job *j, struct argv *to, enum role role)
{
    for (size_t i = 0; i < j->args.n; i++)
        if (j->args.at[i].role == role)
            push(j, to, j->args.at[i].text);
}

/* tank.c -> tank.o, in the current folder, as compilers do. */
static char *beside(struct job *j, const char *file, const char *ending)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    return fore_arena_printf(&j->arena, "%.*s.%s",
                             dot ? (int)(dot - name) : (int)strlen(name), name, ending);
}

static char *with_ending(struct job *j, const char *file, const char *ending)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - file) : (int)strlen(file);
    return fore_arena_printf(&j->arena, "%.*s.%s", stem, file, ending);
}

static enum fore_status to_bitcode(struct job *j, const char *source, const char *object,
                                   const char *bitcode, int *status, struct fore_err *e)
{
    static const char *const flags[] = {"-g",         "-Wno-unused-command-line-argument",
                                        "-Xclang",    "-disable-llvm-passes",
                                        "-Xclang",    "-disable-O0-optnone",
                                        "-emit-llvm", "-c",
                                        "-o"};
    struct argv a = {0};
    push(j, &a, j->clang);
    push_role(j, &a, ROLE_OPTION);
    push_role(j, &a, ROLE_DEPENDS);
    if (j->depends && !j->depends_file) {
        push(j, &a, "-MF");
        push(j, &a, with_ending(j, object, "d"));
    }
    if (j->depends && !j->depends_target) {
        push(j, &a, "-MT");
        push(j, &a, object);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        push(j, &a, flags[i]);
    push(j, &a, bitcode);
    push_role(j, &a, ROLE_LANGUAGE);
    push(j, &a, source);
    return run_program(&a, status, e);
}

static enum fore_status instrument(struct job *j, const char *from, const char *to,
                                   int *status, struct fore_err *e)
{
    struct argv a = {0};
    push(j, &a, j->instrument);
    push(j, &a, from);
    push(j, &a, to);
    for (size_t i = 0; j->with_spec && i < j->spec.symbols.vars.n; i++)
        push(j, &a, j->spec.symbols.vars.at[i].name);
    return run_program(&a, status, e);
}

static enum fore_status to_object(struct job *j, const char *bitcode, const char *object,
                                  int *status, struct fore_err *e)
{
    struct argv a = {0};
    push(j, &a, j->clang);
    push_role(j, &a, ROLE_OPTION);
    push(j, &a, "-Wno-unused-command-line-argument");
    push(j, &a, j->mode == MODE_ASSEMBLY ? "-S" : "-c");
    push(j, &a, bitcode);
    push(j, &a, "-o");
    push(j, &a, object);
    return run_program(&a, status, e);
}

static enum fore_status compile(struct job *j, size_t i, int *status, struct fore_err *e)
{
    const char *source = j->args.at[i].text, *object, *target;
    char *plain = fore_arena_printf(&j->arena, "%s/%zu.bc", j->folder, i);
    char *watched = fore_arena_printf(&j->arena, "%s/%zu.watched.bc", j->folder, i);
    object = target = j->output && j->mode != MODE_LINK
                          ? j->output
                          : beside(j, source, j->mode == MODE_ASSEMBLY ? "s" : "o");
    if (j->mode == MODE_LINK)
        object = fore_arena_printf(&j->arena, "%s/%zu.o", j->folder, i);
    FORE_TRY(to_bitcode(j, source, target, plain, status, e));
    if (*status == 0)
        FORE_TRY(instrument(j, plain, watched, status, e));
    if (*status == 0)
        FORE_TRY(to_object(j, watched, object, status, e));
    j->args.at[i].text = object;
    return FORE_OK;
}

static enum fore_status link_all(struct job *j, int *status, struct fore_err *e)
{
    struct argv a = {0};
    push(j, &a, j->clang);
    for (size_t i = 0; i < j->args.n; i++)
        if (j->args.at[i].role <= ROLE_INPUT)
            push(j, &a, j->args.at[i].text);
    if (!j->shared)
        push(j, &a, j->runtime);
    push(j, &a, "-pthread");
    if (j->output) {
        push(j, &a, "-o");
        push(j, &a, j->output);
    }
    return run_program(&a, status, e);
}

/* What makes no code is clang's alone. */
static enum fore_status pass_on(struct job *j, int *status, struct fore_err *e)
{
    struct argv a = {0};
    const struct fore_words *w = &j->cli->words;
    push(j, &a, j->clang);
    for (size_t i = 0; i < w->v.n; i++) {
        if (strncmp(w->v.at[i], "--foresee-spec", 14) == 0)
            value_of(w, &i, "--foresee-spec");
        else
            push(j, &a, w->v.at[i]);
    }
    return run_program(&a, status, e);
}

static enum fore_status cc(struct job *j, int *status, struct fore_err *e)
{
    FORE_TRY(take_arguments(j, e));
    FORE_TRY(find_programs(j, e));
    *status = 0;
    if (j->mode == MODE_PLAIN || !(j->sources + j->inputs) ||
        (j->mode != MODE_LINK && !j->sources))
        return pass_on(j, status, e);
    if (j->mode != MODE_LINK && j->output && j->sources > 1)
        return fore_fail(e, FORE_USAGE, "-o with -c or -S takes one source, not %zu",
                         j->sources);
    for (size_t i = 0; i < j->args.n && *status == 0; i++)
        if (j->args.at[i].role == ROLE_SOURCE)
            FORE_TRY(compile(j, i, status, e));
    return *status == 0 && j->mode == MODE_LINK ? link_all(j, status, e) : FORE_OK;
}

/* ---- the verb ---- */

static void remove_folder(const char *folder)
{
    char path[8192];
    DIR *d = *folder ? opendir(folder) : NULL;
    for (struct dirent *f; d && (f = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        if (f->d_name[0] != '.')
            unlink(path);
    }
    if (d)
        closedir(d);
    if (*folder)
        rmdir(folder);
}

static int run(struct fore_cli *c, struct fore_err *e)
{
    struct job j = {.cli = c, .arena = FORE_ARENA_INIT};
    int status = FORE_EXIT_ERROR;
    if (cc(&j, &status, e) != FORE_OK)
        status = FORE_EXIT_ERROR;
    remove_folder(j.folder);
    if (j.with_spec)
        fore_spec_release(&j.spec);
    fore_vec_release(&j.args);
    fore_arena_release(&j.arena);
    return status;
}

const struct fore_verb fore_verb_cc = {
    .name = "cc",
    .summary = "compiles a C program so that it can be watched",
    .usage = "[--foresee-spec F] CLANG-ARGUMENTS...",
    .details =
        "Stands for clang: CC=\"foresee cc\" make. What it compiles records, when "
        "'foresee run' or\n"
        "'foresee record' starts it, each read and write of global variables with its "
        "value and\n"
        "place, also through pointers, and what threads, mutexes, rwlocks, spin locks, "
        "conditions,\n"
        "semaphores, barriers and pthread_once do; started otherwise it records nothing. "
        "With a\n"
        "specification (--foresee-spec F, or FORESEE_SPEC=F in the environment) only the "
        "variables\n"
        "that it names are recorded.\n"
        "\n"
        "Not recorded: memory of malloc and locals that threads share, thread-local "
        "variables,\n"
        "variables of shared libraries, what libraries do to variables, C11 threads. A "
        "bit-field\n"
        "is shown with what shares its unit. C++ is refused.\n"
        "\n"
        "It runs clang-14, or else clang; FORESEE_CC names another one. All arguments "
        "are "
        "clang's.",
    .examples = "foresee cc -O2 -o prog prog.c && foresee run -- ./prog\n"
                "CC=\"foresee cc\" make            # drop-in\n"
                "foresee cc --foresee-spec f.spec prog.c -o prog && foresee run --spec "
                "f.spec -- ./prog",
    .rest = FORE_REST_ALL,
    .run = run,
};
