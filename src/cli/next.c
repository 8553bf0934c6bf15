#include "cli/next.h"

#include "base/path.h"
#include "cli/cli.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

/* A file of the folder, by its whole name or its ending, and what can be done with it; %s is the
 * file's name. The first file of each row counts. */
static const struct {
    const char *name; /* ".x": an ending */
    const char *command, *says;
} rows[] = {
    {"go.mod", "foresee go test ./...", "watches the tests of this Go module"},
    {"Makefile", "make CC=\"foresee cc\"",
     "builds a C program so that it can be watched"},
    {"CMakeLists.txt", "CC=\"foresee cc\" CXX=\"foresee c++\" cmake -B build",
     "builds with CMake so that it can be watched"},
    {"meson.build", "CC=\"foresee cc\" meson setup build-watched",
     "builds with Meson so that it can be watched"},
    {".c", "foresee cc -g -o prog %s -lpthread && foresee run -- ./prog",
     "watches a C program"},
    {".cc", "foresee c++ -g -o prog %s -lpthread && foresee run -- ./prog",
     "watches a C++ program"},
    {".cpp", "foresee c++ -g -o prog %s -lpthread && foresee run -- ./prog",
     "watches a C++ program"},
    {".fst", "foresee check %s", "what else could have happened in this run?"},
    {".trace", "foresee check %s", "what else could have happened in this run?"},
    {".spec", "foresee spec %s", "what this specification means"},
    {".edn", "foresee lin %s", "is this history linearizable?"},
    {".jsonl", "foresee lin %s", "is this history linearizable?"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool fits_pattern(const char *file, const char *name)
{
    if (name[0] != '.')
        return strcmp(file, name) == 0;
    return file[0] != '.' && fore_ends_with(file, name);
}

/* The first by name, so that it is the same every time. */
static void look_for_files(char found[ROWS][256])
{
    DIR *d = opendir(".");
    for (struct dirent *x; d && (x = readdir(d));)
        for (size_t i = 0; i < ROWS; i++)
            if (fits_pattern(x->d_name, rows[i].name) && strlen(x->d_name) < 256 &&
                (!found[i][0] || strcmp(x->d_name, found[i]) < 0))
                strcpy(found[i], x->d_name);
    if (d)
        closedir(d);
}

static void say_step(struct fore_strbuf *out, const char *form, const char *file,
                     const char *says)
{
    const char *hole = strstr(form, "%s");
    size_t from = out->n;
    fore_strbuf_puts(out, "  ");
    fore_strbuf_add(out, form, hole ? (size_t)(hole - form) : strlen(form));
    if (hole)
        fore_strbuf_printf(out, "%s%s", file, hole + 2);
    fore_strbuf_pad(out, ' ', from + 52);
    fore_strbuf_printf(out, "  %s\n", says);
}

void fore_next_steps(struct fore_strbuf *out)
{
    char found[ROWS][256] = {{0}};
    struct fore_findings f;
    struct fore_err unheard;
    size_t from = out->n;
    fore_findings_init(&f);
    if (fore_store_load(&f, &unheard) == FORE_OK && f.list.n) {
        char id[17];
        fore_finding_id_text(f.list.at[0]->id, id);
        id[8] = '\0';
        say_step(out, "foresee show", "", "what the last analysis found");
        say_step(out, "foresee show %s", id, f.list.at[0]->rule->name);
        say_step(out, "foresee report --open", "", "the same as a page");
    }
    fore_findings_release(&f);
    look_for_files(found);
    for (size_t i = 0; i < ROWS; i++)
        if (found[i][0])
            say_step(out, rows[i].command, found[i], rows[i].says);
    if (out->n == from)
        say_step(out, "foresee demo", "", "a first look, at a built-in example");
    fore_strbuf_puts(
        out,
        "\n"
        "  foresee help lists everything else; foresee doctor tries what works here.\n");
}
