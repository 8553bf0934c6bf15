#include "cli/cc.h"
#include "cli/verbs.h"

#include "base/child.h"
#include "base/folder.h"
#include "base/path.h"
#include "base/program.h"
#include "capture/c/calls.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Source -> object, by clang, which loads the instrumentor. If it cannot: source -> bitcode -> instrumented bitcode ->
 * object, each by a program of its own. */

struct argv {
    FORE_VEC(char *) v;
};

struct tools {
    const char *clang;
    char instrument[4096], inlined[4096], folder[4096];
    char plugin[4096]; /* "": this clang can load none */
    unsigned version;
    char runtime[4096], interpose[4096], wrap[4096], part[4096], guard[4096], alone[4096];
};

struct compile_job {
    struct fore_cc in;
    struct tools with;
};

/* ---- running a program ---- */

static void push_argument(struct compile_job *j, struct argv *to, const char *text)
{
    fore_vec_push(&to->v, fore_arena_strdup(&j->in.arena, text));
}

static struct argv clang_command(struct compile_job *j)
{
    struct argv a = {0};
    push_argument(j, &a, j->with.clang);
    if (j->in.cxx)
        push_argument(j, &a, "--driver-mode=g++");
    return a;
}

/* Runs a command; gives its status: 0, its own, or 128 + the signal. */
static enum fore_status run_program(struct argv *a, int *status, struct fore_err *e)
{
    fore_vec_push(&a->v, NULL);
    enum fore_status s = fore_child_run(
        &(struct fore_child_program){.argv = a->v.at, .dies_by = SIGTERM}, status, e);
    if (s != FORE_OK)
        s = fore_fail(e, FORE_CHILD, "cannot run %s: install clang, or set FORESEE_CLANG",
                      a->v.at[0]);
    fore_vec_release(&a->v);
    return s;
}

/* ---- finding the programs ---- */

static bool find_part(const char *name, char out[4096])
{
    static const char *const folders[] = {"capture/c", "../lib/foresee"};
    char own[2048];
    fore_program_folder(own, sizeof own);
    for (size_t i = 0; i < 2; i++) {
        snprintf(out, 4096, "%s/%s/%s", own, folders[i], name);
        if (access(out, R_OK) == 0)
            return true;
    }
    return false;
}

/* The version in the path of a clang that is installed as clang-14, or in a folder llvm-14/bin;
 * 0: the path has none. */
static unsigned version_in_path(const char *path)
{
    char real[PATH_MAX];
    const char *name = realpath(path, real) ? strrchr(real, '/') : NULL;
    if (name && strncmp(name, "/clang-", 7) == 0)
        return (unsigned)strtoul(name + 7, NULL, 10);
    const char *folder =
        name && strcmp(name, "/clang") == 0 ? strstr(real, "/llvm-") : NULL;
    char *end = NULL;
    unsigned version = folder ? (unsigned)strtoul(folder + 6, &end, 10) : 0;
    return end && strcmp(end, "/bin/clang") == 0 ? version : 0;
}

/* The version of clang; 0 if it is not clang. Starting clang takes longer than compiling a small
 * file, so it is asked (by -dumpversion) only if its path does not tell. */
static unsigned version_of(const char *clang_program, const char *path)
{
    char *argv[] = {(char *)(uintptr_t)clang_program, "-dumpversion", NULL};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_err unheard = {0};
    int status;
    unsigned version = version_in_path(path);
    if (version)
        return version;
    bool known = fore_child_ask(argv, false, &text, &status, &unheard) == FORE_OK;
    version = known && text.n ? (unsigned)strtoul(text.at, NULL, 10) : 0;
    fore_strbuf_release(&text);
    return version;
}

static bool has_parts(struct tools *t, unsigned version)
{
    char name[64];
    snprintf(name, sizeof name, "foresee-instrument-%u", version);
    if (!find_part(name, t->instrument))
        return false;
    snprintf(name, sizeof name, "foresee-inline-%u.bc", version);
    return find_part(name, t->inlined) && find_part("libforesee-rt.a", t->runtime) &&
           find_part("libforesee-interpose.a", t->interpose) &&
           find_part("libforesee-wrap.a", t->wrap) &&
           find_part("libforesee-part.a", t->part) &&
           find_part("libforesee-guard.a", t->guard) &&
           find_part("libforesee-alone.so", t->alone);
}

/* A distribution's clang is linked with the same library as the plugin. A clang from elsewhere
 * may contain LLVM, and would not work with a second copy of it. */
static void find_plugin(struct tools *t, unsigned version, const char *path)
{
    char real[PATH_MAX], own[64], name[64];
    snprintf(own, sizeof own, "/usr/lib/llvm-%u/bin/clang", version);
    snprintf(name, sizeof name, "foresee-instrument-%u.so", version);
    if (!realpath(path, real) || strcmp(real, own) != 0 || !find_part(name, t->plugin))
        t->plugin[0] = 0;
}

/* Finds the user's clang; if code is to be made, one of a version for which there is an
 * instrumentor. */
static enum fore_status find_clang(struct tools *t, bool plain, struct fore_err *e)
{
    const char *candidates[] = {"clang", "clang-19", "clang-16", "clang-15", "clang-14"};
    const char *set = getenv("FORESEE_CLANG"), *seen = NULL;
    unsigned version = 0;
    size_t n = sizeof candidates / sizeof *candidates;
    if (set && *set) {
        candidates[0] = set;
        n = 1;
    }
    for (size_t i = 0; i < n; i++) {
        char file[4096];
        if (!fore_program_find(candidates[i], file, sizeof file))
            continue;
        t->clang = candidates[i];
        unsigned own = plain ? 0 : version_of(t->clang, file);
        if (plain || has_parts(t, own)) {
            t->version = own;
            find_plugin(t, own, file);
            return FORE_OK;
        }
        version = seen ? version : own;
        seen = seen ? seen : t->clang;
    }
    if (!seen)
        return fore_fail(e, FORE_USAGE,
                         "cannot run %s: install clang-19 or clang-14, or set "
                         "FORESEE_CLANG to a clang of these versions",
                         set && *set ? set : "clang");
    return fore_fail(
        e, FORE_USAGE,
        "%s is version %u, for which this build of foresee has no instrumentor "
        "(there are some for 14, 15, 16 and 19): install clang-19 and llvm-19-dev (or "
        "clang-14 "
        "and llvm-14-dev), build foresee again, and set FORESEE_CLANG=clang-19 if needed",
        seen, version);
}

static enum fore_status make_folder(struct tools *t, struct fore_err *e)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(t->folder, sizeof t->folder, "%s/foresee-cc-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(t->folder))
        return FORE_OK;
    enum fore_status s = fore_fail(e, FORE_IO, "%s: %s", t->folder, strerror(errno));
    t->folder[0] = 0;
    return s;
}

/* ---- the steps ---- */

static void push_role(struct compile_job *j, struct argv *to, enum fore_cc_role role)
{
    for (size_t i = 0; i < j->in.args.n; i++)
        if (j->in.args.at[i].role == role)
            push_argument(j, to, j->in.args.at[i].text);
}

/* The object for a source, in the current folder, as compilers name it: tank.c -> tank.o. */
static char *path_beside(struct compile_job *j, const char *file, const char *ending)
{
    const char *name = fore_base_name(file);
    const char *dot = strrchr(name, '.');
    return fore_arena_printf(&j->in.arena, "%.*s.%s",
                             dot ? (int)(dot - name) : (int)strlen(name), name, ending);
}

static char *with_ending(struct compile_job *j, const char *file, const char *ending)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - file) : (int)strlen(file);
    return fore_arena_printf(&j->in.arena, "%.*s.%s", stem, file, ending);
}

static void push_source(struct compile_job *j, struct argv *to,
                        const struct fore_cc_arg *source)
{
    if (source->language) {
        push_argument(j, to, "-x");
        push_argument(j, to, source->language);
    }
    push_argument(j, to, source->text);
}

static void push_depends(struct compile_job *j, struct argv *to, const char *object)
{
    push_role(j, to, FORE_CC_DEPENDS);
    if (j->in.depends && !j->in.depends_file) {
        push_argument(j, to, "-MF");
        push_argument(j, to, with_ending(j, object, "d"));
    }
    if (j->in.depends && !j->in.depends_target) {
        push_argument(j, to, "-MT");
        push_argument(j, to, object);
    }
}

/* Lets <foresee/mark.h> be found, after all of the user's folders. */
static void push_headers(struct compile_job *j, struct argv *to)
{
    char own[2048];
    fore_program_folder(own, sizeof own);
    push_argument(j, to, "-idirafter");
    push_argument(j, to, fore_arena_printf(&j->in.arena, "%s/../include", own));
}

/* This inserts nothing; but clang then leaves functions that must not be seen without its mark,
 * and programs find out that annotations are available. */
static void push_marks(struct compile_job *j, struct argv *to)
{
    if (j->in.sanitized)
        return;
    push_argument(j, to, "-Xclang");
    push_argument(j, to, "-fsanitize=thread");
}

/* Names of variables and places come from debug information, and variables must not be in
 * registers before the instrumentor has seen them. */
static struct argv source_command(struct compile_job *j, const char *object)
{
    static const char *const flags[] = {"-g", "-Wno-unused-command-line-argument",
                                        "-Xclang", "-disable-O0-optnone",
                                        "-fno-discard-value-names"};
    struct argv a = clang_command(j);
    push_role(j, &a, FORE_CC_OPTION);
    push_headers(j, &a);
    push_depends(j, &a, object);
    push_marks(j, &a);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        push_argument(j, &a, flags[i]);
    return a;
}

static enum fore_status to_bitcode(struct compile_job *j,
                                   const struct fore_cc_arg *source, const char *object,
                                   const char *bitcode, int *status, struct fore_err *e)
{
    static const char *const flags[] = {"-Xclang", "-disable-llvm-passes", "-emit-llvm",
                                        "-c", "-o"};
    struct argv a = source_command(j, object);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        push_argument(j, &a, flags[i]);
    push_argument(j, &a, bitcode);
    push_source(j, &a, source);
    return run_program(&a, status, e);
}

/* Adds the options that say what to instrument, and how. */
static void push_instrumentation(struct compile_job *j, struct argv *to)
{
    if (j->in.debug)
        push_argument(j, to, "-g");
    if (j->in.optimised)
        push_argument(j, to, "-O");
    push_argument(j, to, j->with.inlined);
    for (size_t i = 0; j->in.with_spec && i < j->in.spec.symbols.vars.n; i++)
        push_argument(j, to, j->in.spec.symbols.vars.at[i].name);
}

static enum fore_status instrument_bitcode(struct compile_job *j, const char *from,
                                           const char *to, int *status,
                                           struct fore_err *e)
{
    struct argv a = {0};
    push_argument(j, &a, j->with.instrument);
    push_argument(j, &a, from);
    push_argument(j, &a, to);
    push_instrumentation(j, &a);
    return run_program(&a, status, e);
}

static void push_unswitching(struct compile_job *j, struct argv *to)
{
    /* A loop gets a copy for when no pointer leads to a variable: see reach.c. */
    static const char *const flags[] = {"-mllvm", "-enable-nontrivial-unswitch", "-mllvm",
                                        "-unswitch-threshold=1000"};
    for (size_t i = 0; j->in.with_spec && i < sizeof flags / sizeof *flags; i++)
        push_argument(j, to, flags[i]);
}

/* The last step: what `source` is becomes `object`. */
static enum fore_status finish_object(struct compile_job *j, struct argv *a,
                                      const struct fore_cc_arg *source,
                                      const char *object, int *status, struct fore_err *e)
{
    push_argument(j, a, j->in.mode == FORE_CC_ASSEMBLY ? "-S" : "-c");
    push_argument(j, a, "-o");
    push_argument(j, a, object);
    push_source(j, a, source);
    return run_program(a, status, e);
}

static enum fore_status to_object(struct compile_job *j, const struct fore_cc_arg *source,
                                  const char *object, int *status, struct fore_err *e)
{
    struct argv a = clang_command(j);
    push_role(j, &a, FORE_CC_OPTION);
    push_argument(j, &a, "-Wno-unused-command-line-argument");
    if (source->role == FORE_CC_SOURCE)
        push_unswitching(j, &a);
    return finish_object(j, &a, source, object, status, e);
}

/* Newer compilers rewrite what debug information says of variables before a plugin comes: names would be lost, and the copies
 * of functions would share it. */
static void push_variables_as_they_are(struct compile_job *j, struct argv *a)
{
    enum { SINCE = 17 };
    if (j->with.version < SINCE)
        return;
    push_argument(j, a, "-Xclang");
    push_argument(j, a, "-fexperimental-assignment-tracking=disabled");
}

/* Compiles in one process: the environment tells the plugin what to do. */
static enum fore_status at_once(struct compile_job *j, const struct fore_cc_arg *source,
                                const char *object, const char *target, int *status,
                                struct fore_err *e)
{
    struct argv words = {0}, a = source_command(j, target);
    struct fore_strbuf told = FORE_STRBUF_INIT;
    if (!j->in.sanitized) { /* see push_marks */
        push_argument(j, &words, "-m");
        /* For code that other passes add at the end, too late for the plugin to see. */
        push_argument(j, &a, "-mllvm");
        push_argument(j, &a, "-tsan-instrument-func-entry-exit=0");
    }
    push_instrumentation(j, &words);
    for (size_t i = 0; i < words.v.n; i++)
        fore_strbuf_printf(&told, "%s\n", words.v.at[i]);
    setenv("FORESEE_INSTRUMENT", told.at, true);
    fore_strbuf_release(&told);
    fore_vec_release(&words.v);
    push_argument(j, &a,
                  fore_arena_printf(&j->in.arena, "-fpass-plugin=%s", j->with.plugin));
    push_unswitching(j, &a);
    push_variables_as_they_are(j, &a);
    return finish_object(j, &a, source, object, status, e);
}

static enum fore_status instrumented(struct compile_job *j, size_t i, const char *object,
                                     const char *target, int *status, struct fore_err *e)
{
    if (*j->with.plugin && !j->in.unplugged)
        return at_once(j, &j->in.args.at[i], object, target, status, e);
    char *plain = fore_arena_printf(&j->in.arena, "%s/%zu.bc", j->with.folder, i);
    char *watched =
        fore_arena_printf(&j->in.arena, "%s/%zu.watched.bc", j->with.folder, i);
    struct fore_cc_arg made = {.text = watched, .role = FORE_CC_SOURCE};
    FORE_TRY(to_bitcode(j, &j->in.args.at[i], target, plain, status, e));
    if (*status == 0)
        FORE_TRY(instrument_bitcode(j, plain, watched, status, e));
    if (*status == 0)
        FORE_TRY(to_object(j, &made, object, status, e));
    return FORE_OK;
}

static enum fore_status compile_source(struct compile_job *j, size_t i, int *status,
                                       struct fore_err *e)
{
    struct fore_cc_arg *source = &j->in.args.at[i];
    enum fore_cc_mode mode = j->in.mode;
    const char *target =
        j->in.output && mode != FORE_CC_LINK
            ? j->in.output
            : path_beside(j, source->text, mode == FORE_CC_ASSEMBLY ? "s" : "o");
    const char *object = target;
    if (mode == FORE_CC_LINK)
        object = fore_arena_printf(&j->in.arena, "%s/%zu.o", j->with.folder, i);
    if (source->role == FORE_CC_SOURCE)
        FORE_TRY(instrumented(j, i, object, target, status, e));
    else
        FORE_TRY(to_object(j, source, object, status, e));
    *source = (struct fore_cc_arg){.text = object, .role = FORE_CC_INPUT};
    return FORE_OK;
}

/* Links the runtime so that it also gets the calls by which libraries that are not instrumented
 * use threads and locks. Sanitizers other than AddressSanitizer have runtimes that need the same
 * calls. */
static void push_runtime(struct compile_job *j, struct argv *to)
{
#define WRAP(name, params, args) "-Wl,--wrap=" #name,
    static const char *const wraps[] = {
        FORE_C_CAUGHT(WRAP, WRAP) "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc",
        "-Wl,--wrap=free,--wrap=memalign,--wrap=aligned_alloc,--wrap=posix_memalign",
        "-Wl,--wrap=mmap,--wrap=munmap"};
    if (j->in.shared) {
        push_argument(j, to, "-Wl,-z,undefs,-u,foresee_rt_part");
        push_argument(j, to, j->with.part);
        push_argument(j, to, j->with.alone); /* for programs that have no runtime */
        push_argument(j, to, "-Wl,-rpath");
        push_argument(
            j, to,
            fore_arena_printf(&j->in.arena, "-Wl,%.*s",
                              (int)(strrchr(j->with.alone, '/') - j->with.alone),
                              j->with.alone));
    }
    if (j->in.shared || j->in.partial)
        return;
    for (size_t i = 0; j->in.is_static && i < sizeof wraps / sizeof *wraps; i++)
        push_argument(j, to, wraps[i]);
    if (j->in.is_static) {
        push_argument(j, to, "-Wl,-u,__wrap_pthread_create");
        push_argument(j, to, j->with.wrap);
    } else if (!j->in.sanitized || j->in.has_asan) {
        push_argument(j, to, "-Wl,-u,foresee_rt_interposed");
        push_argument(
            j, to,
            "-Wl,--export-dynamic-symbol=foresee_*"); /* for libraries that are loaded later */
        push_argument(j, to, j->with.interpose);
    }
    push_argument(j, to, j->with.guard);
    /* The whole archive: a library that is loaded later may need any part of it. */
    push_argument(j, to, "-Wl,--whole-archive");
    push_argument(j, to, j->with.runtime);
    push_argument(j, to, "-Wl,--no-whole-archive");
    if (!j->in.is_static)
        push_argument(j, to, "-Wl,--export-dynamic-symbol=foresee_*");
    push_argument(j, to, "-pthread");
}

static enum fore_status link_all(struct compile_job *j, int *status, struct fore_err *e)
{
    struct argv a = clang_command(j);
    for (size_t i = 0; i < j->in.args.n; i++)
        if (j->in.args.at[i].role <= FORE_CC_INPUT)
            push_argument(j, &a, j->in.args.at[i].text);
    push_runtime(j, &a);
    if (j->in.output) {
        push_argument(j, &a, "-o");
        push_argument(j, &a, j->in.output);
    }
    return run_program(&a, status, e);
}

/* Passes commands that make no code on to clang. */
static enum fore_status pass_on(struct compile_job *j, int *status, struct fore_err *e)
{
    struct argv a = clang_command(j);
    for (size_t i = 0; i < j->in.words.n; i++)
        push_argument(j, &a, j->in.words.at[i]);
    if (j->in.sources)
        push_headers(j, &a);
    if (j->in.sources || j->in.header)
        push_marks(j, &a);
    return run_program(&a, status, e);
}

static enum fore_status run_compiler(struct compile_job *j, int *status,
                                     struct fore_err *e)
{
    FORE_TRY(fore_cc_arguments(&j->in, e));
    bool links = j->in.mode == FORE_CC_LINK;
    bool plain = j->in.mode == FORE_CC_PLAIN || !(j->in.sources + j->in.inputs) ||
                 (!links && !j->in.sources);
    FORE_TRY(find_clang(&j->with, plain, e));
    *status = 0;
    if (plain)
        return pass_on(j, status, e);
    if (!links && j->in.output && j->in.sources > 1)
        return fore_fail(e, FORE_USAGE, "-o with -c or -S takes one source, not %zu",
                         j->in.sources);
    FORE_TRY(make_folder(&j->with, e));
    for (size_t i = 0; i < j->in.args.n && *status == 0; i++)
        if (j->in.args.at[i].role == FORE_CC_SOURCE ||
            j->in.args.at[i].role == FORE_CC_ASSEMBLER)
            FORE_TRY(compile_source(j, i, status, e));
    if (*status == 0 && links)
        FORE_TRY(link_all(j, status, e));
    if (*status == 0 && links && j->in.with_spec && !j->in.shared && !j->in.partial)
        fore_cc_check_names(&j->in, j->in.output ? j->in.output : "a.out");
    return FORE_OK;
}

/* ---- the verbs ---- */

static int run_as(struct fore_cli *c, bool cxx, struct fore_err *e)
{
    struct compile_job j = {.in = {.cli = c, .arena = FORE_ARENA_INIT, .cxx = cxx}};
    int status = FORE_EXIT_ERROR;
    if (run_compiler(&j, &status, e) != FORE_OK)
        status = FORE_EXIT_ERROR;
    fore_folder_remove(j.with.folder);
    fore_cc_release(&j.in);
    return status;
}

static int run_cc(struct fore_cli *c, struct fore_err *e)
{
    return run_as(c, false, e);
}

static int run_cxx(struct fore_cli *c, struct fore_err *e)
{
    return run_as(c, true, e);
}

const struct fore_verb fore_verb_cc = {
    .name = "cc",
    .summary = "compiles a C program so that it can be watched",
    .usage = "[--foresee-spec F] CLANG-ARGUMENTS...",
    .details =
        "Use it in place of clang: CC=\"foresee cc\" make. When 'foresee run' or "
        "'foresee record'\n"
        "starts the program, it records each access to memory that threads may share, "
        "with value\n"
        "and place, and what it does with threads, locks, conditions, semaphores, "
        "barriers and the\n"
        "like; otherwise it records nothing. With a specification "
        "(--foresee-spec F, or\n"
        "FORESEE_SPEC=F in the environment) it records only what F names, variables and "
        "parts, "
        "also when\n"
        "they are reached through pointers: level, tank.level, a[3], \"tank.c:level\".\n"
        "\n"
        "It runs clang or clang-19, -16, -15, -14, the first that is there and that this "
        "build\n"
        "of foresee can instrument; FORESEE_CLANG names another one. All other arguments "
        "are\n"
        "clang's.",
    .examples = "foresee cc -O2 -o prog prog.c && foresee run -- ./prog\n"
                "CC=\"foresee cc\" make            # drop-in\n"
                "foresee cc --foresee-spec f.spec prog.c -o prog && foresee run --spec "
                "f.spec -- ./prog",
    .rest = FORE_REST_ALL,
    .run = run_cc,
};

const struct fore_verb fore_verb_cxx = {
    .name = "c++",
    .summary = "compiles a C++ program so that it can be watched",
    .usage = "[--foresee-spec F] CLANG-ARGUMENTS...",
    .details = "Use it in place of clang++: CXX=\"foresee c++\" make. It does what "
               "'foresee cc' does, also\n"
               "for std::thread, std::mutex, std::condition_variable, std::atomic, "
               "std::async and the\n"
               "like, which the C++ library makes of the same calls. foresee shows what "
               "a function of a\n"
               "system header does with the line that called it. In a specification "
               "names are qualified:\n"
               "\"bank::Account::total\".",
    .examples = "foresee c++ -O2 -o prog prog.cpp && foresee run -- ./prog\n"
                "CC=\"foresee cc\" CXX=\"foresee c++\" cmake -B build",
    .rest = FORE_REST_ALL,
    .run = run_cxx,
};
