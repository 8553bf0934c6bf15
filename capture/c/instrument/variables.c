/* The table of the variables that may be shared. */
#include "capture/c/instrument/instrument.h"
#include "capture/c/instrument/layout.h"
#include "capture/ring/leaf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fore_is_shared_variable(LLVMValueRef g)
{
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    return !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
           strncmp(name, "llvm.", 5) != 0 && strncmp(name, "foresee", 7) != 0;
}

/* The length of the file's name before the colon, or 0. */
static size_t file_in(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon && colon > name && colon[-1] != ':' ? (size_t)(colon - name) : 0;
}

char *fore_variable_name(const char *name)
{
    size_t file = file_in(name);
    name += file + (file != 0);
    return fore_must(strndup(name, strcspn(name, ".[")));
}

/* Whether `path` is that file, or one in a folder that is not named. */
static bool is_file(const char *path, const char *file, size_t length)
{
    size_t n = strlen(path);
    return n >= length && strncmp(path + n - length, file, length) == 0 &&
           (n == length || path[n - length - 1] == '/');
}

/* Which part of the variable the name of the specification is, "" if it is all of it; NULL if it is of another one.
 * tank.level and tank[3] are parts of tank; tank.c:tank is tank of the file tank.c. The file of
 * a variable that another module defines is not known: it may be that one. */
static const char *part_named(const char *name, const struct fore_named *v)
{
    size_t file = file_in(name), n = strlen(v->name);
    const char *own = file ? name + file + 1 : name;
    if (strcspn(own, ".[") != n || strncmp(own, v->name, n) != 0 ||
        (file && *v->file && !is_file(v->file, name, file)))
        return NULL;
    return own + n;
}

/* The first name that the specification has for it or a part of it; NULL: there is none. */
static const char *spelled(const struct fore_work *w, const struct fore_named *v)
{
    for (int i = 0; i < w->name_count; i++)
        if (part_named(w->names[i], v))
            return w->names[i];
    return NULL;
}

/* The parts that the specification names, with one of no bits behind them; NULL if it names all of it, or one that the
 * layout does not have, as of a union that has another one. */
static struct fore_leaf_part *parts_named(const struct fore_work *w,
                                          const struct fore_named *v)
{
    struct fore_leaf_part *parts =
        fore_must(calloc((size_t)w->name_count + 1, sizeof *parts));
    size_t n = 0;
    for (int i = 0; i < w->name_count; i++) {
        const char *part = part_named(w->names[i], v), *missing;
        if (!part)
            continue;
        if (!*part || !v->layout ||
            !fore_leaf_find(v->layout, part, &parts[n], &missing) || !parts[n++].bits) {
            free(parts);
            return NULL;
        }
    }
    return parts;
}

static void release(struct fore_named *v)
{
    free(v->name);
    free(v->file);
    free(v->layout);
}

/* _ZGVx guards _Zx: whether a static variable of C++ is made yet. */
static char *guard_name(struct fore_work *w, const char *own)
{
    char guarded[1024], *name = NULL;
    if (strncmp(own, "_ZGV", 4) != 0)
        return NULL;
    snprintf(guarded, sizeof guarded, "_Z%s", own + 4);
    LLVMValueRef g = LLVMGetNamedGlobal(w->module, guarded);
    struct fore_named v = g ? fore_layout_of(w->context, g) : (struct fore_named){0};
    if (v.name && asprintf(&name, "guard of %s", v.name) < 0)
        name = NULL;
    release(&v);
    return name;
}

/* _ZN4bank5totalE is bank::total; NULL if it is not so simple. For variables of other modules,
 * of which there is no debug information. */
static char *plain_name(const char *own)
{
    char *text = NULL, *end;
    size_t n = 0;
    if (strncmp(own, "_ZN", 3) != 0)
        return NULL;
    FILE *out = fore_must(open_memstream(&text, &n));
    for (own += 3; *own >= '1' && *own <= '9'; own = end) {
        unsigned long length = strtoul(own, &end, 10);
        if (length > strlen(end))
            break;
        fprintf(out, "%s%.*s", ftell(out) ? "::" : "", (int)length, end);
        end += length;
    }
    fclose(out);
    if (strcmp(own, "E") == 0 && n)
        return text;
    free(text);
    return NULL;
}

static struct fore_named named(struct fore_work *w, LLVMValueRef g)
{
    struct fore_named v = fore_layout_of(w->context, g);
    size_t n;
    if (!v.name) {
        const char *own = LLVMGetValueName2(g, &n);
        v.name = guard_name(w, own);
        if (!v.name)
            v.name = plain_name(own);
        if (!v.name)
            v.name = fore_must(strndup(own, n));
    }
    if (!v.file)
        v.file = fore_must(strdup(""));
    return v;
}

/* Is the access to bytes that the specification names, as far as one can know? */
static enum fore_name is_part_named(const struct fore_leaf_part *part, uint64_t first,
                                    uint64_t bits)
{
    enum fore_name found = FORE_NAME_NONE;
    for (; part->bits; part++)
        if (first >= part->first && first + bits <= part->first + part->bits)
            return FORE_NAME_SURE;
        else if (first < part->first + part->bits && part->first < first + bits)
            found = FORE_NAME_PERHAPS;
    return found;
}

/* Of what another module defines it is not known here where its parts are. */
static enum fore_name is_access_named(const struct fore_work *w, LLVMValueRef global,
                                      const struct fore_named *v, uint64_t offset,
                                      uint64_t size)
{
    if (LLVMIsDeclaration(global) && !v->layout)
        for (int i = 0; i < w->name_count; i++) {
            const char *part = part_named(w->names[i], v);
            if (part && *part)
                return FORE_NAME_PERHAPS;
        }
    struct fore_leaf_part *parts = parts_named(w, v);
    enum fore_name is = !parts ? FORE_NAME_SURE
                        : offset == FORE_NOT_CONSTANT
                            ? FORE_NAME_PERHAPS
                            : is_part_named(parts, offset * 8, size * 8);
    free(parts);
    return is;
}

enum fore_name fore_is_named(struct fore_work *w, LLVMValueRef global, uint64_t offset,
                             uint64_t size)
{
    if (!w->name_count)
        return FORE_NAME_SURE;
    struct fore_named v = named(w, global);
    const char *name = spelled(w, &v);
    enum fore_name is =
        name ? is_access_named(w, global, &v, offset, size) : FORE_NAME_NONE;
    if (is == FORE_NAME_SURE && !*v.file && file_in(name))
        is = FORE_NAME_PERHAPS;
    release(&v);
    return is;
}

bool fore_is_bool(struct fore_work *w, LLVMValueRef global)
{
    struct fore_named v = fore_layout_of(w->context, global);
    bool is = v.layout && strcmp(v.layout, "b1") == 0;
    release(&v);
    return is;
}

static bool is_local(LLVMValueRef g)
{
    LLVMLinkage linkage = LLVMGetLinkage(g);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* The name as the specification spells it, if it names the variable. */
static char *row_name(const struct fore_work *w, const struct fore_named *v)
{
    const char *s = spelled(w, v);
    size_t file = s ? file_in(s) : 0;
    return fore_must(
        strndup(s ? s : v->name, file + strcspn((s ? s : v->name) + file, ".[")));
}

/* Locks, conditions, semaphores, barriers: of C, and what C++ has them in. */
static bool synchronises(LLVMTypeRef type, unsigned depth)
{
    static const char *const words[] = {"pthread_", "mtx_t", "cnd_t",
                                        "sem_t",    "mutex", "condition_variable"};
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind)
        return synchronises(LLVMGetElementType(type), depth);
    if (kind != LLVMStructTypeKind || depth > 8)
        return false;
    const char *name = LLVMGetStructName(type);
    for (size_t i = 0; name && i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
        if (synchronises(LLVMStructGetTypeAtIndex(type, i), depth + 1))
            return true;
    return false;
}

/* As the runtime has them, see module.h. */
static LLVMValueRef row_parts(struct fore_work *w, const struct fore_leaf_part *parts)
{
    unsigned n = 0;
    if (!w->name_count || !parts)
        return LLVMConstNull(w->text);
    while (parts[n++].bits)
        ;
    LLVMValueRef *words = fore_must(calloc(n, 2 * sizeof *words));
    for (unsigned i = 0; i < n; i++) {
        words[2 * i] = LLVMConstInt(w->i64, parts[i].first, false);
        words[2 * i + 1] = LLVMConstInt(w->i64, parts[i].bits, false);
    }
    LLVMValueRef init = LLVMConstArray(w->i64, words, 2 * n);
    LLVMValueRef g = LLVMAddGlobal(w->module, LLVMTypeOf(init), "foresee.parts");
    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, true);
    free(words);
    return LLVMConstBitCast(g, w->text);
}

/* `locks`: those that the specification does not name, if they have locks in them. */
static void add_row(struct fore_work *w, LLVMValueRef g, bool locks)
{
    struct fore_named v = named(w, g);
    bool asked = !w->name_count || spelled(w, &v);
    if (locks ? !asked && synchronises(LLVMGlobalGetValueType(g), 0) : asked) {
        uint64_t size = LLVMABISizeOfType(w->layout, LLVMGlobalGetValueType(g));
        char *name = row_name(w, &v);
        struct fore_leaf_part *parts = locks ? NULL : parts_named(w, &v);
        LLVMValueRef fields[] = {LLVMConstBitCast(g, w->text),
                                 LLVMConstInt(w->i64, size, false),
                                 fore_string(w, name),
                                 fore_string(w, v.layout ? v.layout : ""),
                                 fore_string(w, is_local(g) ? v.file : ""),
                                 row_parts(w, parts)};
        w->rows = fore_must(realloc(w->rows, (w->row_count + 1) * sizeof *w->rows));
        w->rows[w->row_count++] = LLVMConstNamedStruct(w->variable, fields, 6);
        free(name);
        free(parts);
    }
    release(&v);
}

/* The list llvm.used: neither the optimiser nor the linker drops what it has. */
static void list_as_used(struct fore_work *w, LLVMValueRef global)
{
    LLVMValueRef old = LLVMGetNamedGlobal(w->module, "llvm.used");
    LLVMValueRef init = old ? LLVMGetInitializer(old) : NULL;
    unsigned n = init ? LLVMGetArrayLength(LLVMTypeOf(init)) : 0;
    LLVMValueRef *all = fore_must(calloc(n + 1, sizeof *all));
    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMGetOperand(init, i);
    all[n] = LLVMConstBitCast(global, w->text);
    if (old)
        LLVMDeleteGlobal(old);
    init = LLVMConstArray(w->text, all, n + 1);
    LLVMValueRef used = LLVMAddGlobal(w->module, LLVMTypeOf(init), "llvm.used");
    LLVMSetInitializer(used, init);
    LLVMSetLinkage(used, LLVMAppendingLinkage);
    LLVMSetSection(used, "llvm.metadata");
    free(all);
}

void fore_keep_in_section(struct fore_work *w, LLVMValueRef init, const char *name,
                          const char *section)
{
    LLVMValueRef g = LLVMAddGlobal(w->module, LLVMTypeOf(init), name);
    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetSection(g, section);
    LLVMSetAlignment(g, LLVMABIAlignmentOfType(w->layout, LLVMTypeOf(init)));
    list_as_used(w, g);
}

static bool is_defined(LLVMValueRef g)
{
    return !LLVMIsDeclaration(g) && fore_is_shared_variable(g) &&
           LLVMGetLinkage(g) != LLVMAvailableExternallyLinkage;
}

/* So that the linking compiler knows which names of the specification nobody has, and which
 * several have. */
static void add_known(struct fore_work *w)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = fore_must(open_memstream(&text, &n));
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g))
        if (is_defined(g)) {
            struct fore_named v = named(w, g);
            fprintf(out, "%s\n%s\n%s%c", v.name, is_local(g) ? v.file : "",
                    v.layout ? v.layout : "", 0);
            release(&v);
        }
    fclose(out);
    if (n)
        fore_keep_in_section(
            w, LLVMConstStringInContext(w->context, text, (unsigned)n, true),
            "foresee.known", FORE_C_KNOWN);
    free(text);
}

static void add_rows(struct fore_work *w, bool locks, const char *section)
{
    LLVMValueRef last = LLVMGetLastGlobal(w->module);
    w->row_count = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->module); g; g = LLVMGetNextGlobal(g)) {
        if (is_defined(g))
            add_row(w, g, locks);
        if (g == last)
            break;
    }
    if (w->row_count)
        fore_keep_in_section(w, LLVMConstArray(w->variable, w->rows, w->row_count),
                             "foresee.table", section);
}

void fore_add_table(struct fore_work *w)
{
    add_rows(w, false, FORE_C_SECTION);
    add_rows(w, true, FORE_C_LOCKS_SECTION);
    if (w->taken)
        fore_keep_in_section(w, fore_number(w, w->taken), "foresee.taken", FORE_C_TAKEN);
    if (w->name_count)
        add_known(w);
}
