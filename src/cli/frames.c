#include "cli/frames.h"

#include "base/child.h"
#include "base/cxx_name.h"
#include "base/map.h"
#include "base/path.h"
#include "base/vec.h"
#include "capture/c/detours.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_ONCE = 1000, DEEPEST = 64 };

/* One instruction: where it is, from the innermost of the functions that were put in line there. */
struct frame {
    uint32_t id;          /* of the tables */
    const char *at;       /* "0x1234" behind the name of the file */
    size_t file;          /* how long that name is */
    uint32_t first, last; /* of the lines that the tool gave for it */
    bool itself, known;
};

struct line {
    uint32_t function, file, line;
};

struct naming {
    struct fore_tables *t;
    FORE_VEC(struct frame) frames;
    FORE_VEC(struct line) lines;
    struct fore_map by_id; /* of the tables -> 1 + index of a frame */
};

/* ---- which there are ---- */

static void find_frames(struct naming *n)
{
    for (uint32_t i = 1; i < n->t->wheres.n; i++) {
        const struct fore_where *w = &n->t->wheres.at[i];
        const char *text = fore_tables_text(n->t, w->file);
        const char *plus = w->function || w->line ? NULL : strstr(text, "+0x");
        if (!plus)
            continue;
        *fore_map_put(&n->by_id, i, NULL) = n->frames.n + 1;
        fore_vec_push(&n->frames, (struct frame){.id = i,
                                                 .at = plus + 1,
                                                 .file = (size_t)(plus - text),
                                                 .itself = strchr(plus, ' ') != NULL});
    }
}

/* ---- what a tool says ---- */

/* Without what the name ends in if it is the version that is watched (capture/c/instrument/twin.c). */
static uint32_t name_of_function(struct naming *n, const char *function)
{
    static const char watched[] = ".watched";
    struct fore_strbuf name = FORE_STRBUF_INIT;
    fore_cxx_name(function, &name);
    size_t ending = sizeof watched - 1;
    bool ends = name.n > ending && !strcmp(name.at + name.n - ending, watched);
    uint32_t id = fore_tables_string(n->t, name.at, ends ? name.n - ending : name.n);
    fore_strbuf_release(&name);
    return id;
}

/* "main" and "/home/me/main.c:7" or "/home/me/main.c:7 (discriminator 2)". */
static void add_line(struct naming *n, const char *function, char *place)
{
    char *end = strstr(place, " (discriminator"), *colon;
    if (end)
        *end = 0;
    colon = strrchr(place, ':');
    if (!colon || *place == '?' || colon[1] == '?' || colon[1] == '0' ||
        strstr(place, "capture/c/runtime/"))
        return;
    *colon = 0;
    unsigned long number = strtoul(colon + 1, NULL, 10);
    fore_leave_out_detours(place);
    const char *file = fore_path_here(place);
    fore_vec_push(&n->lines, (struct line){name_of_function(n, function),
                                           fore_tables_string(n->t, file, strlen(file)),
                                           (uint32_t)number});
}

/* For each address a line with it, and then two for each function. */
static void take_answer(struct naming *n, size_t *const asked, size_t count, char *text)
{
    char *rest = NULL, *function = NULL;
    struct frame *f = NULL;
    size_t next = 0;
    for (char *s = strtok_r(text, "\n", &rest); s; s = strtok_r(NULL, "\n", &rest)) {
        if (!strncmp(s, "0x", 2)) {
            f = next < count ? &n->frames.at[asked[next++]] : NULL;
            if (f)
                f->first = f->last = (uint32_t)n->lines.n;
            function = NULL;
        } else if (!function) {
            function = s;
        } else {
            add_line(n, function, s);
            if (f)
                f->last = (uint32_t)n->lines.n;
            function = NULL;
        }
    }
}

static void ask_symbolizer(struct naming *n, char *file, size_t *const asked,
                           size_t count)
{
    /* What clang puts in line GNU's does not always tell. */
    static const char *const tools[] = {"llvm-addr2line",    "llvm-addr2line-19",
                                        "llvm-addr2line-16", "llvm-addr2line-15",
                                        "llvm-addr2line-14", "addr2line"};
    struct fore_strbuf out = FORE_STRBUF_INIT, addresses = FORE_STRBUF_INIT;
    char *argv[AT_ONCE + 8], *from[AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        const struct frame *f = &n->frames.at[asked[i]];
        fore_strbuf_add(&addresses, f->at, strcspn(f->at, " "));
        fore_strbuf_putc(&addresses, '\0');
    }
    for (size_t i = 0, at = 0; i < count; i++, at += strlen(addresses.at + at) + 1)
        from[i] = addresses.at + at;
    for (size_t tool = 0; tool < sizeof tools / sizeof *tools && !out.n; tool++) {
        struct fore_err unheard = {0};
        size_t k = 0;
        int status;
        char *const fixed[] = {
            (char *)(uintptr_t)tools[tool], "-a", "-f", "-i", "-C", "-e", file};
        for (; k < sizeof fixed / sizeof *fixed; k++)
            argv[k] = fixed[k];
        for (size_t i = 0; i < count; i++)
            argv[k++] = from[i];
        argv[k] = NULL;
        if (fore_child_ask(argv, true, &out, &status, &unheard) != FORE_OK)
            fore_strbuf_clear(&out);
    }
    if (out.n)
        take_answer(n, asked, count, out.at);
    fore_strbuf_release(&out);
    fore_strbuf_release(&addresses);
}

/* What called the program's threads, or is called back by them, tells nothing. */
static bool is_of_system(const struct frame *f)
{
    const char *file = f->at - 1 - f->file;
    return fore_begins_with(file, "/lib") || fore_begins_with(file, "/usr/lib");
}

/* Does it have the instructions that ran? A file that was written after the trace has others. */
static bool is_as_recorded(const struct naming *n, const char *file)
{
    struct stat st;
    if (stat(file, &st) || !S_ISREG(st.st_mode))
        return false;
    uint64_t ns =
        (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    return !n->t->written_ns || ns <= n->t->written_ns;
}

/* All of one file together, so many at a time. */
static void ask_for_all(struct naming *n)
{
    size_t asked[AT_ONCE];
    for (size_t i = 0; i < n->frames.n; i++) {
        const struct frame *first = &n->frames.at[i];
        size_t count = 0;
        for (size_t j = is_of_system(first) ? n->frames.n : i;
             j < n->frames.n && count < AT_ONCE; j++) {
            struct frame *f = &n->frames.at[j];
            if (f->known || f->file != first->file ||
                strncmp(f->at - 1 - f->file, first->at - 1 - first->file, f->file) != 0)
                continue;
            f->known = true;
            asked[count++] = j;
        }
        if (!count)
            continue;
        struct fore_strbuf file = FORE_STRBUF_INIT;
        fore_strbuf_add(&file, first->at - 1 - first->file, first->file);
        if (is_as_recorded(n, file.at))
            ask_symbolizer(n, file.at, asked, count);
        fore_strbuf_release(&file);
    }
}

/* ---- in the tables ---- */

static const struct frame *frame_of(const struct naming *n, uint32_t where)
{
    const uint64_t *i = fore_map_get(&n->by_id, where);
    return i ? &n->frames.at[*i - 1] : NULL;
}

/* Is that the place itself, so that its callers come after it? */
static bool is_place(const struct naming *n, const struct line *l, struct fore_where w)
{
    return l->line == w.line && !strcmp(fore_base_name(fore_tables_text(n->t, l->file)),
                                        fore_base_name(fore_tables_text(n->t, w.file)));
}

/* The callers of a place whose chain of instructions begins with `chain`. */
static uint32_t callers_of(struct naming *n, uint32_t where, uint32_t chain)
{
    struct line lines[DEEPEST];
    size_t count = 0, from = 0;
    for (uint32_t up = chain; up && count < DEEPEST; up = n->t->wheres.at[up].parent) {
        const struct frame *f = frame_of(n, up);
        for (uint32_t i = f ? f->first : 0; f && i < f->last && count < DEEPEST; i++)
            lines[count++] = n->lines.at[i];
        if (f && f->itself && f->last > f->first)
            from = 1; /* of what is in line there the first is the place */
    }
    for (size_t i = 0; i < count; i++)
        if (is_place(n, &lines[i], n->t->wheres.at[where])) {
            from = i + 1;
            break;
        }
    uint32_t up = 0;
    while (count > from) {
        const struct line *l = &lines[--count];
        up = fore_tables_where(n->t,
                               (struct fore_where){l->function, l->file, l->line, 0, up});
    }
    return up;
}

void fore_frames_name(struct fore_tables *t)
{
    struct naming n = {.t = t};
    size_t before = t->wheres.n;
    find_frames(&n);
    ask_for_all(&n);
    for (uint32_t i = 1; n.frames.n && i < before; i++) {
        uint32_t up = t->wheres.at[i].parent;
        if (up && frame_of(&n, up) && !frame_of(&n, i))
            up = callers_of(&n, i, up);
        if (!frame_of(&n, i))
            t->wheres.at[i].parent = up;
    }
    fore_vec_release(&n.frames);
    fore_vec_release(&n.lines);
    fore_map_release(&n.by_id);
}
