#include "cli/go_exec.h"

#include "base/path.h"
#include "base/strbuf.h"
#include "cli/kept.h"
#include "explore/program/host.h"
#include "ring/govars.h"
#include "spec/spec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct go_program {
    const char *path;
    const void *image;
    size_t n;
    struct fore_govars *vars;
};

/* Of several test binaries one may well lack a variable; of one program it is worth a word. */
static void tell_missing(const struct go_program *p, const char *name)
{
    if (p->vars && fore_govars_has(p->vars, name))
        fprintf(stderr,
                "foresee: the specification names %s, whose type has no values that are "
                "recorded: these are integers, floats, booleans and pointers\n",
                name);
    else if (!fore_ends_with(p->path, ".test"))
        fprintf(stderr,
                "foresee: the specification names %s, which the program does not have; "
                "it names variables of packages as main.level or pool.stats.hits, and "
                "members of allocated objects as main.tank.level, where tank is a type\n",
                name);
}

/* Is there a pointer into these bytes among the initial values of the data? In position-independent
 * programs the pointers are the addends of relocations, which are loaded, too. */
static bool data_points_to(const struct go_program *program, uint64_t from, uint64_t size)
{
    const char *base = program->image;
    size_t n = program->n;
    Elf64_Ehdr h;
    if (n < sizeof h)
        return true;
    memcpy(&h, base, sizeof h);
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        uint64_t at = h.e_phoff + (uint64_t)i * sizeof p, word;
        if (at > n - sizeof p)
            return true;
        memcpy(&p, base + at, sizeof p);
        if (p.p_type != PT_LOAD || p.p_flags & PF_X)
            continue;
        if (p.p_offset > n || p.p_filesz > n - p.p_offset)
            return true;
        for (uint64_t k = -p.p_vaddr & 7; k + sizeof word <= p.p_filesz;
             k += sizeof word) {
            memcpy(&word, base + p.p_offset + k, sizeof word);
            if (word - from < size)
                return true;
        }
    }
    return !h.e_phnum;
}

/* Can the variable be reached by a pointer, as far as its name and the program's data tell? */
static bool is_pointed(const struct go_program *p, const char *name,
                       const struct fore_govar *x)
{
    return strchr(name, '[') || data_points_to(p, x->whole, x->whole_size);
}

static void add_variables(const struct go_program *p, const char *names,
                          struct fore_strbuf *out)
{
    while (*names) {
        size_t n = strcspn(names, ";");
        char name[512];
        struct fore_govar x;
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), names);
        bool whole = p->vars && fore_govars_find(p->vars, name, &x);
        if (whole || (p->vars && fore_govars_find_field(p->vars, name, &x)))
            fore_strbuf_printf(out, "%llx,%llx,%c,%llx,%llx,%d,%s%s;",
                               (unsigned long long)x.address, (unsigned long long)x.size,
                               x.type, (unsigned long long)x.whole,
                               (unsigned long long)x.whole_size,
                               !whole || is_pointed(p, name, &x), whole ? "" : "*", name);
        else
            tell_missing(p, name);
        names += n + (names[n] == ';');
    }
}

/* ---- how it is started ---- */

/* False if it cannot be written. */
static bool note_start(const char *folder, const char *const *words)
{
    char path[4096], here[4096];
    snprintf(path, sizeof path, "%s/%ld.started", folder, (long)getpid());
    struct fore_started s = {.directory = getcwd(here, sizeof here),
                             .argv = (char **)(uintptr_t)words};
    return fore_started_write(path, &s);
}

/* Go removes the program when it has run: it must have another name by then. */
static enum fore_status collect(const char *folder, const char *const *words,
                                struct fore_err *e)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%ld.exe", folder, (long)getpid());
    if (!fore_kept_copy(words[0], path) || !note_start(folder, words))
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    _exit(0);
}

/* Tells the program, by its environment, where the variables are. */
static void watch_variables(const char *program, int fd, size_t n, const char *names)
{
    struct fore_strbuf vars = FORE_STRBUF_INIT;
    void *image = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (image == MAP_FAILED)
        return;
    struct go_program p = {program, image, n, fore_govars_open(image, n)};
    fore_strbuf_printf(&vars, "%llx;",
                       p.vars ? (unsigned long long)fore_govars_text(p.vars) : 0);
    size_t none = vars.n;
    add_variables(&p, names, &vars);
    if (vars.n != none)
        setenv("FORESEE_VARS", vars.at, 1);
    fore_govars_free(p.vars);
    munmap(image, n);
    fore_strbuf_release(&vars);
}

void fore_go_spec_names(const struct fore_spec *spec, struct fore_strbuf *out)
{
    for (size_t i = 0; i < spec->symbols.vars.n; i++)
        fore_strbuf_printf(out, "%s%s", i ? ";" : "", spec->symbols.vars.at[i].name);
}

enum fore_status fore_go_watch(const char *program, const char *specification,
                               struct fore_err *e)
{
    struct fore_spec spec = {0};
    struct fore_strbuf names = FORE_STRBUF_INIT;
    struct stat st;
    const struct fore_host *host = specification ? fore_host_of(program) : NULL;
    if (!host || !host->traced)
        return FORE_OK;
    enum fore_status s = fore_spec_load(&spec, specification, e);
    int fd = s == FORE_OK ? open(program, O_RDONLY | O_CLOEXEC) : -1;
    if (s == FORE_OK) {
        fore_go_spec_names(&spec, &names);
        if (fd >= 0 && !fstat(fd, &st) && names.n)
            watch_variables(program, fd, (size_t)st.st_size, names.at);
    }
    if (fd >= 0)
        close(fd);
    fore_strbuf_release(&names);
    fore_spec_release(&spec);
    return s;
}

enum fore_status fore_go_exec(const char *const *words, struct fore_err *e)
{
    const char *names = getenv(FORE_GO_NAMES), *started = getenv(FORE_GO_STARTED);
    const char *collects = getenv(FORE_GO_COLLECT);
    struct stat st;
    int fd = words[0] ? open(words[0], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &st) != 0)
        return fore_fail(e, FORE_IO, "%s: %s", words[0] ? words[0] : "go exec",
                         strerror(errno));
    if (collects)
        return collect(collects, words, e);
    if (started) {
        note_start(started, words); /* else it is not run again */
        unsetenv(FORE_GO_STARTED);
    }
    if (names)
        watch_variables(words[0], fd, (size_t)st.st_size, names);
    execv(words[0], (char *const *)(uintptr_t)words);
    return fore_fail(e, FORE_IO, "%s: %s", words[0], strerror(errno));
}
