#include "ring/gosym.h"

#include "ring/gomodule.h"

#include "base/mem.h"
#include "base/path.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The table's header, the same from Go 1.18 on (since 1.26 the text's address is left out):
 *   magic 4 | 0 0 quantum ptrsize | functions 8 | files 8 | text 8 |
 *   offsets, 8 each: names, units, files, pc tables, functions */
#define MAGIC_118 0xfffffff0u
#define MAGIC_120 0xfffffff1u
enum {
    HEADER = 72,
    PCDATA_INLINE = 2,
    FUNCDATA_INLINE = 3,
};

struct byte_span {
    const unsigned char *at;
    size_t n;
};

struct fore_gosym {
    struct fore_gomodule modules;
    struct byte_span file, table;
    uint64_t table_address;
    struct byte_span names, units, files, pcs, functions;
    uint64_t count; /* of functions */
    unsigned quantum;
    bool old;                 /* Go 1.18, 1.19 */
    struct byte_span inlined; /* the base of functions' inline trees */
    char *std_root;           /* "/usr/local/go/src/"; "" if paths were trimmed */
};

static uint32_t u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static uint64_t u64(const unsigned char *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

static bool word_at(struct byte_span s, uint64_t offset, uint32_t *out)
{
    if (offset > s.n || s.n - offset < 4)
        return false;
    *out = u32(s.at + offset);
    return true;
}

static const char *text_at(struct byte_span s, uint64_t offset)
{
    if (offset >= s.n || !memchr(s.at + offset, 0, s.n - offset))
        return NULL;
    return (const char *)s.at + offset;
}

static struct byte_span span_from(struct byte_span s, uint64_t offset)
{
    if (offset > s.n)
        return (struct byte_span){s.at, 0};
    return (struct byte_span){s.at + offset, s.n - offset};
}

/* ---- the file ---- */

static enum fore_status map_file(struct fore_gosym *g, const char *path,
                                 struct fore_err *e)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(fd);
        return fore_fail(e, FORE_SYNTAX, "%s: not an executable", path);
    }
    g->file.n = (size_t)st.st_size;
    void *p = mmap(NULL, g->file.n, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
    g->file.at = p;
    return FORE_OK;
}

static bool read_section(const struct fore_gosym *g, size_t i, Elf64_Shdr *out)
{
    Elf64_Ehdr h;
    memcpy(&h, g->file.at, sizeof h);
    struct byte_span rest = span_from(g->file, h.e_shoff);
    if (i >= h.e_shnum || h.e_shentsize < sizeof *out || i * h.e_shentsize > rest.n ||
        rest.n - i * h.e_shentsize < sizeof *out)
        return false;
    memcpy(out, rest.at + i * h.e_shentsize, sizeof *out);
    return true;
}

static struct byte_span section_bytes(const struct fore_gosym *g, const Elf64_Shdr *s)
{
    struct byte_span all = span_from(g->file, s->sh_offset);
    if (s->sh_type == SHT_NOBITS)
        all.n = 0;
    if (all.n > s->sh_size)
        all.n = s->sh_size;
    return all;
}

/* The bytes from an address of the program to the end of its section. */
static struct byte_span at_address(const struct fore_gosym *g, uint64_t address)
{
    Elf64_Shdr s;
    for (size_t i = 0; read_section(g, i, &s); i++)
        if (s.sh_addr && address >= s.sh_addr && address - s.sh_addr < s.sh_size)
            return span_from(section_bytes(g, &s), address - s.sh_addr);
    return (struct byte_span){g->file.at, 0};
}

static bool find_table(struct fore_gosym *g)
{
    Elf64_Ehdr h;
    Elf64_Shdr names, s;
    memcpy(&h, g->file.at, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || !read_section(g, h.e_shstrndx, &names))
        return false;
    struct byte_span strings = section_bytes(g, &names);
    for (size_t i = 0; read_section(g, i, &s); i++) {
        const char *name = text_at(strings, s.sh_name);
        if (!name || (strcmp(name, ".gopclntab") != 0 &&
                      strcmp(name, ".data.rel.ro.gopclntab") != 0))
            continue;
        g->table = section_bytes(g, &s);
        g->table_address = s.sh_addr;
        return true;
    }
    return false;
}

static bool read_header(struct fore_gosym *g)
{
    const unsigned char *p = g->table.at;
    if (g->table.n < HEADER || p[7] != 8)
        return false;
    uint32_t magic = u32(p);
    if (magic != MAGIC_118 && magic != MAGIC_120)
        return false;
    g->old = magic == MAGIC_118;
    g->quantum = p[6];
    g->count = u64(p + 8);
    g->names = span_from(g->table, u64(p + 32));
    g->units = span_from(g->table, u64(p + 40));
    g->files = span_from(g->table, u64(p + 48));
    g->pcs = span_from(g->table, u64(p + 56));
    g->functions = span_from(g->table, u64(p + 64));
    return g->count <= g->functions.n / 8;
}

static const char root_suffix[] = "runtime/proc.go";

/* Finds where Go's own sources were: the part of the file name before runtime/proc.go. */
static void find_std_root(struct fore_gosym *g)
{
    g->std_root = fore_strdup("");
    for (size_t at = 0; at < g->files.n;) {
        const char *name = text_at(g->files, at);
        if (!name)
            return;
        size_t n = strlen(name), k = strlen(root_suffix);
        if (n >= k && strcmp(name + n - k, root_suffix) == 0 &&
            (n == k || name[n - k - 1] == '/')) {
            fore_free(g->std_root);
            g->std_root = fore_strdup(name);
            g->std_root[n - k] = '\0';
            return;
        }
        at += n + 1;
    }
}

enum fore_status fore_gosym_open(struct fore_gosym **out, const char *path,
                                 int64_t func_distance, struct fore_err *e)
{
    struct fore_gosym *g = fore_calloc(1, sizeof *g);
    enum fore_status s = map_file(g, path, e);
    if (s == FORE_OK && (!find_table(g) || !read_header(g)))
        s = fore_fail(e, FORE_SYNTAX,
                      "%s: no table of lines of Go 1.18 or newer (.gopclntab)", path);
    if (s != FORE_OK) {
        fore_gosym_free(g);
        *out = NULL;
        return s;
    }
    if (func_distance)
        g->inlined = at_address(g, g->table_address + (uint64_t)func_distance);
    find_std_root(g);
    *out = g;
    return FORE_OK;
}

void fore_gosym_free(struct fore_gosym *g)
{
    if (!g)
        return;
    fore_gomodule_release(&g->modules);
    if (g->file.at)
        munmap((void *)(uintptr_t)g->file.at, g->file.n);
    fore_free(g->std_root);
    fore_free(g);
}

struct fore_bytes fore_gosym_image(const struct fore_gosym *g)
{
    return (struct fore_bytes){(const char *)g->file.at, g->file.n};
}

/* ---- functions ---- */

/* A function's record: entry, name, args, deferreturn, pcsp, pcfile, pcline, npcdata, unit,
 * [first line, since 1.20], id flag pad nfuncdata; then pcdata and funcdata, 4 bytes each. */
struct function {
    struct byte_span record;
    uint32_t entry, name, file, line, npcdata, unit, nfuncdata;
    size_t header; /* where pcdata begins */
};

static bool read_function(const struct fore_gosym *g, uint64_t i, struct function *f)
{
    f->record = span_from(g->functions, u32(g->functions.at + i * 8 + 4));
    f->header = g->old ? 40 : 44;
    if (f->record.n < f->header)
        return false;
    const unsigned char *r = f->record.at;
    f->entry = u32(r);
    f->name = u32(r + 4);
    f->file = u32(r + 20);
    f->line = u32(r + 24);
    f->npcdata = u32(r + 28);
    f->unit = u32(r + 32);
    f->nfuncdata = r[f->header - 1];
    return true;
}

static bool function_at(const struct fore_gosym *g, uint32_t pc, struct function *f)
{
    uint64_t lo = 0, hi = g->count; /* the last whose entry is not after pc */
    if (!hi || u32(g->functions.at) > pc)
        return false;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (u32(g->functions.at + mid * 8) <= pc)
            lo = mid;
        else
            hi = mid;
    }
    return read_function(g, lo, f) && f->entry <= pc;
}

static bool varint(struct byte_span *s, uint32_t *out)
{
    uint32_t v = 0;
    for (unsigned shift = 0; shift < 35 && s->n; shift += 7) {
        unsigned char b = *s->at++;
        s->n--;
        v |= (uint32_t)(b & 0x7f) << (shift & 31);
        if (!(b & 0x80)) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* A pc table: pairs (zigzag difference, distance), from -1 at entry. */
struct pc_table {
    struct byte_span rest;
    uint32_t value, end; /* value of the present piece, and where the piece ends */
    bool begun;
};

static bool next_piece(const struct fore_gosym *g, struct pc_table *t)
{
    uint32_t change, distance;
    if (!varint(&t->rest, &change) || (change == 0 && t->begun) ||
        !varint(&t->rest, &distance))
        return false;
    t->begun = true;
    t->value += (uint32_t)(-(int32_t)(change & 1)) ^ change >> 1;
    t->end += distance * g->quantum;
    return true;
}

static struct pc_table open_table(const struct fore_gosym *g, uint32_t table,
                                  uint32_t entry)
{
    struct byte_span none = {g->pcs.at, 0};
    return (struct pc_table){table ? span_from(g->pcs, table) : none, UINT32_MAX, entry,
                             false};
}

/* The value of a pc table at `pc`. */
static int32_t value_at(const struct fore_gosym *g, uint32_t table, uint32_t entry,
                        uint32_t pc)
{
    struct pc_table t = open_table(g, table, entry);
    while (next_piece(g, &t))
        if (pc < t.end)
            return (int32_t)t.value;
    return -1;
}

static const char *file_of_unit(const struct fore_gosym *g, const struct function *f,
                                int32_t file)
{
    uint32_t offset;
    if (file < 0 || !word_at(g->units, ((uint64_t)f->unit + (uint32_t)file) * 4, &offset))
        return "";
    const char *name = text_at(g->files, offset);
    return name ? name : "";
}

static void source_position(const struct fore_gosym *g, const struct function *f,
                            uint32_t pc, struct fore_gosym_frame *out)
{
    int32_t line = value_at(g, f->line, f->entry, pc);
    out->file = file_of_unit(g, f, value_at(g, f->file, f->entry, pc));
    out->line = line > 0 ? (uint32_t)line : 0;
}

/* Is a piece of the function's code between two addresses from this line? */
static bool has_line_between(const struct fore_gosym *g, const struct function *f,
                             uint32_t begin, uint32_t end, uint32_t line)
{
    struct pc_table t = open_table(g, f->line, f->entry);
    for (uint32_t at = f->entry; at < end && next_piece(g, &t); at = t.end)
        if (t.value == line && t.end > begin)
            return true;
    return false;
}

bool fore_gosym_has_line(const struct fore_gosym *g, const char *file, uint32_t line)
{
    struct function f;
    for (uint64_t i = 0; i < g->count; i++) {
        if (!read_function(g, i, &f))
            continue;
        struct pc_table t = open_table(g, f.file, f.entry);
        for (uint32_t at = f.entry; next_piece(g, &t); at = t.end)
            if (!strcmp(file_of_unit(g, &f, (int32_t)t.value), file) &&
                has_line_between(g, &f, at, t.end, line))
                return true;
    }
    return false;
}

static const char *name_at(const struct fore_gosym *g, uint32_t offset)
{
    const char *name = text_at(g->names, offset);
    return name ? name : "";
}

/* ---- which code is Go's own ---- */

/* First parts of the import paths of Go's library, for programs whose paths were trimmed. */
static const char *const std_packages[] = {
    "archive",  "bufio",    "bytes",   "cmp",     "compress", "container", "context",
    "crypto",   "database", "debug",   "embed",   "encoding", "errors",    "expvar",
    "flag",     "fmt",      "go",      "hash",    "html",     "image",     "index",
    "internal", "io",       "iter",    "log",     "maps",     "math",      "mime",
    "net",      "os",       "path",    "plugin",  "reflect",  "regexp",    "runtime",
    "slices",   "sort",     "strconv", "strings", "structs",  "sync",      "syscall",
    "testing",  "text",     "time",    "type:",   "unicode",  "unique",    "unsafe",
    "vendor",   "weak",     NULL,
};

static bool std_path(const char *path)
{
    size_t n = strcspn(path, "/.@");
    for (size_t i = 0; std_packages[i]; i++)
        if (strlen(std_packages[i]) == n && memcmp(std_packages[i], path, n) == 0)
            return true;
    return false;
}

/* Is it a function of the file that `foresee new go-mark` writes? Its caller is then the one
 * that marks. */
static bool is_mark(const char *function)
{
    const char *dot = strrchr(function, '.');
    return strncmp(dot ? dot + 1 : function, "foresee", 7) == 0;
}

static bool is_std(const struct fore_gosym *g, const struct fore_gosym_frame *f)
{
    if (!*f->file || strcmp(f->file, "<autogenerated>") == 0)
        return std_path(f->function);
    if (*g->std_root)
        return fore_begins_with(f->file, g->std_root);
    return f->file[0] != '/' && std_path(f->function);
}

/* ---- frames ---- */

struct inlined {
    uint32_t name, parent_pc;
};

/* Finds the call that was inlined at `pc`, if any. */
static bool inlined_at(const struct fore_gosym *g, const struct function *f, uint32_t pc,
                       struct inlined *out)
{
    uint32_t table, tree;
    if (!g->inlined.n || f->npcdata <= PCDATA_INLINE || f->nfuncdata <= FUNCDATA_INLINE ||
        !word_at(f->record, f->header + PCDATA_INLINE * 4, &table) ||
        !word_at(f->record, f->header + f->npcdata * 4ul + FUNCDATA_INLINE * 4, &tree) ||
        tree == UINT32_MAX)
        return false;
    int32_t i = value_at(g, table, f->entry, pc);
    if (i < 0)
        return false;
    /* {parent 2, id, pad, file, line, name, parent pc} until 1.19, then {id, pad, name,
     * parent pc, first line} */
    uint64_t at = tree + (uint64_t)i * (g->old ? 20 : 16);
    return word_at(g->inlined, at + (g->old ? 12 : 4), &out->name) &&
           word_at(g->inlined, at + (g->old ? 16 : 8), &out->parent_pc);
}

size_t fore_gosym_frames(const struct fore_gosym *g, uint32_t pc,
                         struct fore_gosym_frame *out, size_t room)
{
    struct function f;
    struct inlined in;
    size_t n = 0;
    if (!pc || !function_at(g, pc - 1, &f))
        return 0;
    pc--; /* within the call, not after it */
    while (n < room && inlined_at(g, &f, pc, &in)) {
        source_position(g, &f, pc, &out[n]);
        out[n].function = name_at(g, in.name);
        out[n].std = is_std(g, &out[n]) || is_mark(out[n].function);
        n++;
        pc = f.entry + in.parent_pc;
    }
    if (n < room) {
        source_position(g, &f, pc, &out[n]);
        out[n].function = name_at(g, f.name);
        out[n].std = is_std(g, &out[n]) || is_mark(out[n].function);
        n++;
    }
    return n;
}

const char *fore_gosym_entry(const struct fore_gosym *g, uint32_t pc)
{
    struct function f;
    return function_at(g, pc, &f) ? name_at(g, f.name) : "";
}

/* ---- files ---- */

void fore_gosym_ran_in(struct fore_gosym *g, const char *folder)
{
    fore_gomodule_find(&g->modules, folder);
}

uint32_t fore_gosym_file_string(const struct fore_gosym *g, struct fore_tables *t,
                                const char *name)
{
    struct fore_strbuf whole = FORE_STRBUF_INIT;
    bool trimmed = *name != '/' && fore_gomodule_file(&g->modules, name, &whole);
    uint32_t id = trimmed ? fore_tables_string(t, whole.at, whole.n)
                          : fore_tables_string(t, name, strlen(name));
    fore_strbuf_release(&whole);
    return id;
}

uint32_t fore_gosym_file(const struct fore_gosym *g, struct fore_tables *t, size_t *at,
                         const char **called)
{
    const char *name;
    while (*at < g->files.n && (name = *called = text_at(g->files, *at))) {
        size_t n = strlen(name), root = strlen(g->std_root);
        *at += n + 1;
        bool std =
            root ? !strncmp(name, g->std_root, root) : *name != '/' && std_path(name);
        if (!std && fore_ends_with(name, ".go"))
            return fore_gosym_file_string(g, t, name);
    }
    return 0;
}
