/* Finds names in a specification that no module has: the instrumentor leaves the names of all
 * variables in a section of the program. */
#include "cli/cc.h"

#include "base/file.h"
#include "base/strbuf.h"

#include "capture/c/module.h"
#include "capture/ring/leaf.h"

#include <elf.h>
#include <string.h>

struct name_list {
    FORE_VEC(const char *) v;
    FORE_VEC(const char *) files;   /* of each: "" unless it is static */
    FORE_VEC(const char *) layouts; /* see capture/ring/leaf.h; "" if unknown */
};

/* The section's bytes; NULL if there is none, or it is no ELF file of 64 bits. */
static const char *find_section(const struct fore_file *f, const char *name, size_t *n)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)f->at;
    if (f->n < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shentsize != sizeof(Elf64_Shdr) ||
        h->e_shoff % 8 || h->e_shoff > f->n ||
        h->e_shnum > (f->n - h->e_shoff) / sizeof(Elf64_Shdr) ||
        h->e_shstrndx >= h->e_shnum)
        return NULL;
    const Elf64_Shdr *s = (const Elf64_Shdr *)(const void *)(f->at + h->e_shoff);
    const Elf64_Shdr *text = &s[h->e_shstrndx];
    if (text->sh_offset > f->n || text->sh_size > f->n - text->sh_offset)
        return NULL;
    for (unsigned i = 0; i < h->e_shnum; i++, s++) {
        size_t at = s->sh_name, length = strlen(name) + 1;
        if (at + length <= text->sh_size &&
            memcmp(f->at + text->sh_offset + at, name, length) == 0 &&
            s->sh_type != SHT_NOBITS && s->sh_offset <= f->n &&
            s->sh_size <= f->n - s->sh_offset) {
            *n = s->sh_size;
            return f->at + s->sh_offset;
        }
    }
    return NULL;
}

/* The linker may pad between the parts of modules. */
static void split_names(struct fore_arena *a, const char *text, size_t n,
                        struct name_list *out)
{
    while (n) {
        size_t length = strnlen(text, n);
        const char *line = memchr(text, '\n', length);
        const char *layout = line ? strchr(line + 1, '\n') : NULL;
        if (layout && length < n) {
            fore_vec_push(&out->v, fore_arena_strndup(a, text, (size_t)(line - text)));
            fore_vec_push(&out->files,
                          fore_arena_strndup(a, line + 1, (size_t)(layout - line - 1)));
            fore_vec_push(&out->layouts, layout + 1);
        }
        length += length < n;
        text += length;
        n -= length;
    }
}

/* Length of the file in a name: "tank.c:tank.level" means tank of the file tank.c. */
static size_t file_in(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon && colon > name && colon[-1] != ':' ? (size_t)(colon - name) : 0;
}

static bool is_file(const char *path, const char *file, size_t length)
{
    size_t n = strlen(path);
    return n >= length && strncmp(path + n - length, file, length) == 0 &&
           (n == length || path[n - length - 1] == '/');
}

/* The known variables that a name means: returns how many, and lists their files. A variable
 * that is not static may be defined by several modules, and counts once. */
static size_t meant(const struct name_list *known, const char *variable, const char *file,
                    size_t length, struct fore_strbuf *list, const char **layout)
{
    size_t n = 0;
    bool shared = false;
    for (size_t i = 0; i < known->v.n; i++) {
        const char *own = known->files.at[i];
        if (strcmp(known->v.at[i], variable) != 0 ||
            (length && *own && !is_file(own, file, length)) || (!*own && shared))
            continue;
        shared |= !*own;
        *layout = known->layouts.at[i];
        fore_strbuf_printf(list, "%s%s%s%s", n++ ? ", " : "", own, *own ? ":" : "",
                           variable);
    }
    return n;
}

/* Warns of a part that the variable does not have, since it would never be recorded. */
static void check_part(const struct fore_cc *j, const char *name, const char *part,
                       const char *layout)
{
    const char *missing;
    struct fore_leaf_part found;
    if (!*part || !*layout || fore_leaf_find(layout, part, &found, &missing))
        return;
    fore_cli_say(
        j->cli,
        "warning: the specification names %s, but what is before '%s' has no such "
        "part",
        name, missing);
}

static void check_name(const struct fore_cc *j, struct fore_arena *a, const char *name,
                       const struct name_list *known)
{
    struct fore_strbuf list = FORE_STRBUF_INIT;
    size_t file = file_in(name);
    const char *own = file ? name + file + 1 : name;
    char *variable = fore_arena_strndup(a, own, strcspn(own, ".["));
    const char *layout = "";
    size_t n = meant(known, variable, name, file, &list, &layout);
    const char *near = n ? NULL : fore_nearest(variable, known->v.at, known->v.n);
    if (n == 0)
        fore_cli_say(
            j->cli,
            "warning: the specification names %s, which no source file defines%s%s%s",
            name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    if (n == 1)
        check_part(j, name, own + strlen(variable), layout);
    if (n > 1)
        fore_cli_say(j->cli,
                     "warning: the specification names %s, but several variables have "
                     "that name (%s): all are recorded, none under this name; name one "
                     "with its file, as in \"tank.c:level\"",
                     name, list.at);
    fore_strbuf_release(&list);
}

void fore_cc_check_names(const struct fore_cc *j, const char *program)
{
    struct fore_file file;
    struct fore_arena arena = FORE_ARENA_INIT;
    struct fore_err unread = {0};
    struct name_list known = {0};
    size_t n = 0;
    if (fore_file_open(&file, program, &unread) != FORE_OK)
        return;
    const char *text = find_section(&file, FORE_C_KNOWN, &n);
    if (text) {
        split_names(&arena, text, n, &known);
        for (size_t i = 0; i < j->spec.symbols.vars.n; i++)
            check_name(j, &arena, j->spec.symbols.vars.at[i].name, &known);
    }
    fore_vec_release(&known.v);
    fore_vec_release(&known.files);
    fore_vec_release(&known.layouts);
    fore_arena_release(&arena);
    fore_file_release(&file);
}
