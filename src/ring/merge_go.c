#include "ring/merge_go.h"

#include "base/hash.h"
#include "base/path.h"
#include "ring/gocontext.h"
#include "ring/golength.h"
#include "ring/goselect.h"
#include "ring/govars.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CALLERS = 64 };

struct go_resolver {
    struct fore_merge_resolver base;
    struct fore_gosym *sym;
    struct fore_map files; /* string id of a path -> 1 + index in `sources` */
    FORE_VEC(struct fore_bytes) sources;
    const struct fore_fsr *file;
    struct fore_map selects; /* place of a select -> index in `cases` */
    FORE_VEC(struct fore_goselect) cases;
    struct fore_govars *vars; /* of packages, or NULL */
    bool vars_known;          /* they were looked for */
    /* place of a make -> 1 + its rank among those on the same line */
    struct fore_map ranks;
    struct fore_map is_site;
    FORE_VEC(uint32_t) sites; /* places where objects were made, each once */
    size_t sited;             /* how many of the file's objects are in `sites` */
    struct fore_map lines;    /* place -> index of its line of source below */
    FORE_VEC(struct fore_bytes) line_list;
};

static uint32_t resolve_pc(struct fore_merge_resolver *r, struct fore_tables *t,
                           uint32_t where)
{
    struct go_resolver *g = (struct go_resolver *)r;
    const struct fore_fsr_stack *s = fore_fsr_stack(g->file, where);
    if (!s)
        return fore_gosym_where(g->sym, t, where, NULL, 0, NULL);
    return fore_gosym_where(g->sym, t, s->where[0], s->where + 1, FORE_FSR_DEEPEST - 1,
                            NULL);
}

static uint32_t stack_where(struct fore_merge_resolver *r, struct fore_tables *t,
                            const uint32_t *stack, size_t n)
{
    struct go_resolver *g = (struct go_resolver *)r;
    return fore_gosym_where(g->sym, t, stack[0], stack + 1, n - 1, NULL);
}

/* ---- lines of source ---- */

static struct fore_bytes source_of(struct go_resolver *g, const struct fore_tables *t,
                                   uint32_t file)
{
    bool fresh;
    uint64_t *at = fore_map_put(&g->files, file, &fresh);
    if (!fresh)
        return g->sources.at[*at];
    *at = g->sources.n;
    struct fore_bytes text = {NULL, 0};
    struct stat st;
    int fd = open(fore_tables_text(t, file), O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 && S_ISREG(st.st_mode)) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED)
            text = (struct fore_bytes){p, (size_t)st.st_size};
    }
    if (fd >= 0)
        close(fd);
    fore_vec_push(&g->sources, text);
    return text;
}

static struct fore_bytes find_line(struct go_resolver *g, const struct fore_tables *t,
                                   uint32_t where)
{
    const struct fore_where *w = &t->wheres.at[where];
    struct fore_bytes text = w->file ? source_of(g, t, w->file) : (struct fore_bytes){0};
    const char *at = text.at, *end = text.at + text.n;
    for (uint32_t line = 1; at && line < w->line; line++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        at = nl ? nl + 1 : NULL;
    }
    if (!at)
        return (struct fore_bytes){NULL, 0};
    const char *nl = memchr(at, '\n', (size_t)(end - at));
    return (struct fore_bytes){at, (size_t)((nl ? nl : end) - at)};
}

/* Remembered, because many objects are made at one place. */
static struct fore_bytes line_of(struct go_resolver *g, const struct fore_tables *t,
                                 uint32_t where)
{
    bool fresh;
    uint64_t *at = fore_map_put(&g->lines, where, &fresh);
    if (fresh) {
        *at = g->line_list.n;
        fore_vec_push(&g->line_list, find_line(g, t, where));
    }
    return g->line_list.at[*at];
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Moves back from `at` over one character of a name, or an index in brackets; or returns `at`. */
static const char *name_back(const char *from, const char *at)
{
    int depth = 0;
    if (at > from && is_name(at[-1]))
        return at - 1;
    for (const char *p = at; p > from && (p == at ? p[-1] == ']' : true); p--) {
        depth += p[-1] == ']';
        depth -= p[-1] == '[';
        if (!depth)
            return p - 1;
    }
    return at;
}

/* The name that ends at `end` ("s.mu", "forks[i]"), possibly empty. */
static struct fore_bytes name_before(const char *from, const char *end)
{
    while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    const char *at = end;
    for (const char *next; (next = name_back(from, at)) < at;)
        at = next;
    while (at < end && (*at == '.' || isdigit((unsigned char)*at)))
        at++;
    return (struct fore_bytes){at, (size_t)(end - at)};
}

/* The k-th name (from 0) of a list "a, b, c" that ends at `end`. */
static struct fore_bytes name_in_list(const char *from, const char *end, uint64_t k)
{
    uint64_t names = 1;
    const char *at = end;
    for (const char *next; at > from; at = next) {
        next = name_back(from, at);
        if (next == at && !strchr(", \t", at[-1]))
            break;
        next -= next == at;
        names += *next == ',';
    }
    const char *stop = end;
    for (uint64_t skip = names - 1 - k % names; skip > 0; skip--)
        while (stop > at && *--stop != ',')
            ;
    return name_before(at, stop);
}

static const char *find_text(const char *from, const char *end, const char *what)
{
    return memmem(from, (size_t)(end - from), what, strlen(what));
}

/* The name that is assigned the n-th value of the statement from `from`, where the make at
 * `make` stands. */
static struct fore_bytes assigned_name(const char *from, const char *make, uint64_t n)
{
    const char *equals = memrchr(from, '=', (size_t)(make - from));
    const char *colon = memrchr(from, ':', (size_t)(make - from));
    if (equals)
        return name_in_list(from,
                            equals > from && equals[-1] == ':' ? equals - 1 : equals, n);
    return colon ? name_before(from, colon) : (struct fore_bytes){NULL, 0};
}

/* The name of a channel in "results := make(chan int)", "quit: make(chan bool)" or "var c =
 * make(…)": the k-th on its line, which may have several statements. */
static struct fore_bytes channel_name(struct fore_bytes line, uint64_t k)
{
    const char *end = line.at + line.n, *from = line.at;
    const char *how = find_text(from, end, "make(") ? "make(" : "time.";
    const char *make = find_text(from, end, how);
    uint64_t n = k; /* index among those of its statement */
    for (const char *next; make && k > 0; k--, make = next) {
        next = find_text(make + 1, end, how);
        if (!next)
            break;
        const char *stop = memrchr(make, ';', (size_t)(next - make));
        if (stop) {
            from = stop;
            n = k - 1;
        }
    }
    return make ? assigned_name(from, make, n) : (struct fore_bytes){NULL, 0};
}

static struct fore_bytes before_any(struct fore_bytes line, const char *const *methods)
{
    for (size_t i = 0; methods[i]; i++) {
        const char *m = memmem(line.at, line.n, methods[i], strlen(methods[i]));
        if (m)
            return name_before(line.at, m);
    }
    return (struct fore_bytes){NULL, 0};
}

/* The text before the method: "mu" of "mu.Lock()", "s.wg" of "defer s.wg.Done()". */
static struct fore_bytes method_name(struct fore_bytes line, unsigned kind)
{
    static const char *const locks[] = {".Lock(",     ".RLock(",  ".TryLock(",
                                        ".TryRLock(", ".Unlock(", ".RUnlock(",
                                        ".Do(",       ".Wait(",   NULL};
    static const char *const groups[] = {".Add(", ".Done(", ".Wait(", ".Go(", NULL};
    static const char *const conditions[] = {".Wait(", ".Signal(", ".Broadcast(", NULL};
    static const char *const once[] = {".Do(", NULL};
    return before_any(line, kind == FORE_OBJ_WG     ? groups
                            : kind == FORE_OBJ_COND ? conditions
                            : kind == FORE_OBJ_ONCE ? once
                                                    : locks);
}

/* "n" of "n.Add(1)" and of "atomic.AddInt32(&n, 1)". */
static struct fore_bytes atomic_name(struct fore_bytes line)
{
    static const char *const methods[] = {
        ".Load(", ".Store(", ".Swap(", ".CompareAndSwap(",
        ".Add(",  ".And(",   ".Or(",   NULL};
    const char *package = memmem(line.at, line.n, "atomic.", 7), *end = line.at + line.n;
    const char *at = package ? memchr(package, '(', (size_t)(end - package)) : NULL;
    if (!at)
        return before_any(line, methods);
    for (at++; at < end && (*at == '&' || *at == '(' || *at == '*'); at++)
        ;
    const char *stop = at;
    while (stop < end && is_name(*stop))
        stop++;
    return name_before(at, stop);
}

/* ---- objects and goroutines ---- */

static size_t stack_size(const uint32_t stack[4])
{
    size_t n = 0;
    while (n < 4 && stack[n])
        n++;
    return n;
}

static void note_sites(struct go_resolver *g)
{
    bool fresh;
    for (; g->sited < g->file->object_list.n; g->sited++) {
        uint32_t where = g->file->object_list.at[g->sited].where;
        fore_map_put(&g->is_site, where, &fresh);
        if (fresh)
            fore_vec_push(&g->sites, where);
    }
}

/* If a line has several makes, their addresses tell which is the k-th. */
static uint64_t rank_of_pc(struct go_resolver *g, uint32_t pc)
{
    struct fore_gosym_frame here, other;
    bool fresh;
    uint64_t *known = fore_map_put(&g->ranks, pc, &fresh), k = 0;
    if (!fresh)
        return *known;
    note_sites(g);
    size_t n = fore_gosym_frames(g->sym, pc, &here, 1);
    for (size_t i = 0; n && i < g->sites.n; i++)
        if (g->sites.at[i] < pc && fore_gosym_frames(g->sym, g->sites.at[i], &other, 1) &&
            other.line == here.line && !strcmp(other.file, here.file))
            k++;
    return *known = k;
}

/* A variable of a package, whose address counts from the beginning of the text. */
static void name_variable(struct go_resolver *g, const struct fore_fsr_object *def,
                          struct fore_merge_about *out)
{
    enum { UNUSED = 64 - FORE_RING_SIZE };
    int64_t distance = (int64_t)(def->block.offset << UNUSED) >> UNUSED;
    uint64_t address = g->file->header->load_base + (uint64_t)distance;
    if (!g->vars_known) {
        struct fore_bytes image = fore_gosym_image(g->sym);
        g->vars = fore_govars_open(image.at, image.n);
        g->vars_known = true;
    }
    if (!g->vars ||
        !fore_govars_name(g->vars, fore_govars_text(g->vars) + (uint64_t)distance,
                          &out->name))
        fore_strbuf_printf(&out->name, "0x%llx", (unsigned long long)address);
}

static bool is_memory(const struct fore_fsr_object *def)
{
    return def->kind == FORE_OBJ_PLACE && (def->block.number || def->block.size);
}

static void name_object(struct fore_merge_resolver *r, struct fore_tables *t,
                        const struct fore_fsr_object *def, struct fore_merge_about *out)
{
    struct go_resolver *g = (struct go_resolver *)r;
    bool hidden;
    if (def->kind == FORE_OBJ_OUTSIDE) /* nobody made it */
        return;
    out->where = fore_gosym_where(g->sym, t, def->where, def->stack,
                                  stack_size(def->stack), &hidden);
    if (is_memory(def)) {
        if (!def->block.number)
            name_variable(g, def, out);
        return;
    }
    if (hidden && def->kind == FORE_OBJ_CHAN)
        hidden =
            !fore_gosym_lends(g->sym, def->where, def->stack, stack_size(def->stack));
    if (hidden)
        out->flags |= FORE_OBJ_HIDDEN;
    if (def->kind == FORE_OBJ_LOCK) /* no owner: any goroutine may unlock it */
        out->flags |= FORE_OBJ_WRITERS_FIRST;
    if (def->kind == FORE_OBJ_CHAN &&
        (fore_gosym_in(g->sym, def->where, "time.") ||
         fore_gosym_in(g->sym, def->where, "context.foreTimed")))
        out->flags |= FORE_OBJ_TIMED;
    /* Through it the collector tells the goroutine that started it that its workers run; that
     * orders no other goroutines. */
    if (def->kind == FORE_OBJ_CHAN && fore_gosym_in(g->sym, def->where, "runtime.gc"))
        out->silent = def->capacity;
    if (hidden || !out->where)
        return;
    struct fore_bytes line = line_of(g, t, out->where);
    struct fore_bytes name = {NULL, 0};
    if (line.at)
        name = def->kind == FORE_OBJ_CHAN ? channel_name(line, rank_of_pc(g, def->where))
               : def->kind == FORE_OBJ_PLACE ? atomic_name(line)
                                             : method_name(line, def->kind);
    fore_strbuf_add(&out->name, name.n ? name.at : "", name.n);
}

static void name_thread(struct fore_merge_resolver *r, struct fore_tables *t,
                        const struct fore_fsr_op *op, struct fore_merge_about *out)
{
    struct go_resolver *g = (struct go_resolver *)r;
    uint64_t b = op->units[1];
    uint32_t stack[MOST_CALLERS];
    size_t n = op->unit_count > 1 ? (op->unit_count - 1) * (size_t)4 : 0, callers = 0;
    n = n < MOST_CALLERS ? n : MOST_CALLERS;
    memcpy(stack, op->units + 2, n * sizeof *stack);
    while (callers < n && stack[callers])
        callers++;
    out->where = fore_gosym_where(g->sym, t, op->where, stack, callers, NULL);
    const char *entry = fore_gosym_entry(g->sym, (uint32_t)b);
    out->goroutine = (uint32_t)(b >> 32);
    if (*entry)
        fore_gosym_put_name(entry, &out->name);
}

static const struct fore_goselect *select_at(struct go_resolver *g,
                                             const struct fore_tables *t, uint32_t where)
{
    bool fresh;
    uint64_t *at = fore_map_put(&g->selects, where, &fresh);
    if (fresh) {
        const struct fore_where *w = &t->wheres.at[where];
        struct fore_goselect cases = {{0}};
        *at = g->cases.n;
        if (w->file)
            fore_goselect_read(source_of(g, t, w->file), w->line, &cases);
        fore_vec_push(&g->cases, cases);
    }
    return &g->cases.at[*at];
}

static uint32_t line_of_case(struct fore_merge_resolver *r, struct fore_tables *t,
                             uint32_t where, unsigned kind, size_t k,
                             const size_t counts[2])
{
    const struct fore_goselect *s = select_at((struct go_resolver *)r, t, where);
    size_t seen[FORE_CASE_TIMEOUT + 1] = {0};
    uint32_t line = 0;
    for (size_t i = 0; i < s->v.n; i++)
        if (seen[s->v.at[i].kind]++ == k && s->v.at[i].kind == kind)
            line = s->v.at[i].line;
    if (!line || seen[FORE_CASE_RECV] != counts[FORE_CASE_RECV] ||
        seen[FORE_CASE_SEND] != counts[FORE_CASE_SEND])
        return where;
    struct fore_where w = t->wheres.at[where];
    w.line = line;
    return fore_tables_where(t, w);
}

static void release_resolver(struct fore_merge_resolver *r)
{
    struct go_resolver *g = (struct go_resolver *)r;
    for (size_t i = 0; i < g->sources.n; i++)
        if (g->sources.at[i].at)
            munmap((void *)(uintptr_t)g->sources.at[i].at, g->sources.at[i].n);
    for (size_t i = 0; i < g->cases.n; i++)
        fore_vec_release(&g->cases.at[i].v);
    fore_govars_free(g->vars);
    fore_gosym_free(g->sym);
    fore_vec_release(&g->cases);
    fore_map_release(&g->selects);
    fore_vec_release(&g->sources);
    fore_map_release(&g->files);
    fore_map_release(&g->ranks);
    fore_map_release(&g->is_site);
    fore_vec_release(&g->sites);
    fore_map_release(&g->lines);
    fore_vec_release(&g->line_list);
    fore_free(g);
}

struct fore_merge_resolver *fore_merge_go_open(const char *name,
                                               const struct fore_fsr *file)
{
    const struct fore_ring_header *h = file->header;
    char beside[4096], named[sizeof h->executable + 1] = {0};
    char folder[sizeof h->folder + 1] = {0};
    size_t ext = strlen(name) - (fore_ends_with(name, ".fsr") ? 4 : 0);
    struct fore_gosym *sym = NULL;
    memcpy(named, h->executable, sizeof h->executable);
    if (snprintf(beside, sizeof beside, "%.*s.exe", (int)ext, name) >=
            (int)sizeof beside ||
        fore_gosym_open(&sym, beside, h->go_func, NULL) != FORE_OK)
        if (fore_gosym_open(&sym, named, h->go_func, NULL) != FORE_OK)
            return NULL;
    struct go_resolver *g = fore_calloc(1, sizeof *g);
    g->base = (struct fore_merge_resolver){resolve_pc,  name_object,  name_thread,
                                           stack_where, line_of_case, release_resolver};
    g->sym = sym;
    g->file = file;
    memcpy(folder, h->folder, sizeof h->folder);
    fore_gosym_ran_in(sym, folder);
    return &g->base;
}

static uint64_t package_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return fore_hash(file, slash ? (size_t)(slash - file) : 0);
}

void fore_merge_go_tell_lengths(struct fore_merge_resolver *r, struct fore_tables *t)
{
    struct go_resolver *g = (struct go_resolver *)r;
    struct fore_golength lengths = {{0}};
    static const char what[] = "the length of a channel (len)";
    const char *name;
    uint32_t file;
    for (size_t at = 0; (file = fore_gosym_file(g->sym, t, &at, &name));)
        fore_golength_declare(&lengths, package_of(fore_tables_text(t, file)),
                              source_of(g, t, file));
    for (size_t at = 0; (file = fore_gosym_file(g->sym, t, &at, &name));) {
        uint64_t package = package_of(fore_tables_text(t, file));
        uint32_t line = 0;
        do
            line = fore_golength_asked(&lengths, package, source_of(g, t, file), line);
        while (line && !fore_gosym_has_line(g->sym, name, line));
        if (!line)
            continue;
        struct fore_where w = {.file = file, .line = line};
        fore_vec_push(&t->unseen, (struct fore_unseen){.text = fore_tables_string(
                                                           t, what, sizeof what - 1),
                                                       .where = fore_tables_where(t, w)});
        break; /* one is enough */
    }
    fore_golength_release(&lengths);
}
