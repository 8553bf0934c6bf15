#include "node/binary.h"

#include "base/file.h"
#include "base/program.h"
#include "capture/node/clock.h"

#include <elf.h>
#include <limits.h>
#include <string.h>

static bool is_elf(const struct fore_file *f)
{
    return f->n > sizeof(Elf64_Ehdr) && !memcmp(f->at, ELFMAG, SELFMAG) &&
           f->at[EI_CLASS] == ELFCLASS64;
}

/* Does it name an interpreter, which is what loads libraries? */
static bool is_dynamic(const struct fore_file *f)
{
    Elf64_Ehdr h;
    memcpy(&h, f->at, sizeof h);
    for (size_t i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        if (h.e_phoff > f->n || f->n - h.e_phoff < (i + 1) * sizeof p)
            return false;
        memcpy(&p, f->at + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static bool contains(const struct fore_file *f, const char *text)
{
    return memmem(f->at, f->n, text, strlen(text));
}

enum fore_node_time fore_binary_time(const char *argv0, const char **why)
{
    enum fore_node_time time = FORE_TIME_LIBRARY;
    char path[PATH_MAX];
    struct fore_file f;
    struct fore_err unheard = {0};
    *why = NULL;
    if (!fore_program_find(argv0, path, sizeof path) ||
        fore_file_open(&f, path, &unheard) != FORE_OK)
        return time;
    if (is_elf(&f) && contains(&f, "Go buildinf:")) {
        bool ours = contains(&f, FORE_NODE_ENV);
        time = ours ? FORE_TIME_GO : FORE_TIME_REAL;
        *why = ours ? NULL
                    : "is a Go program that 'foresee go build' did not build: its clock "
                      "and its chance are real, so use it for nodes without timers, or "
                      "explore -- go run PACKAGE";
    } else if (is_elf(&f) && !is_dynamic(&f)) {
        time = FORE_TIME_REAL;
        *why = "is linked statically: its clock and its chance are real, so use it for "
               "nodes without timers, or link it dynamically";
    }
    fore_file_release(&f);
    return time;
}
